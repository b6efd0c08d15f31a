"""The baseline: an expert's pattern for the rule ``URI`` of RFC 3986 in ``re``, and its components.

Unrolled loops and possessive quantifiers keep the pattern linear, and the components are named groups. It was
written from appendix A, without the generated pattern. Therefore it also checks every verdict on the corpus
independently.
"""

from __future__ import annotations

import re

_HEX = "[0-9A-Fa-f]"
_PCT = f"%{_HEX}{_HEX}"
_NAME = r"A-Za-z0-9\-._~!$&'()*+,;="  # unreserved and sub-delims


def _run(chars: str) -> str:
    """``*( chars / pct-encoded )``."""
    return f"[{chars}]*+(?:{_PCT}[{chars}]*+)*+"


_PCHARS = _run(_NAME + ":@")
_PCHAR = f"(?:[{_NAME}:@]|{_PCT})"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}\.{_OCTET}\.{_OCTET}\.{_OCTET}"
_H16 = f"{_HEX}{{1,4}}"
_LS32 = f"(?:{_H16}:{_H16}|{_IPV4})"
_IPV6 = "|".join(
    [
        f"(?:{_H16}:){{6}}{_LS32}",
        f"::(?:{_H16}:){{5}}{_LS32}",
        f"(?:{_H16})?::(?:{_H16}:){{4}}{_LS32}",
        f"(?:(?:{_H16}:){{0,1}}{_H16})?::(?:{_H16}:){{3}}{_LS32}",
        f"(?:(?:{_H16}:){{0,2}}{_H16})?::(?:{_H16}:){{2}}{_LS32}",
        f"(?:(?:{_H16}:){{0,3}}{_H16})?::{_H16}:{_LS32}",
        f"(?:(?:{_H16}:){{0,4}}{_H16})?::{_LS32}",
        f"(?:(?:{_H16}:){{0,5}}{_H16})?::{_H16}",
        f"(?:(?:{_H16}:){{0,6}}{_H16})?::",
    ]
)
_IPVFUTURE = rf"[vV]{_HEX}++\.[{_NAME}:]++"

URI = (
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+\-.]*+):"
    "(?://"
    f"(?:(?P<userinfo>{_run(_NAME + ':')})@)?+"
    rf"(?P<host>\[(?:{_IPV6}|{_IPVFUTURE})\]|{_run(_NAME)})"
    "(?::(?P<port>[0-9]*+))?+"
    f"(?P<path_abempty>(?:/{_PCHARS})*+)"
    f"|(?P<path>/(?:{_PCHAR}{_PCHARS}(?:/{_PCHARS})*+)?+|{_PCHAR}{_PCHARS}(?:/{_PCHARS})*+|))"
    rf"(?:\?(?P<query>{_run(_NAME + ':@/?')}))?+"
    f"(?:#(?P<fragment>{_run(_NAME + ':@/?')}))?+"
)

fullmatch = re.compile(URI).fullmatch
