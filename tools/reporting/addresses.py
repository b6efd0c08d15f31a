"""Addresses of hosts: Python's, and validators of them."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from abnforge.conformance.judges import Function
from reporting.implementation import ANOTHER, SPECIFICATION, Asked, Implementation, function
from reporting.uris import ANCHORS_AND_ZEROS, IPV4, IPV6, IRI, REFERENCE, URI, django, raising

DATE_TIME, DATE_T_Z, MAILBOX = "rfc3339:date-time", "rfc3339:date-time T Z", "rfc5321:Mailbox"


def _format(name: str) -> Asked:
    def load() -> Function:
        checker = import_module("jsonschema").FormatChecker()
        return lambda text: checker.conforms(text, name)

    return Asked(f'FormatChecker().conforms(s, "{name}")', function(load))


def _without_network(name: str) -> Function:
    return partial(getattr(import_module("validators"), name), cidr=False)


IMPLEMENTATIONS = (
    Implementation(
        "jsonschema",
        "jsonschema",
        SPECIFICATION,
        "the formats of JSON Schema, which name RFC 3986, 3987, 2673, 4291, 3339 and 5321; "
        "here with rfc3987 and rfc3339-validator",
        "https://python-jsonschema.readthedocs.io/en/stable/validate/#validating-formats",
        {
            URI: _format("uri"),
            REFERENCE: _format("uri-reference"),
            IPV6: _format("ipv6"),
            IPV4: _format("ipv4"),
            IRI: _format("iri"),
            DATE_TIME: _format("date-time"),
            DATE_T_Z: _format("date-time"),
            MAILBOX: _format("email"),
        },
        beside=("rfc3987", "rfc3339-validator"),
        known={
            URI: ANCHORS_AND_ZEROS,
            REFERENCE: ANCHORS_AND_ZEROS,
            IRI: ANCHORS_AND_ZEROS,
            DATE_T_Z: "[JSON Schema 959](https://github.com/json-schema-org/JSON-Schema-Test-Suite/pull/959)",
        },
    ),
    Implementation(
        "ipaddress",
        "python",
        ANOTHER,
        "IPv4 in decimal without leading zeros; RFC 4291 with the scope of RFC 4007, `%` and an identifier",
        "https://docs.python.org/3/library/ipaddress.html#ipaddress.IPv6Address",
        {
            IPV6: Asked("IPv6Address(s)", raising("ipaddress", "IPv6Address")),
            IPV4: Asked("IPv4Address(s)", raising("ipaddress", "IPv4Address")),
        },
    ),
    Implementation(
        "validators, addresses",
        "validators",
        ANOTHER,
        "valid IPv4 and IPv6 addresses; asked without networks (`cidr=False`)",
        "https://validators.readthedocs.io/en/stable/api/ip_address/",
        {
            IPV6: Asked("validators.ipv6(s, cidr=False)", function(lambda: _without_network("ipv6"))),
            IPV4: Asked("validators.ipv4(s, cidr=False)", function(lambda: _without_network("ipv4"))),
        },
    ),
    Implementation(
        "Django, addresses",
        "Django",
        ANOTHER,
        "a value that “looks like an IPv4 address”; “the validity of an IPv6 address”",
        "https://docs.djangoproject.com/en/stable/ref/validators/#validate-ipv46-address",
        {
            IPV6: Asked("validate_ipv6_address(s)", django("validate_ipv6_address")),
            IPV4: Asked("validate_ipv4_address(s)", django("validate_ipv4_address")),
        },
    ),
)
