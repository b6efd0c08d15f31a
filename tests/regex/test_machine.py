"""The model of a pattern's language agrees with ``re`` on short strings."""

from __future__ import annotations

import re

import pytest

from abnforge.budget import DEFAULT, Budget
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from abnforge.regex.machine import PatternMachine
from abnforge.regex.reading import NOTATIONS, read
from tests.law import each_row, law
from tests.reference.patterns import ALPHABET, TEXTS, patterns

CLASSES = [CharSet.of(char) for char in ALPHABET]


def accepted(pattern: str, dialect: str = "python") -> set[str]:
    """Return the strings that the model accepts."""
    notation = NOTATIONS[dialect]
    meter = DEFAULT.meter("a model")
    machine = PatternMachine(read(pattern, notation, anchored=False), CLASSES, meter)
    states = {"": machine.start}
    for text in TEXTS[1:]:
        states[text] = machine.moves(states[text[:-1]]).get(ALPHABET.index(text[-1]), ())
    return {text for text, state in states.items() if machine.accepts(state)}


def by_re(pattern: str) -> set[str]:
    return set(filter(re.compile(pattern).fullmatch, TEXTS))


EXACT = [
    "(?:a(?:b?+|c))?+",
    "a*+a",
    "(?>a|ab)c",
    "(?>ab|a)c",
    "(?>a*b|a)*",
    "(?:(?>a*b|a)(?>b*c|b))*+",
    "(?:a|ab){2}+",
    "(?:a|ab){2,3}+c",
    "(?:|a)*b",
    "(?:a?)*+b",
    "(?:a*|b)*+c",
    "(?>(?>a|ab)(?>c|))*b",
    "(?:(?:|a)++b)*",
    "(?:a?){3}+a",
    "(?:(?>a?b?)+c?)*+",
]


@each_row("pattern", EXACT)
def test_cuts(pattern: str) -> None:
    assert accepted(pattern) == by_re(pattern)


def test_engines_differ_in_what_a_possessive_count_cuts() -> None:
    """Python and Java never backtrack into an iteration. Perl and PCRE2 only skip the loop as a whole."""
    assert "aba" not in accepted("(?:a|ab){2}+", "python")
    assert "aba" in accepted("(?:a|ab){2}+", "pcre2")


@law(patterns, few=40, many=2_000)
def test_the_model_is_re(pattern: str) -> None:
    assert accepted(pattern) == by_re(pattern)


def test_work_is_charged() -> None:
    """Several unbounded atomic parts that are open at the same time have too many states."""
    pattern = "(?:" + "|".join(f"(?>[abc]*{x}{y}|{x})" for x in "abc" for y in "abc") + ")*"
    meter = Budget(steps=20_000).meter("a model")
    machine = PatternMachine(read(pattern, NOTATIONS["python"], anchored=False), CLASSES, meter)

    def search() -> None:
        for text in TEXTS:
            state = machine.start
            for char in text:
                state = machine.moves(state).get(ALPHABET.index(char), ())

    with pytest.raises(LimitExceeded):
        search()
    assert meter.steps > 20_000


def test_a_long_sequence_takes_no_stack() -> None:
    """Thousands of characters, of optional parts, or of iterations do not exhaust the stack."""
    for pattern in ("ab" * 3_000, "a?" * 500, "(?:a?){500}", "(?:a?+b?+)?" * 100):
        meter = Budget(steps=10**8).meter("a model")
        machine = PatternMachine(read(pattern, NOTATIONS["python"], anchored=False), CLASSES, meter)
        state = machine.moves(machine.start)[0]
        assert state
