"""Rejections: lines and columns in multi-line input, and lazily computed facts."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import abnforge
from abnforge.rejection import Hypothesis, LazyFacts, Rejection
from tests.law import each_row
from tests.raising import raises

GRAMMAR = abnforge.loads(
    'doc = *line\nline = name ":" value LF\nname = 1*ALPHA\nvalue = *( ALPHA / %x80-FFFF )\n'
)


@each_row(
    ("text", "offset", "line", "column"),
    [
        ("a:b", 3, 1, 4),
        ("a b:c\n", 1, 1, 2),
        ("a:b\nc:d e\n", 7, 2, 4),
        ("a:b\nc:漢字9\nd:e\n", 8, 2, 5),
        ("a:b\n\nc:d\n", 4, 2, 1),
        ("a:b\nc", 5, 2, 2),
    ],
)
def test_lines_and_columns(text: str, offset: int, line: int, column: int) -> None:
    rejection = GRAMMAR["doc"].explain(text)
    assert rejection is not None
    assert (rejection.offset, rejection.line, rejection.column) == (offset, line, column)


def test_plain_data_has_the_position_in_an_input_of_several_lines() -> None:
    several, one = (GRAMMAR["doc"].explain(text) for text in ("a:b\nc d\n", "c d\n"))
    assert several is not None
    assert one is not None
    assert several.to_dict() == one.to_dict() | several.to_dict()
    assert several.to_dict()["position"] == {"line": 2, "column": 2}
    assert "position" not in one.to_dict()


def test_the_exception_says_the_line() -> None:
    with raises(abnforge.Rejected, "unreadable-line") as several:
        GRAMMAR["doc"].parse("a:b\nc d\n")
    with pytest.raises(abnforge.Rejected) as one:
        GRAMMAR["doc"].parse("c d\n")
    assert str(one.value) == one.value.rejection.message
    assert str(several.value) == f"line 2, column 2: {several.value.rejection.message}"


# ---- lazily computed facts ----

URI = abnforge.load("rfc3986")["URI"]
MAILBOX = abnforge.load("rfc5321")["Mailbox"]
LATE = [
    (URI, "http://a b/"),
    (URI, "http://example.com:8x/\nmore"),
    (URI, "x http://a/é"),
    (URI, "http://[::1/"),
    (URI, ""),
    (MAILBOX, "a b@c.d"),
    (abnforge.loads('r = 1*DIGIT "-" 1*ALPHA\n')["r"], "12--a"),
]


def late(rule: abnforge.Rule, text: str | bytes) -> Rejection:
    """Return a rejection whose lazy facts are not computed yet."""
    rejection = rule.explain(text)
    assert rejection is not None
    return rejection


def is_late(value: Rejection | Hypothesis) -> bool:
    """Return whether the lazy facts of a value are not computed yet."""
    try:
        object.__getattribute__(value, "expected")
    except AttributeError:
        return True
    return False


@pytest.mark.skipif(abnforge.KERNEL == "python", reason="without a table all is found at once")
@pytest.mark.parametrize(("rule", "text"), LATE)
def test_facts_are_found_when_they_are_asked_for(rule: abnforge.Rule, text: str) -> None:
    result = late(rule, text)
    assert is_late(result)
    assert is_late(result.hypotheses[0])
    # A report of many rejections does not need these facts.
    assert result.to_dict(full=False)["code"] == result.code
    assert (result.span, result.line, result.message_with_position) is not None
    assert is_late(result)
    assert result.end_expected in (False, True)
    assert not is_late(result)
    assert is_late(result.hypotheses[0])
    assert result.hypotheses[0].expected is not None
    assert not is_late(result.hypotheses[0])


def same(one: Any, other: Any) -> bool:
    return bool(one == other and other == one and hash(one) == hash(other) and repr(one) == repr(other))


TRAVELS: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda value: value,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "replace": dataclasses.replace,
}


@each_row("travel", TRAVELS)
@each_row(("rule", "text"), LATE)
def test_late_facts_are_those_that_are_found_at_once(rule: abnforge.Rule, text: str, travel: str) -> None:
    expected = rule.explain(text, engine="automaton")
    several = rule.explain(text, hypotheses=3)
    assert expected is not None
    assert several is not None
    assert dataclasses.replace(several, hypotheses=several.hypotheses[:1]) == expected
    for asked in ((), ("expected",), ("rule_path", "end_expected")):
        result = late(rule, text)
        for name in asked:
            assert getattr(result, name) == getattr(expected, name)
        result = TRAVELS[travel](result)
        assert same(result, expected)
        assert result.to_dict(full=True) == expected.to_dict(full=True)
        assert result.to_dict(full=False) == expected.to_dict(full=False)
        assert dataclasses.asdict(result) == dataclasses.asdict(expected)
        assert same(TRAVELS[travel](late(rule, text)).to_byte_offsets(), expected.to_byte_offsets())
        alone = TRAVELS[travel](late(rule, text).hypotheses[0])
        assert same(alone, expected.hypotheses[0])
    assert (
        late(rule, text.encode())
        == rule.explain(text.encode(), engine="automaton")
        == expected.to_byte_offsets()
    )


@each_row(("rule", "text"), LATE)
def test_replaced_values_are_kept(rule: abnforge.Rule, text: str) -> None:
    expected = rule.explain(text, engine="automaton")
    assert expected is not None
    result = late(rule, text)
    assert dataclasses.replace(result, message="x") == dataclasses.replace(expected, message="x")
    assert dataclasses.replace(late(rule, text), expected=()) == dataclasses.replace(expected, expected=())
    facts = {"expected": (), "rule_path": ("r",), "end_expected": True}
    other = dataclasses.replace(late(rule, text), **facts)
    assert (other.expected, other.rule_path, other.end_expected) == ((), ("r",), True)
    one = dataclasses.replace(late(rule, text).hypotheses[0], expected=())
    assert one.expected == pickle.loads(pickle.dumps(one)).expected == ()
    assert len(pickle.dumps(one)) < len(pickle.dumps(late(rule, text)))


def test_the_finder_of_facts_is_not_part_of_a_value() -> None:
    assert [field.name for field in dataclasses.fields(Rejection) if field.name.startswith("_")] == []
    assert [field.name for field in dataclasses.fields(Hypothesis) if field.name.startswith("_")] == []
    assert "_facts" not in repr(late(URI, "a b"))
    for value in (late(URI, "a b"), late(URI, "a b").hypotheses[0]):
        with pytest.raises(AttributeError, match="nothing"):
            _ = value.nothing  # type: ignore[union-attr]
        assert not hasattr(value, "__dict__")
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.expected = ()  # type: ignore[misc]
    result = Hypothesis(("r",), 0, 0, (), "m")
    assert (result.expected, result.code) == ((), "unreadable")


def test_fields_without_a_value_have_their_default() -> None:
    required = {
        each.name: None for each in dataclasses.fields(Rejection) if each.default is dataclasses.MISSING
    }
    rejection = Rejection._with_late(**required)
    assert rejection == Rejection(**required)  # type: ignore[arg-type]
    assert pickle.loads(pickle.dumps(Rejection._with_late(**required))) == rejection
    for name in ("unknown", "grammar"):
        with pytest.raises(AttributeError):
            getattr(Rejection._with_late(), name)


def test_errors_of_the_finder_propagate_and_the_next_access_retries() -> None:
    calls: list[str] = []

    def find() -> tuple[dict[str, Any], dict[str, Any]]:
        calls.append("find")
        if len(calls) == 1:
            raise abnforge.LimitExceeded("no", operation="it", used=2, limit=1, setting="steps")
        return {"expected": (), "rule_path": ("r",), "end_expected": False}, {"expected": ()}

    facts = LazyFacts(find)
    results = {"offset": 0, "end": 0, "message": "m", "code": "c", "rule_path": ("r",)}
    hypothesis = Hypothesis._with_late(**results, _facts=facts)
    with pytest.raises(abnforge.LimitExceeded):
        _ = hypothesis.expected
    assert hypothesis.expected == ()
    assert (facts.of_rejection["rule_path"], calls) == (("r",), ["find", "find"])


@pytest.mark.parametrize(
    "ask", [["expected"], ["rule_path", "end_expected"], ["end_expected", "expected", "rule_path"]]
)
def test_many_threads_ask_at_once(ask: list[str]) -> None:
    text = "http://a b/"
    expected = URI.explain(text, engine="automaton")
    assert expected is not None
    for _ in range(20):
        found, begin, told = late(URI, text), threading.Barrier(4), []

        def read(found: Rejection = found, begin: threading.Barrier = begin, told: list[Any] = told) -> None:
            begin.wait()
            told.append(([getattr(found, name) for name in ask], found.hypotheses[0].expected))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert told == [([getattr(expected, name) for name in ask], expected.hypotheses[0].expected)] * 4


@pytest.mark.usefixtures("little_garbage")
@pytest.mark.parametrize("ask", [(), ("expected",), ("expected", "hypotheses")])
def test_a_rejection_goes_at_once(ask: tuple[str, ...]) -> None:
    """Rejections do not form reference cycles, with or without computed facts."""
    late(URI, "http://a b/").to_dict()
    gc.collect()
    gc.disable()
    try:
        result = late(URI, "http://a b/")
        hypothesis = result.hypotheses[0]
        if "expected" in ask:
            assert result.expected
        if "hypotheses" in ask:
            assert hypothesis.expected
        gone = [weakref.ref(result), weakref.ref(hypothesis)]
        del result
        assert [each() is None for each in gone] == [True, False]
        del hypothesis
        assert [each() is None for each in gone] == [True, True]
        assert gc.collect() == 0
    finally:
        gc.enable()
