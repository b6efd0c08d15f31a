"""What a kind draws: a grammar and strings to try. Each case knows smaller ones, and how a test writes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol, TypeVar

from fuzzing.growing import grown
from fuzzing.notation import Rules, abnf, size
from fuzzing.reference import language
from fuzzing.smaller import smaller_rules, smaller_sources, smaller_texts

# Of a smaller grammar's own strings so many are tried, the shortest ones.
SENTENCES = 6
SHORT = 6  # all strings of a grammar up to this length can be had


class Case(Protocol):
    """One case of a kind."""

    @property
    def strings(self) -> tuple[str, ...]:
        """The strings that are tried."""
        ...

    @property
    def size(self) -> int:
        """What minimising makes smaller."""
        ...

    def setup(self) -> list[str]:
        """Lines of Python that a test of this case begins with."""
        ...

    def smaller(self) -> Iterator[Case]:
        """Variants, the boldest first. Not all of them have a smaller size."""
        ...


@dataclass(frozen=True, slots=True)
class GrammarCase:
    """A random grammar. ``starts`` are the rules that are asked, ``rule`` (and ``other``) in a test.

    ``lark`` tells whether Lark, which is slow, is asked where another engine reads the rule.
    """

    rules: Rules
    strings: tuple[str, ...] = ()
    starts: tuple[str, ...] = ("r0",)
    lark: bool = True

    @property
    def abnf(self) -> str:
        """The grammar as text."""
        return abnf(self.rules)

    @property
    def size(self) -> int:
        return size(self.rules) + sum(2 + _size(text) for text in self.strings)

    def setup(self) -> list[str]:
        lines = ["grammar = abnforge.loads(", *_quoted(self.abnf), ")"]
        names = ("rule", "other")
        return lines + [
            f'{name} = grammar["{start}"]' for name, start in zip(names, self.starts, strict=False)
        ]

    def smaller(self) -> Iterator[GrammarCase]:
        yield from _fewer_strings(self)
        for rules in smaller_rules(self.rules, self.starts):
            yield replace(self, rules=rules)
        yield from _smaller_strings(self)
        if len(self.strings) == 1:
            longest = len(self.strings[0])
            yield from self._with_sentences(min(longest, SHORT))
            if longest > SHORT:
                yield from self._with_grown(longest)

    def _with_sentences(self, longest: int) -> Iterator[GrammarCase]:
        """Smaller grammars with strings of their own: the one at hand may be valid only for the larger."""
        for rules in smaller_rules(self.rules, self.starts):
            if size(rules) < size(self.rules):
                strings = language(rules, longest).strings[self.starts[0]]
                for text in sorted(strings, key=lambda text: (len(text), text))[:SENTENCES]:
                    yield replace(self, rules=rules, strings=(text,))

    def _with_grown(self, longest: int) -> Iterator[GrammarCase]:
        """The same, with sentences grown at random; shorter ones of this grammar first."""
        for rules in (self.rules, *smaller_rules(self.rules, self.starts)):
            if rules == self.rules or size(rules) < size(self.rules):
                for number, part in enumerate((0.05, 0.1, 0.2, 0.4)):
                    text = grown(rules, Random(number), round(part * longest))
                    if text is not None and SHORT < len(text) < longest:
                        yield replace(self, rules=rules, strings=(text,))


@dataclass(frozen=True, slots=True)
class SourceCase:
    """A grammar's text, which need not be a grammar. ``rule`` in a test is its first one."""

    text: str
    strings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Its characters; a number counts by its value, too."""
        digits = sum(int(char) for char in self.text if char in "123456789")
        return 20 * len(self.text) + digits + sum(2 + _size(text) for text in self.strings)

    def setup(self) -> list[str]:
        return ["text = (", *_quoted(self.text), ")"]

    def smaller(self) -> Iterator[SourceCase]:
        yield from _fewer_strings(self)
        for text in smaller_sources(self.text):
            yield replace(self, text=text)
        yield from _smaller_strings(self)


@dataclass(frozen=True, slots=True)
class BundledCase:
    """A rule of a grammar that comes with the project."""

    grammar: str
    rule: str
    strings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return sum(2 + _size(text) for text in self.strings)

    def setup(self) -> list[str]:
        return [f'rule = abnforge.rule("{self.grammar}:{self.rule}")']

    def smaller(self) -> Iterator[BundledCase]:
        yield from _fewer_strings(self)
        yield from _smaller_strings(self)


_C = TypeVar("_C", bound=GrammarCase | SourceCase | BundledCase)


def _fewer_strings(case: _C) -> Iterator[_C]:
    if len(case.strings) > 1:
        yield replace(case, strings=())
        for text in case.strings:
            yield replace(case, strings=(text,))
        for index in range(len(case.strings)):
            yield replace(case, strings=case.strings[:index] + case.strings[index + 1 :])


def _smaller_strings(case: _C) -> Iterator[_C]:
    for place, text in enumerate(case.strings):
        before, after = case.strings[:place], case.strings[place + 1 :]
        for variant in smaller_texts(text, "a"):
            yield replace(case, strings=(*before, variant, *after))


def _size(text: str) -> int:
    return sum(1 if char == "a" else 2 for char in text)


def _quoted(text: str) -> list[str]:
    """A text as lines of Python, one for each of its own."""
    return [f"    {line!r}" for line in text.splitlines(keepends=True)] or ["    ''"]
