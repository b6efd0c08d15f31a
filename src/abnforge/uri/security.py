"""Security findings about a valid reference, from RFC 3986, section 7.

A URI without findings is not necessarily safe. Findings show percent-encoded octets (section 7.3 requires
checks after decoding), and the address of a rare IPv4 notation (section 7.4 requires filters on it).

:func:`security` also reports ``SUSPICIONS``: valid strings that authors seldom intend. They are from public
reports of valid URIs that looked wrong. Each is a regular expression with a group ``at`` for the place.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

from abnforge._arguments import choice_argument, instance_argument, plain_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.records import attributes
from abnforge.uri.common.components import Component
from abnforge.uri.common.messages import message
from abnforge.uri.common.password import without_password
from abnforge.uri.common.percent import TRIPLET
from abnforge.uri.rfc3986.components import COMPONENTS, HostKind, Reference
from abnforge.uri.rfc3986.parse import is_valid, parse, percent
from abnforge.uri.rfc3986.schemes import LAST_WELL_KNOWN_PORT, WELL_KNOWN_PORTS

_WEB = ("http", "https")


def _of_two(pair: str) -> set[str]:
    """Return two letters with a typo: swapped, or one of them twice."""
    return {pair[::-1], pair[:1] * len(pair), pair[1:] * len(pair)} if len(pair) == 2 else set()


def _typos(*words: str) -> str:
    """Return a pattern of words with a typo: a letter omitted, doubled, swapped or overwritten."""
    typos = set[str]()
    for word in words:
        for at in range(len(word)):
            typos |= {word[:at] + word[at + 1 :], word[: at + 1] + word[at:]}
            typos |= {word[:at] + pair + word[at + 2 :] for pair in _of_two(word[at : at + 2])}
    return "|".join(sorted(typos - set(words)))


@dataclass(frozen=True)
class Suspicion:
    """A pattern of valid references that authors seldom intend; a warning or a note."""

    code: str
    warns: bool
    section: str
    pattern: str
    message: str

    @cached_property
    def finder(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield its places in a valid reference, from left to right."""
        for match in self.finder.finditer(text):
            yield match.span("at")


_AUTHORITY = r"\A(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#@\[]*@)?"
_SCHEMES = r"(?:https?|ftps?|sftp|wss?|file|feed|socks[45]?[ah]?|ssh|git)"

SUSPICIONS = (
    Suspicion(
        "scheme-typo",
        True,
        "3.1",
        rf"\A(?P<at>{_typos(*_WEB)})://",
        "the scheme looks like http or https with a typo",
    ),
    Suspicion(
        "scheme-is-host",
        True,
        "3.1",
        r"\A(?P<at>localhost|[a-z](?:[a-z0-9-]*\.)+[a-z]{2,}):[0-9]{1,5}(?![0-9a-z.:])",
        "the scheme looks like a host; write '//' before the host",
    ),
    Suspicion(
        "scheme-without-colon",
        True,
        "4.2",
        r"\A(?P<at>https?)//",
        "this is the first segment of the path; write ':' after the scheme",
    ),
    Suspicion(
        "scheme-twice",
        True,
        "3.2.2",
        rf"\A[a-z][a-z0-9+.-]*://(?P<at>{_SCHEMES}(?::/|//))",
        "the host looks like a scheme; remove one of the two schemes",
    ),
    Suspicion(
        "one-slash",
        True,
        "3.2",
        r"\A(?:https?|ftps?|wss?):(?P<at>/)(?!/)",
        "one slash starts a path; write '//' before the host",
    ),
    Suspicion(
        "host-empty",
        False,
        "3.2.2",
        r"\A(?:https?|wss?)://(?:[^/?#@\[]*@)?(?P<at>)(?=(?::[0-9]*)?(?:[/?#]|\Z))",
        "the host is empty; http and https URIs must have a host",
    ),
    Suspicion(
        "drive-as-host",
        True,
        "3.2.2",
        r"\Afile://(?P<at>[a-z])(?::|%3A)",
        "the host looks like a Windows drive; write 'file:///' before the drive",
    ),
    Suspicion(
        "host-underscore",
        False,
        "3.2.2",
        rf"{_AUTHORITY}(?P<at>[^/?#:@\[]*_[^/?#:@\[]*)(?=[/?#:]|\Z)",
        "many programs reject an underscore in a host name; use a hyphen",
    ),
    Suspicion(
        "host-space",
        True,
        "3.2.2",
        rf"{_AUTHORITY}[^/?#:@\[]*?(?P<at>%20|%09|%C2%A0)(?=[^/?#@]*(?:[/?#]|\Z))",
        "percent-encoded space in the host; remove it",
    ),
    Suspicion(
        "port-empty",
        False,
        "3.2.3",
        rf"(?!file:){_AUTHORITY}(?!{_SCHEMES}:)(?:\[[^]]*\]|[^/?#:@\[]+)(?P<at>:)(?=/(?!/)|[?#]|\Z)",
        "the port is empty; remove the colon",
    ),
    Suspicion(
        "port-too-large",
        True,
        "3.2.3",
        rf"{_AUTHORITY}(?:\[[^]]*\]|[^/?#:@\[]*):"
        r"(?P<at>0*(?:6553[6-9]|655[4-9][0-9]|65[6-9][0-9]{2}|6[6-9][0-9]{3}|[7-9][0-9]{4}|[1-9][0-9]{5,}))(?=[/?#]|\Z)",
        "the port must be at most 65535",
    ),
    Suspicion(
        "invisible-encoded",
        True,
        "2.1",
        r"(?P<at>%E2%80%8[B-F]|%E2%81%A0|%EF%BB%BF|%C2%AD)",
        "percent-encoded invisible character, probably from a copied link; remove it",
    ),
    Suspicion(
        "html-entity",
        False,
        "2.2",
        r"(?P<at>&(?:amp|lt|gt|quot|nbsp);)",
        "this looks like an HTML character reference; write the character itself",
    ),
    Suspicion(
        "bracket-at-end",
        False,
        "2.2",
        r"\A[^()]*(?P<at>\))\Z",
        "closing parenthesis without an opening one; it may not belong to the URI",
    ),
)


RULES = ("URI", "URI-reference", "absolute-URI", "relative-ref")  # the rules of references

MAX_HOST_OCTETS = 255  # section 3.2.2, and the limit of DNS (RFC 1035, section 2.3.4)

_HOST_LIKE = re.compile(r"[\w-]+(?:\.[\w-]+)+")
# The delimiters of components, and the backslash, which some filesystems accept for a slash.
_DELIMITERS = frozenset(b":/?#[]@\\")
# In these components, an encoded delimiter is usually intended, such as in a URI within a query.
_FREE = frozenset({"query", "fragment"})


class Severity(StrEnum):
    """The severity of a finding, in ascending order."""

    NOTE = "note"  # common and often intended
    WARNING = "warning"  # described in section 7
    ERROR = "error"  # the RFC forbids it, or requires an error or a rejection

    def at_least(self, other: Severity) -> bool:
        """Return whether this severity is at least another one or its value. Raises TypeError, ValueError."""
        order = list(Severity)
        return order.index(self) >= order.index(Severity(choice_argument(other, "other", order)))


@dataclass(frozen=True, slots=True, weakref_slot=True)
class SecurityFinding:
    """A finding about a URI.

    ``text[start:end]``, in code points, is its place: the first of ``count`` places in a component.
    ``section`` is a section of RFC 3986. ``address`` is the usual notation of a rare IPv4 address. The
    message does not quote a password.
    """

    code: str
    severity: Severity
    section: str
    start: int
    end: int
    message: str
    count: int = 1
    address: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``. Its keys are stable."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            **attributes(self, "section start end message count address"),
        }


def security(
    value: str | Component, ports: Mapping[str, Collection[int]] = WELL_KNOWN_PORTS
) -> list[SecurityFinding]:
    """Return the findings about a URI reference, in the order of the string.

    ``ports`` has the well-known ports of each scheme (in lower case): ``{**WELL_KNOWN_PORTS, "http": (80,
    81)}`` allows one more. The port of a reference without a scheme is not checked.

    Raises: :class:`abnforge.Rejected` for a string that is not a URI reference; TypeError.
    Complexity: linear.
    """
    text = text_argument(value, "value")
    instance_argument(ports, "ports", Mapping, "a mapping of ports by scheme")
    reference = parse(text, "URI-reference")
    places = _places(reference)
    findings = [
        *_userinfo(reference, text, places),
        *_host(reference, places),
        *_port(reference, places, ports),
        *_dot_segments(text, places),
        *_octets(text, places),
        *_suspected(text),
    ]
    return sorted(findings, key=lambda finding: (finding.start, finding.end, finding.code))


def ports_with(allowed: Iterable[str]) -> Mapping[str, Collection[int]]:
    """Return the well-known ports for :func:`security`, with further ones of the form ``http:81``.

    Raises: ValueError for another form.
    """
    ports = {scheme: set(ports_of_scheme) for scheme, ports_of_scheme in WELL_KNOWN_PORTS.items()}
    for text in allowed:
        scheme, _, port = text.rpartition(":")
        if not scheme or not (port.isascii() and port.isdigit()) or int(port[:6]) > LAST_WELL_KNOWN_PORT:
            raise ArgumentError(message("port-of-scheme", port=text, most=LAST_WELL_KNOWN_PORT))
        ports.setdefault(scheme.lower(), set()).add(int(port))
    return ports


def alarming(findings: Iterable[SecurityFinding]) -> bool:
    """Return whether any finding is a warning or an error."""
    return any(finding.severity.at_least(Severity.WARNING) for finding in findings)


_Places = Mapping[str, tuple[int, int]]


def _places(u: Reference) -> _Places:
    """Return the places of the components that are defined."""
    spans = zip(COMPONENTS, u._places[::2], u._places[1::2], strict=True)
    return {name: (start, end) for name, start, end in spans if end >= 0}


def _userinfo(u: Reference, text: str, places: _Places) -> Iterator[SecurityFinding]:
    if u.userinfo is not None:
        start, end = places["userinfo"]
        if u.password:
            yield SecurityFinding(
                "password", Severity.ERROR, "7.5", end - len(u.password), end, message("password")
            )
        readable = percent.decode_octets(u.userinfo).decode("utf-8", "replace")
        if (match := _HOST_LIKE.match(readable)) is not None:
            yield SecurityFinding(
                "misleading-userinfo",
                Severity.WARNING,
                "7.6",
                start,
                start + len(u.user or ""),
                message("misleading-userinfo", user=without_password(match[0]), host=u.host or ""),
            )
    if u.authority is not None and not u.path:
        # A program that ends the authority only at "/" finds the host after the "@".
        start = places["path"][0]
        at = text.find("@", start)
        if at >= 0 and "/" not in text[start:at]:
            yield SecurityFinding(
                "misleading-at-sign",
                Severity.WARNING,
                "7.6",
                at,
                at + 1,
                message("misleading-at-sign", host=u.host or ""),
            )


def _host(u: Reference, places: _Places) -> Iterator[SecurityFinding]:
    host = u.host
    if host is None:
        return
    start, end = places["host"]
    if u.host_kind is HostKind.IPVFUTURE:
        version = host[2 : host.index(".")]
        yield SecurityFinding(
            "ipvfuture", Severity.ERROR, "3.2.2", start, end, message("ipvfuture", version=version)
        )
    if u.host_kind is not HostKind.REG_NAME:
        return
    octets = percent.decode_octets(host)
    if len(octets) > MAX_HOST_OCTETS:
        text = message("host-too-long", length=len(octets), most=MAX_HOST_OCTETS)
        yield SecurityFinding("host-too-long", Severity.WARNING, "3.2.2", start, end, text)
    address = ipv4_number(octets.decode("latin-1"))
    if address is not None:
        shown = ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))
        yield SecurityFinding(
            "rare-ipv4",
            Severity.WARNING,
            "7.4",
            start,
            end,
            message("rare-ipv4", address=shown),
            address=shown,
        )
    triplets = [(match.start(), int(match[0][1:], 16)) for match in TRIPLET.finditer(host)]
    needless = [at for at, octet in triplets if is_valid(chr(octet), "unreserved")]
    if needless:
        text = message("host-needless-encoding")
        yield _first("host-needless-encoding", Severity.WARNING, "3.2.2", start, needless, text)
    foreign = [at for at, octet in triplets if octet > 127]
    if foreign:
        try:
            octets.decode()
        except UnicodeDecodeError as error:
            text = message("host-not-utf8", reason=error.reason)
            yield _first("host-not-utf8", Severity.ERROR, "3.2.2", start, foreign, text)
        else:
            text = message("host-not-idna")
            yield _first("host-not-idna", Severity.NOTE, "3.2.2", start, foreign, text)


def _port(u: Reference, places: _Places, ports: Mapping[str, Collection[int]]) -> Iterator[SecurityFinding]:
    number = (u.port or "").lstrip("0") or ("0" if u.port else "")
    # Longer numbers are not well-known ports, and int() limits the number of digits.
    if not number or len(number) > len(str(LAST_WELL_KNOWN_PORT)) or u.scheme is None:
        return
    port, scheme = int(number), u.scheme.lower()
    allowed = ports.get(scheme, ())
    if port <= LAST_WELL_KNOWN_PORT and port not in allowed:
        others = sorted(other for other, ports_of_scheme in ports.items() if port in ports_of_scheme)
        start, end = places["port"]
        if others:
            text = message("well-known-port-of-others", port=port, others=others, scheme=scheme)
        else:
            text = message("well-known-port", port=port, scheme=scheme)
        yield SecurityFinding("well-known-port", Severity.WARNING, "7.2", start, end, text)


def _dot_segments(text: str, places: _Places) -> Iterator[SecurityFinding]:
    start, end = places["path"]
    spans = []
    for match in re.compile(r"[^/]+").finditer(text, start, end):
        segment = match[0]
        # "%2E%2E" is the longest spelling.
        if "%" in segment and len(segment) <= 6 and percent.decode_octets(segment) in (b".", b".."):
            spans.append(match.span())
    if spans:
        yield SecurityFinding(
            "encoded-dot-segment",
            Severity.WARNING,
            "7.3",
            *spans[0],
            message("encoded-dot-segment"),
            len(spans),
        )


def _octets(text: str, places: _Places) -> Iterator[SecurityFinding]:
    """Yield findings about percent-encoded octets, component by component."""
    for component, (start, end) in places.items():
        kinds: dict[str, list[int]] = {}
        for match in TRIPLET.finditer(text, start, end):
            octet = int(match[0][1:], 16)
            if octet == 0:
                kinds.setdefault("encoded-nul", []).append(match.start())
            elif octet in b"\r\n":
                kinds.setdefault("encoded-line-break", []).append(match.start())
            elif octet < 32 or octet == 127:
                kinds.setdefault("encoded-control", []).append(match.start())
            elif octet in _DELIMITERS:
                kinds.setdefault("encoded-delimiter", []).append(match.start())
        for code, offsets in kinds.items():
            severity, section = _OCTETS[code]
            if code == "encoded-delimiter" and component in _FREE:
                severity = Severity.NOTE
            yield _first(code, severity, section, 0, offsets, message(code, component=component))


def _suspected(text: str) -> Iterator[SecurityFinding]:
    """Yield findings about the suspicions in a reference."""
    for each in SUSPICIONS:
        if spans := list(each.spans(text)):
            severity = Severity.WARNING if each.warns else Severity.NOTE
            yield SecurityFinding(each.code, severity, each.section, *spans[0], each.message, len(spans))


_OCTETS = {
    "encoded-nul": (Severity.ERROR, "7.3"),
    "encoded-line-break": (Severity.WARNING, "7.2"),
    "encoded-control": (Severity.NOTE, "7.2"),
    "encoded-delimiter": (Severity.WARNING, "7.3"),
}


def _first(
    code: str, severity: Severity, section: str, base: int, offsets: list[int], text: str
) -> SecurityFinding:
    """Return one finding for all triplets of a kind."""
    start = base + offsets[0]
    return SecurityFinding(code, severity, section, start, start + 3, text, len(offsets))


def ipv4_number(name: str) -> int | None:
    """Return the IPv4 address that ``inet_aton`` reads in a name, or None.

    A name is one to four numbers separated by dots, each decimal, octal after "0", or hexadecimal after "0x".
    The last number fills the remaining octets (section 7.4). A final dot is ignored, as by many systems.

    Raises: TypeError.
    """
    name = plain_argument(name, "name")
    parts = name.removesuffix(".").split(".")
    if len(parts) > 4:
        return None
    # The number of octets that each number fills.
    sizes = [1] * (len(parts) - 1) + [5 - len(parts)]
    result = 0
    for part, size in zip(parts, sizes, strict=True):
        number = _number(part)
        if number is None or number >> 8 * size:
            return None
        result = result << 8 * size | number
    return result


_NUMBERS = ((16, re.compile(r"0[xX]0*([0-9a-fA-F]{0,8})")), (8, re.compile(r"00*([0-7]{0,11})")))
_DECIMAL = re.compile(r"[1-9][0-9]{0,9}")


def _number(text: str) -> int | None:
    """Return a number in the notation of C, or None for another string and for too many digits."""
    for base, pattern in _NUMBERS:
        if (match := pattern.fullmatch(text)) is not None:
            return int(match[1] or "0", base)
    return int(text) if _DECIMAL.fullmatch(text) else None
