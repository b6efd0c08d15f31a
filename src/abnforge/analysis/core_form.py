"""The core form: six kinds of node that every analysis and backend starts from.

Lowering forgets how something was written (groups, options, case-insensitive strings,
the base of a number) and keeps what it means and in which order its
alternatives stand. Rules stay apart: a :class:`Ref` is a rule's name, since trees,
messages and recursion all need it.

Nodes compare by identity; :func:`lower` shares none of them between rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Union

from abnforge.abnf import model
from abnforge.abnf.names import BoundGrammar
from abnforge.charset import CharSet, union
from abnforge.records import dataclass
from abnforge.uncollected import uncollected


@dataclass(frozen=True, slots=True, eq=False)
class Chars:
    """One character out of a set that is not empty."""

    charset: CharSet


@dataclass(frozen=True, slots=True, eq=False)
class Seq:
    """Its items one after the other; without items the empty string."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Seq):
    """A sequence of two or more single characters, as a string is.

    Nothing but characters is below it: what asks for anything else need not look, which for a list of
    100,000 words saves a million looks.
    """

    items: tuple[Chars, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of two or more alternatives, the first that leads to a derivation being preferred."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """``min`` to ``max`` times ``item`` (None: no upper limit), as many as possible.

    An iteration beyond ``min`` that matches the empty string is not counted as one, so
    that a nullable loop has finitely many derivations (Frisch and Cardelli 2004).
    """

    item: Node
    min: int
    max: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Ref:
    """A rule, by its key (its name in lower case)."""

    key: str


@dataclass(frozen=True, slots=True, eq=False)
class Prose:
    """A description in words: it derives nothing that a program could find out."""

    text: str


# Iterations that may match nothing only because a repetition's minimum asks for them: ``999999999*( *"a" )``
# has a derivation, too, and nobody counts its empty iterations. With an item that can be empty a smaller
# minimum gives the same language.
MAX_EMPTY_ITERATIONS = 100

Node = Union[Chars, Seq, Choice, Repeat, Ref, Prose]

EPSILON = Seq(())


@dataclass(frozen=True, slots=True)
class Core:
    """A grammar in core form. Keys are rule names in lower case, in definition order."""

    rules: Mapping[str, Node]
    names: Mapping[str, str]  # key -> the specification's spelling


def lower(grammar: BoundGrammar) -> Core:
    """The core form of a bound grammar. Cost: linear in its size."""
    with uncollected(len(grammar.source.text)):
        return Core(
            rules={key: lower_alternation(rule.elements) for key, rule in grammar.rules.items()},
            names={key: rule.name for key, rule in grammar.rules.items()},
        )


def lower_alternation(alternation: model.Alternation) -> Node:
    """The core form of one alternation, whose names stay references."""
    return _Rule().alternation(alternation)


def with_references(node: Node, change: Callable[[Ref], Node]) -> Node:
    """A node with each reference in it replaced."""
    match node:
        case Ref():
            return change(node)
        case Chars() | Literal() | Prose():
            return node
        case Seq(items=items):
            return Seq(tuple(with_references(item, change) for item in items))
        case Choice(items=items):
            return Choice(tuple(with_references(item, change) for item in items))
        case Repeat(item=item, min=low, max=high):
            return Repeat(with_references(item, change), low, high)


def sequence(nodes: Iterable[Node]) -> Node:
    """Nodes one after the other, without sequences inside the sequence."""
    parts = tuple(nodes)
    if len(parts) == 1:
        return parts[0]
    items: list[Node] = []
    for node in parts:
        items.extend(node.items if isinstance(node, Seq) else (node,))
    if len(items) == 1:
        return items[0]
    letters = tuple(item for item in items if isinstance(item, Chars))
    return Literal(letters) if items and len(letters) == len(items) else Seq(tuple(items))


class _Rule:
    """One rule being lowered. Its letters are shared: a list of words has the same few again and again."""

    def __init__(self) -> None:
        self._letters: dict[tuple[str, bool], Chars] = {}

    def alternation(self, alternation: model.Alternation) -> Node:
        items: list[Node] = []
        nodes = map(self._concatenation, alternation.alternatives)
        # Neighbouring single characters are one set: no tree can tell them apart.
        for single, group in groupby(nodes, key=lambda node: isinstance(node, Chars)):
            if single:
                sets = [node.charset for node in group if isinstance(node, Chars)]
                items.append(Chars(union(sets) if len(sets) > 1 else sets[0]))
            else:
                items.extend(group)
        return items[0] if len(items) == 1 else Choice(tuple(items))

    def _concatenation(self, concatenation: model.Concatenation) -> Node:
        return sequence(map(self._repetition, concatenation.items))

    def _repetition(self, repetition: model.Repetition) -> Node:
        if repetition.max == 0:
            return EPSILON
        node = self._element(repetition.element)
        if repetition.min == repetition.max == 1 or (isinstance(node, Seq) and not node.items):
            return node
        return Repeat(node, repetition.min, repetition.max)

    def _element(self, element: model.Element) -> Node:
        match element:
            case model.RuleName(name=name):
                return Ref(name.lower())
            case model.Group(alternation=alternation):
                return self.alternation(alternation)
            case model.Option(alternation=alternation):
                inner = self.alternation(alternation)
                return inner if isinstance(inner, Seq) and not inner.items else Repeat(inner, 0, 1)
            case model.NumVal(values=(low, high), is_range=True):
                return Chars(CharSet.from_ranges([(low, high)]))
            case model.NumVal(values=values):
                return self._string(map(chr, values), True)
            case model.CharVal(value=value, case_sensitive=exact):
                return self._string(value, exact)
            case model.ProseVal(text=text):
                return Prose(text)

    def _string(self, value: Iterable[str], case_sensitive: bool) -> Node:
        known = self._letters
        letters: list[Chars] = []
        for char in value:
            letter = known.get((char, case_sensitive))
            if letter is None:
                letter = known[char, case_sensitive] = Chars(model.letter(char, case_sensitive))
            letters.append(letter)
        if len(letters) == 1:
            return Chars(letters[0].charset)
        return Literal(tuple(letters)) if letters else EPSILON
