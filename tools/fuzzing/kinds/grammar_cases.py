"""What the kinds of random grammars share: loading a case, and the strings that are tried on it."""

from __future__ import annotations

from itertools import product
from random import Random

import abnforge
from fuzzing.cases import GrammarCase
from fuzzing.questions import Questions
from fuzzing.random_grammars import ALPHABET, FOREIGN, random_text


def loaded(case: GrammarCase, ask: Questions) -> list[abnforge.Rule]:
    """The start rules of a case's grammar, which are called ``rule`` and ``other`` from here on."""
    ask.names["abnforge"] = abnforge
    grammar = ask.names["grammar"] = ask.call("abnforge.loads", case.abnf)
    rules = [grammar[start] for start in case.starts]
    ask.names.update(zip(("rule", "other"), rules, strict=False))
    return rules


def some_texts(chance: Random, longest: int, count: int) -> tuple[str, ...]:
    """A few random texts, the empty one among them."""
    return tuple(dict.fromkeys(["", *(random_text(chance, longest) for _ in range(count))]))


def all_texts(longest: int, alphabet: str = ALPHABET + FOREIGN) -> tuple[str, ...]:
    """All texts up to a length, short ones first."""
    return tuple("".join(chars) for size in range(longest + 1) for chars in product(alphabet, repeat=size))
