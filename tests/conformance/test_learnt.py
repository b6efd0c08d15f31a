"""What was learnt, told."""

from __future__ import annotations

import pickle
import re

import pytest

import abnforge
from abnforge.automaton.dfa import Automaton
from abnforge.conformance.black_box import Raised
from abnforge.conformance.learnt import Learnt

URI = abnforge.load("rfc3986")


def automaton(text: str) -> Automaton:
    return abnforge.loads(f"a = {text}\n")["a"].automaton


def learnt(text: str, rule: str = "port", **changed: object) -> Learnt:
    found = automaton(text)
    values = {
        "reference": URI[rule],
        "automaton": found,
        "queries": 1_234,
        "letters": found.charsets,
        "exact_for": 9,
        "level": "complete",
        **changed,
    }
    return Learnt(**values)  # type: ignore[arg-type]


# what is accepted for a port, and the relation, what is wrongly accepted and refused, and what is told of it
TOLD = [
    ("*DIGIT", "equal", None, None, "  accepts exactly what port derives\n"),
    ('*DIGIT / "x"', "wider", "x", None, '  accepts what port does not derive: "x", in all "x"\n'),
    ("1*DIGIT", "narrower", None, "", '  refuses what port derives: "" alone\n'),
    ("*5DIGIT", "narrower", None, "111111", '  refuses what port derives: "111111", in all 6*DIGIT\n'),
    (
        '1*( DIGIT / "_" )',
        "overlap",
        "_",
        "",
        '  accepts what port does not derive: "_", in all *DIGIT "_" *( DIGIT / "_" )\n'
        '  refuses what port derives: "" alone\n',
    ),
]


@pytest.mark.parametrize(("text", "relation", "accepted", "refused", "told"), TOLD)
def test_differences(text: str, relation: str, accepted: str | None, refused: str | None, told: str) -> None:
    found = learnt(text)
    comparison = found.comparison
    assert (comparison.relation, comparison.only_left, comparison.only_right) == (relation, accepted, refused)
    first, *lines, bound = str(found).splitlines(keepends=True)
    assert first.endswith("learnt by 1,234 questions\n")
    assert "".join(lines) == told
    assert bound.strip() == found.bound


def test_the_rule_is_a_rule() -> None:
    found = learnt("*5DIGIT")
    assert found.rule.automaton == found.automaton
    assert (found.rule.name, found.rule.grammar.name) == ("port", "learnt")
    assert found.abnf() == "port = *5DIGIT\n"
    assert found.rule.matches("12345")
    assert str(found.rule.explain("123456"))
    assert (URI["port"] - found.rule).automaton == automaton("6*DIGIT")
    pattern = re.compile(found.pattern(), re.DOTALL)
    assert [bool(pattern.fullmatch(text)) for text in ("12345", "123456", "a")] == [True, False, False]
    assert "[0-9]" in found.pattern("re2")
    assert found.states == 6


def test_errors_are_told() -> None:
    errors = (Raised("ValueError", 2_000, "\n"), Raised("TypeError", 1, ""))
    said = str(learnt("*DIGIT", errors=errors))
    assert (
        '  raised ValueError for 2,000 strings, such as "\\n"\n  raised TypeError for 1 string, ""\n' in said
    )


def test_the_bound_says_what_is_known() -> None:
    assert learnt("*DIGIT").bound == (
        "This is exactly what is accepted, if an automaton of at most 9 states describes that and treats the "
        "characters of each of 2 sets alike, which were parted by characters that were asked at every state. "
        "All of 1,234 strings were answered so."
    )
    assert "by one character of each class of the rule" in learnt("*DIGIT", level="quick").bound
    unknown = learnt("*DIGIT", exact_for=None).bound
    assert unknown == "Learning had not ended after 1,234 questions: nothing is known of this."


def test_a_combined_rule_has_no_name_for_abnf() -> None:
    found = learnt("*DIGIT", reference=URI["port"].at_most(5))
    assert found.abnf() == "learnt = *DIGIT\n"
    assert found.comparison.only_left == "111111"


def test_it_travels() -> None:
    found = learnt("*5DIGIT")
    assert str(pickle.loads(pickle.dumps(found))) == str(found)
    assert pickle.loads(pickle.dumps(found)) == found


def test_it_is_an_automaton_and_a_comparison() -> None:
    found = learnt("1*DIGIT")
    made, comparison = found
    assert (made, comparison) == (found.automaton, found.comparison)
