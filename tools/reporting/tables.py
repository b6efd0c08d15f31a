"""All implementations, and the rules that they are asked for, in the order of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporting import addresses, dates, documents, languages, mail, uris, urls
from reporting.implementation import PROMISES


@dataclass(frozen=True)
class Column:
    """A rule that is asked for: ``short`` is its name in the picture, ``title`` on the page."""

    rule: str
    short: str
    title: str


@dataclass(frozen=True)
class Field:
    """Rules that are shown together."""

    title: str
    columns: Sequence[Column]


FIELDS = (
    Field(
        "URIs and their parts",
        (
            Column(uris.URI, "URI", "URI (RFC 3986)"),
            Column(uris.REFERENCE, "reference", "URI-reference (RFC 3986)"),
            Column(uris.IPV6, "IPv6", "IPv6address (RFC 3986)"),
            Column(uris.IPV4, "IPv4", "IPv4address (RFC 3986)"),
            Column(uris.SCHEME, "scheme", "scheme (RFC 3986)"),
            Column(uris.PORT, "port", "port (RFC 3986)"),
            Column(uris.OLD, "RFC 2396", "URI-reference (RFC 2396)"),
            Column(uris.IRI, "IRI", "IRI (RFC 3987)"),
        ),
    ),
    Field(
        "Date-times (RFC 3339)",
        (
            Column(addresses.DATE_T_Z, "T and Z", "date-time (RFC 3339), with T and Z"),
            Column(addresses.DATE_TIME, "t and z", "date-time (RFC 3339), with t and z"),
        ),
    ),
    Field(
        "E-mail addresses",
        (
            Column(addresses.MAILBOX, "Mailbox", "Mailbox (RFC 5321)"),
            Column(mail.ADDR_SPEC, "addr-spec", "addr-spec (RFC 5322)"),
        ),
    ),
    Field("JSON", (Column(documents.JSON, "RFC 8259", "JSON-text (RFC 8259)"),)),
    Field(
        "TOML",
        (
            Column(documents.TOML_1_0, "1.0.0", "toml (TOML 1.0.0)"),
            Column(documents.TOML_1_1, "1.1.0", "toml (TOML 1.1.0)"),
        ),
    ),
)

_ALL = (
    *uris.IMPLEMENTATIONS,
    *urls.IMPLEMENTATIONS,
    *addresses.IMPLEMENTATIONS,
    *dates.IMPLEMENTATIONS,
    *mail.IMPLEMENTATIONS,
    *documents.IMPLEMENTATIONS,
    *languages.IMPLEMENTATIONS,
)
IMPLEMENTATIONS = tuple(each for promise in PROMISES for each in _ALL if each.promise == promise)
"""By what they promise; within that in the order of their tables."""
