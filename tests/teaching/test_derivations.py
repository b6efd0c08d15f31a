"""Derivations replay to the string, every step is a production, and their number is right."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from lark import Token, Tree

import abnforge
from abnforge.engine.grammar import sentences
from abnforge.teaching.derivations import (
    ORDERS,
    DerivationStep,
    Node,
    Symbol,
    children_of,
    derivation,
    derivations,
    flatten,
    steps,
)
from tests.law import each_row, law
from tests.raising import raises
from tests.reference.steps import check, is_production

CASES = [
    ("rfc3986", "URI", "http://u:p@[::1]:80/a/%41?q#f"),
    ("rfc3986", "IPv6address", "1::2:192.0.2.1"),
    ("rfc3986", "URI-reference", ""),
    ("rfc3986", "path-abempty", "/" * 40),
    ("rfc3339", "date-time", "2026-11-23T08:00:00.5+01:00"),
    ("rfc8259", "JSON-text", '{"a": [1, -2e5, "\\u0041"], "b": null}'),
    ("rfc5321", "Mailbox", '"a b"@[IPv6:::1]'),
    ("rfc5234", "rulelist", 'a = 1*2("b" / %x41-5A) [<c>]\r\n'),
    ("rfc6570", "URI-Template", "{+a,b*}/x{?c:3}"),
]
AMBIGUOUS = abnforge.loads('e = e "+" e / n\nn = 1*DIGIT\n')["e"]
EMPTIES = abnforge.loads('s = *2a b c\na = [ "x" ] b\nb = *c\nc = "" / "y"\n')["s"]


@each_row("order", ORDERS)
@each_row(("grammar", "rule", "text"), CASES)
def test_a_derivation_replays(grammar: str, rule: str, text: str, order: str) -> None:
    loaded = abnforge.load(grammar)
    check(loaded, rule, text, list(derivation(loaded[rule], text, order=order)), order)


@law(st.sampled_from(["3986", "3339", "8259", "6570", "5646"]), st.integers(0, 10**6), few=20, many=500)
def test_derivations_of_generated_strings_replay(number: str, seed: int) -> None:
    rule = abnforge.load(f"rfc{number}").start
    [text] = sentences(rule, count=1, seed=seed, size=30)
    for order in ORDERS:
        check(rule.grammar, rule.name, text, list(derivation(rule, text, order=order)), order)


@each_row("order", ORDERS)
@each_row(("rule", "text"), [(AMBIGUOUS, "1+2+3+4"), (EMPTIES, "xyy"), (EMPTIES, "")])
def test_there_are_as_many_as_are_counted(rule: abnforge.Rule, text: str, order: str) -> None:
    result = list(derivations(rule, text, None, order=order))
    assert len(result) == rule.count_derivations(text) > 0
    for each in result:
        check(rule.grammar, rule.name, text, each, order)
    assert result[0] == list(derivation(rule, text, order=order))


def test_different_trees_have_different_derivations() -> None:
    results = [tuple(each) for each in derivations(AMBIGUOUS, "1+2+3+4", None)]
    assert len(set(results)) == len(results) == 5


def test_steps() -> None:
    rule = abnforge.loads("a = b c\nb = %x78\nc = *b\n")["a"]
    a, b, c = Symbol("a", 0, 2), Symbol("b", 0, 1), Symbol("c", 1, 2)
    inner, x, y = Symbol("b", 1, 2), Symbol(None, 0, 1), Symbol(None, 1, 2)
    assert list(derivation(rule, "xx")) == [
        DerivationStep((), a, (b, c), ()),
        DerivationStep((), b, (x,), (c,)),
        DerivationStep((x,), c, (inner,), ()),
        DerivationStep((x,), inner, (y,), ()),
    ]
    assert list(derivation(rule, "xx", order="rightmost")) == [
        DerivationStep((), a, (b, c), ()),
        DerivationStep((b,), c, (inner,), ()),
        DerivationStep((b,), inner, (y,), ()),
        DerivationStep((), b, (x,), (y,)),
    ]


@pytest.mark.parametrize("order", ORDERS)
def test_omitted_derivations_are_counted(order: str) -> None:
    rule = abnforge.load("rfc3986")["URI"]
    whole = list(derivation(rule, "http://host/path", order=order))
    few = list(derivation(rule, "http://host/path", order=order, around=2))
    for all_of_it, part in zip(whole, few, strict=True):
        assert (part.replaced, part.by) == (all_of_it.replaced, all_of_it.by)
        assert len(part.form) + part.hidden == len(all_of_it.form)
        if order == "leftmost":
            assert all_of_it.form[: len(part.form)] == part.form
        else:
            assert all_of_it.form[part.hidden :] == part.form


def test_depth_does_not_matter() -> None:
    nodes = [Node("r", depth, 0, 1) for depth in range(50_000)] + [Node(None, 50_000, 0, 1)]
    assert sum(1 for _ in steps(nodes, "leftmost")) == 50_000


def test_the_checker_can_say_no() -> None:
    grammar = abnforge.load("rfc3986")
    results = list(derivation(grammar["port"], "80"))
    assert is_production(grammar, "port", [("digit",), ("digit",)])
    assert not is_production(grammar, "port", [("digit",), "0"])
    assert not is_production(grammar, "dec-octet", [("digit",)] * 4)
    for wrong in (results[:-1], results[1:], results[::-1]):
        with pytest.raises((AssertionError, TypeError)):
            check(grammar, "port", "80", wrong, "leftmost")


def test_misuse() -> None:
    rule = abnforge.load("rfc3986")["port"]
    with raises(TypeError, "argument-type", name="rule"):
        derivation("port", "80")  # type: ignore[arg-type]
    with raises(TypeError, "argument-type", name="text"):
        derivation(rule, 80)  # type: ignore[arg-type]
    with raises(ValueError, "argument-choice", name="order", choices=ORDERS):
        derivation(rule, "80", order="left")
    with raises(ValueError, "around-negative", value=-1):
        derivations(rule, "80", around=-1)
    with pytest.raises(abnforge.Rejected):
        derivation(rule, "x")
    assert list(derivations(rule, "x")) == []


def test_a_tree_in_preorder_with_spans() -> None:
    tree = Tree("a", [Tree("b", []), Token("X", "xy"), Tree("c", [Token("X", "z")])])
    nodes = flatten(tree, str.upper)
    assert nodes == [
        Node("A", 0, 0, 3),
        Node("B", 1, 0, 0),
        Node(None, 1, 0, 2),
        Node("C", 1, 2, 3),
        Node(None, 2, 2, 3),
    ]
    assert children_of(nodes) == [[1, 2, 3], [], [], [4], []]
