"""The characters before a window lead to the same states as sets without mistakes."""

from __future__ import annotations

import pytest

from abnforge.budget import Budget
from abnforge.errors import LimitExceeded
from abnforge.explain import weighted as module
from abnforge.explain.bind import Classes
from abnforge.explain.error_grammar import ErrorGrammar, ErrorState, ErrorStates
from abnforge.explain.weighted import Prefixes, WeightedDeterminizer
from tests.explain.random_mistakes import Case, bind_to, bound, cases
from tests.law import law
from tests.raising import raises
from tests.reference.small_languages import TEXTS

NONE = ";@ after *; blame all; fix none\nm = %x7\n"
JSON = 'value = "[" [ value *( "," value ) ] "]" / 1*DIGIT\n'


def both(states: ErrorStates, classes: Classes) -> tuple[Prefixes, WeightedDeterminizer]:
    return Prefixes(states, classes), WeightedDeterminizer(states, classes, 0, 10**6)


def by_sets(sets: WeightedDeterminizer, start: ErrorState, text: str) -> tuple[ErrorState | None, ...]:
    """Return the members of the set after a string. All have weight 0."""
    live = sets._set(((start, 0),))
    for char in text:
        move = sets.move(live, char)
        if move is None:
            return ()
        live = move.target
    return tuple(state for state, _ in live.members)


def check(made: ErrorGrammar, texts: list[str]) -> None:
    states = ErrorStates(made)
    prefixes, sets = both(states, made.bound.classes)
    sets._left = 10**9
    for text in texts:
        # The order can differ if items are empty. It decides between interpretations of equal cost.
        result = prefixes.states_after(text, Budget().meter("x"))
        assert set(result) == set(by_sets(sets, states.start, text)), text
        assert len(set(result)) == len(result), text


@law(cases(), few=12, many=300)
def test_the_states_are_those_of_sets_without_mistakes(case: Case) -> None:
    check(ErrorGrammar(bound(case), "r0"), TEXTS)


# Rules, and prefixes to read with the first rule.
RULES = [
    (JSON, ["", "[", "[[", "[[1,[2", "[]", "[]]", "[1,[]", "1[", "," * 3]),
    ('x = *( *"a" ) "b"\n', ["", "a", "aa", "aab", "ab", "b", "ba"]),
    ('x = 2*4( [ "a" ] ) "b"\n', ["", "a", "aa", "aaaa", "aaaaa", "aab", "b"]),
    ('x = 200( *"a" ) "b"\n', ["", "a", "aaaa", "aab", "b"]),
    ('x = ( "" / "a" ) ( "" / "a" "b" ) *( "" / "a" ) "c"\n', ["", "a", "ab", "aa", "abaac", "c"]),
    ('x = x "a" / "b" / ""\n', ["", "a", "b", "ba", "bb", "baa"]),
    ('x = <words> / "a" x / "b"\n', ["", "a", "aa", "aab", "b"]),
]


@pytest.mark.parametrize(("rules", "texts"), RULES)
def test_rules_of_any_kind(rules: str, texts: list[str]) -> None:
    check(ErrorGrammar(bind_to(rules, NONE), rules.split(" ")[0]), texts)


def test_chains_of_rules_need_no_stack() -> None:
    rules = "".join(f"r{number} = r{number + 1}\n" for number in range(1_000)) + 'r1000 = "a"\n'
    result = ErrorGrammar(bind_to(rules, NONE), "r0")
    prefixes = Prefixes(ErrorStates(result), result.bound.classes)
    assert prefixes.states_after("a", Budget().meter("x"))
    assert not prefixes.states_after("b", Budget().meter("x"))


def test_each_set_is_charged_once_a_string() -> None:
    """The cost of a string does not depend on earlier input."""
    result = ErrorGrammar(bind_to(JSON, NONE), "value")
    prefixes = Prefixes(ErrorStates(result), result.bound.classes)
    sums = []
    for text in ("[" * 50, "[1,", "[1," * 50, "[" * 50, "[1" + ",1" * 10_000, "[1,"):
        meter = Budget().meter("x")
        prefixes.states_after(text, meter)
        sums.append(meter.steps)
    assert sums[0] == sums[3]
    assert sums[1] == sums[5]
    assert sums[4] <= sums[1] + 100
    with pytest.raises(LimitExceeded):
        prefixes.states_after("[" * 50, Budget(steps=sums[0] - 1, per_character=0).meter("x"))


def test_too_many_ways_to_read_a_character_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FOLLOWED", 50)
    result = ErrorGrammar(bind_to('x = 90( [ "a" ] ) "b"\n', NONE), "x")
    with raises(LimitExceeded, "characters-too-many"):
        Prefixes(ErrorStates(result), result.bound.classes).states_after("ab", Budget().meter("x"))
