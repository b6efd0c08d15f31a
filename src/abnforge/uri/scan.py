"""Find URIs in running text (RFC 3986, appendix C).

The grammar decides whether a string is a URI. This module decides where a URI starts and ends in a document,
and whether it is credible: ``note:`` and ``std::vector`` match the grammar, but readers do not see URIs.

A URI is **credible** if it has characters after ``//``. Without ``//``, it needs characters after the colon,
and a scheme of ``schemes`` or "URL:" before the scheme.

- **In angle brackets**, all whitespace is ignored, as in appendix C. The rest must be a URI.
- **In double quotes**, whitespace is ignored if it contains a line end. With other whitespace, the quotes
  contain more than a URI, or belong to two pairs.
- An empty line ends every wrapper. Brackets or quotes without a URI do not wrap: their content is plain text.
- **In plain text**, a URI is the longest match that starts with its scheme. It never continues on the next
  line, since its end would be unknown. Punctuation at its end belongs to the sentence: the characters of
  ``TRAILING``, and a closing parenthesis without an opening one in the URI.
- "URL:" in any case, and whitespace after it, is not part of the URI.
- A line break after a hyphen keeps the hyphen, and is reported: a typesetter may have added the hyphen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Protocol
from unicodedata import category

from abnforge._arguments import collection_argument, plain_argument
from abnforge.text import Source, Span
from abnforge.uri.common import rule_of
from abnforge.uri.common.password import mask_userinfo, without_password
from abnforge.uri.rfc3986.parse import GRAMMAR

PLAIN_SCHEMES = frozenset(
    {"acct", "cid", "doi", "geo", "im", "jabber", "magnet", "mailto", "matrix", "mid", "news", "nntp"}
    | {"pres", "sip", "sips", "sms", "tag", "tel", "urn", "xmpp"}
)
"""Schemes that often occur in prose without "//", from the IANA registry and from use.

"file" and "http" are credible by their slashes; "about" and "data" would find more prose than URIs.
"""

# Punctuation that ends a sentence or a quotation rather than a URI, although a URI can contain it.
TRAILING = ".,;:!?'*_~"

# Closing delimiters around a URI that its path, query and fragment cannot contain.
CLOSING = '<>"`]}'

_SPACE = " \t\r\n\f\v"

# A token opens a wrapper, or can be a scheme. Tokens do not overlap, so that the search is linear.
_TOKEN = re.compile(r'<|"|[A-Za-z0-9+.\-]++:?')
_NOT_LETTERS = "0123456789+.-"
_PREFIX = re.compile(rf"URL:[{_SPACE}]*", re.IGNORECASE)
_WORD = re.compile(rf"[^{_SPACE}]+")
_SCHEME = re.compile(rf"[{_SPACE}]*+[A-Za-z]")  # enough to skip most content of wrappers
_BLANK_LINE = re.compile(r"\n[ \t\r\f\v]*+\n")


class Wrapper(StrEnum):
    """The delimiters around a URI."""

    ANGLE_BRACKETS = "angle-brackets"
    DOUBLE_QUOTES = "double-quotes"
    PLAIN = "plain"


_WRAPPERS = {
    "<": (Wrapper.ANGLE_BRACKETS, re.compile(r"<([^<>]*)>")),
    '"': (Wrapper.DOUBLE_QUOTES, re.compile(r'"([^"<>]*)"')),
}


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class Found:
    """A URI and its place in a string; offsets are 0-based, in code points.

    ``uri`` is the concatenation of the ``pieces`` of the string: several if whitespace was ignored.
    Delimiters and "URL:" are not included. ``prefix`` is true after "URL:". ``hyphens`` are the offsets of
    hyphens before a line break. ``cut`` is true if a URI in plain text ends at a character that looks like a
    part of it, although no URI contains it (``http://h/a|b``).
    """

    uri: str
    wrapper: Wrapper
    pieces: tuple[Span, ...]
    prefix: bool = False
    hyphens: tuple[int, ...] = ()
    cut: bool = False

    def __repr__(self) -> str:
        """Return the URI and its place, with ``***`` for a password."""
        return f"Found({without_password(self.uri)!r}, {self.wrapper.value}, {self.start}:{self.end})"

    @property
    def start(self) -> int:
        """The start of the first piece."""
        return self.pieces[0].start

    @property
    def end(self) -> int:
        """The end of the last piece."""
        return self.pieces[-1].end

    @property
    def joined(self) -> bool:
        """True if whitespace was ignored in it."""
        return len(self.pieces) > 1

    @property
    def without_hyphens(self) -> str | None:
        """The string without the hyphens before line breaks, which may not be a URI; None without hyphens."""
        if not self.hyphens:
            return None
        at, parts = 0, []
        for piece in self.pieces:
            length = piece.end - piece.start
            parts.append(self.uri[at : at + length - (piece.end - 1 in self.hyphens)])
            at += length
        return "".join(parts)


def scan(text: str, schemes: Collection[str] | None = PLAIN_SCHEMES) -> Iterator[Found]:
    """Yield every URI in a string, in order.

    ``schemes`` are the schemes, in lower case, that are credible without "//"; None accepts all.

    Raises: TypeError.
    Complexity: linear.
    """
    text = plain_argument(text, "text")
    return _scan(text, schemes if schemes is None else collection_argument(schemes, "schemes", "schemes"))


def _scan(text: str, schemes: Collection[str] | None) -> Iterator[Found]:
    after_prefix = -1  # the end of "URL:" and of the whitespace after it
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        start, position = token.span()
        match: Found | None = None
        if token[0] in _WRAPPERS:
            wrapper, pattern = _WRAPPERS[token[0]]
            content = pattern.match(text, start)
            if content is not None and (match := _wrapped(text, content, wrapper, schemes)) is not None:
                position = content.end()
        elif token[0].endswith(":"):
            start = position - len(token[0].lstrip(_NOT_LETTERS))
            if (prefix := _PREFIX.match(text, start)) is not None:
                position = after_prefix = prefix.end()
                continue
            match = _plain(text, start, position - 1, start == after_prefix, schemes)
            if match is not None:
                position = match.end
        if match is not None:
            yield match


def _wrapped(
    text: str, content: re.Match[str], wrapper: Wrapper, schemes: Collection[str] | None
) -> Found | None:
    """Return the URI between two delimiters, if their content is a URI."""
    start, end = content.span(1)
    prefix = _PREFIX.match(text, start, end)
    if prefix is not None:
        start = prefix.end()
    if _SCHEME.match(text, start, end) is None or _BLANK_LINE.search(text, start, end) is not None:
        return None
    pieces = [Span(word.start(), word.end()) for word in _WORD.finditer(text, start, end)]
    gaps = [text[one.end : two.start] for one, two in pairwise(pieces)]
    if wrapper is Wrapper.DOUBLE_QUOTES and (
        (pieces[0].start, pieces[-1].end) != (start, end) or not all("\n" in gap for gap in gaps)
    ):
        return None
    uri = "".join(text[piece.start : piece.end] for piece in pieces)
    if not _credible(uri, prefix is not None, schemes) or not rule_of(GRAMMAR, "URI").matches(uri):
        return None
    hyphens = tuple(
        piece.end - 1
        for piece, gap in zip(pieces, gaps, strict=False)
        if text[piece.end - 1] == "-" and "\n" in gap
    )
    return Found(uri, wrapper, tuple(pieces), prefix is not None, hyphens)


def _plain(text: str, start: int, colon: int, prefix: bool, schemes: Collection[str] | None) -> Found | None:
    """Return the URI whose scheme starts at ``start`` and ends at ``colon``."""
    # A match is extended only if its first characters are credible, so that each character is read once.
    if not _credible(text[start : colon + 4], prefix, schemes):
        return None
    longest = _longest(text, start)
    end = _without_punctuation(text, start, longest)
    uri = text[start:end]
    if not _credible(uri, prefix, schemes):
        return None
    return Found(uri, Wrapper.PLAIN, (Span(start, end),), prefix, (), _cuts(text[longest : longest + 1]))


def _credible(uri: str, prefix: bool, schemes: Collection[str] | None) -> bool:
    scheme, _, rest = uri.partition(":")
    if rest.startswith("//"):
        return len(rest) > 2
    return rest != "" and (prefix or schemes is None or scheme.lower() in schemes)


def _longest(text: str, start: int) -> int:
    """Return the end of the longest URI that starts at ``start``, or ``start`` if none does."""
    automaton = rule_of(GRAMMAR, "URI").automaton
    row, end = 0, start
    for offset in range(start, len(text)):
        row = automaton.table[row + automaton.class_of(text[offset])]
        if row < 0:
            break
        if row in automaton.accepting:
            end = offset + 1
    return end


def _without_punctuation(text: str, start: int, end: int) -> int:
    """Return the end of a URI in plain text without the punctuation of the sentence."""
    unopened = text.count(")", start, end) - text.count("(", start, end)
    while end > start:
        last = text[end - 1]
        if last == ")" and unopened > 0:
            unopened -= 1
        elif last not in TRAILING:
            break
        end -= 1
    return end


def _cuts(char: str) -> bool:
    """Return whether a character after a URI, or "", looks like a continuation of the URI."""
    if not char or char in _SPACE or char in CLOSING:
        return False
    return char.isascii() or category(char)[0] not in "PZ"


# URIs in files. Lines are scanned together up to the next empty line, which no URI contains, so that memory
# does not grow with the file. A block of lines without an empty line is cut after this number of characters.
MAX_BLOCK_CHARS = 1 << 20


class SourceLine(Protocol):
    """A line of a file without its line end; ``line`` is its 1-based number in ``source``."""

    @property
    def source(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines of a file that are scanned together; ``line`` is the number of the first line."""

    source: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class LocatedURI:
    """A URI and its place in a file; lines and columns are 1-based, ends exclusive."""

    source: str
    found: Found
    pieces: tuple[tuple[int, int, int], ...]  # line, column, end column: a piece has no line end in it
    hyphens: tuple[tuple[int, int], ...]

    def masked(self) -> LocatedURI:
        """Return a copy with ``*`` for each character of a password."""
        return replace(self, found=replace(self.found, uri=mask_userinfo(self.found.uri)))


def blocks(lines: Iterable[SourceLine]) -> Iterator[LineBlock]:
    """Join lines up to the next empty line, or up to ``MAX_BLOCK_CHARS``."""
    held: list[str] = []
    source, first, size = "", 0, 0
    for line in lines:
        text = line.text
        if held and (line.source != source or not text.strip() or size > MAX_BLOCK_CHARS):
            yield LineBlock(source, first, "\n".join(held))
            held, size = [], 0
        if text.strip():
            if not held:
                source, first = line.source, line.line
            held.append(text)
            size += len(text)
    if held:
        yield LineBlock(source, first, "\n".join(held))


def places(block: LineBlock, schemes: Collection[str] | None = PLAIN_SCHEMES) -> Iterator[LocatedURI]:
    """Yield every URI of a block with its lines and columns; ``schemes`` as for :func:`scan`."""
    lines = Source(block.text)

    def at(offset: int) -> tuple[int, int]:
        line, column = lines.position(offset)
        return block.line + line - 1, column

    for match in scan(block.text, schemes):
        pieces = tuple((*at(piece.start), at(piece.end)[1]) for piece in match.pieces)
        yield LocatedURI(block.source, match, pieces, tuple(map(at, match.hyphens)))
