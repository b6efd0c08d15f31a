"""Split ABNF in either of two notations into chunks of one rule each, and chunks into tokens.

The dialect ``"abnf"`` is the notation of RFC 5234. The dialect ``"rfc822"``, the notation of RFC 2396, adds
``|`` as a synonym of ``/`` (RFC 822 itself has only ``/``: RFC 2396, section 1.6), ``_`` in names, and
``<">`` for a double quote. In this dialect, adjacent elements need no space between them, and prose of the
form ``<US-ASCII coded characters 00-1F and 7F hexadecimal>`` matches these characters.

A rule starts at a line that is not indented deeper than the least indented line; deeper lines continue the
rule. RFC 5234, section 2.2, requires the deeper indentation; indenting the whole grammar uniformly changes
nothing. Each chunk is parsed separately, so that a malformed rule does not hide another rule.

Lines may end in LF alone, the last line may lack a line end, empty lines may occur inside a rule, and
comments may contain any character. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abnforge._lazy import lazy_pattern
from abnforge.grammar.syntax import BRACKETS, Comment
from abnforge.records import dataclass
from abnforge.text import Span

DIALECTS = ("abnf", "rfc822")

NAME = {"abnf": lazy_pattern("[A-Za-z][A-Za-z0-9-]*"), "rfc822": lazy_pattern("[A-Za-z][A-Za-z0-9_-]*")}
"""The pattern of a rule name in each dialect."""

# A bar of another notation does not count: in single quotes, doubled, or next to "=".
_BAR = lazy_pattern(r""";[^\n]*|"[^"\n]*"?|<[^>\n]*>?|'[^'\n]{1,80}'|\|=|=\||\|\||(\|)""")
_UNDERSCORE = lazy_pattern(r"^[ \t]*[A-Za-z][A-Za-z0-9-]*_[A-Za-z0-9_-]*[ \t]*=", re.MULTILINE)
_CODED = lazy_pattern(r"US-ASCII coded characters? (.*) hexadecimal", re.IGNORECASE)
_CODED_PART = lazy_pattern(r"([0-9A-F]{1,6})(?:-([0-9A-F]{1,6}))?", re.IGNORECASE)


def bar_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of each ``|`` outside strings, prose and comments. Cost: linear."""
    return (match.span(1) for match in _BAR.finditer(text) if match[1])


def detect_dialect(text: str) -> str:
    """Return ``"rfc822"`` if ``|`` is outside strings, prose and comments, or a defined name has a ``_``."""
    return "rfc822" if any(True for _ in bar_spans(text)) or defines_underscore(text) else "abnf"


def defines_underscore(text: str) -> bool:
    """Return whether a grammar defines a name that contains a ``_``. Cost: linear."""
    return _UNDERSCORE.search(text) is not None


def coded_characters(prose: str) -> list[tuple[str, str | None]]:
    """Return the characters that ``US-ASCII coded characters ...`` names, as pairs of hexadecimal numbers.

    A pair is the first and the last character of a range, or a single character and None. The list is empty
    for any other prose.
    """
    coded = _CODED.fullmatch(prose)
    parts = re.split(r",? and |, ", coded[1]) if coded else []
    matches = [_CODED_PART.fullmatch(part) for part in parts]
    return [(m[1], m[2]) for m in matches if m] if all(matches) else []


_TAB = 8  # tab width in columns; only comparisons of indentation depend on it

CLOSER = dict(BRACKETS.values())  # opening bracket -> closing bracket
_OPENERS, _CLOSERS = (re.escape("".join(each)) for each in (CLOSER, CLOSER.values()))

# An unterminated string or prose extends to the end of its line. Each alternative consumes everything that it
# scans, so tokenizing is linear.
_TOKEN = lazy_pattern(
    rf"""(?P<space>[ \t]+|\r?\n)
    |(?P<comment>;[^\n]*)
    |(?P<string>(?:%[iIsS])?"[^"\n]*"?)
    |(?P<number>%[bBdDxX])
    |(?P<prose><[^>\n]*>?)
    |(?P<list>[0-9]*\#[0-9]*)(?=["%<{_OPENERS}A-Za-z])
    |(?P<repeat>[0-9]*\*[0-9]*|[0-9]+)
    |(?P<mark>=/|[{_OPENERS}{_CLOSERS}/|=])
    |(?P<name>[A-Za-z])
    |(?P<other>.|\r)""",
    re.VERBOSE,
)
_COMMENT = lazy_pattern(r'"[^"\n]*"|<[^>\n]*>|(?P<comment>;[^\n]*)')
_SECTION = lazy_pattern(
    r"[;\s]*(?:(?:(?P<rfc>RFC\s*\d+)\s*[,:]?\s*)?(?P<kind>section|appendix)\s+"
    r"(?P<named>[0-9A-Z]+(?:\.[0-9]+)*)\b|(?P<titled>\d+(?:\.\d+)*)\.\s+\S)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Chunk:
    """The lines of one rule: the offsets of the first character and of the end."""

    start: int
    end: int


@dataclass(slots=True)
class Token:
    """A token, whose ``kind`` is the name of a group of the pattern above, a mark itself, or ``end``."""

    kind: str
    start: int
    end: int


def section_of(comment: str) -> str | None:
    """Return the section that a comment (without its ";") names: ``Section 3.2.2``, ``;;; 3.2.2. Title``.

    The result is the bare number, or ``RFC 3986, section 3.2.2`` if the comment names an RFC.
    """
    match = _SECTION.match(comment)
    if match is None:
        return None
    if match["rfc"]:
        number = match["rfc"][3:].strip()
        return f"RFC {number}, {match['kind'].lower()} {match['named']}"
    return match["named"] or match["titled"]


def parts(text: str) -> Iterator[Chunk | Comment]:
    """Yield chunks of one rule each, and the comments and empty lines between them."""
    all_lines = list(lines(text))
    base = min((indent for _, _, indent, kind in all_lines if kind == "content"), default=0)
    chunk: Chunk | None = None
    waiting: list[Comment] = []  # the next line of content decides whether they are inside a rule
    for start, end, indent, kind in all_lines:
        if kind == "content":
            if chunk is not None and indent > base:
                chunk.end = end
            else:
                if chunk is not None:
                    yield chunk
                yield from waiting
                chunk = Chunk(start, end)
            waiting = []
        elif kind == "comment" and chunk is not None and indent > base and not waiting:
            chunk.end = end
        else:
            semicolon = text.find(";", start, end) if kind == "comment" else end
            content = comment_text(text, semicolon, end) or " " if kind == "comment" else ""
            waiting.append(Comment(content, Span(semicolon, end)))
    if chunk is not None:
        yield chunk
    yield from waiting


def lines(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield the start, end (without LF or CRLF), indentation in columns and kind of each line."""
    start = 0
    while start < len(text):
        newline = text.find("\n", start)
        end = newline if newline >= 0 else len(text)
        after = end + 1
        if newline >= 0 and end > start and text[end - 1] == "\r":
            end -= 1
        indent, position = 0, start
        while position < end and text[position] in " \t":
            indent = (indent // _TAB + 1) * _TAB if text[position] == "\t" else indent + 1
            position += 1
        kind = "blank" if position == end else "comment" if text[position] == ";" else "content"
        yield start, end, indent, kind
        start = after


def comments_within(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the comments in a rule and after its last element; the next rule starts at ``end``."""
    for match in _COMMENT.finditer(text, start, end):
        if match["comment"]:
            yield Span(*match.span("comment"))


def comment_text(text: str, semicolon: int, end: int) -> str:
    """Return a comment without its ";" and its trailing whitespace."""
    return text[semicolon + 1 : end].rstrip(" \t\r")


def tokens(text: str, start: int, end: int, dialect: str) -> Iterator[Token]:
    """Yield the tokens of a chunk without whitespace; an ``end`` token comes last."""
    last = start
    while start < end:
        match = _TOKEN.match(text, start, end)
        assert match is not None  # the last alternative matches any character
        kind = str(match.lastgroup)
        stop = match.end()
        if kind == "name":
            named = NAME[dialect].match(text, start, end)
            stop = named.end() if named else stop
        elif kind == "mark":
            kind = match[0]
        elif kind == "number":
            # The parser checks the digits later; only the end of the token matters here.
            while stop < end and (text[stop].isalnum() or text[stop] in ".-"):
                stop += 1
        start, before = stop, start
        if kind != "space":
            yield Token(kind, before, stop)
            last = stop if kind != "comment" else last
    yield Token("end", last, last)
