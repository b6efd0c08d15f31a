"""Small grammars as values, written as ABNF and converted to core form without the project's parser.

``abnf`` is the source that the project parses; ``core`` is the form for the reference code. A fault in
parsing or conversion therefore shows as a difference between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Choice, Core, Ref, Repeat, Seq
from abnforge.grammar.core import Node as CoreNode


class Node:
    """``a + b`` is a concatenation, ``a | b`` an alternation."""

    def __add__(self, other: Node) -> Node:
        return Concatenation((*(self.items if isinstance(self, Concatenation) else (self,)), other))

    def __or__(self, other: Node) -> Node:
        return Alternation((*(self.items if isinstance(self, Alternation) else (self,)), other))


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """``"ab"``, or ``%s"ab"`` if it is case-sensitive. Strings beyond US-ASCII are written as numbers."""

    text: str
    sensitive: bool = True


@dataclass(frozen=True, slots=True)
class Range(Node):
    """One character from ``first`` to ``last``, such as ``%x61-62``."""

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class Reference(Node):
    """A reference to a rule."""

    name: str


@dataclass(frozen=True, slots=True)
class Concatenation(Node):
    """``a b``: the items in order."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation(Node):
    """``a / b``: one of the items."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repetition(Node):
    """``<least>*<most>item``; ``most`` is None without an upper limit."""

    item: Node
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Option(Node):
    """An option: ``[ item ]``."""

    item: Node


Rules = tuple[tuple[str, Node], ...]  # in order of definition; the first one is the start rule


def children(node: Node) -> tuple[Node, ...]:
    match node:
        case Concatenation(items=items) | Alternation(items=items):
            return items
        case Repetition(item=item) | Option(item=item):
            return (item,)
    return ()


def nodes(node: Node) -> list[Node]:
    """Return the node and all nodes below it."""
    return [node, *(each for child in children(node) for each in nodes(child))]


def replaced(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """Return the node after replacing the nodes in ``change`` by their values."""
    other = change(node)
    if other is not None:
        return other
    match node:
        case Concatenation(items=items) | Alternation(items=items):
            return type(node)(tuple(replaced(item, change) for item in items))
        case Option(item=item):
            return Option(replaced(item, change))
        case Repetition(item=item, least=least, most=most):
            return Repetition(replaced(item, change), least, most)
    return node


def abnf(rules: Rules) -> str:
    """Return rules as ABNF, one per line."""
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
    raise AssertionError(node)


def _grouped(node: Node, *kinds: type) -> str:
    return f"( {_written(node)} )" if isinstance(node, kinds) else _written(node)


def core(rules: Rules) -> Core:
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
    raise AssertionError(node)


def alphabet(rules: Rules) -> str:
    """Return the characters of literals, and the ends of ranges."""
    chars: set[str] = set()
    for each in (each for _, node in rules for each in nodes(node)):
        match each:
            case Literal(text=text):
                chars.update(text)
            case Range(first=first, last=last):
                chars.update((first, last))
    return "".join(sorted(chars))


def used(rules: Rules, starts: Iterable[str]) -> Rules:
    """Return these rules and all rules that they refer to, in order."""
    bodies = dict(rules)
    needed: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting.extend(each.name for each in nodes(bodies[name]) if isinstance(each, Reference))
    return tuple((name, node) for name, node in rules if name in needed)
