"""Left recursion as loops: the replaced bodies, and unchanged strings."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.automata import derivatives
from abnforge.grammar.core import Chars, Choice, Node, Ref, Repeat, Seq
from abnforge.grammar.loops import with_loops
from tests.law import each_row, law
from tests.reference.small_languages import TEXTS, Expression, languages, left_recursive
from tests.reference.small_languages import grammar as written_grammar

# The rule s and its replacement. "!" is a mark.
BODIES = [
    ('s = s "b" / "a"', "a *(!b)"),
    ('s = "a" / s "b"', "a *(!b)"),
    ('s = s "b" / "a" / s "c" s / t', "(a/t) *((!b)/(!cs))"),
    ('s = s / "a"', "a"),
    ('s = s / "a" / "b" t', "(a/(bt))"),
    ('s = s "b"', "() *(!b)"),
    ("s = s", "()"),
    ('s = "a" s / t', "((as)/t)"),
    ('s = [ s ] "a" / t', "(a/t) *(!a)"),
    ('s = [ s "b" ] "a" / t', "(a/t) *(!ba)"),
    ('s = ( s / t "c" ) "b" / "a"', "(((tc)b)/a) *(!b)"),
    ('s = ( s "b" ) "c" / "a"', "a *(!bc)"),
    # Recursion after a part that can be empty is not replaced.
    ('s = [ [ s ] ] "a" / t', "(([[s]]a)/t)"),
    ('s = *"b" s "a" / "b"', "(( *bsa)/b)"),
    # Recursion through other rules. "?" marks the rule that starts.
    ('s = v "b" / "a"\nv = s "c" / "d"', "(a/((?d)(!b))) *((!c)(!b))"),
    ('s = v / "a"\nv = s "c"', "a *((!c)(!))"),
    ('s = v "b"\nv = s "c" / v "d" / "e"', "((?e) *(!d)(!b)) *((!c) *(!d)(!b))"),
    # Recursion that does not consume a character is not replaced.
    ('s = v / "a"\nv = s / "b"', "(v/a)"),
    ('s = v [ "c" ] / "a"\nv = s *"d" / "b"', "((v[c])/a)"),
]


def written(node: Node, marks: dict[Node, str]) -> str:
    match node:
        case Chars(charset=charset):
            return chr(charset.ranges[-1][1])
        case Ref(key=key):
            return key
        case Seq() if node in marks:
            return {"^": "!", "=": "?"}[marks[node][0]]
        case Seq(items=items):
            return f"({''.join(written(item, marks) for item in items)})"
        case Choice(items=items):
            return f"({'/'.join(written(item, marks) for item in items)})"
        case Repeat(item=item, max=1):
            return f"[{written(item, marks)}]"
        case Repeat(item=item):
            return f" *{written(item, marks)}"
    raise AssertionError(node)


@each_row(("rule", "body"), BODIES)
def test_bodies(rule: str, body: str) -> None:
    grammar = abnforge.loads(f'{rule}\nt = "t"\n')
    core = grammar.core
    loops, marks = with_loops(grammar.facts)
    result = written(loops.rules["s"], marks)
    assert result in (body, f"({body})")
    assert ("^s" in marks.values()) == ("!" in body)
    assert ("=v" in marks.values()) == ("?" in body)
    assert loops.rules["t"] is core.rules["t"]
    assert loops.names is core.names


# The limits up to which the states of a set are kept separate: the real limits, and small limits.
APART = [(derivatives.MAX_APART, derivatives.MAX_FOLLOWED_APART), (1, 25)]


@law(left_recursive(), st.sampled_from(APART), few=12, many=1_000)
def test_states_of_left_recursive_rules_are_exact(
    rules: dict[str, Expression], apart: tuple[int, int]
) -> None:
    """They match the strings of the reference, and stop at the same position."""
    states = derivatives.Derivatives(abnforge.loads(written_grammar(rules)).facts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(derivatives, "MAX_APART", apart[0])
        patch.setattr(derivatives, "MAX_FOLLOWED_APART", apart[1])
        for name, strings in languages(rules).items():
            for text in TEXTS[:31]:
                sets, steps = states.read_within(name, text, 20_000)
                if steps < 20_000:
                    assert (text in strings) is (len(sets) > len(text) and sets[-1].accepting)
                    prefixes = {string[:size] for string in strings for size in range(len(text) + 1)}
                    # Strings longer than those of the reference may also continue.
                    viable = [size for size in range(len(text) + 1) if text[:size] in prefixes]
                    assert len(sets) > max(viable, default=0)
                for each in sets:
                    # A path starts with the parsed rule, or is empty.
                    paths = [state.rule_path for state in each.states]
                    assert all(path[0] == name for path in paths if path)


# Ambiguous grammars with an exponential number of derivations.
AMBIGUOUS = [
    ('s = s s / "a"\n',),
    ('s = s t / t s / "a"\nt = s / t s / "a"\n',),
    ('s = %x61-62 s / *( %x61-62 / s / t )\nt = *( s / "a" )\n',),
]


@each_row(("rules",), AMBIGUOUS)
def test_steps_for_ambiguous_recursion_are_quadratic(rules: str) -> None:
    states = derivatives.Derivatives(abnforge.loads(rules).facts)
    sets = states.read("s", "a" * 40)
    assert len(sets) == 41
    assert sets[-1].accepting
    assert sets[40].cost - sets[30].cost <= 1.1 * (sets[30].cost - sets[20].cost)


@each_row(("rules",), AMBIGUOUS)
def test_joined_states_have_the_rule_path_of_the_preferred_one(
    rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = abnforge.loads(rules).facts
    rule_paths: list[list[tuple[str, ...]]] = []
    for apart in (APART[1], (10**9, 10**9)):
        monkeypatch.setattr(derivatives, "MAX_APART", apart[0])
        monkeypatch.setattr(derivatives, "MAX_FOLLOWED_APART", apart[1])
        states = derivatives.Derivatives(facts)
        rule_paths.append([each.states[0].reading for each in states.read("s", "a" * 3)])
    assert rule_paths[0] == rule_paths[1]
