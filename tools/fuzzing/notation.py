"""Small grammars as values: what random cases are made of and made smaller in.

The nodes are those of RFC 5234 without what only concerns writing. A value is written as ABNF text, which is
what the project reads, and turned into core form by itself, which is what the brute force of
``tests.reference`` works on: so a fault in reading or in lowering shows as a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Union

from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Choice, Core, Ref, Repeat, Seq
from abnforge.grammar.core import Node as CoreNode


@dataclass(frozen=True, slots=True)
class Literal:
    """``"ab"``, or ``%s"ab"`` when it is case-sensitive; other characters than ASCII are, and are written by
    their numbers.
    """

    text: str
    sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """``%x61-62``: one character from ``first`` to ``last``."""

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Reference:
    """A rule's name."""

    name: str


@dataclass(frozen=True, slots=True)
class Concatenation:
    """Two or more items, one after the other."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """Two or more alternatives."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repetition:
    """``<least>*<most>item``; ``most`` is None without an upper limit."""

    item: Node
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Option:
    """``[ item ]``."""

    item: Node


Node = Union[Literal, Range, Reference, Concatenation, Alternation, Repetition, Option]
Rules = tuple[tuple[str, Node], ...]  # in definition order; the first one is the start rule


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below one."""
    match node:
        case Concatenation(items=items) | Alternation(items=items):
            return items
        case Repetition(item=item) | Option(item=item):
            return (item,)
    return ()


def references(node: Node) -> set[str]:
    """The names of the rules that a node refers to."""
    if isinstance(node, Reference):
        return {node.name}
    return set().union(*map(references, children(node)))


def abnf(rules: Rules) -> str:
    """Rules as ABNF text, one a line."""
    return "".join(f"{name} = {_written(node)}\n" for name, node in rules)


def _written(node: Node) -> str:
    match node:
        case Literal(text=text, sensitive=sensitive):
            if not text.isascii():
                return "%x" + ".".join(f"{ord(char):X}" for char in text)
            return f'%s"{text}"' if sensitive else f'"{text}"'
        case Range(first=first, last=last):
            return f"%x{ord(first):X}-{ord(last):X}"
        case Reference(name=name):
            return name
        case Concatenation(items=items):
            return " ".join(_grouped(item, Concatenation, Alternation) for item in items)
        case Alternation(items=items):
            return " / ".join(_grouped(item, Alternation) for item in items)
        case Option(item=item):
            return f"[ {_written(item)} ]"
        case Repetition(item=item, least=least, most=most):
            times = str(least) if least == most else f"{least or ''}*{'' if most is None else most}"
            return times + _grouped(item, Concatenation, Alternation, Repetition)


def _grouped(node: Node, *kinds: type) -> str:
    return f"( {_written(node)} )" if isinstance(node, kinds) else _written(node)


def core(rules: Rules) -> Core:
    """Rules in core form."""
    return Core({name: _lowered(node) for name, node in rules}, {name: name for name, _ in rules})


def _lowered(node: Node) -> CoreNode:
    match node:
        case Literal(text=text, sensitive=sensitive):
            sensitive = sensitive or not text.isascii()
            sets = [CharSet.of(char if sensitive else char.lower() + char.upper()) for char in text]
            return Seq(tuple(map(Chars, sets)))
        case Range(first=first, last=last):
            return Chars(CharSet.from_ranges([(ord(first), ord(last))]))
        case Reference(name=name):
            return Ref(name)
        case Concatenation(items=items):
            return Seq(tuple(map(_lowered, items)))
        case Alternation(items=items):
            return Choice(tuple(map(_lowered, items)))
        case Option(item=item):
            return Repeat(_lowered(item), 0, 1)
        case Repetition(item=item, least=least, most=most):
            return Seq(()) if most == 0 else Repeat(_lowered(item), least, most)


def alphabet(rules: Rules) -> str:
    """The characters that a grammar names: those of its strings as they are written, and the ends of its
    ranges.
    """
    return "".join(sorted(set().union(*(_named(node) for _, node in rules))))


def _named(node: Node) -> set[str]:
    match node:
        case Literal(text=text):
            return set(text)
        case Range(first=first, last=last):
            return {first, last}
    return set().union(*map(_named, children(node)))


def size(rules: Rules) -> int:
    """What minimising makes smaller: nodes, characters and bounds; a rule costs more than its reference."""
    return sum(2 + _size(node) for _, node in rules)


def _size(node: Node) -> int:
    below = sum(map(_size, children(node)))
    match node:
        case Literal(text=text):
            return 1 + sum(2 if char != "a" else 1 for char in text)
        case Range():
            return 4
        case Repetition(least=least, most=most):
            return 2 + below + least + (2 if most is None else most)
    return 1 + below


def used(rules: Rules, starts: Iterable[str]) -> Rules:
    """The rules that some starts need, in their order."""
    bodies: Mapping[str, Node] = dict(rules)
    needed: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in needed and name in bodies:
            needed.add(name)
            waiting.extend(references(bodies[name]))
    return tuple((name, node) for name, node in rules if name in needed)
