"""Structured comments cut up: ``;@ of port; blame junk; fix digits`` to directives of tokens.

A directive is a word and what it asks for; directives on one line have a semicolon between them. Strings are
written as in ABNF (``"text"``, ``%x20``, ``%x3C.3E``, one behind the other), but may hold any
character. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from abnforge.errors import GrammarError
from abnforge.near_misses import did_you_mean
from abnforge.source import Source, Span

PLACES = ("of", "before", "after")

MEANINGS = {
    "of": 'of RULE... or of RULE "literal"',
    "before": "before RULE...",
    "after": "after RULE...",
    "each": 'each T: member... (each may carry a "text")',
    "blame": "blame SLOT... (or all, start, end)",
    "fix": "fix SLOT, text or map...; or fix none",
    "cost": "cost NUMBER",
    "code": "code NAME",
    "inner": "inner RULE...",
    "about": "about RULE",
    "unwanted": "unwanted",
    "say": 'say "sentence"',
    "section": "section 3.2.3, or section RFC 5952, section 4",
    "example": 'example [RULE] "wrong" -> "right" (or none)',
    "near": 'near [RULE] "valid"',
    "seen": 'seen "where"',
    "adopt": "adopt GRAMMAR",
    "without": "without MISTAKE...",
    "only": "only MISTAKE...",
    "without-example": 'without-example "wrong"',
    "as": "as RULE NAME... (a rule there, and what it is called here)",
}
"""Every directive of a mistake, with how it is written."""

SEVERAL = frozenset({"example", "near", "seen", "inner"})
"""Directives that may stand more than once above one rule."""

ADOPTING = ("adopt", "without", "without-example", "only", "as")
"""Directives of a file as a whole: they stand at its head, above a blank line."""

ELSEWHERE = frozenset({"allow", "import", "except", "match", "no-match"})
"""Structured comments of the same form that are for other readers."""

MAY_DECLARE = re.compile(r"^[ \t]*;@(?:[^\n]*;)?[ \t]*(?:of|before|after|each)[ \t]", re.MULTILINE)
"""What a text that declares mistakes has in it."""

_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)
    |(?P<string>"[^"]*"?)
    |(?P<chars>%[xX][0-9A-Fa-f]+(?:\.[0-9A-Fa-f]+)*)
    |(?P<name>[A-Za-z][A-Za-z0-9-]*(?:\.[0-9]+)?)
    |(?P<number>[0-9]+(?:\.[0-9]+)*)
    |(?P<mark>->|[(),:;*])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """``kind`` is a group of the pattern above, or the mark itself; ``end`` behind the last one."""

    kind: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Directive:
    """One directive: its word, the tokens behind it, and its place in the file."""

    word: str
    arguments: tuple[Token, ...]
    span: Span


class DirectiveError(GrammarError):
    """A directive that cannot be understood."""


def directives(source: Source, start: int, end: int) -> Iterator[Directive]:
    """The directives of one line, ``start`` being the offset behind its ``;@``.

    Those that are for other readers are left out. Raises DirectiveError.
    """
    waiting: list[Token] = []
    for token in (*_tokens(source, start, end), Token(";", "", Span(end, end))):
        if token.kind != ";":
            waiting.append(token)
            continue
        if waiting:
            word, *arguments = waiting
            if word.text in ELSEWHERE:
                return
            if word.text not in MEANINGS:
                known = did_you_mean(word.text, MEANINGS) or f"; there are {', '.join(MEANINGS)}"
                raise error(source, word.span, f'no directive is called "{word.text}"{known}')
            yield Directive(word.text, tuple(arguments), Span(word.span.start, waiting[-1].span.end))
        waiting = []


def _tokens(source: Source, start: int, end: int) -> Iterator[Token]:
    while start < end:
        match = _TOKEN.match(source.text, start, end)
        assert match is not None  # the last alternative takes any character
        kind, span = str(match.lastgroup), Span(start, match.end())
        start = match.end()
        if kind == "string" and (len(match[0]) < 2 or not match[0].endswith('"')):
            raise error(source, span, "a string is not closed: a double quote is missing")
        if kind != "space":
            yield Token(match[0] if kind == "mark" else kind, match[0], span)


class Arguments:
    """What stands behind a directive's word, read from left to right.

    Every method raises DirectiveError, which says how the directive is written.
    """

    def __init__(self, source: Source, directive: Directive) -> None:
        self._source = source
        self._directive = directive
        self._left = list(directive.arguments[::-1])

    @property
    def more(self) -> bool:
        """Whether anything is left."""
        return bool(self._left)

    def next_is(self, *kinds: str) -> bool:
        """Whether the next token is of one of these kinds."""
        return bool(self._left) and self._left[-1].kind in kinds

    def take(self, *kinds: str) -> Token:
        """The next token, which has to be of one of these kinds."""
        if not self.next_is(*kinds):
            raise self.refused()
        return self._left.pop()

    def take_word(self, word: str) -> bool:
        """Whether the next token is this word, which is taken then."""
        found = self.next_is("name") and self._left[-1].text == word
        if found:
            self._left.pop()
        return found

    def text(self) -> str:
        """A text: strings and numbers of characters, one behind the other."""
        parts: list[str] = []
        while not parts or self.next_is("string", "chars"):
            token = self.take("string", "chars")
            if token.kind == "string":
                parts.append(token.text[1:-1])
                continue
            codes = [int(digits, 16) for digits in token.text[2:].split(".")]
            if max(codes) > 0x10FFFF:
                raise error(self._source, token.span, f"{token.text} is above U+10FFFF")
            parts.extend(map(chr, codes))
        return "".join(parts)

    def raw(self) -> str:
        """All that is left, as it was written."""
        if not self._left:
            raise self.refused()
        text = self._source.text[self._left[-1].span.start : self._left[0].span.end]
        self._left = []
        return text

    def end(self) -> None:
        """Nothing may be left."""
        if self._left:
            raise self.refused()

    def refused(self) -> GrammarError:
        """The error about the next token, or about what is missing at the end."""
        word, span = self._directive.word, self._directive.span
        if self._left:
            span, found = self._left[-1].span, f'"{self._left[-1].text}"'
        else:
            span, found = Span(span.end, span.end), "the end"
        return error(self._source, span, f"{found} is not expected here; write: {MEANINGS[word]}")


def error(source: Source, span: Span, message: str) -> DirectiveError:
    """An error about a place in the directives."""
    return DirectiveError(message, code="mistake-directive", source=source, span=span)
