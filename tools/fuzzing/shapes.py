"""Shapes of recursion: small grammars of the classes that parsers go wrong on, with parts drawn at random.

Each is a family that people write (lists, brackets, expressions, an optional ``else``) or that theory knows
(hidden left recursion, circles, everything empty, unbounded ambiguity). What comes out is often changed in a
place or two, and two of them are put into one another.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fuzzing.notation import (
    Alternation,
    Concatenation,
    Literal,
    Node,
    Option,
    Range,
    Reference,
    Repetition,
    Rules,
    used,
)

# One is drawn; what stands there twice is drawn twice as often.
ALPHABETS = (
    "ab",
    "ab",
    "ab()",
    "ab()",
    "ab()[] ",
    "a,()",
    "01+*()",
    "a\u00e9",
    "a\u4e2d\u3042",
    "a\U0001f600()",
)
SMALL_ALPHABETS = ("ab", "ab", "ab", "()", "a(", "ab(", "a\u00e9", "\u4e2d\U0001f600")
COUNTS = ((0, 3), (2, 5), (1, 2), (2, 2), (0, 2), (3, None), (1, 4), (3, 3))

Shape = Callable[["Parts"], Rules]


class Parts:
    """Characters, items and counts for one grammar, drawn as they are asked for."""

    def __init__(self, chance: Random, alphabet: str) -> None:
        self.chance = chance
        self.alphabet = alphabet

    def char(self) -> Node:
        """One character; now and then a string or a range."""
        kind = self.chance.random()
        first = self.chance.choice(self.alphabet)
        if kind < 0.85:
            return Literal(first, True)
        if kind < 0.95:
            return Literal(first + self.chance.choice(self.alphabet), True)
        last = max(first, self.chance.choice(self.alphabet))
        # Nothing lies between neighbours, so that brute force knows all characters of the range.
        return Range(first, last) if ord(last) - ord(first) == 1 else Literal(last, True)

    def chars(self, count: int) -> list[Node]:
        """Different characters, as far as there are so many."""
        chosen = self.chance.sample(self.alphabet, min(count, len(self.alphabet)))
        return [Literal(chosen[index % len(chosen)], True) for index in range(count)]

    def maybe_empty(self) -> Node:
        """Something that may be nothing."""
        char = self.char()
        return self.chance.choice(
            (Option(char), Repetition(char, 0, None), Literal(""), Option(Option(char)))
        )

    def counted(self, item: Node) -> Node:
        """It, between some and some more times."""
        return Repetition(item, *self.chance.choice(COUNTS))


R0, R1, R2 = Reference("r0"), Reference("r1"), Reference("r2")


def _all(*items: Node) -> Node:
    return Concatenation(items)


def _any(*items: Node) -> Node:
    return Alternation(items)


def left_list(parts: Parts) -> Rules:
    return (("r0", _any(_all(R0, parts.char(), parts.char()), parts.char())),)


def right_list(parts: Parts) -> Rules:
    return (("r0", _any(_all(parts.char(), parts.char(), R0), parts.char())),)


def option_list(parts: Parts) -> Rules:
    return (("r0", _all(parts.char(), Option(_all(parts.maybe_empty(), R0)))),)


def indirect(parts: Parts) -> Rules:
    return (
        ("r0", _any(_all(R1, parts.char()), parts.char())),
        ("r1", _any(_all(R0, parts.char()), parts.char())),
    )


def hidden(parts: Parts) -> Rules:
    return (("r0", _any(_all(parts.maybe_empty(), R0, parts.char()), parts.char())),)


def hidden_by_rule(parts: Parts) -> Rules:
    return (("r0", _any(_all(R1, R0, parts.char()), parts.char())), ("r1", _any(parts.maybe_empty(), R0)))


def circle(parts: Parts) -> Rules:
    return (
        ("r0", _any(R1, _all(R0, parts.char()), parts.char())),
        ("r1", _any(R0, parts.char(), Literal(""))),
    )


def circle_of_three(parts: Parts) -> Rules:
    more = _all(parts.char(), R0, parts.char())
    return (
        ("r0", _any(R1, more)),
        ("r1", _any(_all(parts.maybe_empty(), R2), R0)),
        ("r2", _any(R1, parts.char())),
    )


def empties(parts: Parts) -> Rules:
    return (
        ("r0", _all(Repetition(R1, 0, None), Option(R0))),
        ("r1", _all(Option(_all(parts.char(), R0)), Option(parts.char()))),
    )


def empty_counts(parts: Parts) -> Rules:
    return (
        ("r0", _all(parts.counted(R1), parts.char())),
        ("r1", _any(Option(_all(R0, R1)), parts.maybe_empty())),
    )


def binary(parts: Parts) -> Rules:
    return (("r0", _any(_all(R0, R0), parts.char())),)


def ternary(parts: Parts) -> Rules:
    return (("r0", _any(_all(R0, R0, R0), _all(R0, R0), parts.char(), parts.maybe_empty())),)


def operators(parts: Parts) -> Rules:
    plus, times = parts.chars(2)
    return (("r0", _any(_all(R0, plus, R0), _all(R0, times, R0), parts.char())),)


def arithmetic(parts: Parts) -> Rules:
    plus, times, opening, closing = parts.chars(4)
    return (
        ("r0", _any(_all(R0, plus, R1), R1)),
        ("r1", _any(_all(R1, times, R2), R2)),
        ("r2", _any(_all(opening, R0, closing), parts.char())),
    )


def counts(parts: Parts) -> Rules:
    inner = _all(Option(parts.char()), parts.char())
    return (
        (
            "r0",
            _any(_all(parts.counted(inner), Option(R0)), _all(parts.char(), parts.counted(R0), parts.char())),
        ),
    )


def counts_in_counts(parts: Parts) -> Rules:
    return (("r0", _all(parts.char(), parts.counted(parts.counted(_any(R0, parts.char()))), parts.char())),)


def brackets(parts: Parts) -> Rules:
    opening, closing = parts.chars(2)
    return (("r0", _all(opening, parts.chance.choice((Repetition(R0, 0, None), Option(R0))), closing)),)


def two_brackets(parts: Parts) -> Rules:
    a, b, c, d = parts.chars(4)
    return (
        ("r0", Repetition(R1, parts.chance.choice((0, 1)), None)),
        ("r1", _any(_all(a, R0, b), _all(c, R0, d), parts.char())),
    )


def document(parts: Parts) -> Rules:
    """Values in brackets with separators, and what may be between them on both sides."""
    comma, opening, closing, item = parts.chars(4)
    rest = Repetition(_all(R1, comma, R1, R0), 0, None)
    return (
        ("r0", _any(item, _all(opening, R1, Option(_all(R0, rest)), R1, closing))),
        ("r1", Repetition(parts.char(), 0, None)),
    )


def trailing(parts: Parts) -> Rules:
    opening, space = parts.chars(2)
    return (("r0", _all(opening, Repetition(space, 0, None), Option(R0), Repetition(space, 0, None))),)


def dangling_else(parts: Parts) -> Rules:
    then, other = parts.chars(2)
    return (("r0", _any(_all(then, R0, Option(_all(other, R0))), parts.char())),)


def palindromes(parts: Parts) -> Rules:
    first, second = parts.chars(2)
    return (("r0", _any(_all(first, R0, first), _all(second, R0, second), Option(_any(first, second)))),)


def even_palindromes(parts: Parts) -> Rules:
    first, second = parts.chars(2)
    return (("r0", _any(_all(first, R0, first), _all(second, R0, second), Literal(""))),)


def late_decision(parts: Parts) -> Rules:
    """Which of two rules was meant shows at the end."""
    opening, first, second = parts.chars(3)
    return (
        ("r0", _any(R1, R2)),
        ("r1", _any(_all(opening, R0, first), opening)),
        ("r2", _any(_all(opening, R0, second), opening)),
    )


def both_sides(parts: Parts) -> Rules:
    return (
        (
            "r0",
            _any(_all(R0, parts.char(), R0), _all(parts.char(), R0), _all(R0, parts.char()), parts.char()),
        ),
    )


def dead_ends(parts: Parts) -> Rules:
    """Parts that can begin and never end."""
    return (
        ("r0", _any(_all(parts.char(), R1), _all(R0, parts.char(), R2), parts.char())),
        ("r1", _any(_all(parts.char(), R2), _all(parts.char(), R0))),
        ("r2", _all(parts.char(), R2)),
    )


SHAPES: tuple[Shape, ...] = (
    *(left_list, right_list, option_list, indirect, hidden, hidden_by_rule, circle, circle_of_three, empties),
    *(empty_counts, binary, ternary, operators, arithmetic, counts, counts_in_counts, brackets, two_brackets),
    *(document, trailing, dangling_else, palindromes, even_palindromes, late_decision, both_sides, dead_ends),
)


def shaped_rules(chance: Random, alphabets: tuple[str, ...]) -> Rules:
    """A grammar of some shape; one in three has another within, half of them are changed somewhere."""
    parts = Parts(chance, chance.choice(alphabets))
    rules = chance.choice(SHAPES)(parts)
    if chance.random() < 0.33:
        rules = _within(chance, rules, chance.choice(SHAPES)(parts))
    if chance.random() < 0.5:
        for _ in range(chance.choice((1, 1, 2))):
            rules = _changed(parts, rules)
    return used(rules, ("r0",))


def _within(chance: Random, rules: Rules, other: Rules) -> Rules:
    """A grammar with the start of another in place of one of its strings; sometimes that one uses it, too."""
    names = {name: f"r{len(rules) + index}" for index, (name, _) in enumerate(other)}
    start = Reference(names["r0"])
    replaced = _at_random(chance, rules, lambda node: start if isinstance(node, (Literal, Range)) else None)
    renamed = tuple((names[name], _renamed(node, names)) for name, node in other)
    if chance.random() < 0.4:
        renamed = _at_random(chance, renamed, lambda node: R0 if isinstance(node, (Literal, Range)) else None)
    return replaced + renamed


def _renamed(node: Node, names: dict[str, str]) -> Node:
    return _mapped(node, lambda inner: Reference(names[inner.name]) if isinstance(inner, Reference) else None)


def _changed(parts: Parts, rules: Rules) -> Rules:
    chance = parts.chance

    def change(node: Node) -> Node | None:
        names = [name for name, _ in rules]
        return chance.choice(
            (
                Option(node),
                Repetition(node, 0, None),
                parts.counted(node),
                Concatenation((node, parts.char())),
                Concatenation((parts.char(), node)),
                Alternation((node, parts.char())),
                Alternation((Reference(chance.choice(names)), node)),
                Concatenation((node, Reference(chance.choice(names)))),
                Concatenation((Reference(chance.choice(names)), node)),
                parts.maybe_empty(),
                parts.char(),
            )
        )

    return _at_random(chance, rules, change)


def _at_random(chance: Random, rules: Rules, change: Callable[[Node], Node | None]) -> Rules:
    """A grammar with one node changed, of those that ``change`` has something for."""
    places = 0

    def count(node: Node) -> None:
        nonlocal places
        places += change(node) is not None

    for _, body in rules:
        _mapped(body, count)
    chosen = chance.randrange(places) if places else -1

    def changed(node: Node) -> Node | None:
        nonlocal places
        other = change(node)
        if other is None:
            return None
        places -= 1
        return other if places == chosen else None

    return tuple((name, _mapped(body, changed)) for name, body in rules)


def _mapped(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """A node with what ``change`` gives in place of those below that it gives something for."""
    found = change(node)
    if found is not None:
        return found
    match node:
        case Concatenation(items=items) | Alternation(items=items):
            return type(node)(tuple(_mapped(item, change) for item in items))
        case Option(item=item):
            return Option(_mapped(item, change))
        case Repetition(item=item, least=least, most=most):
            return Repetition(_mapped(item, change), least, most)
    return node
