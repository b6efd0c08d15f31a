"""Implementations in other languages, asked by programs that run beside this process."""

from __future__ import annotations

from reporting.addresses import DATE_T_Z, DATE_TIME, MAILBOX
from reporting.documents import JSON
from reporting.implementation import ANOTHER, PROGRAMS, SPECIFICATION, SPLITS, Asked, Implementation, program
from reporting.uris import IPV4, IPV6, JSON_SCHEMA, OLD, PORT, REFERENCE, URI


def _node(name: str, call: str) -> Asked:
    return Asked(call, program(["node", str(PROGRAMS / "judge.cjs"), name]))


def _ajv(name: str) -> Asked:
    return _node(f"ajv:{name}", f'format "{name}"')


def _java(rule: str, call: str) -> Asked:
    return Asked(call, program(["java", str(PROGRAMS / "Judge.java"), rule]))


_LEADING_ZERO = f"[JSON Schema 1080]({JSON_SCHEMA}/pull/1080)"

IMPLEMENTATIONS = (
    Implementation(
        "Node URL",
        "node",
        ANOTHER,
        "the WHATWG URL Standard",
        "https://nodejs.org/api/url.html#the-whatwg-url-api",
        {
            URI: _node("URL", "URL.canParse(s)"),
            IPV6: _node("URL-ipv6", 'URL.canParse("http://[" + s + "]/")'),
            PORT: _node("URL-port", 'URL.canParse("http://h:" + s + "/")'),
        },
    ),
    Implementation(
        "uri-js",
        "npm:uri-js",
        SPLITS,
        "“RFC 3986 compliant … parsing/validating/resolving library”; its author: “URI "
        "validation is not currently supported”",
        "https://www.npmjs.com/package/uri-js",
        {
            URI: _node("uri-js", "parse(s): a scheme, no error"),
            REFERENCE: _node("uri-js-reference", "parse(s): no error"),
        },
        beside=("node",),
        known=dict.fromkeys((URI, REFERENCE), "[35](https://github.com/garycourt/uri-js/issues/35)"),
    ),
    Implementation(
        "fast-uri",
        "npm:fast-uri",
        SPECIFICATION,
        "“dependency-free RFC 3986 URI toolbox”",
        "https://www.npmjs.com/package/fast-uri",
        {
            URI: _node("fast-uri", "parse(s): a scheme, no error"),
            REFERENCE: _node("fast-uri-reference", "parse(s): no error"),
        },
        beside=("node",),
    ),
    Implementation(
        "ajv-formats",
        "npm:ajv-formats",
        SPECIFICATION,
        "the formats of JSON Schema, in full mode",
        "https://www.npmjs.com/package/ajv-formats",
        {
            URI: _ajv("uri"),
            REFERENCE: _ajv("uri-reference"),
            IPV6: _ajv("ipv6"),
            IPV4: _ajv("ipv4"),
            DATE_TIME: _ajv("date-time"),
            DATE_T_Z: _ajv("date-time"),
            MAILBOX: _ajv("email"),
        },
        beside=("npm:ajv", "node"),
        known={
            URI: _LEADING_ZERO,
            REFERENCE: _LEADING_ZERO,
            **dict.fromkeys(
                (DATE_TIME, DATE_T_Z), "[117](https://github.com/ajv-validator/ajv-formats/issues/117)"
            ),
        },
    ),
    Implementation(
        "java.net.URI",
        "java",
        ANOTHER,
        "RFC 2396 and RFC 2732, “aside from some minor deviations noted below”",
        "https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/net/URI.html",
        {
            URI: _java("URI", "new URI(s).isAbsolute()"),
            REFERENCE: _java("URI-reference", "new URI(s)"),
            OLD: _java("URI-reference", "new URI(s)"),
        },
        known={
            URI: "[write-up](https://cr.openjdk.java.net/~dfuchs/writeups/updating-uri/)",
            REFERENCE: "[write-up](https://cr.openjdk.java.net/~dfuchs/writeups/updating-uri/)",
        },
    ),
    Implementation(
        "Node JSON.parse",
        "node",
        SPECIFICATION,
        "ECMA-262's JSON, which is that of RFC 8259",
        "https://tc39.es/ecma262/#sec-json.parse",
        {JSON: _node("JSON", "JSON.parse(s)")},
    ),
)
