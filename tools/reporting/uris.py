"""Python's libraries of URIs, URLs and IRIs, and what they promise."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from abnforge.conformance.judges import Function
from reporting.implementation import (
    SPECIFICATION,
    Asked,
    Implementation,
    Load,
    always,
    between,
    function,
)

URI, REFERENCE, IRI = "rfc3986:URI", "rfc3986:URI-reference", "rfc3987:IRI"
OLD = "rfc2396:URI-reference"
IPV6, IPV4, SCHEME, PORT = "rfc3986:IPv6address", "rfc3986:IPv4address", "rfc3986:scheme", "rfc3986:port"

JSON_SCHEMA = "https://github.com/json-schema-org/JSON-Schema-Test-Suite"
ANCHORS_AND_ZEROS = f"[JSON Schema 1083]({JSON_SCHEMA}/pull/1083), [1080]({JSON_SCHEMA}/pull/1080)"
IN_BRACKETS, BEHIND_HOST, BEFORE_COLON = "[]/?#@\\", "[]/?#@\\", ":/?#[]@\\"


def raising(module: str, name: str) -> Load:
    """A function of a module that says no by raising."""
    return function(lambda: always(getattr(import_module(module), name)))


def parts_of(load: Callable[[], Callable[[str], Any]], call: str) -> dict[str, Asked]:
    """A parser of URLs asked for an address in brackets, and for a port: where it takes a URL with them.
    ``call`` is what is shown, with ``{}`` for the URL.
    """
    return {
        IPV6: Asked(
            call.format('"http://[" + s + "]/"'),
            function(lambda: between("http://[", "]/", IN_BRACKETS, load())),
        ),
        PORT: Asked(
            call.format('"http://h:" + s + "/"'),
            function(lambda: between("http://h:", "/", BEHIND_HOST, load())),
        ),
    }


def _rfc3986(*required: str) -> Function:
    module, validators = import_module("rfc3986"), import_module("rfc3986.validators")
    parts = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")
    validator = validators.Validator().require_presence_of(*required).check_validity_of(*parts)
    return always(lambda text: validator.validate(module.uri_reference(text)))


def _uritools(reference: bool) -> Function:
    urisplit = import_module("uritools").urisplit

    def accepts(text: str) -> bool:
        parts = urisplit(text)
        parts.gethost(errors="replace"), parts.getport(), parts.getpath(errors="replace")
        parts.getquery(errors="replace"), parts.getfragment(errors="replace")
        return reference or bool(parts.isuri())

    return accepts


def _rfc3987(rule: str) -> Asked:
    return Asked(
        f'rfc3987.match(s, "{rule}")', function(lambda: partial(import_module("rfc3987").match, rule=rule))
    )


def _validate_rfc3986(rule: str) -> Asked:
    return Asked(
        f'validate_rfc3986(s, "{rule}")',
        function(lambda: partial(import_module("rfc3986_validator").validate_rfc3986, rule=rule)),
    )


def _syntax(term: str, strings: int | None = None) -> Asked:
    return Asked(
        f"is_valid_syntax_{term}(s)",
        function(lambda: getattr(import_module("rfc3987_syntax"), f"is_valid_syntax_{term}")),
        strings,
        slow=True,
    )


def _abnf(rule: str, strings: int) -> Asked:
    return Asked(
        f'Rule("{rule}").parse_all(s)',
        function(lambda: always(import_module("abnf.grammars.rfc3986").Rule(rule).parse_all)),
        strings,
        slow=True,
    )


def with_scheme(module: str, call: str) -> Function:
    parse = getattr(import_module(module), call)
    return lambda text: parse(text).scheme


def django(name: str) -> Load:
    """A validator of Django's, which wants settings, and their defaults do."""

    def load() -> Function:
        settings = import_module("django.conf").settings
        if not settings.configured:
            settings.configure()
            import_module("django").setup()
        found = getattr(import_module("django.core.validators"), name)
        return always(found() if isinstance(found, type) else found)

    return function(load)


def given_by(module: str, name: str) -> Callable[[], Any]:
    return lambda: getattr(import_module(module), name)


def _yes_by(module: str, name: str) -> Callable[[], Any]:
    return lambda: always(getattr(import_module(module), name))


IMPLEMENTATIONS = (
    Implementation(
        "rfc3986-validator",
        "rfc3986-validator",
        SPECIFICATION,
        "“pure python rfc3986 validator”",
        "https://pypi.org/project/rfc3986-validator/",
        {URI: _validate_rfc3986("URI"), REFERENCE: _validate_rfc3986("URI_reference")},
    ),
    Implementation(
        "rfc3986",
        "rfc3986",
        SPECIFICATION,
        "“validating URI References per RFC 3986”",
        "https://rfc3986.readthedocs.io/en/latest/user/validating.html",
        {
            URI: Asked("Validator, scheme required, all parts", function(lambda: _rfc3986("scheme"))),
            REFERENCE: Asked("Validator, all parts", function(_rfc3986)),
        },
        known={REFERENCE: "[30](https://github.com/python-hyper/rfc3986/issues/30)"},
    ),
    Implementation(
        "rfc3987",
        "rfc3987",
        SPECIFICATION,
        "“parsing and validation of URIs (RFC 3986) and IRIs (RFC 3987)”",
        "https://pypi.org/project/rfc3987/",
        {
            URI: _rfc3987("URI"),
            REFERENCE: _rfc3987("URI_reference"),
            IPV6: _rfc3987("IPv6address"),
            IPV4: _rfc3987("IPv4address"),
            SCHEME: _rfc3987("scheme"),
            PORT: _rfc3987("port"),
            IRI: _rfc3987("IRI"),
        },
        known=dict.fromkeys((URI, REFERENCE, IPV6, IPV4, IRI), ANCHORS_AND_ZEROS),
    ),
    Implementation(
        "rfc3987-syntax",
        "rfc3987-syntax",
        SPECIFICATION,
        "“strictly aligned with the syntax rules of RFC 3987”",
        "https://pypi.org/project/rfc3987-syntax/",
        {
            IPV6: _syntax("ipv6address", 2_000),
            IPV4: _syntax("ipv4address", 2_000),
            PORT: _syntax("port", 2_000),
            IRI: _syntax("iri", 2_000),
        },
        beside=("lark",),
    ),
    Implementation(
        "abnf",
        "abnf",
        SPECIFICATION,
        "parsers generated from the ABNF of RFCs",
        "https://pypi.org/project/abnf/",
        {
            URI: _abnf("URI", 3_000),
            REFERENCE: _abnf("URI-reference", 3_000),
            IPV6: _abnf("IPv6address", 3_000),
            IPV4: _abnf("IPv4address", 3_000),
            SCHEME: _abnf("scheme", 3_000),
            PORT: _abnf("port", 3_000),
        },
    ),
    Implementation(
        "uritools",
        "uritools",
        SPECIFICATION,
        "“RFC 3986 compliant functions for parsing, classifying and composing URIs”; splits well-formed ones",
        "https://uritools.readthedocs.io/",
        {
            URI: Asked("urisplit(s).isuri(), all getters", function(lambda: _uritools(False))),
            REFERENCE: Asked("urisplit(s), all getters", function(lambda: _uritools(True))),
            **parts_of(lambda: _uritools(True), "urisplit({}), all getters"),
        },
    ),
    Implementation(
        "urllib3 parse_url",
        "urllib3",
        SPECIFICATION,
        "“this parser is RFC 3986 and RFC 6874 compliant”; “best-effort … to parse incomplete urls”",
        "https://urllib3.readthedocs.io/en/stable/reference/urllib3.util.html",
        {
            URI: Asked("parse_url(s).scheme", function(lambda: with_scheme("urllib3.util", "parse_url"))),
            REFERENCE: Asked("parse_url(s)", raising("urllib3.util", "parse_url")),
            **parts_of(_yes_by("urllib3.util", "parse_url"), "parse_url({})"),
        },
        beside=("idna",),
        known={
            URI: "[2802](https://github.com/urllib3/urllib3/issues/2802)",
            REFERENCE: "[2802](https://github.com/urllib3/urllib3/issues/2802)",
        },
    ),
)
