"""Random small grammars of chosen kinds as ABNF, and inputs for them, all determined by a seed.

The module ``strategies`` draws grammars with Hypothesis, which can shrink them. This module uses a random
source, for searches with many more grammars and longer inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import abnforge
from abnforge.grammar.sentences import Sentences

ALPHABET = "ab"
BRACKETS = "()"

# Constructs that are likely in each kind of grammar. Any construct can occur in any kind.
KINDS = (
    "regular",  # rules refer only to later rules
    "recursive",  # rules refer to any rule
    "left-recursive",  # rules start with a rule, maybe after parts that can be empty
    "cyclic",  # alternatives that consist of a rule and parts that can be empty
    "nullable",  # options, repetitions, "", and repetitions of these with minimum counts
    "ambiguous",  # alternatives and adjacent parts that match the same strings
    "bracketed",  # recursion within brackets
)

_COUNTS = ("*", "1*", "2*", "*1", "*2", "1*2", "2", "3", "0*3", "2*3", "1*3", "2*4")


def grammar(source: Random, kind: str) -> str:
    """Return one to four rules, ``r0`` first."""
    return _Maker(source, kind).grammar()


def short_texts(length: int, alphabet: str = ALPHABET) -> Iterator[str]:
    """Return all strings up to a length."""
    for count in range(length + 1):
        yield from map("".join, product(alphabet, repeat=count))


def long_texts(rule: abnforge.Rule, source: Random, size: int, count: int) -> list[str]:
    """Return strings of up to ``size`` characters, most of them valid, some with one change."""
    try:
        sentences = Sentences(rule.grammar.core, rule.grammar.facts)
        texts = [sentences.random(rule.name.lower(), source, 3 * size)[: 2 * size] for _ in range(count)]
    except abnforge.LimitExceeded:
        return []
    for text in texts[: count // 2]:
        place = source.randint(0, len(text))
        texts.append(text[:place] + source.choice(ALPHABET + BRACKETS) + text[place + source.randint(0, 1) :])
    return list(dict.fromkeys(text for text in texts if len(text) <= size))


class _Maker:
    def __init__(self, source: Random, kind: str) -> None:
        self._source = source
        self._kind = kind
        self._names = [f"r{index}" for index in range(source.randint(1, 4))]

    def grammar(self) -> str:
        return "".join(f"{name} = {self._body(index)}\n" for index, name in enumerate(self._names))

    def _chance(self, probability: float) -> bool:
        return self._source.random() < probability

    def _body(self, index: int) -> str:
        later = self._names[index + 1 :]
        names = later if self._kind == "regular" else self._names
        likely = 0.85 if self._kind == "ambiguous" else 0.6
        alternatives = [self._sequence(names)]
        while len(alternatives) < 4 and self._chance(likely):
            alternatives.append(self._sequence(names))
        if self._kind != "regular":
            # Without an alternative that does not recurse, a rule would not match any string.
            if self._chance(0.8):
                alternatives.append(self._terminal())
            if self._kind == "left-recursive" and self._chance(0.6):
                first = self._source.choice(names)
                alternatives.insert(0, f"{first} {self._sequence(names)}")
            if self._kind == "cyclic" and self._chance(0.7):
                alternatives.append(self._source.choice(names))
            if self._kind == "bracketed":
                alternatives.append(f'"(" {self._sequence(names)} ")"')
            self._source.shuffle(alternatives)
        return " / ".join(alternatives)

    def _sequence(self, names: list[str]) -> str:
        return " ".join(self._item(names, 2) for _ in range(self._source.choice((1, 1, 2, 2, 3))))

    def _item(self, names: list[str], depth: int) -> str:
        nullable = self._kind in ("nullable", "cyclic")
        if self._chance(0.45 if nullable else 0.3):
            inner = self._element(names, depth)
            return self._source.choice(_COUNTS) + inner
        if depth and self._chance(0.3 if nullable else 0.1):
            return f"[ {self._group(names, depth - 1)} ]"
        return self._element(names, depth)

    def _element(self, names: list[str], depth: int) -> str:
        if names and self._chance(0.5):
            return self._source.choice(names)
        if depth and self._chance(0.25):
            return f"( {self._group(names, depth - 1)} )"
        return self._terminal()

    def _group(self, names: list[str], depth: int) -> str:
        sequences = []
        for _ in range(self._source.choice((1, 1, 2))):
            count = self._source.choice((1, 1, 2))
            sequences.append(" ".join(self._item(names, depth) for _ in range(count)))
        return " / ".join(sequences)

    def _terminal(self) -> str:
        often = ('""',) * 3 if self._kind in ("nullable", "cyclic") else ('""',)
        return self._source.choice(('"a"', '"a"', '"a"', '"b"', '"b"', '"ab"', "%x61-62", *often))
