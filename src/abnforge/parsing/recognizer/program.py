"""The interface to the recognizer in the C extension, which represents everything by numbers.

The C extension implements ``Network``, ``Stack`` and ``Configurations``; the Python code is the reference. It
requests the nodes of the grammar when a string first needs them, and ``LearnedDFA`` supplies them. A
configuration of the extension can be converted to one of ``Configurations``, which continues the parse where
the extension does not: with many pairs, and after too many configurations.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Any

from abnforge._native import compiled
from abnforge.automata.tables import pages_of
from abnforge.charset import CharSet, Range
from abnforge.grammar.core import MIN_ALTERNATIVES, Chars, Choice, Literal, Node, Prose, Ref, Repeat
from abnforge.parsing.recognizer import configurations as limits
from abnforge.parsing.recognizer.configurations import Configuration, Configurations, SpilledStack, add
from abnforge.parsing.recognizer.network import FOLLOW_COST, FrameState, Item, find_corners
from abnforge.parsing.recognizer.stack import Edge, StackNode, add_call

# The maximum number of character classes.
MAX_CLASSES = 256

# The largest count of a repetition; no string that fits in memory has more iterations.
_MAX_COUNT = (1 << 31) - 1
_NO_LIMIT = (1 << 32) - 1

# Numbers as in recognizer.h: flags of rules, and kinds of nodes.
_CALLED, _PRODUCTIVE, _NULLABLE = 1, 2, 4
_CHARS, _PART, _SEQ, _CHOICE, _REPEAT, _PROSE, _LATER = range(7)

# The outcomes of a walk, as in learned.c.
AT_END, AT_DEAD, AT_CHANGED, AT_WIDE, AT_PAUSE = range(5)


def units(text: str) -> tuple[Any, int]:
    """Encode a string for the C extension; return the buffer and the number of bytes per character."""
    if text.isascii():
        return text.encode("ascii"), 1
    return text.encode("utf-32-le", "surrogatepass"), 4


class LearnedDFA:
    """The configurations of one machine in the C extension. Not thread-safe.

    ``walk``, ``start``, ``restore`` and ``calls`` of ``native`` return None if something must be defined
    first; ``call`` defines it and calls again.
    """

    def __init__(self, configurations: Configurations, classes: Sequence[CharSet]) -> None:
        ranges = sorted((low, number) for number, charset in enumerate(classes) for low, _ in charset.ranges)
        pages, page_of = pages_of([low for low, _ in ranges], [number for _, number in ranges])
        network = configurations.network
        self._configurations = configurations
        self._network = network
        self._keys = list(network.bodies)
        self._numbers = {key: number for number, key in enumerate(self._keys)}
        nullable, productive = network.facts.nullable, network.facts.productive
        flags = bytes(
            _CALLED * (key in network.called)
            + _PRODUCTIVE * (key in productive)
            + _NULLABLE * (key in nullable)
            for key in self._keys
        )
        self._parts: list[Node] = [Ref(key) for key in self._keys]
        self._known: dict[int, int] = {}  # the parts of nodes, by the identity of nodes in ``_parts``
        self._charsets: dict[tuple[Range, ...], int] = {}
        self._groups: dict[str, int] = {}
        self._reached: list[set[int]] = []  # the groups that each group reaches
        symbols = array("I", [charset.ranges[0][0] for charset in classes])
        self.native = compiled.LearnedDFA(array("H", page_of), pages, symbols, flags)

    @classmethod
    def of(cls, configurations: Configurations, classes: Sequence[CharSet]) -> LearnedDFA | None:
        """Return None without the C extension, without character classes, or with too many of them."""
        return (
            cls(configurations, classes) if compiled is not None and 0 < len(classes) <= MAX_CLASSES else None
        )

    def start(self, key: str, max_pairs: int) -> int:
        """Begin a string, and return the configuration at the start of a rule."""
        max_items = min(self._network.budget.steps // FOLLOW_COST, _NO_LIMIT)
        self.native.limit(self._configurations.max_dominators, limits.MAX_NODES, max_items, max_pairs)
        return int(self.call(self.native.start, self._numbers[key]))

    def call(self, function: Callable[..., Any], *arguments: int) -> Any:
        """Call a function of the extension until everything that it needs is defined."""
        while (result := function(*arguments)) is None:
            self.define()
        return result

    def define(self) -> None:
        """Define what the extension requests. Cost: linear in the definition. Raises LimitExceeded."""
        wanted = self.native.wanted()
        if wanted < 0:
            self._network.budget.meter("lookahead of the grammar").charge(self._network.budget.steps + 1)
        number, is_corner = divmod(wanted, 2)
        node = self._parts[number] if not is_corner else None
        if is_corner:
            self._define_corners(self._keys[number])
        elif isinstance(node, Choice):
            self._define(number, self._network.alternatives(node))
        else:
            self._define(number, (self._network.bodies[self._keys[number]],))

    def _define(self, number: int, alternatives: Sequence[Node]) -> None:
        """Define a part as the choice of some nodes, or as the only one. Shared nodes are one part."""
        words: list[int] = []
        known, network = self._known, self._network
        stack: list[tuple[Node, bool]] = [(node, False) for node in reversed(alternatives)]
        while stack:
            node, is_complete = stack.pop()
            if isinstance(node, Ref):
                words += _PART, self._numbers[node.key]
                continue
            if id(node) in known:
                words += _PART, known[id(node)]
                continue
            if isinstance(node, Chars):
                words += self._letter(node)
                continue
            if isinstance(node, Literal):
                for letter in node.items:
                    words += self._letter(letter)
                words += _SEQ, len(node.items)
            elif isinstance(node, Choice) and len(node.items) >= MIN_ALTERNATIVES:
                flags = _PRODUCTIVE * network.is_productive(node) + _NULLABLE * network.is_nullable(node)
                words += _LATER, flags
            elif isinstance(node, Prose):
                words.append(_PROSE)
            elif not is_complete:
                stack.append((node, True))
                items = (node.item,) if isinstance(node, Repeat) else reversed(node.items)
                stack += [(item, False) for item in items]
                continue
            elif isinstance(node, Repeat):
                most = _NO_LIMIT if node.max is None else min(node.max, _MAX_COUNT)
                words += _REPEAT, min(node.min, _MAX_COUNT), most
            else:
                words += _CHOICE if isinstance(node, Choice) else _SEQ, len(node.items)
            known[id(node)] = len(self._parts)
            self._parts.append(node)
        if len(alternatives) > 1:
            words += _CHOICE, len(alternatives)
            self._parts.append(self._parts[number])
        self.native.define(number, array("I", words))

    def _letter(self, node: Chars) -> tuple[int, int]:
        number = self._known.get(id(node))
        if number is not None:
            return _PART, number
        self._known[id(node)] = len(self._parts)
        self._parts.append(node)
        return _CHARS, self._charset(node.charset)

    def _charset(self, charset: CharSet) -> int:
        number = self._charsets.get(charset.ranges)
        if number is None:
            bounds = array("I", [bound for pair in charset.ranges for bound in pair])
            number = self._charsets[charset.ranges] = self.native.charset(bounds)
        return number

    def _define_corners(self, key: str) -> None:
        def calls(name: str) -> tuple[str, ...]:
            pairs = self.call(self.native.calls, self._numbers[name])
            return tuple(self._keys[rule] for rule, _ in pairs)

        for members, corners, is_recursive in find_corners(key, calls, self._groups):
            own = len(self._reached)
            reached = {own}.union(*(self._reached[self._groups[corner]] for corner in corners))
            numbers = tuple(self._numbers[member] for member in members)
            self.native.corners(numbers, tuple(sorted(reached)), is_recursive)
            self._groups.update(dict.fromkeys(members, own))
            self._reached.append(reached)

    def converted(self, number: int, below: tuple[Any, ...]) -> tuple[Configuration, SpilledStack]:
        """Return a configuration and its spilled stack as those of ``Configurations``."""
        nodes: dict[int, StackNode] = {}
        pairs: dict[StackNode, FrameState] = {}
        for node, frame in self.native.pairs(number):
            add(pairs, self._node(node, nodes), self._frame(frame))
        parts = []
        while below:
            node, below = below
            parts.append(self._node(node, nodes))
        spilled: SpilledStack = None
        for part in reversed(parts):
            spilled = part, spilled
        return self._configurations.normalize(self._configurations.of(pairs), spilled)

    def _node(self, top: int, nodes: dict[int, StackNode]) -> StackNode:
        stack = self._configurations.stack
        nodes.update({0: stack.root, 1: stack.spill_marker})
        pending = [top]
        while pending:
            number = pending[-1]
            sets = self.native.node(number) if number not in nodes else ((),)
            edge_sets = sets[0] if len(sets) == 2 else sets
            missing = [below for edges in edge_sets for below, _ in edges if below not in nodes]
            pending += missing
            if not missing:
                pending.pop()
                if number not in nodes:
                    nodes[number] = self._new_node(sets, nodes)
        return nodes[top]

    def _new_node(self, sets: tuple[Any, ...], nodes: dict[int, StackNode]) -> StackNode:
        def edges(pairs: Sequence[tuple[int, int]]) -> set[Edge]:
            result: set[Edge] = set()
            for below, frame in pairs:
                add_call(result, self._frame(frame), nodes[below])
            return result

        stack, network = self._configurations.stack, self._network
        if len(sets) == 1:
            return stack.node(edges(sets[0]))
        key = self._keys[sets[1]]
        corners = network.corners(key)
        outside = dict(zip(self._members(key), map(edges, sets[0]), strict=True))
        return stack.group(corners, tuple(frozenset(outside[member]) for member in corners.members))[key]

    def _members(self, key: str) -> list[str]:
        group = self._groups[key]
        return [name for name, number in self._groups.items() if number == group]

    def _frame(self, number: int) -> FrameState:
        items, final = self.native.frame(number)
        return self._network.state(frozenset(map(self._item, items)), bool(final))

    def _item(self, number: int) -> Item:
        chain = []
        while number:
            part, index, number = self.native.item(number)
            chain.append((self._parts[part], index))
        item: Item | None = None
        for node, index in reversed(chain):
            if type(node) is Repeat:
                item = self._network.repetition(node, index, item)
            else:
                item = self._network.item(node, item, index)
        assert item is not None
        return item
