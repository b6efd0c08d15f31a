"""Reading one text, piece by piece, by the configurations of a grammar.

*Trails.* Configurations are states of the C extension, which walks the moves that are known.

A trail has a number for every configuration that texts have led to, and learns each move that is kept
(``Configurations.next``). It ends where something has to be worked out, folded away or taken back.

*Wide configurations.* Many stacks under few frames, as for palindromes, do not recur, so interning them costs
and gains nothing (``read_grouped``). There a configuration is a set of nodes for each frame state, one step
moves all nodes of a state at once, and sets that do not change are shared from step to step.

Cost of a step: the nodes, by operations on sets: what a text of n characters can lead to is n nodes for each
called rule, each with up to n edges, so reading is at most cubic, like Earley's algorithm.
"""

from __future__ import annotations

import encodings.utf_32_le  # noqa: F401 # now, and not within a question
import gc
from array import array
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter, getitem
from typing import Any

from abnforge._lazy import gc_paused
from abnforge._native.loaded import compiled
from abnforge.automata.tables import pages_of
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.parsing.recognizer.configurations import Base, Configuration, Configurations, Kernel, add
from abnforge.parsing.recognizer.network import FrameState, Network
from abnforge.parsing.recognizer.stack import Edge, Stack, StackNode

# Classes of characters that a trail can tell apart.
MAX_CLASSES = 256


class Trails:
    """The configurations of one machine that are known to the kernel."""

    def __init__(self, classes: Sequence[CharSet]) -> None:
        ranges = sorted((low, number) for number, charset in enumerate(classes) for low, _ in charset.ranges)
        starts = [low for low, _ in ranges]
        pages, page_of = pages_of(starts, [number for _, number in ranges])
        self._made_of = array("H", page_of), pages, len(classes)
        self.forget()

    @classmethod
    def of(cls, classes: Sequence[CharSet]) -> Trails | None:
        """None without the kernel, and where there are too many classes of characters, or none."""
        return cls(classes) if compiled is not None and 0 < len(classes) <= MAX_CLASSES else None

    def forget(self) -> None:
        """Drop all that is known."""
        self.trail = compiled.Trail(*self._made_of)
        self.configurations: list[Configuration] = []
        self._numbers: dict[Configuration, int] = {}
        self.trail.begin()

    def number(self, configuration: Configuration) -> int:
        """The number of a configuration."""
        found = self._numbers.get(configuration)
        if found is None:
            found = self._numbers[configuration] = self.trail.add(configuration.cost, configuration.octets)
            self.configurations.append(configuration)
        return found

    def learn(self, last: Configuration, char: str, following: Configuration) -> None:
        """A character, and all others of its class, lead from one configuration to another."""
        self.trail.learn(self.number(last), char, self.number(following))


def units(text: str) -> tuple[Any, int]:
    """The characters of a text as the kernel reads them, and how many octets each has."""
    if text.isascii():
        return text.encode("ascii"), 1
    return text.encode("utf-32-le", "surrogatepass"), 4


# Pairs from which on a configuration is read on in groups; until there are half as many.
WIDE = 24

# What a frame state, and a node below it, cost in a step of the budget; and what a node takes in octets.
_STATE_COST = 10
_NODES_A_STEP = 10
_EDGES_A_STEP = 3
_NODE_OCTETS = 500
_EDGE_OCTETS = 100

Groups = dict[FrameState, set[StackNode]]


def read_grouped(
    configurations: Configurations, current: Configuration, text: Iterator[str], meter: Meter
) -> tuple[Configuration, bool]:
    """Read on until there are few pairs, or a frame returns to what is folded away, or the text ends.

    Gives the configuration, and whether a character could be read no more: then it is the one before that.
    """
    stack = configurations.stack
    groups: Groups = {}
    for node, state in current.pairs:
        groups.setdefault(state, set()).add(node)
    for char in text:
        following = _step(configurations.network, stack, groups, char, meter)
        if not following:
            return configurations.of(_pairs_of(groups)), True
        groups = following
        size = sum(map(len, groups.values()))
        meter.charge(_STATE_COST * len(groups) + size // _NODES_A_STEP)
        returning = any(state.final and stack.rest in nodes for state, nodes in groups.items())
        if returning or size <= WIDE // 2:
            return configurations.of(_pairs_of(groups)), False
    return configurations.of(_pairs_of(groups)), False


def _pairs_of(groups: Groups) -> Kernel:
    kernel: Kernel = {}
    for state, nodes in groups.items():
        for node in nodes:
            add(kernel, node, state)
    return kernel


def _step(network: Network, stack: Stack, groups: Groups, char: str, meter: Meter) -> Groups:
    result: Groups = {}
    calls: dict[str, set[Edge]] = {}
    for state, nodes in groups.items():
        target = state.step(char)
        if target is not None:
            _add(result, target, nodes)
        for key, behind in state.calls:
            if any(network.entry(name).step(char) is not None for name in network.corners(key).reached):
                _call(calls.setdefault(key, set()), behind, nodes, meter)
    if calls:
        opened = stack.open(calls)
        edges = sum(len(node.edges) for node in opened.values())
        meter.charge(edges // _NODES_A_STEP)
        meter.hold(_NODE_OCTETS * len(opened) + _EDGE_OCTETS * edges)
        for key, node in opened.items():
            target = network.entry(key).step(char)
            if target is not None:
                _add(result, target, {node})
    bottoms = stack.root, stack.rest
    _return(result, bottoms, meter)
    return _alive(result, bottoms)


def _call(edges: set[Edge], behind: FrameState, nodes: set[StackNode], meter: Meter) -> None:
    if not behind.pure:
        edges.update([(behind, node) for node in nodes])
        meter.charge(len(nodes) // _NODES_A_STEP)
        return
    meter.charge(sum(len(node.edges) for node in nodes) // _NODES_A_STEP)
    for node in nodes:
        if node.edges:
            edges.update(node.edges)
        else:
            edges.add((behind, node))


def _return(groups: Groups, bottoms: tuple[StackNode, ...], meter: Meter) -> None:
    """Add the pairs that frames which may end return to."""
    ended = [nodes for state, nodes in groups.items() if state.final]
    done: set[StackNode] = set()
    while ended:
        new = set().union(*ended) - done if done or len(ended) > 1 else ended[0]
        found: Groups = {}
        states = list(map(_state_of, new))
        several = states.count(None) - sum(bottom in new for bottom in bottoms)
        kinds = set(states)
        kinds.discard(None)
        if not several and len(kinds) == 1:  # as a rule; and these may be many
            found[kinds.pop()] = below = set(map(_below_of, new))
            below.discard(None)
        else:
            meter.charge(sum(len(node.edges) for node in new) // _EDGES_A_STEP)
            for node in new:
                for state, low in node.edges:
                    found.setdefault(state, set()).add(low)
        ended = []
        for state, nodes in found.items():
            _add(groups, state, nodes)
            if state.final:
                ended.append(nodes)
        if ended:
            done |= new


_state_of = attrgetter("state")
_below_of = attrgetter("below")


def _alive(groups: Groups, bottoms: tuple[StackNode, ...]) -> Groups:
    """Without frames that can only end, but for those at the bottom."""
    result: Groups = {}
    for state, nodes in groups.items():
        kept = nodes if state.items else nodes.intersection(bottoms)
        if kept:
            result[state] = kept
    return result


def _add(groups: Groups, state: FrameState, nodes: set[StackNode]) -> None:
    known = groups.get(state)
    groups[state] = nodes if known is None else known | nodes


# After so many different configurations in one text they are all forgotten.
MOST = 20_000

# Characters that are read between two looks at what they cost.
_PIECE = 1 << 14

# Where a text is longer, what is made for it is more than garbage is worth looking for meanwhile.
LONG = 1000


class Reading:
    """One text being read by a rule. ``offset`` is how many characters have been read; ``current`` the
    configuration they led to, None when no string of the rule begins with one more; ``last`` is that, too,
    and stays where the next character could not be read.

    ``feed`` what comes next, then ask. Raises LimitExceeded when ``meter`` has no more to spend; a
    configuration is charged when the text first leads to it, known or not.
    """

    def __init__(
        self,
        configurations: Configurations,
        key: str,
        table: Mapping[int, int],
        meter: Meter,
        trails: Trails | None = None,
    ) -> None:
        self._configurations = configurations
        self._table = table
        self._meter = meter
        self._base: Base = None
        self._met: set[Configuration] = set()
        self._forgotten = False
        self._trails = trails
        self._walked = 0  # configurations that were met on trails
        if trails is not None:
            trails.trail.begin()
        self.offset = 0
        self.last = configurations.start(key)
        self.current: Configuration | None = self.last

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        return self.current is not None and self.current.accepting

    def feed(self, text: str) -> bool:
        """Read on. False when a character cannot be read; then ``offset`` is its place."""
        for begin in range(0, len(text), _PIECE):
            if self.current is None:
                break
            piece = text[begin : begin + _PIECE]
            self._meter.extend(len(piece))
            if len(piece) < LONG:
                self._read(piece)
            else:
                with gc_paused(len(piece), LONG):
                    self._read(piece)
        return self.current is not None

    def _read(self, text: str) -> None:
        if self._trails is None:
            self._read_plainly(text.translate(self._table))
        else:
            self._read_on_trails(text, self._trails)

    def _read_on_trails(self, text: str, trails: Trails) -> None:
        """Read along what is known in C, and work out the rest as below."""
        configurations, current, base = self._configurations, self.current, self._base
        assert current is not None
        characters, width = units(text)
        standing: str | None = None  # the same with what stands for each character, once it is needed
        last = current
        at = 0
        while True:
            if len(current.pairs) > WIDE:  # it is not kept, nor is where it leads
                self._meet({current})
            else:
                at, number, cost, octets, met = trails.trail.walk(
                    characters, width, at, trails.number(current)
                )
                current = trails.configurations[number]
                if met:
                    self._charge(cost, octets, met)
            last = current
            if at == len(text):
                break
            char = chr(self._table[ord(text[at])])
            following, base = configurations.next(last, char, base)
            if following is not None:
                at += 1
                if last.get(char) is following and max(len(last.pairs), len(following.pairs)) <= WIDE:
                    trails.learn(last, char, following)
            while following is not None and len(following.pairs) > WIDE and at < len(text):
                standing = standing or text.translate(self._table)
                rest: Any = iter(standing)
                rest.__setstate__(at)
                last, dead = read_grouped(configurations, following, rest, self._meter)
                at = len(text) - rest.__length_hint__() - dead
                following, base = (None, base) if dead else configurations.settle(last, base)
            if following is None:
                break
            current = following
        self.current = None if at < len(text) else current
        self.last = last
        self.offset += at
        self._base = base

    def _read_plainly(self, text: str) -> None:
        configurations, current, base = self._configurations, self.current, self._base
        assert current is not None
        visited: list[Configuration] = []
        following: Any = iter(text)
        while True:
            try:
                # As a loop would, in half the time: what was reached before an exception stays.
                visited.extend(accumulate(following, getitem, initial=current))
                current = visited[-1]
                break
            except KeyError as missing:
                (char,) = missing.args
                last = visited[-1]
                current, base = configurations.next(last, char, base)
                while current is not None and len(current.pairs) > WIDE and following.__length_hint__():
                    last, dead = read_grouped(configurations, current, following, self._meter)
                    current, base = (None, base) if dead else configurations.settle(last, base)
                if current is None:
                    self.last = last
                    break
                if current not in self._met:
                    self._meet({current})
        left = following.__length_hint__()
        read = len(text) - left - (current is None)
        self.offset += read
        self._base = base
        self.current = current
        if current is not None:
            self.last = current
        if visited:
            self._meet(set(visited))

    def _meet(self, configurations: set[Configuration]) -> None:
        """Charge configurations that are met for the first time."""
        new = configurations - self._met
        if not new:
            return
        self._met |= new
        cost = octets = 0
        for configuration in new:
            cost += configuration.cost
            octets += configuration.octets
        self._charge(cost, octets, 0)

    def _charge(self, cost: int, octets: int, walked: int) -> None:
        """Charge what configurations cost; so many of them were met on trails."""
        self._walked += walked
        self._meter.charge(cost)
        if not self._forgotten:
            self._meter.hold(octets)
        if len(self._met) + self._walked > MOST:
            self._met.clear()
            self._walked = 0
            self._forgotten = True
            self._configurations.forget()
            if self._trails is not None:
                self._trails.forget()
            if not gc.isenabled():
                gc.collect()  # what was forgotten leads to itself
