"""Large rules cut into modules."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.conformance.complete import modules
from abnforge.conformance.suites import BUDGET

URI = abnforge.load("rfc3986")

# rule, and its modules: states, and which rules below stand for a string there
CUT = [
    (
        "rfc3986",
        "URI",
        [("URI", 32, ("IPv6address",)), ("IPv6address", 91, ("IPv4address",)), ("IPv4address", 25, ())],
    ),
    ("rfc3986", "IPv4address", [("IPv4address", 25, ())]),
    ("rfc3339", "date-time", [("date-time", 29, ())]),
    (
        "rfc3987",
        "IRI",
        [("IRI", 35, ("IPv6address",)), ("IPv6address", 91, ("IPv4address",)), ("IPv4address", 25, ())],
    ),
]


@pytest.mark.parametrize(("grammar", "name", "expected"), CUT)
def test_modules(grammar: str, name: str, expected: list[tuple[str, int, tuple[str, ...]]]) -> None:
    rule = abnforge.load(grammar)[name]
    found = modules(rule, 2, BUDGET.meter("a test"))
    assert [(each.name, each.acceptor.size, each.instead) for each in found] == expected
    for module in found:
        for state in module.acceptor.live:
            behind = module.acceptor.completions[state]
            assert behind is not None
            text = module.acceptor.text(module.acceptor.cover[state] + behind)
            # What a module accepts is the rule's where the module stands; its strings are of the grammar.
            assert rule.matches(module.before + text + module.behind)
            assert rule.grammar[module.name].matches(text)


def test_what_can_be_empty_stays_so() -> None:
    grammar = abnforge.loads('a = "<" b ">"\nb = *10(ALPHA DIGIT)\n')
    whole, inside = modules(grammar["a"], 2, BUDGET.meter("a test"))
    assert (whole.name, whole.instead, inside.name) == ("a", ("b",), "b")
    assert whole.acceptor.automaton.accepts("<>")
    assert not whole.acceptor.automaton.accepts("<a0a0>")


def test_a_rule_made_of_others_is_one() -> None:
    made = URI["host"] - URI["IPv4address"]
    [one] = modules(made, 2, BUDGET.meter("a test"))
    assert one.acceptor.automaton == made.automaton
