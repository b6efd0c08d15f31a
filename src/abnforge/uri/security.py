"""Security findings about a valid reference, from RFC 3986, section 7.

A URI without findings is not necessarily safe. Findings show percent-encoded octets (section 7.3 requires
checks after decoding), and the address of a rare IPv4 notation (section 7.4 requires filters on it).

:func:`security` also reports ``SUSPICIONS``: valid strings that authors seldom intend. They are from public
reports of valid URIs that looked wrong. Each is a regular expression with a group ``at`` for the place.

This module is long because the tables of suspicions and of codes are in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any

from abnforge._arguments import (
    choice_argument,
    instance_argument,
    names_argument,
    plain_argument,
    text_argument,
)
from abnforge.catalog import ArgumentError
from abnforge.errors import UnknownNameError
from abnforge.families import family_of
from abnforge.messages import message
from abnforge.records import attributes
from abnforge.text import near_misses
from abnforge.uri.common.components import Component
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
    """A pattern of valid references that authors seldom intend; a warning or a note.

    ``possible`` is a pattern that occurs in all of these references, and is faster in a column.
    """

    code: str
    component: str
    warns: bool
    section: str
    pattern: str
    message: str
    possible: str = ""

    @property
    def severity(self) -> Severity:
        """The severity of its findings."""
        return Severity.WARNING if self.warns else Severity.NOTE

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
        *("scheme-typo", "scheme", True, "3.1"),
        rf"\A(?P<at>{_typos(*_WEB)}|(?!h)[a-z]ttps?)://",
        "the scheme looks like http or https with a typo",
    ),
    Suspicion(
        *("scheme-is-host", "scheme", True, "3.1"),
        r"\A(?P<at>localhost|[a-z](?:[a-z0-9-]*\.)+[a-z]{2,}):[0-9]{1,5}(?![0-9a-z.:])",
        "the scheme looks like a host; write '//' before the host",
    ),
    Suspicion(
        *("text-before", "scheme", True, "3.1"),
        r"\A(?P<at>(?:ur[il]|link|href|src|website|homepage|source|referer):)(?:https?|ftp)://",
        "the scheme looks like a label; remove it",
    ),
    Suspicion(
        *("scheme-without-colon", "scheme", True, "4.2"),
        r"\A(?P<at>https?)//",
        "this is the first segment of the path; write ':' after the scheme",
    ),
    Suspicion(
        *("scheme-twice", "host", True, "3.2.2"),
        rf"\A[a-z][a-z0-9+.-]*://(?P<at>{_SCHEMES}(?::/|//))",
        "the host looks like a scheme; remove one of the two schemes",
    ),
    Suspicion(
        *("one-slash", "host", True, "3.2"),
        r"\A(?:https?|ftps?|wss?):(?P<at>/)(?!/)",
        "one slash starts a path; write '//' before the host",
    ),
    Suspicion(
        *("slashes-missing", "host", True, "3.2"),
        r"\A(?:https?|ftps?|wss?)(?P<at>:)(?=\Z|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/?#]|\Z))",
        "the host is missing; write '//' after the colon",
    ),
    Suspicion(
        *("colon-twice", "scheme", True, "3"),
        r"\A(?:https?|ftps?|wss?):(?P<at>:+)",
        "the path starts with a colon; write one ':' after the scheme",
    ),
    Suspicion(
        *("defanged-scheme", "scheme", True, "3.1"),
        r"\A(?P<at>hxxps?|fxps?):",
        "the scheme is defanged; restore it",
    ),
    Suspicion(
        *("ipv4-too-large", "host", True, "3.2.2"),
        rf"{_AUTHORITY}(?=(?:[0-9]{{1,3}}\.){{3}}[0-9]{{1,3}}(?:[:/?#]|\Z))"
        r"(?P<at>(?:[0-9]+\.)*(?:25[6-9]|2[6-9][0-9]|[3-9][0-9]{2})[0-9.]*)",
        "a number of an IPv4 address must be at most 255; this is a registered name",
    ),
    Suspicion(
        *("second-uri", "path", True, "3.3"),
        r"\A[^:?#]*:[^?#]*[a-z0-9,;](?P<at>https?://)",
        "a second URI follows; keep one, or separate the URIs",
        r"\A[^:]*:[^?#]*://",
    ),
    Suspicion(
        *("several-hosts", "host", True, "3.2.2"),
        r"\A(?:https?|wss?|ftps?)://(?:[^/?#@\[]*@)?[^/?#@:,;\[]+(?P<at>[,;])(?=[^/?#@]*(?:[/?#]|\Z))",
        "a comma or semicolon in the host; write '.', or only one host",
    ),
    Suspicion(
        *("template-in-host", "host", True, "3.2.2"),
        r"\A(?:https?|wss?|ftps?)://(?P<at>\$[a-z_]\w*|__\w+__)(?=[:/?#.]|\Z)",
        "the host looks like an unfilled placeholder; replace it",
    ),
    Suspicion(
        *("no-value", "host", True, "3.2.2"),
        r"\A(?:https?|wss?|ftps?)://(?P<at>null|undefined|none|nan|nil)(?=[:/?#]|\Z)",
        "the host is a placeholder for a missing value; replace it",
    ),
    Suspicion(
        *("ellipsis-after", "path", False, "3.3"),
        r"\A(?:https?|ftp)://[^/?#]+/[^?#]*[^/.](?P<at>\.\.\.)\Z",
        "the URI looks shortened; write the whole URI",
    ),
    Suspicion(
        *("host-empty", "host", False, "3.2.2"),
        r"\A(?:https?|wss?)://(?:[^/?#@\[]*@)?(?P<at>)(?=(?::[0-9]*)?(?:[/?#]|\Z))",
        "the host is empty; http and https URIs must have a host",
    ),
    Suspicion(
        *("drive-as-host", "host", True, "3.2.2"),
        r"\Afile://(?P<at>[a-z])(?::|%3A)",
        "the host looks like a Windows drive; write 'file:///' before the drive",
    ),
    Suspicion(
        *("host-underscore", "host", False, "3.2.2"),
        rf"{_AUTHORITY}(?P<at>[^/?#:@\[]*_[^/?#:@\[]*)(?=[/?#:]|\Z)",
        "many programs reject an underscore in a host name; use a hyphen",
    ),
    Suspicion(
        *("host-space", "host", True, "3.2.2"),
        rf"{_AUTHORITY}[^/?#:@\[]*?(?P<at>%20|%09|%C2%A0)(?=[^/?#@]*(?:[/?#]|\Z))",
        "percent-encoded space in the host; remove it",
    ),
    Suspicion(
        *("port-empty", "port", False, "3.2.3"),
        rf"(?!file:){_AUTHORITY}(?!{_SCHEMES}:)(?:\[[^]]*\]|[^/?#:@\[]+)(?P<at>:)(?=/(?!/)|[?#]|\Z)",
        "the port is empty; remove the colon",
    ),
    Suspicion(
        *("port-too-large", "port", True, "3.2.3"),
        rf"{_AUTHORITY}(?:\[[^]]*\]|[^/?#:@\[]*):"
        r"(?P<at>0*(?:6553[6-9]|655[4-9][0-9]|65[6-9][0-9]{2}|6[6-9][0-9]{3}|[7-9][0-9]{4}|[1-9][0-9]{5,}))(?=[/?#]|\Z)",
        "the port must be at most 65535",
    ),
    Suspicion(
        *("invisible-encoded", "URI-reference", True, "2.1"),
        r"(?P<at>%E2%80%8[B-F]|%E2%81%A0|%EF%BB%BF|%C2%AD)",
        "percent-encoded invisible character, probably from a copied link; remove it",
    ),
    Suspicion(
        *("html-entity", "URI-reference", False, "2.2"),
        r"(?P<at>&(?:amp|lt|gt|quot|nbsp|#[0-9]{2,5}|#x[0-9a-f]{2,4});)",
        "this looks like an HTML character reference; write the character itself",
    ),
    Suspicion(
        *("bracket-at-end", "URI-reference", False, "2.2"),
        r"\A[^()]*(?P<at>\)[.,;:!]?)\Z",
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
    value: str | Component,
    ports: Mapping[str, Collection[int]] = WELL_KNOWN_PORTS,
    codes: str | Iterable[str] = "all",
) -> list[SecurityFinding]:
    """Return the findings about a URI reference, in the order of the string.

    ``ports`` has the well-known ports of each scheme (in lower case): ``{**WELL_KNOWN_PORTS, "http": (80,
    81)}`` allows one more. The port of a reference without a scheme is not checked. ``codes`` limits the
    findings to codes or families of codes.

    Raises: :class:`abnforge.Rejected` for a string that is not a URI reference; UnknownNameError for an
    unknown code; TypeError.
    Complexity: linear.
    """
    text = text_argument(value, "value")
    instance_argument(ports, "ports", Mapping, "a mapping of ports by scheme")
    return findings_of(text, ports, security_codes(codes))


def findings_of(text: str, ports: _Ports, chosen: frozenset[str]) -> list[SecurityFinding]:
    """Return the findings with these codes, as :func:`security` does. Raises: Rejected."""
    reference = parse(text, "URI-reference")
    findings = list(_suspected(text, chosen))
    if not chosen <= _SUSPICION_CODES:
        places = _places(reference)
        for check, own in _CODES_OF.items():
            if not chosen.isdisjoint(own):
                findings += [each for each in check(reference, text, places, ports) if each.code in chosen]
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


@dataclass(frozen=True)
class SecurityCode:
    """A code of findings: the component, the highest severity, the section, and the meaning.

    ``possible`` is a pattern that occurs in each reference with the finding. Programs search a column for it
    before they call :func:`security`.
    """

    code: str
    component: str
    severity: Severity
    section: str
    meaning: str
    possible: str

    @property
    def family(self) -> str:
        """The family of the code, one of ``abnforge.families.FAMILIES``."""
        return family_of(self.code)


_NUMBER = r"(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])"
_TO_HOST = r"\A(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#@]*@)?"
_END_OF_HOST = r"(?=[:/?#]|\Z)"
_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

_CODES = (
    SecurityCode(
        *("password", "userinfo", _ERROR, "7.5", "the userinfo contains a password"),
        r"\A(?:[a-z][a-z0-9+.-]*:)?//[^/?#@:]*:[^/?#@]+@",
    ),
    SecurityCode(
        *("misleading-userinfo", "userinfo", _WARNING, "7.6", "the userinfo reads like a host"),
        r"\A(?:[a-z][a-z0-9+.-]*:)?//[^/?#@]*(?:\.|%)[^/?#@]*@",
    ),
    SecurityCode(
        *("misleading-at-sign", "authority", _WARNING, "7.6", "an '@' follows an authority without a path"),
        r"\A(?:[a-z][a-z0-9+.-]*:)?//[^/?#]*[?#][^/]*@",
    ),
    SecurityCode(
        *("ipvfuture", "host", _ERROR, "3.2.2", "the version of the IP literal is unknown"), rf"{_TO_HOST}\[v"
    ),
    SecurityCode(
        *("host-too-long", "host", _WARNING, "3.2.2", "the host has more than 255 bytes after decoding"),
        rf"\A(?:[a-z][a-z0-9+.-]*:)?//[^/?#]{{{MAX_HOST_OCTETS + 1}}}",
    ),
    SecurityCode(
        *("rare-ipv4", "host", _WARNING, "7.4", "many systems interpret the host as an IPv4 address"),
        rf"{_TO_HOST}(?!(?:{_NUMBER}\.){{3}}{_NUMBER}{_END_OF_HOST})(?:[0-9]|%3[0-9])"
        rf"(?:[0-9a-fx.]|%[0-9a-f]{{2}})*{_END_OF_HOST}",
    ),
    *(
        SecurityCode(code, "host", severity, "3.2.2", meaning, rf"{_TO_HOST}[^:/?#]*%")
        for code, severity, meaning in (
            ("host-needless-encoding", _WARNING, "the host percent-encodes an unreserved character"),
            ("host-not-utf8", _ERROR, "percent-encoded bytes of the host are not UTF-8"),
            ("host-not-idna", _NOTE, "the host is percent-encoded instead of IDNA-encoded"),
        )
    ),
    SecurityCode(
        *("well-known-port", "port", _WARNING, "7.2"),
        "the port from 0 to 1023 does not belong to the scheme",
        r"\A[a-z][a-z0-9+.-]*://[^/?#]*:0*(?:[0-9]{1,3}|10[01][0-9]|102[0-3])(?=[/?#]|\Z)",
    ),
    SecurityCode(
        "encoded-dot-segment", "path", _WARNING, "7.3", "a '.' or '..' segment is percent-encoded", "%2e"
    ),
    SecurityCode("encoded-nul", "URI-reference", _ERROR, "7.3", "%00 occurs", "%00"),
    SecurityCode("encoded-line-break", "URI-reference", _WARNING, "7.2", "%0D or %0A occurs", "%0[ad]"),
    SecurityCode(
        *("encoded-control", "URI-reference", _NOTE, "7.2", "another control character is percent-encoded"),
        "%(?:0[1-9b-cef]|1[0-9a-f]|7f)",
    ),
    SecurityCode(
        *("encoded-delimiter", "URI-reference", _WARNING, "7.3"),
        "a delimiter is percent-encoded; in a query or fragment, it is a note",
        "%(?:2f|3[af]|23|5[bdc]|40)",
    ),
    *(
        SecurityCode(e.code, e.component, e.severity, e.section, e.message, e.possible or e.pattern)
        for e in SUSPICIONS
    ),
)
SECURITY_CODES: Mapping[str, SecurityCode] = MappingProxyType({each.code: each for each in _CODES})
"""The codes of :func:`security` by name."""

_EVERY_CODE = frozenset(SECURITY_CODES)
_SUSPICION_CODES = frozenset(each.code for each in SUSPICIONS)
ALL_CODES = "all"  # selects all codes
_FREQUENT = ("http", "https", "ws", "wss", "ftp")


def security_codes(selection: str | Iterable[str]) -> frozenset[str]:
    """Return the codes with these names: each is a code, a family of codes, or ``all``.

    Raises: UnknownNameError, TypeError.
    """
    if selection == ALL_CODES:
        return _EVERY_CODE
    names = [selection] if isinstance(selection, str) else names_argument(selection, "codes", "codes")
    chosen: set[str] = set()
    for name in names:
        own = {code for code, each in SECURITY_CODES.items() if name in (ALL_CODES, code, each.family)}
        if not own:
            families = (each.family for each in SECURITY_CODES.values())
            near = near_misses(name, dict.fromkeys([*SECURITY_CODES, *families]))
            raise UnknownNameError(message("security-code-unknown", name=name, near=tuple(near)))
        chosen |= own
    return frozenset(chosen)


def possible_findings(
    codes: Iterable[str], ports: Mapping[str, Collection[int]]
) -> Mapping[str, frozenset[str]]:
    """Return patterns for ``re.IGNORECASE``, each with codes.

    A reference with a finding of these codes contains a match of the pattern.
    """
    anchored: dict[str, set[str]] = {}
    anywhere: dict[str, set[str]] = {}
    for code in codes:
        pattern = SECURITY_CODES[code].possible.replace("(?P<at>", "(?:")
        if code == "well-known-port":
            pattern = _possible_port(pattern, ports)
        (anchored if pattern.startswith(r"\A") else anywhere).setdefault(pattern, set()).add(code)
    if anywhere:
        anchored["|".join(f"(?:{each})" for each in anywhere)] = set().union(*anywhere.values())
    return {pattern: frozenset(some) for pattern, some in anchored.items()}


def _possible_port(pattern: str, ports: Mapping[str, Collection[int]]) -> str:
    """Exclude the allowed ports of frequent schemes from a pattern; those of all make a large automaton."""
    usual = "|".join(
        rf"{scheme}://[^/?#]*:0*(?:{'|'.join(map(str, sorted(ports[scheme])))})(?:[/?#]|\Z)"
        for scheme in _FREQUENT
        if ports.get(scheme)
    )
    return rf"\A(?!{usual}){pattern}" if usual else pattern


_Places = Mapping[str, tuple[int, int]]
_Ports = Mapping[str, Collection[int]]


def _places(u: Reference) -> _Places:
    """Return the places of the components that are defined."""
    spans = zip(COMPONENTS, u._places[::2], u._places[1::2], strict=True)
    return {name: (start, end) for name, start, end in spans if end >= 0}


def _userinfo(u: Reference, text: str, places: _Places, _: _Ports) -> Iterator[SecurityFinding]:
    if u.userinfo is not None:
        start, end = places["userinfo"]
        if u.password:
            yield _finding("password", end - len(u.password), end, message("password"))
        readable = percent.decode_octets(u.userinfo).decode("utf-8", "replace")
        if (match := _HOST_LIKE.match(readable)) is not None:
            problem = message("misleading-userinfo", user=without_password(match[0]), host=u.host or "")
            yield _finding("misleading-userinfo", start, start + len(u.user or ""), problem)
    if u.authority is not None and not u.path:
        # A program that ends the authority only at "/" finds the host after the "@".
        start = places["path"][0]
        at = text.find("@", start)
        if at >= 0 and "/" not in text[start:at]:
            yield _finding("misleading-at-sign", at, at + 1, message("misleading-at-sign", host=u.host or ""))


def _host(u: Reference, _text: str, places: _Places, _: _Ports) -> Iterator[SecurityFinding]:
    host = u.host
    if host is None:
        return
    start, end = places["host"]
    if u.host_kind is HostKind.IPVFUTURE:
        version = host[2 : host.index(".")]
        yield _finding("ipvfuture", start, end, message("ipvfuture", version=version))
    if u.host_kind is not HostKind.REG_NAME:
        return
    octets = percent.decode_octets(host)
    if len(octets) > MAX_HOST_OCTETS:
        text = message("host-too-long", length=len(octets), most=MAX_HOST_OCTETS)
        yield _finding("host-too-long", start, end, text)
    address = ipv4_number(octets.decode("latin-1"))
    if address is not None:
        shown = ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))
        yield _finding("rare-ipv4", start, end, message("rare-ipv4", address=shown), address=shown)
    triplets = [(match.start(), int(match[0][1:], 16)) for match in TRIPLET.finditer(host)]
    needless = [at for at, octet in triplets if is_valid(chr(octet), "unreserved")]
    if needless:
        yield _first("host-needless-encoding", start, needless, message("host-needless-encoding"))
    foreign = [at for at, octet in triplets if octet > 127]
    if foreign:
        try:
            octets.decode()
        except UnicodeDecodeError as error:
            yield _first("host-not-utf8", start, foreign, message("host-not-utf8", reason=error.reason))
        else:
            yield _first("host-not-idna", start, foreign, message("host-not-idna"))


def _port(u: Reference, _text: str, places: _Places, ports: _Ports) -> Iterator[SecurityFinding]:
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
        yield _finding("well-known-port", start, end, text)


def _dot_segments(_u: Reference, text: str, places: _Places, _: _Ports) -> Iterator[SecurityFinding]:
    start, end = places["path"]
    spans = []
    for match in re.compile(r"[^/]+").finditer(text, start, end):
        segment = match[0]
        # "%2E%2E" is the longest spelling.
        if "%" in segment and len(segment) <= 6 and percent.decode_octets(segment) in (b".", b".."):
            spans.append(match.span())
    if spans:
        yield _finding("encoded-dot-segment", *spans[0], message("encoded-dot-segment"), len(spans))


def _octets(_u: Reference, text: str, places: _Places, _: _Ports) -> Iterator[SecurityFinding]:
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
            problem = message(code, component=component)
            severity = Severity.NOTE if code == "encoded-delimiter" and component in _FREE else None
            yield _first(code, 0, offsets, problem, severity)


def _suspected(text: str, codes: Collection[str]) -> Iterator[SecurityFinding]:
    """Yield findings about the suspicions in a reference."""
    for each in SUSPICIONS:
        if each.code in codes and (spans := list(each.spans(text))):
            yield SecurityFinding(each.code, each.severity, each.section, *spans[0], each.message, len(spans))


_CODES_OF: Mapping[Callable[..., Iterator[SecurityFinding]], frozenset[str]] = {
    _userinfo: frozenset({"password", "misleading-userinfo", "misleading-at-sign"}),
    _host: frozenset(each.code for each in _CODES if each.component == "host")
    - {each.code for each in SUSPICIONS},
    _port: frozenset({"well-known-port"}),
    _dot_segments: frozenset({"encoded-dot-segment"}),
    _octets: frozenset({"encoded-nul", "encoded-line-break", "encoded-control", "encoded-delimiter"}),
}
"""The codes of each check."""


def _finding(
    code: str,
    start: int,
    end: int,
    problem: str,
    count: int = 1,
    address: str | None = None,
    severity: Severity | None = None,
) -> SecurityFinding:
    """Return a finding with the section of its code, and the highest severity unless another is passed."""
    about = SECURITY_CODES[code]
    return SecurityFinding(
        code, severity or about.severity, about.section, start, end, problem, count, address
    )


def _first(
    code: str, base: int, offsets: list[int], problem: str, severity: Severity | None = None
) -> SecurityFinding:
    """Return one finding for all triplets of a kind."""
    start = base + offsets[0]
    return _finding(code, start, start + 3, problem, len(offsets), severity=severity)


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
