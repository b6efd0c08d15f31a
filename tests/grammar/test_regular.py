"""Recursion on one side is solved as equations. The verdicts equal those of the engine "lark"."""

from __future__ import annotations

import pytest

import abnforge
from tests.law import each_row, law
from tests.raising import raises
from tests.reference.small_languages import TEXTS, Expression, grammar, languages, linear

LINEAR = [
    'a = "a" a / "b"',
    'a = a "a" / "b"',
    'a = "a" a / "b" a / ""',
    'a = "a" b / "b"\nb = "b" a / "a"',
    'a = b "a" / "b"\nb = a "b" / c\nc = b "a" / a "b" / "a"',  # indirect left recursion
    'a = ["a"] [ a ]',
    'a = "a" ( b / "b" ) / a\nb = [ "b" a ]',
    'a = *"a" b\nb = 1*"b" [ c ]\nc = ( "a" / "b" "b" ) ( a / b )',
    'a = "a" a',
    'a = "b" / "a" u\nu = "a" u a',  # alternatives without strings are ignored
    'a = "b" / u\nu = u p\np = "(" [ p ] ")"',
    'a = p / "b"\np = "b" p / "a" q\nq = "a" q',
]


@each_row("text", LINEAR)
def test_as_the_lark_engine(text: str) -> None:
    rule = abnforge.loads(text + "\n")["a"]
    assert rule.regular
    built = rule.automaton
    for candidate in TEXTS:
        if len(candidate) <= 4:
            verdict = rule.matches(candidate, engine="lark")
            assert built.accepts(candidate) is verdict, candidate
            assert rule.matches(candidate) is verdict, candidate
            rejection = rule.explain(candidate, suggest=False)
            assert (rejection is None) is verdict, candidate
            assert rejection is None or rejection.offset == built.read(candidate)[0], candidate


@pytest.mark.parametrize(
    ("text", "begin", "end"), [('a = "a" a / "b"', "", "b"), ('a = "a" b / a "a" / "c"\nb = "b"', "ab", "")]
)
def test_a_regular_rule_that_recurses_is_matched_by_its_automaton(text: str, begin: str, end: str) -> None:
    """An Earley parser would take minutes for a string of this length."""
    rule = abnforge.loads(text + "\n")["a"]
    assert rule.recursive
    assert rule.matches(begin + "a" * 500_000 + end)
    assert not rule.matches(begin + "a" * 500_000 + end + "b")


@law(linear(), few=20, many=80)
def test_least_solution(rules: dict[str, Expression]) -> None:
    loaded = abnforge.loads(grammar(rules))
    for name, derived in languages(rules).items():
        assert loaded[name].regular
        assert {text for text in TEXTS if loaded[name].automaton.accepts(text)} == derived


NOT_LINEAR = [
    'a = "(" [ a ] ")"',
    'a = "a" a "b" / "c"',
    'a = a a / "x"',  # regular, but not recognized as regular
    'a = "a" a / a "b" / "c"',
    'a = "x" *( a )',
    'a = "x" b\nb = "(" [ b ] ")"',
]


@each_row("text", NOT_LINEAR)
def test_other_recursion_is_not_claimed(text: str) -> None:
    rule = abnforge.loads(text + "\n")["a"]
    assert not rule.regular
    with pytest.raises(ValueError, match="recursive"):
        _ = rule.automaton
    # Other rules are unchanged.
    assert abnforge.loads(text + '\nz = "z"\n')["z"].automaton.accepts("z")


def test_a_large_group_is_stopped_not_multiplied_out() -> None:
    count = 40
    text = "".join(
        f"r{i} = " + " / ".join(f'"{i % 10}{j % 10}" r{j}' for j in range(count)) + ' / "x"\n'
        for i in range(count)
    )
    assert not abnforge.loads(text)["r0"].regular


def test_prose_has_no_automaton() -> None:
    with raises(abnforge.GrammarError, "prose-val") as raised:
        _ = abnforge.loads("a = <see the other document>\n")["a"].automaton
    assert raised.value.code == "prose-val"
