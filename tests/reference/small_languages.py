"""Small random grammars over "ab", each with its language as a set of strings.

This module is independent of the project: an expression is a tuple, and its strings up to a length follow
from the definition of ABNF operators. Recursive rules are evaluated until the sets no longer grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from hypothesis import strategies as st

ALPHABET = "ab"
LENGTH = 5  # maximum length of strings

Expression = tuple[Any, ...]

TEXTS = ["".join(chars) for n in range(LENGTH + 1) for chars in product(ALPHABET, repeat=n)]

_LEAVES = st.sampled_from(["", "a", "b", "ab", "ba"]).map(lambda text: ("text", text))
_BOUNDS = st.sampled_from([(0, None), (1, None), (2, None), (0, 1), (0, 2), (1, 2), (2, 2), (0, 0)])


def _compound(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    some = st.lists(inner, min_size=2, max_size=3)
    return st.one_of(
        some.map(lambda items: ("all", *items)),
        some.map(lambda items: ("any", *items)),
        st.tuples(inner, _BOUNDS).map(lambda pair: ("repeat", pair[0], *pair[1])),
    )


expressions: st.SearchStrategy[Expression] = st.recursive(_LEAVES, _compound, max_leaves=6)


@st.composite
def linear(draw: st.DrawFn) -> dict[str, Expression]:
    """Return one to three recursive rules, all with right or all with left recursion."""
    names = ["r0", "r1", "r2"][: draw(st.integers(1, 3))]
    right = draw(st.booleans())
    parts = st.recursive(_LEAVES, _compound, max_leaves=2)

    def ends(pair: tuple[Expression, str]) -> Expression:
        part, name = pair
        return ("all", part, ("rule", name)) if right else ("all", ("rule", name), part)

    recursive = st.tuples(parts, st.sampled_from(names)).map(ends)
    bodies = st.lists(st.one_of(parts, recursive), min_size=2, max_size=3)
    return {name: ("any", *draw(bodies)) for name in names}


@st.composite
def left_recursive(draw: st.DrawFn, names: tuple[str, ...] = ("r0", "r1", "r2")) -> dict[str, Expression]:
    """Return rules that start with one another, also after possibly empty parts, and with empty input."""
    parts = st.recursive(_LEAVES, _compound, max_leaves=2)
    rules = st.sampled_from(names).map(lambda name: ("rule", name))
    rest = st.lists(st.one_of(parts, parts, rules), max_size=2)
    may_be_empty = [("repeat", ("text", "b"), 0, None), ("repeat", ("rule", names[-1]), 0, 1)]
    hidden = st.lists(st.sampled_from(may_be_empty), max_size=1)
    recursive = st.tuples(hidden, rules, rest).map(lambda parts: ("all", *parts[0], parts[1], *parts[2]))
    bodies = st.tuples(
        st.lists(recursive, min_size=1, max_size=2), st.lists(parts, min_size=1, max_size=2)
    ).map(lambda pair: ("any", *pair[0], *pair[1]))
    return {name: draw(bodies) for name in names}


def abnf(expression: Expression) -> str:
    """Return an expression as ABNF."""
    match expression:
        case ("text", text):
            return f'%s"{text}"'
        case ("rule", name):
            return str(name)
        case ("all", *items):
            return " ".join(f"( {abnf(item)} )" for item in items)
        case ("any", *items):
            return " / ".join(f"( {abnf(item)} )" for item in items)
        case ("repeat", item, low, high):
            return f"{low}*{'' if high is None else high}( {abnf(item)} )"
    raise AssertionError(expression)


def grammar(rules: Mapping[str, Expression]) -> str:
    """Return rules as ABNF."""
    return "".join(f"{name} = {abnf(body)}\n" for name, body in rules.items())


def strings(expression: Expression, rules: Mapping[str, frozenset[str]] | None = None) -> frozenset[str]:
    """Return the strings of up to LENGTH characters that an expression matches."""
    match expression:
        case ("text", text):
            return frozenset({text})
        case ("rule", name):
            return (rules or {})[name]
        case ("all", *items):
            result = frozenset({""})
            for item in items:
                result = _joined(result, strings(item, rules))
            return result
        case ("any", *items):
            return frozenset().union(*(strings(item, rules) for item in items))
        case ("repeat", item, low, high):
            once = strings(item, rules)
            power = frozenset({""})
            for _ in range(low):
                power = _joined(power, once)
            result = power
            # More than LENGTH further iterations can only add empty strings.
            for _ in range(LENGTH if high is None else high - low):
                power = _joined(power, once)
                result |= power
            return result
    raise AssertionError(expression)


def languages(rules: Mapping[str, Expression]) -> dict[str, frozenset[str]]:
    """Return the strings of mutually recursive rules: the least sets that satisfy all definitions."""
    results: dict[str, frozenset[str]] = dict.fromkeys(rules, frozenset())
    while True:
        following = {name: strings(body, results) for name, body in rules.items()}
        if following == results:
            return results
        results = following


def _joined(left: frozenset[str], right: frozenset[str]) -> frozenset[str]:
    return frozenset(a + b for a in left for b in right if len(a) + len(b) <= LENGTH)
