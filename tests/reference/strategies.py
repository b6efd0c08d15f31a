"""Strategies for small random grammars, as values and as ABNF, and for strings to test them with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count

from hypothesis import strategies as st

from tests.reference.notation import (
    Alternation,
    Concatenation,
    Literal,
    Node,
    Option,
    Range,
    Reference,
    Repetition,
    Rules,
    abnf,
    nodes,
    replaced,
    used,
)

ALPHABET = "ab"
FOREIGN = "c"  # not in the alphabet of random grammars

texts = st.text(ALPHABET + FOREIGN, max_size=5)

_LITERALS = st.builds(
    Literal, st.sampled_from(("a", "b", "ab", "ba", "aa", "")), st.sampled_from((False, False, False, True))
)
_BOUNDS = (
    *((0, None), (1, None), (2, None), (0, 1), (0, 2), (1, 2), (2, 2), (0, 3), (2, 3), (1, 3)),
    *((0, 0), (2, 5), (1, 4), (3, 3), (3, None)),
)  # fmt: skip


def expressions(names: Sequence[str] = (), leaves: int = 5) -> st.SearchStrategy[Node]:
    """Return any expression over references to ``names``."""
    leaf = st.one_of(_LITERALS, st.just(Range("a", "b")))
    if names:
        leaf = st.one_of(leaf, st.sampled_from(names).map(Reference))

    def larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        several = st.lists(inner, min_size=2, max_size=3).map(tuple)
        repeated = st.builds(lambda item, bounds: Repetition(item, *bounds), inner, st.sampled_from(_BOUNDS))
        return st.one_of(several.map(Concatenation), several.map(Alternation), inner.map(Option), repeated)

    return st.recursive(leaf, larger, max_leaves=leaves)


@st.composite
def any_rules(draw: st.DrawFn, recursive: bool, leaves: int = 5) -> Rules:
    """Return one to three rules. Without recursion, a rule refers only to later ones."""
    names = [f"r{number}" for number in range(draw(st.integers(1, 3)))]
    return tuple(
        (name, draw(expressions(names if recursive else names[number + 1 :], leaves)))
        for number, name in enumerate(names)
    )


@st.composite
def linear_rules(draw: st.DrawFn) -> Rules:
    """Return one to three rules that recurse, all at the right end or all at the left."""
    names = [f"r{number}" for number in range(draw(st.integers(1, 3)))]
    right = draw(st.booleans())
    parts = expressions(leaves=2)

    def end(part: Node, name: str) -> Node:
        return part + Reference(name) if right else Reference(name) + part

    alternatives = st.lists(
        st.one_of(parts, st.builds(end, parts, st.sampled_from(names))), min_size=2, max_size=3
    )
    return tuple((name, Alternation(tuple(draw(alternatives)))) for name in names)


def grammars(recursive: bool) -> st.SearchStrategy[str]:
    """Return the source of a grammar with the first rule ``r0``."""
    return any_rules(recursive).map(abnf)


# Kinds of recursion that parsers often get wrong: lists, brackets, expressions, an optional "else", hidden
# left recursion, cycles, empty rules, unbounded ambiguity. Parts are drawn: c is a character, e may be empty,
# n repeats a node, some(k) are k different characters.

SMALL_ALPHABETS = ("ab", "()", "a(", "ab(", "a\u00e9", "\u4e2d\U0001f600")
ALPHABETS = ("ab", "ab()", "ab()[] ", "a,()", "01+*()", "a\u00e9", "a\u4e2d\u3042", "a\U0001f600()")


class Parts:
    """The parts of a grammar, drawn when they are used."""

    def __init__(self, draw: st.DrawFn, alphabet: str) -> None:
        self.draw = draw
        self.alphabet = alphabet
        char = st.sampled_from(alphabet)
        # Ranges are adjacent characters only, since the reference code must know all characters.
        ranges = [Range(a, b) for a in alphabet for b in alphabet if ord(b) - ord(a) == 1]
        single = char.map(Literal)
        self._chars = st.one_of(
            *[single] * 5, st.builds(lambda a, b: Literal(a + b), char, char), *map(st.just, ranges)
        )

    @property
    def c(self) -> Node:
        return self.draw(self._chars)

    @property
    def e(self) -> Node:
        item = self.c
        return self.draw(st.sampled_from((Option(item), Repetition(item), Literal(""), Option(Option(item)))))

    def n(self, item: Node) -> Node:
        return Repetition(item, *self.draw(st.sampled_from(_BOUNDS)))

    def some(self, count: int) -> list[Node]:
        order = self.draw(st.permutations(self.alphabet))
        return [Literal(order[number % len(order)]) for number in range(count)]


R0, R1, R2 = map(Reference, ("r0", "r1", "r2"))
EMPTY = Literal("")


def _arithmetic(p: Parts) -> list[Node]:
    plus, times, left, right = p.some(4)
    return [(R0 + plus + R1) | R1, (R1 + times + R2) | R2, (left + R0 + right) | p.c]


def _document(p: Parts) -> list[Node]:
    comma, left, right, item = p.some(4)
    more = Repetition(R1 + comma + R1 + R0)
    return [item | (left + R1 + Option(R0 + more) + R1 + right), Repetition(p.c)]


def _brackets(p: Parts) -> list[Node]:
    a, b, c, d = p.some(4)
    return [Repetition(R1, p.draw(st.integers(0, 1))), (a + R0 + b) | (c + R0 + d) | p.c]


def _trailing(p: Parts) -> list[Node]:
    opening, space = p.some(2)
    return [opening + Repetition(space) + Option(R0) + Repetition(space)]


def _palindromes(p: Parts, odd: bool) -> list[Node]:
    a, b = p.some(2)
    return [(a + R0 + a) | (b + R0 + b) | (Option(a | b) if odd else EMPTY)]


def _late_decision(p: Parts) -> list[Node]:
    opening, a, b = p.some(3)
    return [R1 | R2, (opening + R0 + a) | opening, (opening + R0 + b) | opening]


def _operators(p: Parts) -> list[Node]:
    plus, times = p.some(2)
    return [(R0 + plus + R0) | (R0 + times + R0) | p.c]


def _dangling_else(p: Parts) -> list[Node]:
    then, otherwise = p.some(2)
    return [(then + R0 + Option(otherwise + R0)) | p.c]


SHAPES: dict[str, Callable[[Parts], list[Node]]] = {
    "left list": lambda p: [(R0 + p.c + p.c) | p.c],
    "right list": lambda p: [(p.c + p.c + R0) | p.c],
    "list of options": lambda p: [p.c + Option(p.e + R0)],
    "indirect": lambda p: [(R1 + p.c) | p.c, (R0 + p.c) | p.c],
    "hidden": lambda p: [(p.e + R0 + p.c) | p.c],
    "hidden by a rule": lambda p: [(R1 + R0 + p.c) | p.c, p.e | R0],
    "cycle": lambda p: [R1 | (R0 + p.c) | p.c, R0 | p.c | EMPTY],
    "cycle of three": lambda p: [R1 | (p.c + R0 + p.c), (p.e + R2) | R0, R1 | p.c],
    "empty rules": lambda p: [Repetition(R1) + Option(R0), Option(p.c + R0) + Option(p.c)],
    "empty counts": lambda p: [p.n(R1) + p.c, Option(R0 + R1) | p.e],
    "binary": lambda p: [(R0 + R0) | p.c],
    "ternary": lambda p: [(R0 + R0 + R0) | (R0 + R0) | p.c | p.e],
    "operators": _operators,
    "arithmetic": _arithmetic,
    "counts": lambda p: [(p.n(Option(p.c) + p.c) + Option(R0)) | (p.c + p.n(R0) + p.c)],
    "counts in counts": lambda p: [p.c + p.n(p.n(R0 | p.c)) + p.c],
    "brackets": _brackets,
    "nesting": lambda p: [p.c + p.draw(st.sampled_from((Repetition(R0), Option(R0)))) + p.c],
    "document": _document,
    "trailing space": _trailing,
    "dangling else": _dangling_else,
    "odd palindromes": partial(_palindromes, odd=True),
    "even palindromes": partial(_palindromes, odd=False),
    "late decision": _late_decision,
    "both sides": lambda p: [(R0 + p.c + R0) | (p.c + R0) | (R0 + p.c) | p.c],
    "dead ends": lambda p: [(p.c + R1) | (R0 + p.c + R2) | p.c, (p.c + R2) | (p.c + R0), p.c + R2],
}


@st.composite
def shaped_rules(draw: st.DrawFn, alphabets: Sequence[str]) -> Rules:
    """Return a grammar of a kind. Some contain another one, and some have one or two changes."""
    parts = Parts(draw, draw(st.sampled_from(alphabets)))
    shapes = st.sampled_from(list(SHAPES.values()))
    bodies = draw(shapes)(parts)
    if draw(st.integers(0, 2)) == 2:
        inner, first = draw(shapes)(parts), len(bodies)
        bodies = _at_one_place(draw, bodies, lambda _: Reference(f"r{first}"), leaves=True)
        names = {f"r{number}": Reference(f"r{first + number}") for number in range(len(inner))}
        inner = [
            replaced(body, lambda node: names[node.name] if isinstance(node, Reference) else None)
            for body in inner
        ]
        if draw(st.booleans()):
            inner = _at_one_place(draw, inner, lambda _: R0, leaves=True)
        bodies += inner
    for _ in range(draw(st.sampled_from((0, 0, 1, 2)))):
        other = Reference(f"r{draw(st.integers(0, len(bodies) - 1))}")
        change = draw(st.sampled_from(_changes(parts, other)))
        bodies = _at_one_place(draw, bodies, change)
    return used(tuple((f"r{number}", body) for number, body in enumerate(bodies)), ("r0",))


def _changes(p: Parts, other: Node) -> list[Callable[[Node], Node]]:
    return [
        Option,
        Repetition,
        p.n,
        lambda node: Concatenation((node, p.c)),
        lambda node: Concatenation((p.c, node)),
        lambda node: Alternation((node, p.c)),
        lambda node: Alternation((other, node)),
        lambda node: Concatenation((node, other)),
        lambda node: Concatenation((other, node)),
        lambda node: p.e,
        lambda node: p.c,
    ]


def _at_one_place(
    draw: st.DrawFn, bodies: list[Node], change: Callable[[Node], Node], leaves: bool = False
) -> list[Node]:
    """Return bodies with one changed node; ``leaves`` restricts the change to characters."""

    def is_place(node: Node) -> bool:
        return not leaves or isinstance(node, Literal | Range)

    places = sum(is_place(each) for body in bodies for each in nodes(body))
    if not places:
        return bodies
    chosen, numbers = draw(st.integers(0, places - 1)), count()

    def at(node: Node) -> Node | None:
        return change(node) if is_place(node) and next(numbers) == chosen else None

    return [replaced(body, at) for body in bodies]


regular_rules = st.one_of(any_rules(recursive=False), any_rules(recursive=False), linear_rules())
recursive_rules = st.one_of(shaped_rules(SMALL_ALPHABETS), any_rules(recursive=True))
