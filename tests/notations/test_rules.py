"""Changes of rules keep the strings of the start rule, and remove the constructs that a notation lacks."""

from __future__ import annotations

import pytest
from hypothesis import assume

import abnforge
from abnforge.budget import DEFAULT
from abnforge.charset import ANY, CharSet, disjoint
from abnforge.grammar.core import Chars, Core, Ref, Repeat, with_references
from abnforge.grammar.facts import Facts, walk
from abnforge.notations import rules as changes
from abnforge.parsing.recognizer.machine import Machine, Plan
from tests.law import law
from tests.reference.random_grammars import short_texts
from tests.reference.strategies import grammars

TEXTS = list(short_texts(4))


def strings(core: Core, key: str) -> list[str]:
    """Return the short strings that the recognizer accepts."""
    machine = Machine(Plan(Facts(core), {}, DEFAULT))
    runs = {text: machine.read(key, [text]) for text in TEXTS}
    return [text for text, run in runs.items() if run.accepting]


def restricted(text: str) -> tuple[Core, Core]:
    core = abnforge.loads(text).compilation.core
    assume("r0" in Facts(core).productive)
    return core, changes.restricted(core, "r0", ANY)


@law(grammars(recursive=True), few=15, many=100)
def test_changes_keep_the_strings(text: str) -> None:
    core, small = restricted(text)
    expected = strings(core, "r0")
    assert strings(small, "r0") == expected
    tokens, charsets = changes.tokenized(small, ANY)
    assert disjoint(list(charsets.values()))
    inlined = {
        key: with_references(node, lambda ref: Chars(charsets[ref.key]) if ref.key in charsets else ref)
        for key, node in tokens.rules.items()
    }
    assert strings(Core(inlined, small.names), "r0") == expected
    nonempty = changes.without_empty_turns(small, "r0")
    assert strings(nonempty, "r0") == expected
    facts = Facts(nonempty)
    loops = [each for node in nonempty.rules.values() for each in walk(node) if isinstance(each, Repeat)]
    assert not any(facts.is_nullable(loop.item) for loop in loops if loop.max != 1)
    try:
        changed = changes.without_left_recursion(small, "r0")
    except changes.LeftRecursionError:
        assume(False)
    assert not Facts(changed).left_recursive
    assert strings(changed, "r0") == expected


def test_an_option_that_makes_its_own_rule_empty_stays() -> None:
    core = abnforge.loads("r0 = [ r0 ]\n").compilation.core
    assert strings(changes.without_empty_turns(core, "r0"), "r0") == [""]


@law(grammars(recursive=False), few=15, many=60)
def test_states_are_rules(text: str) -> None:
    rule = abnforge.loads(text)["r0"]
    core = changes.of_automaton(rule.automaton, "r0")
    assert strings(core, "0") == [each for each in TEXTS if rule.matches(each)]


def test_characters_outside_the_alphabet_are_omitted() -> None:
    core = abnforge.loads('r0 = %x61-63 / r1 / "b" r2\nr1 = "c" "d"\nr2 = *"d"\n').compilation.core
    small = changes.restricted(core, "r0", CharSet.of("bc"))
    assert list(small.rules) == ["r0", "r2"]
    assert strings(small, "r0") == ["b"]


def test_the_number_of_nodes_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    core = abnforge.loads('r0 = *( *"a" *"b" *"a" )\n').compilation.core
    assert len(strings(changes.without_empty_turns(core, "r0"), "r0")) == len(TEXTS)
    monkeypatch.setattr(changes, "MAX_NODES", 3)
    with pytest.raises(changes.SizeError):
        changes.without_empty_turns(core, "r0")


def test_references_of_a_rule_without_characters_are_empty() -> None:
    core = abnforge.loads('r0 = *( r1 / "a" )\nr1 = ""\n').compilation.core
    changed = changes.without_empty_turns(core, "r0")
    assert not any(isinstance(node, Ref) for node in walk(changed.rules["r0"]))
