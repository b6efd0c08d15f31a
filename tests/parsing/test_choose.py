"""Tables of preferred derivations: an S-expression for each rule, grammar and input."""

from __future__ import annotations

from typing import Any

import lark
import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.parsing.choose import choose
from tests.law import each_row, one_in
from tests.raising import raises


def sexp(tree: Any) -> str:
    """Return ``(rule child child)``, with the characters between two subrules in quotes."""
    if isinstance(tree, lark.Tree):
        return "(" + " ".join([tree.data, *map(sexp, tree.children)]) + ")"
    return repr(str(tree))


IPV4_OR_NAME = """
host = ipv4 / name
ipv4 = 1*digit "." 1*digit "." 1*digit "." 1*digit
name = *( digit / "." )
digit = %x30-39
"""

CHOICES = [
    # The first of two repetitions takes as many characters as possible.
    ('s = a b\na = *"x"\nb = *"x"', "xxx", "(s (a 'xxx') (b))"),
    ('s = a b\na = *"x"\nb = 1*"x"', "xxx", "(s (a 'xx') (b 'x'))"),
    ('s = a b\na = *"x"\nb = 2"x"', "xxx", "(s (a 'x') (b 'xx'))"),
    ('s = a b\na = *2"x"\nb = *"x"', "xxx", "(s (a 'xx') (b 'x'))"),
    # An option is used if the rest of the string still matches.
    ('s = [a] b\na = "x"\nb = *"x"', "xx", "(s (a 'x') (b 'x'))"),
    ('s = [a] b\na = "x"\nb = 2"x"', "xx", "(s (b 'xx'))"),
    ('s = [a] b\na = *"x"\nb = "y"', "y", "(s (b 'y'))"),
    # bounded repetitions
    ('s = *3a *a\na = "x"', "x" * 4, "(s (a 'x') (a 'x') (a 'x') (a 'x'))"),
    ('s = 2*4a b\na = "x"\nb = *"x"', "x" * 5, "(s (a 'x') (a 'x') (a 'x') (a 'x') (b 'x'))"),
    (
        's = 2*4a b\na = "x" / "xx"\nb = *"x"',
        "xxx",
        "(s (a 'x') (a 'x') (b 'x'))".replace("(b 'x')", "(a 'x') (b)"),
    ),
    ('s = 2a\na = *"x"', "xx", "(s (a 'xx') (a))"),
    ('s = 2*a\na = *"x"', "", "(s (a) (a))"),
    ('s = 3*5a\na = *"x"', "x", "(s (a 'x') (a) (a))"),
    # The first alternative that leads to a derivation of the whole string.
    ('s = a / b\na = "x"\nb = "xy"', "xy", "(s (b 'xy'))"),
    ('s = a / b\na = "x"\nb = "x"', "x", "(s (a 'x'))"),
    ('s = ( a / b ) c\na = "x"\nb = "xy"\nc = *"y"', "xy", "(s (a 'x') (c 'y'))"),
    ('s = ( a / b ) c\na = "x"\nb = "xy"\nc = "z"', "xyz", "(s (b 'xy') (c 'z'))"),
    # Decisions are compared from left to right: a preferred first item outweighs everything after it.
    ('s = a b\na = "x" / "xy"\nb = "yz" / "z"', "xyz", "(s (a 'x') (b 'yz'))"),
    # Nullable parts are present and empty.
    ('s = a b\na = *"x"\nb = *"y"', "", "(s (a) (b))"),
    ("s = *a\na = *%x78", "", "(s)"),
    ("s = *a\na = *%x78", "xx", "(s (a 'xx'))"),
    ('s = 1*a\na = *"x"', "", "(s (a))"),
    ('s = [a]\na = *"x"', "", "(s)"),
    # Each iteration is nonempty and starts where the one before it ends.
    ('s = "," *( p p )\np = [ "b" ] / "a"', ",ba", "(s ',' (p 'b') (p) (p) (p 'a'))"),
    ('s = *p\np = [ "a" ] ( n / "b" )\nn = ""', "ab", "(s (p 'a' (n)) (p 'b'))"),
    (IPV4_OR_NAME, "1.2.3.4", "(host (ipv4 (digit '1') '.' (digit '2') '.' (digit '3') '.' (digit '4')))"),
    (
        IPV4_OR_NAME,
        "1.2.3.",
        "(host (name (digit '1') '.' (digit '2') '.' (digit '3') '.'))",
    ),
    # Left recursion nests to the left, right recursion to the right.
    ('e = e "+" t / t\nt = "x"', "x+x+x", "(e (e (e (t 'x')) '+' (t 'x')) '+' (t 'x'))"),
    ('e = t "+" e / t\nt = "x"', "x+x+x", "(e (t 'x') '+' (e (t 'x') '+' (e (t 'x'))))"),
    # If both are possible, the left operand takes as many characters as possible.
    ('e = e "+" e / "x"', "x+x+x", "(e (e (e 'x') '+' (e 'x')) '+' (e 'x'))"),
    # Indirect left recursion.
    ('a = b "x" / "z"\nb = a "y" / "w"', "zyx", "(a (b (a 'z') 'y') 'x')"),
    ('a = b "x" / "z"\nb = a "y" / "w"', "wxyx", "(a (b (a (b 'w') 'x') 'y') 'x')"),
    # Left recursion after an item that can be empty.
    ('a = n a "x" / "y"\nn = *"n"', "yxx", "(a (n) (a (n) (a 'y') 'x') 'x')"),
    # Rules that derive themselves never contain themselves over the same span.
    ('a = a / "x"', "x", "(a 'x')"),
    ('a = a b / "x"\nb = *"y"', "xyy", "(a (a (a 'x') (b 'y')) (b 'y'))"),
    ('a = b / "x"\nb = a / "y"', "x", "(a 'x')"),
    ('a = "" / a b\nb = "a" / a / ""', "aa", "(a (a (a) (b 'a')) (b 'a'))"),
    ('s = s s s / [ *s ] / "a"', "a", "(s 'a')"),
    # Upper and lower case, and "-" in a name.
    ('Up-Per = "aB"', "Ab", "(up_per 'Ab')"),
]


@each_row(("grammar", "text", "expected"), one_in(2, CHOICES))
def test_tree(grammar: str, text: str, expected: str) -> None:
    rules = abnforge.loads(grammar + "\n")
    rule = rules[next(iter(rules))]
    assert sexp(rule.parse(text)) == expected
    assert sexp(rule.lark.parse(text)) == expected


URIS = [
    ("rfc3986", "host", "1.2.3.4", ["host", "ipv4address"]),
    ("rfc3986", "host", "1.2.3.4.5", ["host", "reg_name"]),
    ("rfc3986", "host", "256.1.1.1", ["host", "reg_name"]),
    ("rfc3986", "host", "01.2.3.4", ["host", "reg_name"]),
    ("rfc3986", "host", "[v1.a]", ["host", "ip_literal", "ipvfuture"]),
    ("rfc3986", "hier-part", "//a", ["hier_part", "authority", "host", "reg_name"]),
    ("rfc3986", "hier-part", "/a", ["hier_part", "path_absolute", "segment_nz"]),
    ("rfc3986", "URI-reference", "a:b", ["uri_reference", "uri", "scheme"]),
    (
        "rfc3986",
        "URI-reference",
        "./a:b",
        ["uri_reference", "relative_ref", "relative_part", "path_noscheme"],
    ),
    ("rfc2396", "hier-part", "//g", ["hier_part", "net_path", "authority"]),
    ("rfc2396", "hier-part", "//", ["hier_part", "net_path", "authority", "server"]),
    ("rfc2396", "authority", "a@b", ["authority", "server", "userinfo"]),
    ("rfc2396", "authority", "a@b@c", ["authority", "reg_name"]),
    ("rfc2396", "host", "1.2.3.4", ["host", "ipv4address"]),
]


@each_row(("grammar", "rule", "text", "path"), URIS)
def test_first_rules_of_a_uris_tree(grammar: str, rule: str, text: str, path: list[str]) -> None:
    tree: Any = abnforge.load(grammar)[rule].parse(text)
    names = []
    while tree is not None and len(names) < len(path):
        names.append(tree.data)
        tree = next((child for child in tree.children if isinstance(child, lark.Tree)), None)
    assert names == path


def test_tokens_know_their_offsets() -> None:
    text = "http://h/%41"
    tree = abnforge.load("rfc3986")["URI"].parse(text)
    for token in tree.scan_values(lambda token: True):
        assert text[token.start_pos : token.end_pos] == token


def test_a_long_literal_needs_no_deep_stack_and_little_room() -> None:
    length = 3_000
    grammar = abnforge.loads(f's = "(" s ")" / "{"a" * length}"\n')
    text = "(" + "A" * length + ")"
    spans = {"s": {0: 1 << len(text), 1: 1 << len(text) - 2}}
    meter = Budget().meter("the tree of s")
    events = choose(grammar.core, grammar.facts, "s", text, spans, meter)
    assert events == [("s",), ("s",), *[()] * (len(text) - 3), ("",), ("",)]
    assert meter.steps < 10 * length
    assert meter.memory < 1_000 * length


@pytest.mark.parametrize(
    ("text", "code"),
    [("steps=5000", "limit-steps"), ("memory=100K", "limit-memory")],
)
def test_the_choice_has_a_budget(text: str, code: str) -> None:
    """The tree of the empty string doubles in size with every rule."""
    rules = "".join(f"r{n} = r{n + 1} r{n + 1}\n" for n in range(20)) + 'r20 = "" / "x" r0 / r0\n'
    budget = Budget.parse(text)
    rule = abnforge.loads(rules, budget=budget)["r0"]
    with raises(abnforge.LimitExceeded, code, operation="tree of r0"):
        rule.parse("")


def test_rules_that_all_derive_one_another_cost_little() -> None:
    """Rules that cannot match are excluded first. Otherwise, there would be 2 ** 40 ways to fail."""
    names = [f"r{n}" for n in range(40)]
    rules = "".join(f"{name} = {' / '.join(names)}\n" for name in names) + 'r5 =/ "a"\n'
    grammar = abnforge.loads(rules)
    meter = Budget().meter("the tree of r0")
    events = choose(grammar.core, grammar.facts, "r0", "a", {name: {0: 2} for name in names}, meter)
    assert events == [tuple(names[:6]), ("",) * 6]
    assert meter.steps < 10 * len(names) ** 2


@pytest.mark.parametrize(
    "depth", [1, 200, *(pytest.param(n, marks=pytest.mark.slow) for n in (1_000, 10_000))]
)
def test_deep_nesting(depth: int) -> None:
    rule = abnforge.loads('s = "(" s ")" / "x"\n')["s"]
    text = "(" * depth + "x" + ")" * depth
    assert rule.matches(text)
    node: Any = rule.parse(text)
    levels = 0
    while len(node.children) == 3:
        node, levels = node.children[1], levels + 1
    assert levels == depth
    rejection = rule.explain(text[:-1])
    assert rejection is not None
    assert rejection.offset == len(text) - 1
