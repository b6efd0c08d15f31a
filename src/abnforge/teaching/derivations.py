"""Derivations as textbooks write them: sentential forms, of which each follows from the one before it.

In a step one rule of a form is replaced by what its definition allows in its place: rules, and text. The
leftmost derivation always replaces the first rule of a form, the rightmost one the last (Aho, Lam, Sethi and
Ullman 2006, 4.2.3). A parse tree has exactly one of each, and they say what it says; which tree of an
ambiguous text it is has been decided before. ABNF's right sides are regular expressions over rules and
characters (RFC 5234, 3), so a step is a production where what is put in matches the rule's definition, each
rule in it being one symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from abnforge._arguments import Text, choice_argument, instance_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.engine.rule import Rule
from abnforge.teaching.messages import message

# Parse trees as lists of nodes, without recursion, since an input can make a tree deep.


@dataclass(slots=True)
class Node:
    """A rule's match, or literal text (``rule`` None): ``start`` and ``end`` are offsets into the input."""

    rule: str | None
    depth: int
    start: int
    end: int


def flatten(tree: Any, name: Callable[[str], str]) -> list[Node]:
    """A ``lark.Tree``'s nodes in preorder; ``name`` turns Lark's rule names into ABNF's. Cost: linear."""
    nodes: list[Node] = []
    stack: list[tuple[Any, int]] = [(tree, 0)]
    position = 0
    while stack:
        item, depth = stack.pop()
        if isinstance(item, Node):
            item.end = position
        elif isinstance(item, str):
            nodes.append(Node(None, depth, position, position + len(item)))
            position += len(item)
        else:
            node = Node(name(str(item.data)), depth, position, position)
            nodes.append(node)
            stack.append((node, depth))
            stack.extend((child, depth + 1) for child in reversed(item.children))
    return nodes


def children_of(nodes: Sequence[Node]) -> list[list[int]]:
    """For each node of a preorder the indices of its children, from left to right. Cost: linear."""
    found: list[list[int]] = [[] for _ in nodes]
    path: list[int] = []
    for index, node in enumerate(nodes):
        del path[node.depth :]
        if path:
            found[path[-1]].append(index)
        path.append(index)
    return found


ORDERS = ("leftmost", "rightmost")
"""Which rule of a form is replaced next."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A part of a sentential form: a rule that is still to be replaced, or text (``rule`` None).

    ``start`` and ``end`` are the offsets of what it derives in the text, in code points.
    """

    rule: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """One step: in the form ``before``, ``replaced``, ``after`` the rule in the middle is replaced by ``by``.

    ``hidden`` is how many symbols of the form are not told: those furthest from the rule, before it in a
    rightmost derivation and behind it in a leftmost one. It is 0 where whole forms were asked for.
    """

    before: tuple[Symbol, ...]
    replaced: Symbol
    by: tuple[Symbol, ...]
    after: tuple[Symbol, ...]
    hidden: int = 0

    @property
    def form(self) -> tuple[Symbol, ...]:
        """The form before the step."""
        return (*self.before, self.replaced, *self.after)

    @property
    def result(self) -> tuple[Symbol, ...]:
        """The form after it."""
        return (*self.before, *self.by, *self.after)


def derivation(
    rule: Rule, text: Text, *, order: str = "leftmost", around: int | None = None
) -> Iterator[Step]:
    """The steps of a text's preferred derivation from a rule, each when it is asked for.

    ``around``: no more than so many symbols beside the replaced rule are told (None: all of them). Raises
    Rejected where the rule derives no such text; TypeError, ValueError. Cost: as ``rule.parse``, and for each
    step the symbols that are told: with ``around`` linear in all, without it at worst quadratic.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = text_argument(text, "text")
    choice_argument(order, "order", ORDERS)
    _check_around(around)
    return steps(nodes_of(rule, plain), order, around)


def derivations(
    rule: Rule, text: Text, limit: int | None = 10, *, order: str = "leftmost", around: int | None = None
) -> Iterator[list[Step]]:
    """The same for each derivation of a text, in the order of ``rule.derivations``; none for a text that is
    not derived. Raises LimitExceeded, too.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = text_argument(text, "text")
    choice_argument(order, "order", ORDERS)
    _check_around(around)
    trees = rule.derivations(plain, limit)
    return (list(steps(flatten(tree, rule.lark_names.__getitem__), order, around)) for tree in trees)


def nodes_of(rule: Rule, text: str) -> list[Node]:
    """The nodes of a text's parse tree, by the names of the grammar. Raises Rejected, TypeError."""
    instance_argument(rule, "rule", Rule, "a Rule")
    return flatten(rule.parse(text), rule.lark_names.__getitem__)


def steps(nodes: Sequence[Node], order: str, around: int | None = None) -> Iterator[Step]:
    """The steps of a tree; see :func:`derivation`."""
    backward = order == "rightmost"
    children = children_of(nodes)
    symbols = [Symbol(node.rule, node.start, node.end) for node in nodes]
    length = nodes[0].end
    waiting = [0]  # nodes to expand, from the last to the first in a leftmost derivation
    while waiting:
        index = waiting.pop()
        node = nodes[index]
        if node.rule is None:
            continue
        by = children[index]
        told = waiting if around is None else waiting[max(0, len(waiting) - around) :]
        rest = tuple(symbols[each] for each in (told if backward else reversed(told)))
        # Expanded nodes are text: on the left of a leftmost form, on the right of a rightmost one.
        done = Symbol(None, node.end, length) if backward else Symbol(None, 0, node.start)
        read = (done,) if done.end > done.start else ()
        yield Step(
            before=rest if backward else read,
            replaced=symbols[index],
            by=tuple(symbols[each] for each in by),
            after=read if backward else rest,
            hidden=len(waiting) - len(told),
        )
        waiting.extend(by if backward else reversed(by))


def _check_around(around: int | None) -> None:
    if around is not None:
        instance_argument(around, "around", int, "a number of symbols, or None for all")
        if around < 0:
            raise ArgumentError(message("around-negative", value=around))
