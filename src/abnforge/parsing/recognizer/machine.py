"""The pushdown recognizer of a grammar, for all of its rules. Start reading here.

``Machine`` parses strings; ``ConfigurationWalk`` offers the configurations of a rule as the states of a
possibly infinite automaton.
"""

from __future__ import annotations

import encodings.utf_32_le  # noqa: F401 # imported here rather than during a parse
import gc
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter, getitem
from typing import Any, cast

from abnforge._lazy import cached_property, gc_paused
from abnforge.budget import Budget, Meter
from abnforge.charset import AlphabetCompressor, CharSet, partition
from abnforge.grammar.core import Chars, Node
from abnforge.grammar.facts import Facts, terminals, walk
from abnforge.parsing.recognizer.configurations import Configuration, Configurations, Pairs, SpilledStack, add
from abnforge.parsing.recognizer.network import FrameState, Network, called_rules
from abnforge.parsing.recognizer.program import AT_CHANGED, AT_DEAD, AT_END, AT_WIDE, LearnedDFA, units
from abnforge.parsing.recognizer.stack import Edge, Stack, StackNode

# A run of the recognizer parses one string, piece by piece, along the configurations of a grammar.
#
# *Learned DFA.* The C extension computes the same configurations and moves (``program.LearnedDFA``). Python
# spills and restores parts of the stack, and continues the parse where the extension stops.
#
# *Set at a time.* Configurations with many stacks below few frames, as for palindromes, do not recur, so
# interning them is useless. ``read_set_at_a_time`` represents such a configuration as a set of nodes for each
# frame state, moves all nodes of a state together, and shares unchanged sets between steps. A string of n
# characters has at most n nodes for each called rule, each with at most n edges, so a parse is at most cubic,
# like Earley's.


# The maximum number of pairs of an interned configuration. A run that exceeds it interns again at half of it.
MAX_INTERNED_PAIRS = 24

# The steps per frame state, the numbers of nodes and edges per step, and the memory of each in bytes.
_STATE_COST = 10
_NODES_A_STEP = 10
_EDGES_A_STEP = 3
_NODE_OCTETS = 500
_EDGE_OCTETS = 100

NodeSets = dict[FrameState, set[StackNode]]


def read_set_at_a_time(
    configurations: Configurations, current: Configuration, text: Iterator[str], meter: Meter
) -> tuple[Configuration, bool]:
    """Read until there are few pairs, a frame returns to the spilled stack, or the string ends.

    Returns: the configuration, and whether a character was rejected. After a rejection it is the
    configuration before that character.
    """
    stack = configurations.stack
    node_sets: NodeSets = {}
    for node, state in current.pairs:
        node_sets.setdefault(state, set()).add(node)
    for char in text:
        following = _step(configurations.network, stack, node_sets, char, meter)
        if not following:
            return configurations.of(_pairs_of(node_sets)), True
        node_sets = following
        size = sum(map(len, node_sets.values()))
        meter.charge(_STATE_COST * len(node_sets) + size // _NODES_A_STEP)
        returning = any(state.final and stack.spill_marker in nodes for state, nodes in node_sets.items())
        if returning or size <= MAX_INTERNED_PAIRS // 2:
            return configurations.of(_pairs_of(node_sets)), False
    return configurations.of(_pairs_of(node_sets)), False


def _pairs_of(node_sets: NodeSets) -> Pairs:
    pairs: Pairs = {}
    for state, nodes in node_sets.items():
        for node in nodes:
            add(pairs, node, state)
    return pairs


def _step(network: Network, stack: Stack, node_sets: NodeSets, char: str, meter: Meter) -> NodeSets:
    result: NodeSets = {}
    calls: dict[str, set[Edge]] = {}
    for state, nodes in node_sets.items():
        target = state.step(char)
        if target is not None:
            _add(result, target, nodes)
        for key, return_state in state.calls:
            if any(network.entry(name).step(char) is not None for name in network.corners(key).reached):
                _call(calls.setdefault(key, set()), return_state, nodes, meter)
    if calls:
        opened = stack.open(calls)
        edges = sum(len(node.edges) for node in opened.values())
        meter.charge(edges // _NODES_A_STEP)
        meter.hold(_NODE_OCTETS * len(opened) + _EDGE_OCTETS * edges)
        for key, node in opened.items():
            target = network.entry(key).step(char)
            if target is not None:
                _add(result, target, {node})
    bottoms = stack.root, stack.spill_marker
    _return(result, bottoms, meter)
    return _alive(result, bottoms)


def _call(edges: set[Edge], return_state: FrameState, nodes: set[StackNode], meter: Meter) -> None:
    if not return_state.only_returns:
        edges.update([(return_state, node) for node in nodes])
        meter.charge(len(nodes) // _NODES_A_STEP)
        return
    meter.charge(sum(len(node.edges) for node in nodes) // _NODES_A_STEP)
    for node in nodes:
        if node.edges:
            edges.update(node.edges)
        else:
            edges.add((return_state, node))


def _return(node_sets: NodeSets, bottoms: tuple[StackNode, ...], meter: Meter) -> None:
    """Add the pairs to which frames that can end return."""
    ended = [nodes for state, nodes in node_sets.items() if state.final]
    ended_nodes: set[StackNode] = set()
    while ended:
        new = set().union(*ended) - ended_nodes if ended_nodes or len(ended) > 1 else ended[0]
        returns: NodeSets = {}
        states = list(map(_state_of, new))
        branching = states.count(None) - sum(bottom in new for bottom in bottoms)
        states_below = set(states)
        states_below.discard(None)
        if not branching and len(states_below) == 1:  # the usual case, in long chains
            returns[states_below.pop()] = below = set(map(_below_of, new))
            below.discard(None)
        else:
            meter.charge(sum(len(node.edges) for node in new) // _EDGES_A_STEP)
            for node in new:
                for state, low in node.edges:
                    returns.setdefault(state, set()).add(low)
        ended = []
        for state, nodes in returns.items():
            _add(node_sets, state, nodes)
            if state.final:
                ended.append(nodes)
        if ended:
            ended_nodes |= new


_state_of = attrgetter("state")
_below_of = attrgetter("below")


def _alive(node_sets: NodeSets, bottoms: tuple[StackNode, ...]) -> NodeSets:
    """Drop frames that can only end, except at the bottom."""
    result: NodeSets = {}
    for state, nodes in node_sets.items():
        alive = nodes if state.items else nodes.intersection(bottoms)
        if alive:
            result[state] = alive
    return result


def _add(node_sets: NodeSets, state: FrameState, nodes: set[StackNode]) -> None:
    known_nodes = node_sets.get(state)
    node_sets[state] = nodes if known_nodes is None else known_nodes | nodes


# The number of configurations within one string after which all are dropped.
MAX_CONFIGURATIONS = 20_000

# The number of characters between two charges, and of configurations that the C extension reaches.
_PIECE = 1 << 14
_MAX_MET = 1 << 10

# The garbage collector is paused for pieces of at least this length.
MIN_GC_PAUSE = 1000


class RecognizerRun:
    """The parse of one string by a rule.

    ``offset`` is the number of characters read; ``last`` is the configuration after them. ``feed`` raises
    LimitExceeded beyond the limits of ``meter``. A configuration is charged when the string first reaches it,
    whether it is cached or not.
    """

    def __init__(
        self,
        configurations: Configurations,
        key: str,
        table: Mapping[int, int],
        meter: Meter,
        learned: LearnedDFA | None = None,
    ) -> None:
        self._configurations = configurations
        self._table = table
        self._meter = meter
        self._spilled: SpilledStack = None
        self._reached: set[Configuration] = set()
        self._forgotten = False
        self._learned = learned  # None once Python continues the parse
        self._walked = 0  # number of configurations first reached in C
        self._number = 0  # the last configuration, and the spilled parts as a linked list
        self._below: tuple[Any, ...] = ()
        self._was_wide = False  # true once there were too many pairs
        self._dead = False
        self.offset = 0
        if learned is None:
            self._last = configurations.start(key)
        else:
            self._number = learned.start(key, MAX_INTERNED_PAIRS)

    @property
    def last(self) -> Configuration:
        if self._learned is not None:
            self._continue_plainly(self._learned)
        return self._last

    @property
    def accepting(self) -> bool:
        if self._dead:
            return False
        if self._learned is not None:
            return bool(self._learned.native.describe(self._number)[0])
        return self._last.accepting

    def feed(self, text: str) -> bool:
        """Read a piece; return whether all its characters were read."""
        for start in range(0, len(text), _PIECE):
            if self._dead:
                break
            piece = text[start : start + _PIECE]
            self._meter.extend(len(piece))
            if len(piece) < MIN_GC_PAUSE:
                self._read(piece)
            else:
                with gc_paused(len(piece), MIN_GC_PAUSE):
                    self._read(piece)
        return not self._dead

    def _read(self, text: str) -> None:
        read = 0 if self._learned is None else self._read_learned(text, self._learned)
        if read < len(text) and not self._dead:
            self._read_plainly(text[read:].translate(self._table))

    def _read_learned(self, text: str, learned: LearnedDFA) -> int:
        """Walk in C; return the number of characters read. It is less if Python has to continue."""
        characters, width = units(text)
        position, outcome = 0, AT_DEAD
        while outcome != AT_END:
            start = position
            most = min(_MAX_MET, MAX_CONFIGURATIONS + 1 - self._walked)
            position, self._number, cost, octets, met, outcome = learned.native.walk(
                characters, width, position, self._number, most
            )
            self.offset += position - start
            if met:
                self._charge(cost, octets, met)
            if outcome == AT_DEAD:
                self._dead = True
                break
            is_large = outcome == AT_WIDE or self._forgotten
            if outcome == AT_CHANGED:
                is_large = self._normalize(learned) or is_large
            elif outcome < 0:
                learned.define()
            if is_large:
                self._continue_plainly(learned)
                if self._forgotten:
                    learned.native.forget()
                if position == len(text):
                    self._charge_new({self._last})
                break
        return position

    def _normalize(self, learned: LearnedDFA) -> bool:
        """Restore and spill parts of the stack; return whether the configuration is too large for that."""
        native = learned.native
        _, is_returning, is_large, spilled = native.describe(self._number)
        while is_returning and not is_large:
            node, self._below = self._below
            self._number = learned.call(native.restore, self._number, node)
            _, is_returning, is_large, spilled = native.describe(self._number)
        while spilled and not is_large:
            node, self._number = spilled
            self._below = node, self._below
            _, _, is_large, spilled = native.describe(self._number)
        return bool(is_large)

    def _continue_plainly(self, learned: LearnedDFA) -> None:
        """Convert the configuration, and continue in Python."""
        self._learned = None
        self._was_wide = True
        self._last, self._spilled = learned.converted(self._number, self._below)

    def _read_plainly(self, text: str) -> None:
        configurations, current, spilled = self._configurations, self._last, self._spilled
        visited: list[Configuration] = []
        following: Any = iter(text)
        dead = False
        while not dead:
            if len(current.pairs) > MAX_INTERNED_PAIRS and following.__length_hint__():
                if not self._was_wide:
                    self._charge_new(set(visited))
                    visited.clear()
                    self._forget_reached()
                current, dead = read_set_at_a_time(configurations, current, following, self._meter)
                if not dead:
                    current, spilled = configurations.normalize(current, spilled)
                continue
            if current not in self._reached:
                self._charge_new({current})
                if not self._reached:  # all were dropped, and are charged again
                    visited.clear()
            try:
                # ``extend`` keeps the configurations before a KeyError, in half the time of a loop.
                visited.extend(accumulate(following, getitem, initial=current))
                current = visited[-1]
                break
            except KeyError as missing:
                (char,) = missing.args
                current = visited[-1]
                result, spilled = configurations.next(current, char, spilled)
                dead = result is None
                current = current if result is None else result
        self.offset += len(text) - following.__length_hint__() - dead
        self._last, self._spilled, self._dead = current, spilled, dead
        if visited:
            self._charge_new(set(visited))

    def _forget_reached(self) -> None:
        """Charge configurations again that the string reaches again, as if they had been reached in C."""
        self._was_wide = True
        self._walked += len(self._reached)
        self._reached.clear()

    def _charge_new(self, configurations: set[Configuration]) -> None:
        """Charge the configurations that this string reached first."""
        new = configurations - self._reached
        if not new:
            return
        self._reached |= new
        cost = octets = 0
        for configuration in new:
            cost += configuration.cost
            octets += configuration.octets
        self._charge(cost, octets, 0)

    def _charge(self, cost: int, octets: int, walked: int) -> None:
        """Charge configurations; ``walked`` of them were reached in C."""
        self._walked += walked
        self._meter.charge(cost)
        if not self._forgotten:
            self._meter.hold(octets)
        if len(self._reached) + self._walked > MAX_CONFIGURATIONS:
            self._reached.clear()
            self._walked = 0
            self._forgotten = True
            self._configurations.forget()
            if not gc.isenabled():
                gc.collect()  # dropped configurations form reference cycles


# The maximum number of configurations, items and nodes kept between strings.
MAX_KEPT = 100_000


class Plan:
    """The constant part of a grammar's recognizer: rule bodies, called rules and character classes.

    ``bodies`` are the recursion-free bodies of the regular rules. Machines share a plan. Raises:
    LimitExceeded.
    """

    def __init__(self, facts: Facts, bodies: Mapping[str, Node], budget: Budget) -> None:
        meter = budget.meter("network of the grammar")
        self.facts = facts
        self.budget = budget
        self.bodies = {key: bodies.get(key, body) for key, body in facts.core.rules.items()}
        self.called = called_rules(facts, self.bodies, meter)
        sets = terminals(self.bodies.values())
        meter.charge(len(sets) // 4)
        self.classes = partition(sets)

    @cached_property
    def owners(self) -> Mapping[int, str]:
        """Return the rule of each terminal, by the terminal's identity; rules do not share terminals."""
        rules = self.facts.core.rules
        return {
            id(node): key for key, body in rules.items() for node in walk(body) if isinstance(node, Chars)
        }


class Machine:
    """Parse strings by any rule of one grammar, exactly for every context-free grammar.

    A machine serves one thread at a time. ``max_dominators`` is as in ``Configurations``. Raises:
    LimitExceeded.
    """

    def __init__(self, plan: Plan, max_dominators: int | None = None) -> None:
        self._plan = plan
        self.table = AlphabetCompressor.first_of(plan.classes)
        network = Network(plan.facts, plan.bodies, plan.called, plan.classes, plan.budget)
        self.configurations = Configurations(network, max_dominators)
        self.learned = LearnedDFA.of(self.configurations, plan.classes)
        self.classes = plan.classes

    @property
    def full(self) -> bool:
        """Return whether the caches exceed MAX_KEPT."""
        learned = 0 if self.learned is None else self.learned.native.size()
        return self.configurations.size + learned > MAX_KEPT

    def reading(self, key: str) -> RecognizerRun:
        """Start the parse of a string by a rule."""
        meter = self._plan.budget.meter(f"parsing {self._plan.facts.core.names[key]}")
        return RecognizerRun(self.configurations, key, self.table, meter, self.learned)

    def read(self, key: str, pieces: Iterable[str]) -> RecognizerRun:
        """Parse a string, passed as pieces, up to its end or the first rejected character."""
        run = self.reading(key)
        for piece in pieces:
            if not run.feed(piece):
                break
        return run

    def representative(self, char: str) -> str:
        """Return the representative of a character's class."""
        return chr(self.table[ord(char)])

    def expected_terminals(self, configuration: Configuration) -> Iterator[tuple[str, CharSet]]:
        """Yield the character sets that can be read next, each with the key of its rule."""
        owners = self._plan.owners
        states = {state for _, state in self.configurations.opened(configuration)}
        for terminal in {item.task for state in states for item in state.items if type(item.task) is Chars}:
            yield owners[id(terminal)], terminal.charset


# The memory of a stack node and of a spilled stack's number, in bytes.
_BUILD_OCTETS = 1_000

# A configuration and the number of its spilled stack.
_State = tuple[Configuration, int]


class ConfigurationWalk:
    """The automaton of one rule. Spilled stacks are numbered, so that equal states compare equal."""

    def __init__(self, machine: Machine, key: str) -> None:
        self._machine = machine
        self._configurations = machine.configurations
        self._bases: list[SpilledStack] = [None]
        self._numbers: dict[int, int] = {id(None): 0}
        self._known: dict[tuple[StackNode, int], int] = {}
        self.charsets: Sequence[CharSet] = machine.classes
        self.start: Hashable | None = (self._configurations.start(key), 0)

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """Return the state after a character, or None."""
        current, number = cast(_State, state)
        following, spilled = self._configurations.next(
            current, self._machine.representative(char), self._bases[number]
        )
        return None if following is None else (following, self._number(spilled))

    def accepts(self, state: Hashable) -> bool:
        """Return whether the rule derives the string that leads to a state."""
        return cast(_State, state)[0].accepting

    def cost(self, state: Hashable) -> tuple[int, int]:
        """Return the steps and bytes of a state: a configuration, which may be new, and a stack node."""
        current, _ = cast(_State, state)
        # Many frames can end, and each can return to many nodes.
        pairs = len(current.pairs)
        return current.cost + pairs * pairs // 4, current.octets + _BUILD_OCTETS

    def _number(self, spilled: SpilledStack) -> int:
        new: list[StackNode] = []
        while id(spilled) not in self._numbers:
            assert spilled is not None
            new.append(spilled[0])
            spilled = spilled[1]
        number = self._numbers[id(spilled)]
        for node in reversed(new):
            base_number = self._known.get((node, number))
            if base_number is None:
                base_number = self._known[node, number] = len(self._bases)
                stack = node, self._bases[number]
                self._bases.append(stack)
                self._numbers[id(stack)] = base_number
            number = base_number
        return number
