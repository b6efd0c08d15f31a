"""Concurrent calls do not share parser states; later calls reuse the states."""

from __future__ import annotations

import dataclasses
from typing import NoReturn

import pytest

import abnforge
from abnforge.automata import derivatives
from abnforge.engine.readers import ReaderPool, not_utf8
from abnforge.rejection import BYTES, OtherMistake, Suggestion

GRAMMAR = abnforge.loads('a = "x" [ "," a ]\n')


@pytest.fixture
def pool() -> ReaderPool:
    return ReaderPool(GRAMMAR.compilation)


def test_two_questions_share_nothing(pool: ReaderPool) -> None:
    with pool.taken() as one, pool.taken() as other:
        assert one is not other
        assert one.derivatives.start("a") is not other.derivatives.start("a")
        assert one.engine("a", "general", no_parser) is not other.engine("a", "general", no_parser)
    with pool.taken() as again:
        assert again in (one, other)


def no_parser() -> NoReturn:
    raise AssertionError("no Lark parser is needed here")


def test_what_is_known_is_kept(pool: ReaderPool) -> None:
    with pool.taken() as readers:
        engine, explainer = readers.engine("a", "general", no_parser), readers.explainer("a")
        start = readers.derivatives.start("a")
    with pool.taken() as again:
        assert again is readers
        assert again.derivatives.start("a") is start
        assert (again.engine("a", "general", no_parser), again.explainer("a")) == (engine, explainer)


def test_a_question_that_fails_takes_its_states_with_it(pool: ReaderPool) -> None:
    with pytest.raises(abnforge.LimitExceeded), pool.taken() as readers:
        raise abnforge.LimitExceeded("half of a state")
    with pool.taken() as again:
        assert again is not readers


def test_states_are_dropped_when_there_are_many(pool: ReaderPool, monkeypatch: pytest.MonkeyPatch) -> None:
    with pool.taken() as readers:
        readers.derivatives.read("a", "x,x,x")
    monkeypatch.setattr(derivatives, "MAX_KEPT_STATES", 2)
    with pool.taken() as again:
        assert again is readers
        assert again.derivatives.full
    with pool.taken() as fresh:
        assert fresh is not readers


def test_rules_ask_by_readers_that_nobody_has() -> None:
    rule = GRAMMAR["a"]
    with GRAMMAR.readers.taken() as readers:
        before = len(readers.derivatives._states)
        assert rule.explain("x,") is not None
        assert len(readers.derivatives._states) == before


def test_a_byte_that_is_not_utf8_keeps_only_the_facts_of_the_prefix() -> None:
    rejection = GRAMMAR["a"].explain("x,", suggest=False)
    assert rejection is not None
    facts = {name: getattr(rejection, name) for name in ("offset", "expected", "rule_path", "end_expected")}
    mistaken = dataclasses.replace(
        rejection,
        suggestion=Suggestion("x", (), 1.0),
        other_mistakes=(OtherMistake("space-in-a", 0, 1),),
        offset_unit=BYTES,
    )
    result = not_utf8(mistaken, "x,\udcff", 2)
    assert {name: getattr(result, name) for name in facts} == facts
    assert (result.code, result.input, result.found) == ("not-utf-8", "x,\udcff", "\udcff")
    assert (result.suggestion, result.other_mistakes, result.offset_unit) == (None, (), "code points")
    assert [each.code for each in result.hypotheses] == ["not-utf-8"]
