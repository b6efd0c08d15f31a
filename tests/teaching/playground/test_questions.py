"""Every call from the page returns a result or a message, and never raises an exception."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge.teaching.playground.questions import ANSWERS, answer
from tests.law import each_row, one_in
from tests.teaching.playground.calls import ask, refused

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300_000) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(["text", "rule", "string", "at", "name", "order", "number", "other", "exercise"])
GRAMMARS = st.sampled_from(
    ["", "a", "a = ", 'a = "x" b', 'a = "x" / a a\n', "a = <b>\n", ";@ import x\na = b\n"]
)


@given(
    st.sampled_from(list(ANSWERS)),
    st.dictionaries(NAMES, ANYTHING, max_size=5),
    GRAMMARS | st.text('ab=/*()[]"%x1-9;@ \n', max_size=30),
    st.text(max_size=10),
)
def test_whatever_is_asked_is_answered(asked: str, told: dict[str, object], text: str, string: str) -> None:
    question = {
        "text": text,
        "rule": "a",
        "string": string,
        "other_rule": "a",
        "name": "b",
        **told,
        "ask": asked,
    }
    data = json.loads(answer(json.dumps(question)))
    assert list(data) in (["answer"], ["error"])
    if "error" in data:
        assert isinstance(data["error"]["message"], str)


@each_row(
    ("message", "code"),
    [
        ("", None),
        ("[]", "call-unknown"),
        ("{}", "call-unknown"),
        ('{"ask": "everything"}', "call-unknown"),
        ('{"ask": ["grammar"]}', "call-unknown"),
        ('{"ask": "string", "text": "a = b", "rule": "a", "string": ""}', "undefined-rule"),
        ('{"ask": "string", "text": "a = DIGIT", "rule": "b", "string": ""}', "unknown-name"),
        ('{"ask": "string", "text": "a = DIGIT", "rule": "a"}', "call-string"),
        ('{"ask": "names", "text": "a", "at": 2}', "call-number"),
        ('{"ask": "string", "text": "' + "a" * 200_001 + '"}', "limit-exceeded"),
    ],
)
def test_unsupported_requests_have_a_code(message: str, code: str | None) -> None:
    error = json.loads(answer(message))["error"]
    assert error["code"] == code
    assert error["message"]


def test_lone_surrogates_are_characters() -> None:
    assert ask("string", text="a = %xD800", rule="a", string="x\ud800")["rejection"]["offset"] == 0


HOSTILE = {
    "nested": "a = " + "(" * 60 + '"x"' + ")" * 60,
    "billion": "\n".join(
        ["a0 = " + "a1 " * 9] + [f"a{n} = " + f"a{n + 1} " * 9 for n in range(1, 12)] + ["a12 = DIGIT"]
    ),
    "counts": "a = 999999999*ALPHA 999999999DIGIT",
    "itself": "a = a",
    "ambiguous": 'a = a a / "x" / ""',
}


@pytest.mark.parametrize("grammar", one_in(3, HOSTILE.values()), ids=HOSTILE)
def test_hostile_grammars_end_in_answers(grammar: str) -> None:
    rule = grammar.split(" ", 1)[0]
    for asked in ("grammar", "examples", "string", "derivation", "diagram", "about"):
        question = {"ask": asked, "text": grammar, "rule": rule, "string": "x" * 40}
        assert list(json.loads(answer(json.dumps(question)))) in (["answer"], ["error"])
    assert refused("compare", text=grammar, rule=rule)
