"""Rules as parsing expression grammars: their strings, and the candidates that are chosen."""

from __future__ import annotations

from hypothesis import assume

import abnforge
from abnforge.grammar.core import Chars, Choice, Core, Node, Ref, Repeat, Seq
from abnforge.notations import ordered
from abnforge.notations import rules as changes
from abnforge.regex.dialects import PCRE2
from tests.law import each_row, law
from tests.reference.random_grammars import short_texts
from tests.reference.strategies import grammars

TEXTS = list(short_texts(5))


def matched(core: Core, node: Node, text: str, start: int) -> int | None:
    """Return the end of the match of a parsing expression, or None: the definition by Ford."""
    match node:
        case Chars(charset=charset):
            return start + 1 if text[start : start + 1] and text[start] in charset else None
        case Ref(key=key):
            return matched(core, core.rules[key], text, start)
        case Seq(items=items):
            end: int | None = start
            for item in items:
                end = None if end is None else matched(core, item, text, end)
            return end
        case Choice(items=items):
            ends = (matched(core, item, text, start) for item in items)
            return next((each for each in ends if each is not None), None)
        case Repeat(item=item, min=low, max=high):
            turns = 0
            while high is None or turns < high:
                end = matched(core, item, text, start)
                if end is None:
                    break
                start, turns = end, turns + 1
            return start if turns >= low else None
    raise AssertionError(node)


def ordered_rules(rule: abnforge.Rule) -> Core:
    compilation = rule.grammar.compilation
    core = changes.restricted(Core(compilation.bodies, compilation.core.names), rule.key, PCRE2.alphabet)
    core = changes.without_empty_turns(core, rule.key)
    meter = compilation.budget.meter("a test")
    result = ordered.regular_rules(core, rule.key, rule.automaton, meter)
    assert result is not None
    return result


@law(grammars(recursive=False), few=12, many=150)
def test_ordered_rules_match_the_same_strings(text: str) -> None:
    rule = abnforge.loads(text)["r0"]
    assume(len(rule.automaton.table))
    core = ordered_rules(rule)
    start = Ref(next(iter(core.rules)))
    for each in TEXTS:
        assert (matched(core, start, each, 0) == len(each)) is rule.matches(each), each


def recursive_rules(rule: abnforge.Rule) -> tuple[Core, list[str]]:
    core = changes.restricted(rule.grammar.compilation.core, rule.key, PCRE2.alphabet)
    core = changes.without_empty_turns(changes.without_left_recursion(core, rule.key), rule.key)
    return ordered.recursive_rules(core, rule.key)


@law(grammars(recursive=True), few=12, many=400)
def test_ordered_recursive_rules_match_the_same_strings(text: str) -> None:
    rule = abnforge.loads(text)["r0"]
    try:
        core, undecided = recursive_rules(rule)
    except (changes.EmptyError, changes.LeftRecursionError):
        return
    for each in TEXTS if not undecided else ():
        assert (matched(core, Ref(rule.key), each, 0) == len(each)) is rule.matches(each), each


# A recursive grammar, and the rules with a choice or repetition that the next character does not decide.
DECIDED = [
    ('r0 = "a" [ r0 ] "b"\n', []),
    ('r0 = *"a" / "b" r0 "c"\n', []),  # the alternative that can be empty moves to the end
    ('r0 = "a" *( "b" r0 ) / [ "c" r0 "c" ]\n', ["r0"]),  # "b" follows, and begins another turn
    ('r0 = "a" [ r0 ] "a"\n', ["r0"]),
    ('r0 = "ab" / "a" r0\n', ["r0"]),
    ('r0 = "a" r1 "c"\nr1 = *"b" / *r0\n', ["r1"]),  # both can be empty
    ('r0 = name "(" [ r0 ] ")"\nname = "f" / "fg"\n', ["name"]),
]


@each_row(("grammar", "expected"), DECIDED)
def test_recursive_rules_are_decided_by_the_next_character(grammar: str, expected: list[str]) -> None:
    rule = abnforge.loads(grammar)["r0"]
    core, undecided = recursive_rules(rule)
    assert undecided == expected
    if not undecided:
        start = Ref(rule.key)
        assert {each for each in TEXTS if matched(core, start, each, 0) == len(each)} == set(
            filter(rule.matches, TEXTS)
        )


# A grammar, and the candidate: the order of the rule, another order, fewer alternatives, or states.
CANDIDATES = [
    ('r0 = %x61-62 / *r1\nr1 = [ "a" ]\n', "states"),
    ('r0 = 1*"a" *( "," 1*"a" )\n', "order"),
    ('r0 = "a" / "ab" / "abc"\n', "longest"),
    ('r0 = r1 "c"\nr1 = "ab" / *( "a" / "b" )\n', "uncovered"),
    ('r0 = *"a" "ab"\n', "states"),
]


@each_row(("grammar", "expected"), CANDIDATES)
def test_candidates(grammar: str, expected: str) -> None:
    rule = abnforge.loads(grammar)["r0"]
    core = ordered_rules(rule)
    if expected == "states":
        assert "0" in core.rules
        return
    original = abnforge.loads(grammar).compilation.core
    changed = [key for key, node in core.rules.items() if str(node) != str(original.rules[key])]
    assert bool(changed) is (expected != "order")
    choices = [node for node in core.rules.values() if isinstance(node, Choice)]
    assert len(choices) == (expected == "longest")
