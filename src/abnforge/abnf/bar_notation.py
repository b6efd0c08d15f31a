"""What a text in the "|" notation of RFC 2396 writes otherwise than ABNF, and the edits that make ABNF of it.

Bars and underscores each tell by themselves that a text is in this notation, so the edits of either leave a
text that reads, whether the others are made or not. Whatever else the notation allows (``abnf.dialects``)
goes with both. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from abnforge.abnf import lexing
from abnforge.abnf.dialects import bars, coded_characters, defines_underscore
from abnforge.abnf.draft import in_order
from abnforge.abnf.foreign_operators import ENDS_ELEMENT
from abnforge.abnf.lexing import Chunk
from abnforge.abnf.parsing import parse
from abnforge.abnf.syntax_errors import STARTS_ELEMENT
from abnforge.rejection import Edit
from abnforge.source import Span

_UNDERSCORED = re.compile(
    r""";[^\n]*|"[^"\n]*"?|'[^'\n]{1,80}'|<(?P<prose>[A-Za-z][A-Za-z0-9_-]*)>|<[^>\n]*>?"""
    r"""|(?P<name>[A-Za-z][A-Za-z0-9_-]*)"""
)

_DEFINED = re.compile(r"^[ \t]*([A-Za-z][A-Za-z0-9_-]*)[ \t]*=", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Notation:
    """All places of one mark of the notation, in order, and the edits that do away with it."""

    places: tuple[Span, ...]
    edits: tuple[Edit, ...]


def bar_places(text: str) -> Notation:
    """The bars between alternatives."""
    places = [Span(start, end) for start, end in bars(text)]
    edits = [Edit(span.start, span.end, "/") for span in places]
    if not defines_underscore(text):
        edits += underscored_names(text).edits  # without the bars, they would tell of no notation
    return _notation(text, places, edits)


def underscored_names(text: str) -> Notation:
    """The names with an underscore. A rule that would take another one's name has no edit."""
    defined = {match[1].lower() for match in _DEFINED.finditer(text)}
    names: dict[str, list[Span]] = {}
    taken: dict[str, set[str]] = {}
    for match in _UNDERSCORED.finditer(text):
        group = "prose" if match["prose"] else "name"
        around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
        if name := match[group]:
            key = name.lower()
            if key not in defined and ("[" in around or "]" in around):
                continue  # a set of characters
            taken.setdefault(key.replace("_", "-"), set()).add(key)
            if "_" in name:
                names.setdefault(key, []).append(Span(*match.span(group)))
    places = sorted((span for spans in names.values() for span in spans), key=lambda span: span.start)
    free = {name for name in names if name not in defined or len(taken[name.replace("_", "-")]) == 1}
    edits = [
        Edit(span.start, span.end, text[span.start : span.end].replace("_", "-"))
        for name in names
        if name in free
        for span in names[name]
    ]
    return _notation(text, places, edits)


def _notation(text: str, places: list[Span], edits: list[Edit]) -> Notation:
    return Notation(tuple(places), tuple(in_order([*edits, *_others(text)])) if places and edits else ())


def _others(text: str) -> Iterator[Edit]:
    """What else ABNF does not have: elements that touch, ``<">``, coded characters."""
    for part in lexing.parts(text):
        if not isinstance(part, Chunk) or parse(text[part.start : part.end], dialect="rfc822")[1]:
            continue  # a rule that does not read in this notation has touching elements for other reasons
        before = None
        for token in lexing.tokens(text, part.start, part.end, "rfc822"):
            touches = before is not None and before.end == token.start and before.kind in ENDS_ELEMENT
            if touches and token.kind in STARTS_ELEMENT:
                yield Edit(token.start, token.start, " ")
            before = token
            prose = text[token.start + 1 : token.end - 1] if token.kind == "prose" else ""
            if prose == '"':
                yield Edit(token.start, token.end, "%x22")
            elif coded := coded_characters(prose):
                values = [f"%x{low}" + (f"-{high}" if high else "") for low, high in coded]
                written = values[0] if len(values) == 1 else f"( {' / '.join(values)} )"
                yield Edit(token.start, token.end, written)
