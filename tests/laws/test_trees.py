"""Every tree is the preferred derivation, according to every engine and an independent checker.

The random grammars have direct and indirect left recursion, rules that derive themselves, empty iterations,
and minimum counts. Short strings are compared with an enumeration of derivations. Longer ones are mostly
valid and bracketed, since some errors need long strings.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

import abnforge
from abnforge.budget import Budget
from tests.law import one_in
from tests.reference.derivations import preferred
from tests.reference.random_grammars import KINDS, grammar, long_texts, short_texts
from tests.reference.trees import check, flat, shape

COMPARED = 14  # maximum length to enumerate the derivations of recursive rules


def check_trees(rule: abnforge.Rule, texts: Iterable[str], compared: int, engines: list[str]) -> int:
    """Check strings of a rule, and return the number of strings that have a tree.

    The derivations of strings up to the length ``compared`` are enumerated.
    """
    core, key, result = rule.grammar.core, rule.name.lower(), 0
    for text in texts:
        expected = preferred(core, key, text) if len(text) <= compared else None
        if expected is None if len(text) <= compared else not rule.matches(text):
            continue
        trees = [rule.parse(text, engine=engine) for engine in engines]
        check(core, key, text, trees[0], rule.lark_names)
        assert expected is None or shape(trees[0], rule.lark_names) == expected
        assert trees.count(trees[0]) == len(trees)
        if not result:
            assert rule.events(text, engine=engines[0]) == flat(trees[0], rule.lark_names)
        result += 1
    return result


def engines_of(rule: abnforge.Rule) -> list[str]:
    return ["lark"] if rule.recursive else ["lark", "automaton"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("grammars", "length"), [(1, 2), pytest.param(8, 4, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_short_strings(kind: str, grammars: int, length: int) -> None:
    source, result = Random(f"short {kind}"), 0
    for _ in range(grammars):
        rule = abnforge.loads(grammar(source, kind))["r0"]
        result += check_trees(rule, short_texts(length), length, engines_of(rule))
    assert result


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_long_texts(kind: str) -> None:
    source, result = Random(f"long {kind}"), 0
    for _ in range(6):
        # Some of these grammars are dense and take at least cubic work.
        rule = abnforge.loads(grammar(source, kind), budget=Budget.parse("50x"))["r0"]
        result += check_trees(rule, long_texts(rule, source, 60, 3), COMPARED, engines_of(rule))
    assert result


@pytest.mark.parametrize(
    ("grammars", "size"), [(10, 12), pytest.param(50, 40, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_automaton_engine_on_longer_strings(grammars: int, size: int) -> None:
    source, result = Random(size), 0
    for _ in range(grammars):
        rule = abnforge.loads(grammar(source, "regular"))["r0"]
        result += check_trees(rule, long_texts(rule, source, size, 4), size, ["automaton"])
    assert result > grammars


# Cases from random search, and cases that a wrong choice of alternatives would probably fail.
FOUND = [
    # States that recur after an empty iteration.
    'r0 = "," *( r1 r1 )\nr1 = [ "b" ] / "a"\n',
    'r0 = *r1\nr1 = [ "a" ] ( r2 / "b" )\nr2 = ""\n',
    'r0 = *( *( [ "a" ] [ "b" ] ) r1 )\nr1 = *"a" / "b"\n',
    # Rules that derive themselves.
    'r0 = "" / r0 r1\nr1 = "a" / r0 / ""\n',
    'r0 = r0 r0 r0 / [ *r0 ] / "a"\n',
    'r0 = r1 / "a"\nr1 = r2 / r0 r0\nr2 = [ r0 ] r1 / "b"\n',
    'r0 = 2*r0 2r1 / ""\nr1 = r1 r0 / [ r1 / r0 ] / "a" / "b"\n',
    'r0 = "b" / r1 / r2 2*3( [ "ab" ] "" )\nr1 = 1*3( [ r1 / "a" ] [ r0 r0 ] ) / 2r2\nr2 = r2 / r2 / ""\n',
    # Left recursion through other rules, and after parts that can be empty.
    'r0 = r1 "a" / "b"\nr1 = r0 "b" / r2 / "a"\nr2 = [ "b" ] r0 "a"\n',
    'r0 = *"b" r0 "a" / [ r1 ] "b"\nr1 = r0 / "a"\n',
    # Minimum counts of parts that can be empty.
    'r0 = 2*3( [ r1 ] ) *r1\nr1 = "a" / 2( *"b" )\n',
    'r0 = "(" *2r0 ")" / 2*r1\nr1 = [ "a" ] / "b" r0\n',
]


@pytest.mark.parametrize("text", one_in(3, FOUND))
def test_found_by_search(text: str) -> None:
    rule = abnforge.loads(text)["r0"]
    assert check_trees(rule, ["", "a", "aa", "ba", "aab", ",ba"], 3, engines_of(rule))


@pytest.mark.slow
@pytest.mark.parametrize("text", FOUND)
def test_found_by_search_on_all_short_strings(text: str) -> None:
    rule = abnforge.loads(text)["r0"]
    assert check_trees(rule, short_texts(4, "ab,"), 4, engines_of(rule))
