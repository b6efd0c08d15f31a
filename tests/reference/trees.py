"""Check whether a tree is a derivation. The checker shares only the core form with the parsers.

For each node, the children must match the definition of the rule from left to right. The cost is linear in
the size of the tree times the size of a definition. The checker does not recurse into the tree, so it can
check deep trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import lark

from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq
from tests.reference.derivations import least_iterations


def check(core: Core, start: str, text: str, tree: Any, names: Mapping[str, str]) -> None:
    """Assert that a tree is a derivation of the input from the rule ``start`` (its key).

    ``names`` maps the name of a tree node to that of its rule: ``rule.lark_names``. Other assertions: tokens
    have correct offsets, are nonempty, and are not adjacent. A rule does not contain itself over the same
    span. A repetition has only the empty iterations that its minimum requires.
    """
    assert isinstance(tree, lark.Tree), "the root is no tree"
    spans = _spans(tree, text)
    assert spans[id(tree)] == (0, len(text)), f"the tree covers {spans[id(tree)]} of {len(text)} characters"
    assert names[tree.data].lower() == start, f"the root is {tree.data}, not {start}"
    # Nodes, each with the rules above it over the same span.
    stack: list[tuple[Any, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, above = stack.pop()
        key, span = names[node.data].lower(), spans[id(node)]
        assert key not in above, f"{key} is below itself over {span}"
        symbols = list(_symbols(node, names, spans))
        message = f"no derivation of {key}: {[symbol for symbol, _ in symbols]}"
        assert len(symbols) in _Children(core, symbols, span[0]).ends(core.rules[key], 0), message
        for child in node.children:
            if isinstance(child, lark.Tree):
                stack.append((child, above | {key} if spans[id(child)] == span else frozenset()))


def flat(tree: Any, names: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """Return the nodes of a tree, each before its children, as ``(rule, start, end)``."""
    spans = _spans(tree)
    result, stack = [], [tree]
    while stack:
        node = stack.pop()
        result.append((names[node.data], *spans[id(node)]))
        stack.extend(child for child in reversed(node.children) if isinstance(child, lark.Tree))
    return result


def shape(tree: Any, names: Mapping[str, str]) -> Any:
    """Return a tree as ``(rule key, children)``, with characters as str, as in ``derivations``."""
    if not isinstance(tree, lark.Tree):
        return str(tree)
    return names[tree.data].lower(), tuple(shape(child, names) for child in tree.children)


def _spans(tree: Any, text: str | None = None) -> dict[int, tuple[int, int]]:
    """Return the span of every node by its identity, computed from the lengths of tokens."""
    spans: dict[int, tuple[int, int]] = {}
    position, behind_token = 0, False
    stack: list[tuple[Any, int | None]] = [(tree, None)]  # with its start, once its children are done
    while stack:
        node, begin = stack.pop()
        if begin is not None:
            assert id(node) not in spans, "a node stands in two places"
            spans[id(node)] = begin, position
            behind_token = False
        elif isinstance(node, lark.Tree):
            stack.append((node, position))
            stack.extend((child, None) for child in reversed(node.children))
            behind_token = False
        else:
            assert isinstance(node, lark.Token), f"{node!r} is neither a tree nor a token"
            end = position + len(node)
            assert end > position, f"an empty token at {position}"
            assert not behind_token, f"two tokens meet at {position}"
            assert (node.start_pos, node.end_pos) == (position, end), f"{node!r} is not at {position}"
            assert text is None or text[position:end] == node, f"{node!r} is not the text at {position}"
            position, behind_token = end, True
    return spans


def _symbols(
    node: Any, names: Mapping[str, str], spans: Mapping[int, tuple[int, int]]
) -> Iterator[tuple[tuple[bool, str], int]]:
    """Yield the children of a node as ``(is a rule, key or character)``, each with its end."""
    position = spans[id(node)][0]
    for child in node.children:
        if isinstance(child, lark.Tree):
            position = spans[id(child)][1]
            yield (True, names[child.data].lower()), position
        else:
            for char in child:
                position += 1
                yield (False, char), position


class _Children:
    """The positions among a node's children where a part of the definition can end, by start position."""

    def __init__(self, core: Core, symbols: Sequence[tuple[tuple[bool, str], int]], begin: int) -> None:
        self._core = core
        self._symbols = [symbol for symbol, _ in symbols]
        self._places = [begin, *(end for _, end in symbols)]
        self._known: dict[tuple[int, int], frozenset[int]] = {}

    def ends(self, node: Node, start: int) -> frozenset[int]:
        match node:
            case Chars(charset=charset):
                is_rule, char = self._symbol(start)
                return frozenset({start + 1} if not is_rule and char and char in charset else ())
            case Ref(key=key):
                return frozenset({start + 1} if self._symbol(start) == (True, key) else ())
            case Prose():
                return frozenset()
        result = self._known.get((id(node), start))
        if result is None:
            match node:
                case Seq(items=items):
                    result = frozenset({start})
                    for item in items:
                        result = frozenset().union(*(self.ends(item, place) for place in result))
                case Choice(items=items):
                    result = frozenset().union(*(self.ends(item, start) for item in items))
                case Repeat():
                    result = self._repeated(node, start)
            self._known[id(node), start] = result
        return result

    def _symbol(self, index: int) -> tuple[bool, str]:
        return self._symbols[index] if index < len(self._symbols) else (False, "")

    def _repeated(self, node: Repeat, start: int) -> frozenset[int]:
        front = frozenset({start})
        result: set[int] = set()
        count = 0
        minimum = least_iterations(self._core, node)
        while front:
            if count >= minimum:
                if node.max is None and front <= result:
                    break
                result |= front
            if count == node.max:
                break
            following: set[int] = set()
            for place in front:
                for end in self.ends(node.item, place):
                    # Beyond the minimum, an iteration is nonempty.
                    if count < minimum or self._places[end] > self._places[place]:
                        following.add(end)
            front = frozenset(following)
            count += 1
        return frozenset(result)
