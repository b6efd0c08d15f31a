"""Derivations as in textbooks: sequences of sentential forms.

A step replaces one rule of a form by rules and text that its definition allows. The leftmost derivation
always replaces the first rule of a form, the rightmost one the last (Aho, Lam, Sethi and Ullman 2006, 4.2.3).
A parse tree has exactly one derivation of each kind. The right sides of ABNF rules are regular expressions
over rules and characters (RFC 5234, 3). So a step is valid if the replacement matches the definition, where
each rule counts as one symbol.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from abnforge._arguments import Text, choice_argument, instance_argument
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
    """Return the nodes of a ``lark.Tree`` in preorder; ``name`` maps Lark's rule names to ABNF's."""
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
    """Return the indices of the children of each node, from left to right. Cost: linear."""
    children: list[list[int]] = [[] for _ in nodes]
    path: list[int] = []
    for index, node in enumerate(nodes):
        del path[node.depth :]
        if path:
            children[path[-1]].append(index)
        path.append(index)
    return children


ORDERS = ("leftmost", "rightmost")  # the rule that the next step replaces


@dataclass(frozen=True, slots=True)
class Symbol:
    """A part of a sentential form: a rule, or text (``rule`` None).

    ``start`` and ``end`` are the offsets of its match in the string, in code points.
    """

    rule: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class DerivationStep:
    """A step of a derivation.

    In the form ``before``, ``replaced``, ``after``, the symbols ``by`` replace the rule ``replaced``.
    ``hidden`` is the number of omitted symbols: those farthest from the rule, before it in a rightmost
    derivation and after it in a leftmost one. It is 0 for complete forms.
    """

    before: tuple[Symbol, ...]
    replaced: Symbol
    by: tuple[Symbol, ...]
    after: tuple[Symbol, ...]
    hidden: int = 0

    @property
    def form(self) -> tuple[Symbol, ...]:
        return (*self.before, self.replaced, *self.after)

    @property
    def result(self) -> tuple[Symbol, ...]:
        return (*self.before, *self.by, *self.after)


def derivation(
    rule: Rule, text: Text, *, order: str = "leftmost", around: int | None = None
) -> Iterator[DerivationStep]:
    """Yield the steps of a string's preferred derivation from a rule, lazily.

    ``around`` is the maximum number of symbols next to the replaced rule (None: all). Raises Rejected for a
    string that does not match; TypeError, ValueError. Cost: the same as for ``rule.parse``, plus the returned
    symbols: linear in total with ``around``, at worst quadratic without it.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = rule._text(text)
    choice_argument(order, "order", ORDERS)
    _check_around(around)
    return steps(nodes_of(rule, plain), order, around)


def derivations(
    rule: Rule, text: Text, limit: int | None = 10, *, order: str = "leftmost", around: int | None = None
) -> Iterator[list[DerivationStep]]:
    """Yield the steps of each derivation of a string, in the order of ``rule.derivations``.

    A string that does not match has none. Also raises LimitExceeded.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = rule._text(text)
    choice_argument(order, "order", ORDERS)
    _check_around(around)
    trees = rule.derivations(plain, limit)
    return (list(steps(flatten(tree, rule.lark_names.__getitem__), order, around)) for tree in trees)


def nodes_of(rule: Rule, text: str) -> list[Node]:
    """Return the nodes of a string's parse tree, with the grammar's names. Raises Rejected, TypeError."""
    instance_argument(rule, "rule", Rule, "a Rule")
    return flatten(rule.parse(text), rule.lark_names.__getitem__)


def steps(nodes: Sequence[Node], order: str, around: int | None = None) -> Iterator[DerivationStep]:
    """Yield the steps of a tree; see :func:`derivation`."""
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
        near = waiting if around is None else waiting[max(0, len(waiting) - around) :]
        rest = tuple(symbols[each] for each in (near if backward else reversed(near)))
        # Expanded nodes are text: on the left of a leftmost form, on the right of a rightmost one.
        done = Symbol(None, node.end, length) if backward else Symbol(None, 0, node.start)
        read = (done,) if done.end > done.start else ()
        yield DerivationStep(
            before=rest if backward else read,
            replaced=symbols[index],
            by=tuple(symbols[each] for each in by),
            after=read if backward else rest,
            hidden=len(waiting) - len(near),
        )
        waiting.extend(by if backward else reversed(by))


def _check_around(around: int | None) -> None:
    if around is not None:
        instance_argument(around, "around", int, "a number of symbols, or None for all")
        if around < 0:
            raise ArgumentError(message("around-negative", value=around))
