"""States of an error grammar: next characters, weights, and limits."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.explain.error_grammar import MAX_FOLLOWED, UNIT, ErrorGrammar, ErrorStates
from abnforge.explain.reading import Interpreter
from tests.explain.random_mistakes import bind_to

# A mistake of y that contains y twice and is empty: there are as many interpretations as trees.
WITHIN = ";@ of y; inner z; blame all; fix none\nm = z z\n;@ of z; inner y; blame all; fix none\nn = y y\n"
RULES = 'x = y "!"\ny = "a" / z "b"\nz = "c"\n'


def test_mistakes_within_themselves_have_a_limit() -> None:
    states = ErrorStates(ErrorGrammar(bind_to(RULES, WITHIN), "x"))
    assert states.follow(states.start, 3 * UNIT).cost < 1_000
    with pytest.raises(abnforge.LimitExceeded) as raised:
        states.follow(states.start, 40 * UNIT)
    assert (raised.value.used, raised.value.setting) == (MAX_FOLLOWED + 1, "MAX_FOLLOWED")


def test_such_strings_are_read_as_far_as_the_limit_leads() -> None:
    reader = Interpreter(bind_to(RULES, WITHIN), "x", Budget(steps=10**9))
    assert reader.interpret("cc!").codes == ("m",)
    reading = reader.interpret("[" * 100)
    assert (reading.codes, reading.exact) == (("unreadable-x",), False)


def test_arcs_come_lightest_first_and_as_declared() -> None:
    mistakes = ';@ of y; blame all; fix none; cost 2\nm = "1"\n;@ of y; blame all; fix none\nn = "2"\n'
    mistakes += ';@ of y; blame all; fix none\no = "3"\n'
    states = ErrorStates(ErrorGrammar(bind_to('x = y "!"\ny = "b" / "a"\n', mistakes), "x"))
    follow = states.follow(states.start, 3 * UNIT)
    assert [(arc.charset.min(), arc.weight) for arc in follow.arcs] == [
        ("A", 0),
        ("2", UNIT + 1),
        ("3", UNIT + 2),
        ("1", 2 * UNIT),
    ]
    assert follow.final is None


def test_prose_reads_nothing() -> None:
    reader = Interpreter(
        bind_to('x = "a" y\ny = <a word>\n', ";@ of y; blame all; fix none\nm = 1*DIGIT\n"), "x"
    )
    assert reader.interpret("a12").codes == ("m",)
    assert reader.interpret("ab").codes == ("unreadable-x",)
