"""Structured comments cut up: ``;@ match "a"%x0D.0A, "b" (note)`` to directives of tokens.

A directive is a word and what it asks for; directives on one line have a semicolon between them. Strings are
written as in ABNF (``"text"``, ``%x20``, ``%x3C.3E``, one behind the other), but may hold any
character. What words there are, their readers know: those of mistakes (``mistakes.directives``), and of
examples (``abnf.examples``). Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from abnforge.abnf.lexing import comments_within
from abnforge.abnf.messages import message
from abnforge.abnf.model import Rule, Rulelist
from abnforge.catalog import Message
from abnforge.errors import GrammarError
from abnforge.once import lazy_pattern
from abnforge.records import dataclass
from abnforge.source import Source, Span

_TOKEN = lazy_pattern(
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
    """A directive that cannot be understood; its code says whose."""


def places(rulelist: Rulelist, wanted: Callable[[Source, Span], bool]) -> Iterator[tuple[Span, Rule | None]]:
    """The comments of a text that are wanted, and the rule that each is about: the one below it, or the one
    right above it where a blank line or nothing comes behind; or the one that it stands in.
    """
    source = rulelist.source
    if ";@" not in source.text or not rulelist.items:
        return
    ends = [*(item.span.start for item in rulelist.items[1:]), len(source.text)]
    above: Rule | None = None
    waiting: list[Span] = []
    for item, end in zip(rulelist.items, ends, strict=True):
        if isinstance(item, Rule):
            yield from ((span, item) for span in waiting)
            inside = comments_within(source.text, item.span.start, end)
            yield from ((span, item) for span in inside if wanted(source, span))
            above, waiting = item, []
        elif not item.text:
            yield from ((span, above) for span in waiting)
            above, waiting = None, []
        elif wanted(source, item.span):
            waiting.append(item.span)
    yield from ((span, above) for span in waiting)


def directives(
    source: Source, start: int, end: int, code: str, elsewhere: Collection[str] = ()
) -> Iterator[Directive]:
    """The directives of one line, ``start`` being the offset behind its ``;@``.

    A word of ``elsewhere`` ends them: the rest is for other readers, and may be of any form. Raises
    DirectiveError with ``code``.
    """
    waiting: list[Token] = []
    for token in _tokens(source, start, end, code):
        if token.kind != ";":
            waiting.append(token)
            if len(waiting) == 1 and token.text in elsewhere:
                return
        elif waiting:
            yield _directive(waiting)
            waiting = []
    if waiting:
        yield _directive(waiting)


def _directive(tokens: list[Token]) -> Directive:
    word, *arguments = tokens
    return Directive(word.text, tuple(arguments), Span(word.span.start, tokens[-1].span.end))


def _tokens(source: Source, start: int, end: int, code: str) -> Iterator[Token]:
    while start < end:
        match = _TOKEN.match(source.text, start, end)
        assert match is not None  # the last alternative takes any character
        kind, span = str(match.lastgroup), Span(start, match.end())
        start = match.end()
        if kind == "string" and (len(match[0]) < 2 or not match[0].endswith('"')):
            raise DirectiveError(message("string-unclosed"), code=code, source=source, span=span)
        if kind != "space":
            yield Token(match[0] if kind == "mark" else kind, match[0], span)


class Arguments:
    """What stands behind a directive's word, read from left to right.

    Every method raises DirectiveError with ``code``, which says how the directive is written: ``meaning``.
    """

    def __init__(self, source: Source, directive: Directive, meaning: str, code: str) -> None:
        self._source = source
        self._directive = directive
        self._meaning = meaning
        self._code = code
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
        return self.placed_text()[0]

    def placed_text(self) -> tuple[str, Span]:
        """The same, and where it stands."""
        parts: list[str] = []
        start = self._left[-1].span.start if self._left else 0
        end = start
        while not parts or self.next_is("string", "chars"):
            token = self.take("string", "chars")
            end = token.span.end
            if token.kind == "string":
                parts.append(token.text[1:-1])
                continue
            codes = [int(digits, 16) for digits in token.text[2:].split(".")]
            if max(codes) > 0x10FFFF:
                raise self._error(token.span, message("value-too-large", value=token.text))
            parts.extend(map(chr, codes))
        return "".join(parts), Span(start, end)

    def bracketed(self) -> str:
        """What stands in round brackets, as it was written; there may be more of them inside."""
        opening = self.take("(")
        depth, inside = 1, opening.span.end
        while self._left:
            token = self._left.pop()
            depth += (token.kind == "(") - (token.kind == ")")
            if depth == 0:
                return self._source.text[inside : token.span.start].strip()
        raise self._error(opening.span, message("directive-parenthesis"))

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
        if self._left:
            token = self._left[-1]
            return self._error(token.span, message("directive-token", found=token.text, usage=self._meaning))
        end = self._directive.span.end
        return self._error(Span(end, end), message("directive-incomplete", usage=self._meaning))

    def _error(self, span: Span, problem: Message) -> DirectiveError:
        return DirectiveError(problem, code=self._code, source=self._source, span=span)
