"""The two notations: RFC 5234's, and the one with ``|`` of RFC 2396 and its time.

The dialect ``"rfc822"`` has ``|`` as well as ``/`` (RFC 822 itself has ``/`` alone: RFC 2396, section 1.6),
``_`` in names, ``<">`` for a double quote, elements that touch, and prose of the form
``<US-ASCII coded characters 00-1F and 7F hexadecimal>``, which is understood as these characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge.once import lazy_pattern

DIALECTS = ("abnf", "rfc822")

NAME = {
    "abnf": lazy_pattern("[A-Za-z][A-Za-z0-9-]*"),
    "rfc822": lazy_pattern("[A-Za-z][A-Za-z0-9_-]*"),
}
"""What a rule's name looks like in each dialect."""

# Bars of other notations tell nothing: one between single quotes, two, and one with "=".
_BAR = lazy_pattern(r""";[^\n]*|"[^"\n]*"?|<[^>\n]*>?|'[^'\n]{1,80}'|\|=|=\||\|\||(\|)""")
_UNDERSCORE = lazy_pattern(r"^[ \t]*[A-Za-z][A-Za-z0-9-]*_[A-Za-z0-9_-]*[ \t]*=", re.MULTILINE)
_CODED = lazy_pattern(r"US-ASCII coded characters? (.*) hexadecimal", re.IGNORECASE)
_CODED_PART = lazy_pattern(r"([0-9A-F]{1,6})(?:-([0-9A-F]{1,6}))?", re.IGNORECASE)


def bars(text: str) -> Iterator[tuple[int, int]]:
    """Where a single ``|`` stands outside strings, prose and comments. Cost: linear."""
    return (match.span(1) for match in _BAR.finditer(text) if match[1])


def detect_dialect(text: str) -> str:
    """``"rfc822"`` if ``|`` stands outside strings, prose and comments or a defined name has a ``_``."""
    return "rfc822" if any(True for _ in bars(text)) or defines_underscore(text) else "abnf"


def defines_underscore(text: str) -> bool:
    """Whether a name that is defined has a ``_``. Cost: linear."""
    return _UNDERSCORE.search(text) is not None


def coded_characters(prose: str) -> list[tuple[str, str | None]]:
    """The characters that ``US-ASCII coded characters ...`` names, as pairs of hexadecimal numbers: the first
    and the last of a range, None for the last of a single one. Empty for any other prose.
    """
    coded = _CODED.fullmatch(prose)
    parts = re.split(r",? and |, ", coded[1]) if coded else []
    matches = [_CODED_PART.fullmatch(part) for part in parts]
    return [(m[1], m[2]) for m in matches if m] if all(matches) else []
