"""Finding URIs in running text (appendix C of RFC 3986).

What a URI is, is the grammar's to say. What this module decides is where one begins and ends in a text,
which no grammar tells, and what to believe: ``note:`` and ``std::vector`` are URIs by the grammar and none
to a reader. The decisions, all of them:

- **Credible** is a URI with something behind ``//``; one with something behind the colon whose scheme is
  among ``schemes``; and any URI with something behind the colon that "URL:" stands before.
- **In angle brackets** white space anywhere is ignored, as appendix C has it, and what is left must be a URI.
- **In double quotes** white space is ignored where it holds the end of a line; elsewhere it means that the
  quotes hold more than a URI, or that one of them belongs to another pair.
- A blank line ends every wrapper.
- **In plain text** a URI is the longest that the grammar derives from where its scheme begins, up to white
  space at the latest; it is never joined over lines, since nothing tells where it would stop. Punctuation
  at its end belongs to the sentence: any of ``TRAILING``, and a closing parenthesis that has no opening one
  in the URI. (A URI that is meant to end so has to be delimited.)
- Brackets or quotes that hold no URI are no wrappers: what is in them is plain text.
- "URL:" before a URI, in any case and with white space behind it or none, is not part of it.
- A line broken behind a hyphen keeps the hyphen, but the place is reported: a typesetter may have put it
  there.
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
"""Schemes that people write in text without "//", from the IANA registry and from use. Far from all of it:
"file" or "http" are credible by their slashes, and "about" or "data" would find more prose than URIs.
"""

# Punctuation that ends a sentence or a quotation rather than a URI; all of it may stand in one.
TRAILING = ".,;:!?'*_~"

# What closes something around a URI and cannot stand in its path, query or fragment.
CLOSING = '<>"`]}'

_SPACE = " \t\r\n\f\v"

# A token that opens a wrapper, or that could be a scheme. Every character is in one token only, and tokens
# are taken whole, so that looking for them is linear.
_TOKEN = re.compile(r'<|"|[A-Za-z0-9+.\-]++:?')
_NOT_LETTERS = "0123456789+.-"
_PREFIX = re.compile(rf"URL:[{_SPACE}]*", re.IGNORECASE)
_WORD = re.compile(rf"[^{_SPACE}]+")
_SCHEME = re.compile(rf"[{_SPACE}]*+[A-Za-z]")  # enough to pass over most of what is between wrappers
_BLANK_LINE = re.compile(r"\n[ \t\r\f\v]*+\n")


class Wrapper(StrEnum):
    """What a URI stood in."""

    ANGLE_BRACKETS = "angle-brackets"
    DOUBLE_QUOTES = "double-quotes"
    PLAIN = "plain"


_WRAPPERS = {
    "<": (Wrapper.ANGLE_BRACKETS, re.compile(r"<([^<>]*)>")),
    '"': (Wrapper.DOUBLE_QUOTES, re.compile(r'"([^"<>]*)"')),
}


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class Found:
    """One URI and where it stands; offsets count code points of the text from 0.

    ``uri`` is what the ``pieces`` of the text make when they are put together: one, or several where white
    space was ignored. ``start`` and ``end`` are those of the first and last piece; delimiters and "URL:" are
    outside. ``hyphens`` are the offsets in the text of hyphens that a line was broken behind. ``cut`` tells
    that a URI in plain text is followed at once by something that is neither white space nor a delimiter nor
    punctuation and that no URI can have there, so that more may have been meant (``http://h/a|b``).
    """

    uri: str
    wrapper: Wrapper
    pieces: tuple[Span, ...]
    prefix: bool = False
    hyphens: tuple[int, ...] = ()
    cut: bool = False

    def __repr__(self) -> str:
        """The URI and its place; a password is replaced by ``***``, since a repr ends up in logs."""
        return f"Found({without_password(self.uri)!r}, {self.wrapper.value}, {self.start}:{self.end})"

    @property
    def start(self) -> int:
        """Where the first piece starts."""
        return self.pieces[0].start

    @property
    def end(self) -> int:
        """Where the last piece ends."""
        return self.pieces[-1].end

    @property
    def joined(self) -> bool:
        """Whether white space was ignored in it."""
        return len(self.pieces) > 1

    @property
    def without_hyphens(self) -> str | None:
        """The other reading of a URI that was broken behind hyphens: without them; None if there are none.

        It need not be a URI.
        """
        if not self.hyphens:
            return None
        at, parts = 0, []
        for piece in self.pieces:
            length = piece.end - piece.start
            parts.append(self.uri[at : at + length - (piece.end - 1 in self.hyphens)])
            at += length
        return "".join(parts)


def scan(text: str, schemes: Collection[str] | None = PLAIN_SCHEMES) -> Iterator[Found]:
    """Every URI in a text, in its order.

    ``schemes`` are those believed without "//" behind them (lower case); None believes all. Raises
    TypeError for a text that is not a str. Cost: linear in the text.
    """
    text = plain_argument(text, "text")
    return _scan(text, schemes if schemes is None else collection_argument(schemes, "schemes", "schemes"))


def _scan(text: str, schemes: Collection[str] | None) -> Iterator[Found]:
    behind_prefix = -1  # where a "URL:" and the white space behind it end
    position = 0
    while (token := _TOKEN.search(text, position)) is not None:
        start, position = token.span()
        found: Found | None = None
        if token[0] in _WRAPPERS:
            wrapper, pattern = _WRAPPERS[token[0]]
            content = pattern.match(text, start)
            if content is not None and (found := _wrapped(text, content, wrapper, schemes)) is not None:
                position = content.end()
        elif token[0].endswith(":"):
            start = position - len(token[0].lstrip(_NOT_LETTERS))
            if (prefix := _PREFIX.match(text, start)) is not None:
                position = behind_prefix = prefix.end()
                continue
            found = _plain(text, start, position - 1, start == behind_prefix, schemes)
            if found is not None:
                position = found.end
        if found is not None:
            yield found


def _wrapped(
    text: str, content: re.Match[str], wrapper: Wrapper, schemes: Collection[str] | None
) -> Found | None:
    """The URI between two delimiters, if that is what they hold."""
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
    """The URI whose scheme begins at ``start`` and ends before ``colon``."""
    # Only what the first characters make credible is read on: so each part of a text is read once.
    if not _credible(text[start : colon + 4], prefix, schemes):
        return None
    reached = _longest(text, start)
    end = _without_punctuation(text, start, reached)
    uri = text[start:end]
    if not _credible(uri, prefix, schemes):
        return None
    return Found(uri, Wrapper.PLAIN, (Span(start, end),), prefix, (), _cuts(text[reached : reached + 1]))


def _credible(uri: str, prefix: bool, schemes: Collection[str] | None) -> bool:
    scheme, _, rest = uri.partition(":")
    if rest.startswith("//"):
        return len(rest) > 2
    return rest != "" and (prefix or schemes is None or scheme.lower() in schemes)


def _longest(text: str, start: int) -> int:
    """Where the longest URI that begins at ``start`` ends; ``start`` when none does."""
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
    """Where a URI in plain text ends when what belongs to the sentence is left out."""
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
    """Whether a character that no URI can have, if there is one, is no end that a reader would see."""
    if not char or char in _SPACE or char in CLOSING:
        return False
    return char.isascii() or category(char)[0] not in "PZ"


# Where the URIs of a file stand: lines are scanned together, since a URI may reach over some.


# Lines of text are scanned together up to the next blank one, which no URI reaches across, so that memory
# does not grow with the file. A text without blank lines is cut at a line's end behind this many characters.
MAX_BLOCK_CHARS = 1 << 20


class Line(Protocol):
    """A line of a text without its end; ``line`` is its number in ``source``, from 1."""

    @property
    def source(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a source that are scanned together; ``line`` is the number of the first one."""

    source: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A URI and where it stands; lines and columns count from 1, an end is behind the last column."""

    source: str
    found: Found
    pieces: tuple[tuple[int, int, int], ...]  # line, column, end column: a piece has no line end in it
    hyphens: tuple[tuple[int, int], ...]

    def masked(self) -> Place:
        """The same with a ``*`` for each character of a password."""
        return replace(self, found=replace(self.found, uri=mask_userinfo(self.found.uri)))


def blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """Lines put together up to the next blank one. A blank one ends them too where no text could be read."""
    held: list[str] = []
    source, first, size = "", 0, 0
    for line in lines:
        text = line.text
        if held and (line.source != source or not text.strip() or size > MAX_BLOCK_CHARS):
            yield Block(source, first, "\n".join(held))
            held, size = [], 0
        if text.strip():
            if not held:
                source, first = line.source, line.line
            held.append(text)
            size += len(text)
    if held:
        yield Block(source, first, "\n".join(held))


def places(block: Block, schemes: Collection[str] | None = PLAIN_SCHEMES) -> Iterator[Place]:
    """Every URI of a block with its lines and columns; ``schemes`` as for :func:`scan`. Cost: linear."""
    lines = Source(block.text)

    def at(offset: int) -> tuple[int, int]:
        line, column = lines.position(offset)
        return block.line + line - 1, column

    for found in scan(block.text, schemes):
        pieces = tuple((*at(piece.start), at(piece.end)[1]) for piece in found.pieces)
        yield Place(block.source, found, pieces, tuple(map(at, found.hyphens)))
