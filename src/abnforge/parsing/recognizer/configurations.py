"""Configurations: the states of a deterministic automaton that parses a rule.

A configuration is a set of pairs of a frame state and the stack node below it. The string read so far leads
to one configuration, which alone determines the future. Configurations are interned by their pairs and cache
their moves: ``configuration[char]`` is the next configuration. So a parse follows a table, like that of a
finite automaton, and computes stacks only on new paths. In effect, the pushdown automaton is determinized by
its stack languages. The number of configurations is not bounded. Therefore the lower part of a deep stack is
spilled (see below). Configurations with many pairs are neither interned nor cached
(``machine.read_set_at_a_time``), and a run drops all configurations beyond a limit.

A move by a character has three steps. Each frame state reads the character. The rules that the state calls
are opened, with the rules that these call before the first character (``Stack.open``). Then frames that can
end return to the edges below them, repeatedly. Pairs that cannot read another character are dropped, as are
covered pairs. So every remaining pair leads to acceptance, and the parse stops at the end of the longest
viable prefix.

*Spilling.* Deeper nesting leads to new stacks, and thus to new configurations, although the top frames are
the same as some levels higher. So the lower part of a deep stack is moved to a list next to the configuration
(``SpilledStack``): a string of 100,000 brackets needs only 27 configurations. A stack can be split at a node
that is on all stacks: a dominator of the bottom in the graph (Prosser 1959). The spilled part is restored
when the frames above it end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abnforge.parsing.recognizer.network import FrameState, Network
from abnforge.parsing.recognizer.stack import MAX_PAIRS, Edge, Stack, StackNode, add_call

# The maximum number of dominators on a stack; beyond it, the upper half stays and the rest is spilled.
MAX_DOMINATORS = 8
# The maximum number of nodes that a search for dominators visits; larger configurations are not spilled.
MAX_NODES = 64


def find_spill_point(tops: Sequence[StackNode], most: int) -> StackNode | None:
    """Return the node below which to spill, or None.

    The node is on all stacks below ``tops``, with ``most // 2`` such nodes above it. The result is None if
    there are at most ``most`` such nodes, or if the search exceeds MAX_NODES.

    Nodes of a left-recursive group are constructed together, from the nodes below each of them
    (``nodes_below``), including nodes below covered edges. All these paths count, and a node is a spill point
    only if no other node of its group is above it.
    """
    path: list[StackNode] = []
    index: dict[StackNode, int] = {}
    node = tops[0]
    while node.edges:  # every path to the bottom contains all dominators
        index[node] = len(path)
        path.append(node)
        if len(path) > MAX_NODES:
            return None
        below = next((low for _, low in node.edges if low not in index), None)
        if below is None:
            return None
        node = below
    if len(path) <= most:
        return None
    index[node] = len(path)
    path.append(node)
    dominators: list[StackNode] = []
    seen: set[StackNode] = set()
    groups: set[int] = set()  # groups of the nodes above the current one
    pending = list(tops)
    furthest = -1
    # A node of the path is on all stacks if no branch above it rejoins the path below it.
    for index_of_node in range(len(path) - 1):
        while pending:
            node = pending.pop()
            if node in index:
                furthest = max(furthest, index[node])
            elif node not in seen:
                if not node.edges:
                    return None
                seen.add(node)
                groups |= _group(node)
                if len(seen) > MAX_NODES:
                    return None
                pending += node.nodes_below
        node = path[index_of_node]
        if furthest == index_of_node and groups.isdisjoint(_group(node)):
            dominators.append(node)
        groups |= _group(node)
        pending += node.nodes_below
    return dominators[most // 2] if len(dominators) > most else None


def _group(node: StackNode) -> set[int]:
    """Return the identity of a node's group, or an empty set."""
    return set() if node.group is None else {id(node.group[1])}


def is_large(tops: Iterable[StackNode]) -> bool:
    """Return whether there are more than MAX_NODES nodes above the bottom."""
    seen: set[StackNode] = set()
    pending = list(tops)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            if len(seen) > MAX_NODES:
                return True
            pending += [low for _, low in node.edges]
    return False


# The step of a frame by a character: the state after it, and the called rules that read the character. Each
# rule has its return state and the state in the new frame. The rules are None if one of them calls further
# rules before the character.
Step = tuple[FrameState | None, tuple[tuple[str, FrameState, FrameState], ...] | None]

Pairs = dict[StackNode, FrameState]  # node below -> frame state: one pair per node
SpilledStack = tuple[StackNode, "SpilledStack"] | None  # the top spilled part, and the rest

_Key = tuple[StackNode, FrameState] | frozenset[tuple[StackNode, FrameState]]

# The cost of a configuration in steps: its base cost, then per pair, per item of a frame, and per comparison.
COST, PAIR_COST, ITEM_COST, COMPARE_COST = 4, 8, 2, 4
# The memory of a configuration and of each pair, in bytes.
OCTETS, PAIR_OCTETS = 900, 400


class Configuration(dict[str, "Configuration"]):
    """Pairs of a stack node and a frame state; the dict maps characters to the cached next configurations.

    ``accepting`` means that the string can end here; ``returning`` that a frame that can end is directly over
    the spilled part. ``spilled_form`` contains the part of the stack to spill and the configuration without
    it. ``moves`` contains all computed moves, including those that are not in the dict: rejections (None),
    and moves after which a part is spilled or restored.
    """

    __slots__ = (
        "_opened",
        "accepting",
        "cost",
        "large",
        "moves",
        "octets",
        "pairs",
        "restored",
        "returning",
        "spilled_form",
    )

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__

    def __init__(self, pairs: tuple[tuple[StackNode, FrameState], ...]) -> None:
        super().__init__()
        self.pairs = pairs
        self.accepting = False
        self.returning = False
        self.cost = COST + sum(PAIR_COST + ITEM_COST * len(state.items) for _, state in pairs)
        if 1 < len(pairs) <= MAX_PAIRS:  # all pairs are compared
            self.cost += COMPARE_COST * len(pairs) ** 2
        self.octets = OCTETS + PAIR_OCTETS * len(pairs)
        self.spilled_form: tuple[StackNode, Configuration] | None = None
        self.large: bool | None = None
        self.moves: dict[str, Configuration | None] = {}
        self.restored: dict[StackNode, Configuration] = {}
        self._opened: tuple[tuple[StackNode, FrameState], ...] | None = None

    def forget(self) -> None:
        """Drop the references to other configurations."""
        self.clear()
        self.moves = {}
        self.restored = {}
        self._opened = None


class Configurations:
    """The configurations over one network, and the moves between them.

    ``max_dominators`` replaces MAX_DOMINATORS: with 0, each level of the stack is spilled.
    """

    def __init__(self, network: Network, max_dominators: int | None = None) -> None:
        self.network = network
        self.max_dominators = MAX_DOMINATORS if max_dominators is None else max_dominators
        self.stack = Stack(network)
        self._known: dict[_Key, Configuration] = {}
        self._starts: dict[str, Configuration] = {}
        self._steps: dict[tuple[FrameState, str], Step] = {}

    @property
    def size(self) -> int:
        return len(self._known) + self.stack.size + self.network.size

    def forget(self) -> None:
        """Clear the cache. Configurations in use stay valid; their transitions create new configurations."""
        for configuration in self._known.values():
            configuration.forget()
        self._known = {}
        self._starts = {}
        self._steps = {}
        self.stack.forget()
        self.network.forget()

    def start(self, key: str) -> Configuration:
        """Return the configuration at the start of a rule's strings."""
        configuration = self._starts.get(key)
        if configuration is None:
            configuration = self._starts[key] = self.of({self.stack.root: self.network.entry(key)})
        return configuration

    def of(self, pairs: Pairs, *, deep: bool = True) -> Configuration:
        """Return the configuration of some pairs.

        If ``deep`` is false, a part of its stack is already spilled, and the rest is not spilled.
        """
        if 1 < len(pairs) <= MAX_PAIRS:
            reduced_pairs = self.stack.subsumption.reduced([(state, node) for node, state in pairs.items()])
            if len(reduced_pairs) < len(pairs):
                pairs = {node: state for state, node in reduced_pairs}
        key: _Key
        if len(pairs) == 1:
            (key,) = pairs.items()
        else:
            key = frozenset(pairs.items())
        configuration = self._known.get(key)
        if configuration is None:
            configuration = self._known[key] = self._make(pairs, deep)
        return configuration

    def _make(self, pairs: Pairs, deep: bool) -> Configuration:
        configuration = Configuration(tuple(pairs.items()))
        at_root, at_rest = pairs.get(self.stack.root), pairs.get(self.stack.spill_marker)
        configuration.accepting = at_root is not None and at_root.final
        configuration.returning = at_rest is not None and at_rest.final
        if deep and not configuration.returning:
            node = find_spill_point(list(pairs), self.max_dominators)
            if node is not None:
                configuration.spilled_form = (
                    node,
                    self.of(self._replace(pairs, node, self.stack.spill_marker), deep=False),
                )
        return configuration

    def _replace(self, pairs: Pairs, old: StackNode, new: StackNode) -> Pairs:
        """Return the pairs with one stack node replaced by another."""
        moved = self.stack.replace(list(pairs), old, new)
        result: Pairs = {}
        for node, state in pairs.items():
            add(result, moved[node], state)
        return result

    def next(
        self, current: Configuration, char: str, spilled: SpilledStack
    ) -> tuple[Configuration | None, SpilledStack]:
        """Return the configuration after a character, or None, and its spilled stack.

        Caches the move if it does not change the spilled stack.
        """
        following = self.move(current, char)
        if following is None:
            return None, spilled
        if not following.returning and following.spilled_form is None:
            current[char] = following
            return following, spilled
        return self.normalize(following, spilled)

    def normalize(self, current: Configuration, spilled: SpilledStack) -> tuple[Configuration, SpilledStack]:
        """Return a configuration after restoring and spilling parts of its stack."""
        while current.returning:
            assert spilled is not None
            if current.large is None:
                current.large = is_large([node for node, _ in current.pairs])
            if current.large:
                current, spilled = self._restore_all(current, spilled)
                break
            node, spilled = spilled
            current = self.restore(current, node)
        while current.spilled_form is not None:
            node, current = current.spilled_form
            spilled = node, spilled
        return current, spilled

    def restore(self, current: Configuration, node: StackNode) -> Configuration:
        """Return a configuration after restoring a spilled part and returning frames to it."""
        restored = current.restored.get(node)
        if restored is None:
            pairs = self._replace(dict(current.pairs), self.stack.spill_marker, node)
            restored = current.restored[node] = self.of(self.returns(pairs, [node]))
        return restored

    def _restore_all(
        self, current: Configuration, spilled: SpilledStack
    ) -> tuple[Configuration, SpilledStack]:
        """Return a large configuration with its whole spilled stack restored."""
        parts: list[StackNode] = []
        while spilled is not None:
            part, spilled = spilled
            parts.append(part)
        below = parts.pop()
        while parts:
            part = parts.pop()
            below = self.stack.replace([part], self.stack.spill_marker, below)[part]
        pairs = self._replace(dict(current.pairs), self.stack.spill_marker, below)
        return self.of(self.returns(pairs, [below])), None

    def move(self, current: Configuration, char: str) -> Configuration | None:
        """Return the configuration after a character, or None, before its stack is normalized."""
        try:
            return current.moves[char]
        except KeyError:
            following = current.moves[char] = self._move(current, char)
            return following

    def _move(self, current: Configuration, char: str) -> Configuration | None:
        pairs: Pairs = {}
        ended: list[StackNode] = []
        opened: dict[str, tuple[FrameState, set[Edge]]] = {}
        steps = self._steps
        for node, state in current.pairs:
            step = steps.get((state, char))
            if step is None:
                step = steps[state, char] = self._step(state, char)
            target, calls = step
            if calls is None:
                return self._move_through_corners(current, char)
            if target is not None:
                add(pairs, node, target)
                if target.final:
                    ended.append(node)
            for key, return_state, entered in calls:
                if key not in opened:
                    opened[key] = entered, set()
                add_call(opened[key][1], return_state, node)
        for entered, edges in opened.values():
            node = self.stack.node(edges)
            add(pairs, node, entered)
            if entered.final:
                ended.append(node)
        return self._finished(pairs, ended)

    def _step(self, state: FrameState, char: str) -> Step:
        network = self.network
        calls = []
        for key, return_state in state.calls:
            entry = network.entry(key)
            if entry.calls:
                return state.step(char), None
            entered = entry.step(char)
            if entered is not None:
                calls.append((key, return_state, entered))
        return state.step(char), tuple(calls)

    def _move_through_corners(self, current: Configuration, char: str) -> Configuration | None:
        pairs: Pairs = {}
        ended: list[StackNode] = []
        for node, state in self.opened(current):
            target = state.step(char)
            if target is not None:
                add(pairs, node, target)
                if target.final:
                    ended.append(node)
        return self._finished(pairs, ended)

    def opened(self, current: Configuration) -> Sequence[tuple[StackNode, FrameState]]:
        """Return the pairs, including those of all frames opened before the next character."""
        if current._opened is None:
            calls: dict[str, set[Edge]] = {}
            for node, state in current.pairs:
                for key, return_state in state.calls:
                    add_call(calls.setdefault(key, set()), return_state, node)
            if not calls:
                current._opened = current.pairs
            else:
                pairs = dict(current.pairs)
                for key, node in self.stack.open(calls).items():
                    add(pairs, node, self.network.entry(key))
                current._opened = tuple(pairs.items())
        return current._opened

    def _finished(self, pairs: Pairs, ended: list[StackNode]) -> Configuration | None:
        if ended:
            pairs = self.returns(pairs, ended)
        return self.of(pairs) if pairs else None

    def returns(self, pairs: Pairs, ended: list[StackNode]) -> Pairs:
        """Return the pairs after all frames that can end have returned, without pairs that can only end.

        ``ended`` are the nodes below frames that can end.
        """
        for node in ended:
            for state, below in self.stack.ends(node):
                add(pairs, below, state)
        return {node: state for node, state in pairs.items() if state.items or not node.edges}


def add(pairs: Pairs, node: StackNode, state: FrameState) -> None:
    known_state = pairs.get(node)
    pairs[node] = state if known_state is None else known_state.join(state)
