"""Random grammars over a small alphabet, each from a ``random.Random``: one state of it gives one grammar."""

from __future__ import annotations

from dataclasses import dataclass
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
)

ALPHABET = "ab"
FOREIGN = "c"  # in no random grammar's alphabet

_LITERALS = ("a", "b", "a", "b", "ab", "ba", "aa", "")
_BOUNDS: tuple[tuple[int, int | None], ...] = (
    *((0, None), (1, None), (0, None), (1, None), (2, None)),
    *((0, 1), (0, 2), (1, 2), (2, 2), (0, 3), (2, 3), (0, 0), (1, 3)),
)


@dataclass(frozen=True, slots=True)
class Profile:
    """What grammars of one kind look like: how deep, how many rules, and which rules a rule may use.

    ``recursion`` is ``"none"`` (later rules only), ``"linear"`` (any rule, at one end of an alternative) or
    ``"any"``.
    """

    rules: int = 3
    depth: int = 3
    recursion: str = "none"
    references: float = 0.35  # of leaves, where there is a rule to refer to
    sensitive: float = 0.2  # of literals


def random_rules(chance: Random, profile: Profile) -> Rules:
    """One to ``profile.rules`` rules ``r0``, ``r1``, ..."""
    names = [f"r{index}" for index in range(chance.randint(1, profile.rules))]
    if profile.recursion == "linear":
        return _linear(chance, profile, names)
    bodies = []
    for index, name in enumerate(names):
        seen = names if profile.recursion == "any" else names[index + 1 :]
        bodies.append((name, _node(chance, profile, seen, profile.depth)))
    return tuple(bodies)


def random_text(chance: Random, longest: int, alphabet: str = ALPHABET + FOREIGN) -> str:
    """A text of up to ``longest`` characters, a foreign one now and then."""
    weights = [1 if char == FOREIGN else 5 for char in alphabet]
    return "".join(chance.choices(alphabet, weights, k=chance.randint(0, longest)))


def _node(chance: Random, profile: Profile, names: list[str], depth: int) -> Node:
    kind = chance.random()
    if depth <= 0 or kind < 0.22:
        return _leaf(chance, profile, names)

    def below() -> Node:
        return _node(chance, profile, names, depth - 1)

    if kind < 0.5:
        return Concatenation(tuple(below() for _ in range(chance.choice((2, 2, 3)))))
    if kind < 0.72:
        return Alternation(tuple(below() for _ in range(chance.choice((2, 2, 3)))))
    if kind < 0.86:
        return Option(below())
    return Repetition(below(), *chance.choice(_BOUNDS))


def _leaf(chance: Random, profile: Profile, names: list[str]) -> Node:
    if names and chance.random() < profile.references:
        return Reference(chance.choice(names))
    if chance.random() < 0.1:
        return Range("a", "b")
    return Literal(chance.choice(_LITERALS), chance.random() < profile.sensitive)


def _linear(chance: Random, profile: Profile, names: list[str]) -> Rules:
    right = chance.random() < 0.5
    plain = Profile(profile.rules, profile.depth - 1)

    def alternative() -> Node:
        part = _node(chance, plain, [], plain.depth)
        if chance.random() < 0.5:
            return part
        reference = Reference(chance.choice(names))
        return Concatenation((part, reference) if right else (reference, part))

    bodies = []
    for name in names:
        items = [alternative() for _ in range(chance.choice((2, 2, 3)))]
        bodies.append((name, Alternation(tuple(items))))
    return tuple(bodies)
