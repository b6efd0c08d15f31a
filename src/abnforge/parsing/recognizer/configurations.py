"""Configurations: everything that reading a text can have led to, as one state of a deterministic automaton.

A configuration is a set of pairs of a frame state and the stack node below it, and an automaton's state: the
text read so far leads to one, and what follows depends on it alone. It is interned by its pairs, and moves
are kept: ``configuration[char]`` is the next one. So reading is walking a table, as with a finite automaton,
and only where a text leads for the first time is the stack worked on. The theory is that of determinising a
pushdown automaton by its stack languages; the number of configurations is not bounded, which is why the lower
part of deep stacks is kept elsewhere (``cut``), why configurations with many pairs are neither interned
nor kept (``reading.read_grouped``), and why a reader forgets.

A move from pairs by a character: each frame state steps; the rules that it calls are opened, with what these
call before any character is read (``Stack.open``); then frames that may end return to the edges below, and so
on. Pairs that can read nothing more, and pairs that others cover, are dropped: so every pair leads to
acceptance, and reading stops where a text stops being the beginning of one that is derived.

*Deep stacks* are cut, so that configurations stay small and recur. Nesting that is deeper than ever before
leads to new stacks, so to new configurations, although the frames at the top are as they were a few levels
up. So the lower part of a stack is taken out and kept in a list beside the configuration (``Base``): a text
of a hundred thousand brackets needs 27 configurations. A part can be taken out where all stacks pass one
node: a dominator of the bottom in the graph (Prosser 1959). Frames that end return to it when they get there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from abnforge.parsing.recognizer.network import FrameState, Network
from abnforge.parsing.recognizer.stack import MAX_PAIRS, Edge, Stack, StackNode, add_call

# Dominators above which the part below is taken out; half of them stay.
MOST = 8
# Nodes that are looked at in search of them; a configuration with more is taken as it is.
MAX_NODES = 64


def cut(tops: Sequence[StackNode], most: int | None = None) -> StackNode | None:
    """The node below which to take a part out: all stacks from ``tops`` down pass it, with ``most // 2`` such
    nodes above it. None if there are not more than ``most`` of them, or too many nodes.

    Nodes of a left-recursive group are made together, of what lies below any of them (``made_of``), also
    where an edge was left out since others cover it: all ways through these count, and a node can only be
    taken out if none that was made with it lies above it.
    """
    most = MOST if most is None else most
    path: list[StackNode] = []
    index: dict[StackNode, int] = {}
    node = tops[0]
    while node.edges:  # any way down; what all ways pass is on it
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
    found: list[StackNode] = []
    seen: set[StackNode] = set()
    groups: set[int] = set()  # of nodes above the one that is looked at, by what they were made of
    waiting = list(tops)
    furthest = -1
    # A node of the path is passed by all ways if none of those that begin above it leads further.
    for place in range(len(path) - 1):
        while waiting:
            node = waiting.pop()
            if node in index:
                furthest = max(furthest, index[node])
            elif node not in seen:
                if not node.edges:
                    return None
                seen.add(node)
                groups |= _group(node)
                if len(seen) > MAX_NODES:
                    return None
                waiting += node.made_of
        node = path[place]
        if furthest == place and groups.isdisjoint(_group(node)):
            found.append(node)
        groups |= _group(node)
        waiting += node.made_of
    return found[most // 2] if len(found) > most else None


def _group(node: StackNode) -> set[int]:
    """What tells the nodes that were made together with one from all others."""
    return set() if node.group is None else {id(node.group[1])}


def is_large(tops: Iterable[StackNode]) -> bool:
    """Whether there are more than MAX_NODES nodes above the bottom."""
    seen: set[StackNode] = set()
    waiting = list(tops)
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            if len(seen) > MAX_NODES:
                return True
            waiting += [low for _, low in node.edges]
    return False


# A frame's step by a character: the state after it, and the rules that it calls and that read the character,
# each with the state behind the call and the one in the new frame; None if one of these calls others before
# it reads.
Step = tuple[FrameState | None, tuple[tuple[str, FrameState, FrameState], ...] | None]

Kernel = dict[StackNode, FrameState]  # below -> the frame: one pair for each node
Base = tuple[StackNode, "Base"] | None  # what is folded away: its uppermost part, and the rest

_Key = tuple[StackNode, FrameState] | frozenset[tuple[StackNode, FrameState]]

# What a configuration costs, in steps of the budget: itself, each pair, and the items of each frame.
COST, PAIR_COST, ITEM_COST, COMPARE_COST = 4, 8, 2, 4
# And in octets.
OCTETS, PAIR_OCTETS = 900, 400


class Configuration(dict[str, "Configuration"]):
    """Pairs of frames and stacks; as a dict, the next configuration by character, as far as it is known.

    ``accepting``: the text may end here. ``returning``: a frame that may end lies directly over what is
    folded away. ``folded`` is the same with a part of its stack taken out, and that part. ``moves`` has what
    the dict has not: moves that end, and those behind which something is folded or taken back.
    """

    __slots__ = (
        "_opened",
        "accepting",
        "cost",
        "folded",
        "large",
        "moves",
        "octets",
        "pairs",
        "returning",
        "unfolded",
    )

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__

    def __init__(self, pairs: tuple[tuple[StackNode, FrameState], ...]) -> None:
        super().__init__()
        self.pairs = pairs
        self.accepting = False
        self.returning = False
        self.cost = COST + sum(PAIR_COST + ITEM_COST * len(state.items) for _, state in pairs)
        if 1 < len(pairs) <= MAX_PAIRS:  # each was compared with each
            self.cost += COMPARE_COST * len(pairs) ** 2
        self.octets = OCTETS + PAIR_OCTETS * len(pairs)
        self.folded: tuple[StackNode, Configuration] | None = None
        self.large: bool | None = None
        self.moves: dict[str, Configuration | None] = {}
        self.unfolded: dict[StackNode, Configuration] = {}
        self._opened: tuple[tuple[StackNode, FrameState], ...] | None = None

    def forget(self) -> None:
        """Drop what leads to other configurations."""
        self.clear()
        self.moves = {}
        self.unfolded = {}
        self._opened = None


class Configurations:
    """The configurations over one network, and the moves between them."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.stack = Stack(network)
        self._known: dict[_Key, Configuration] = {}
        self._starts: dict[str, Configuration] = {}
        self._steps: dict[tuple[FrameState, str], Step] = {}

    @property
    def size(self) -> int:
        """How many configurations and stack nodes there are."""
        return len(self._known) + self.stack.size + self.network.size

    def forget(self) -> None:
        """Drop everything. Configurations in use stay valid, and lead to new ones."""
        for configuration in self._known.values():
            configuration.forget()
        self._known = {}
        self._starts = {}
        self._steps = {}
        self.stack.forget()
        self.network.forget()

    def start(self, key: str) -> Configuration:
        """The configuration before a text is read by a rule."""
        found = self._starts.get(key)
        if found is None:
            found = self._starts[key] = self.of({self.stack.root: self.network.entry(key)})
        return found

    def of(self, kernel: Kernel, *, deep: bool = True) -> Configuration:
        """The configuration with some pairs. One that is not ``deep`` has had a part of its stack taken out;
        no other one is taken out of it.
        """
        if 1 < len(kernel) <= MAX_PAIRS:
            kept = self.stack.subsumption.reduced([(state, node) for node, state in kernel.items()])
            if len(kept) < len(kernel):
                kernel = {node: state for state, node in kept}
        key: _Key
        if len(kernel) == 1:
            (key,) = kernel.items()
        else:
            key = frozenset(kernel.items())
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._made(kernel, deep)
        return found

    def _made(self, kernel: Kernel, deep: bool) -> Configuration:
        made = Configuration(tuple(kernel.items()))
        at_root, at_rest = kernel.get(self.stack.root), kernel.get(self.stack.rest)
        made.accepting = at_root is not None and at_root.final
        made.returning = at_rest is not None and at_rest.final
        if deep and not made.returning:
            node = cut(list(kernel))
            if node is not None:
                made.folded = node, self.of(self._over(kernel, node, self.stack.rest), deep=False)
        return made

    def _over(self, kernel: Kernel, old: StackNode, new: StackNode) -> Kernel:
        """The same pairs with a node in the place of another one."""
        moved = self.stack.over(list(kernel), old, new)
        result: Kernel = {}
        for node, state in kernel.items():
            add(result, moved[node], state)
        return result

    def next(self, current: Configuration, char: str, base: Base) -> tuple[Configuration | None, Base]:
        """The configuration after a character, None if nothing reads it, and what is folded away then.

        Keeps the move where it leaves alone what is folded away.
        """
        try:
            found = current.moves[char]
        except KeyError:
            found = current.moves[char] = self._move(current, char)
        if found is None:
            return None, base
        if not found.returning and found.folded is None:
            current[char] = found
            return found, base
        return self.settle(found, base)

    def settle(self, current: Configuration, base: Base) -> tuple[Configuration, Base]:
        """The same configuration after taking back what frames return to, and folding away what is deep."""
        while current.returning:
            assert base is not None
            if current.large is None:
                current.large = is_large([node for node, _ in current.pairs])
            if current.large:
                current, base = self._flat(current, base)
                break
            node, base = base
            found = current.unfolded.get(node)
            if found is None:
                found = current.unfolded[node] = self._returned(current, node)
            current = found
        while current.folded is not None:
            node, current = current.folded
            base = node, base
        return current, base

    def _returned(self, current: Configuration, node: StackNode) -> Configuration:
        """A configuration with a folded part in its stack again, to which its frames have returned."""
        kernel = self._over(dict(current.pairs), self.stack.rest, node)
        return self.of(self.returns(kernel, [node]))

    def _flat(self, current: Configuration, base: Base) -> tuple[Configuration, Base]:
        """A large configuration with all that is folded away in its stack again, at once."""
        parts: list[StackNode] = []
        while base is not None:
            part, base = base
            parts.append(part)
        below = parts.pop()  # over the root
        while parts:
            part = parts.pop()
            below = self.stack.over([part], self.stack.rest, below)[part]
        kernel = self._over(dict(current.pairs), self.stack.rest, below)
        return self.of(self.returns(kernel, [below])), None

    def _move(self, current: Configuration, char: str) -> Configuration | None:
        kernel: Kernel = {}
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
                add(kernel, node, target)
                if target.final:
                    ended.append(node)
            for key, behind, entered in calls:
                if key not in opened:
                    opened[key] = entered, set()
                add_call(opened[key][1], behind, node)
        for entered, edges in opened.values():
            node = self.stack.node(edges)
            add(kernel, node, entered)
            if entered.final:
                ended.append(node)
        return self._finished(kernel, ended)

    def _step(self, state: FrameState, char: str) -> Step:
        network = self.network
        calls = []
        for key, behind in state.calls:
            entry = network.entry(key)
            if entry.calls:
                return state.step(char), None
            entered = entry.step(char)
            if entered is not None:
                calls.append((key, behind, entered))
        return state.step(char), tuple(calls)

    def _move_through_corners(self, current: Configuration, char: str) -> Configuration | None:
        kernel: Kernel = {}
        ended: list[StackNode] = []
        for node, state in self.opened(current):
            target = state.step(char)
            if target is not None:
                add(kernel, node, target)
                if target.final:
                    ended.append(node)
        return self._finished(kernel, ended)

    def opened(self, current: Configuration) -> Sequence[tuple[StackNode, FrameState]]:
        """The pairs, and those of all frames that are opened before a character is read."""
        if current._opened is None:
            calls: dict[str, set[Edge]] = {}
            for node, state in current.pairs:
                for key, behind in state.calls:
                    add_call(calls.setdefault(key, set()), behind, node)
            if not calls:
                current._opened = current.pairs
            else:
                kernel = dict(current.pairs)
                for key, node in self.stack.open(calls).items():
                    add(kernel, node, self.network.entry(key))
                current._opened = tuple(kernel.items())
        return current._opened

    def _finished(self, kernel: Kernel, ended: list[StackNode]) -> Configuration | None:
        if ended:
            kernel = self.returns(kernel, ended)
        return self.of(kernel) if kernel else None

    def returns(self, kernel: Kernel, ended: list[StackNode]) -> Kernel:
        """The pairs after all frames that may end have returned, without those that can only end.

        ``ended`` are the nodes below frames that may end.
        """
        for node in ended:
            for state, below in self.stack.ends(node):
                add(kernel, below, state)
        return {node: state for node, state in kernel.items() if state.items or not node.edges}


def add(kernel: Kernel, node: StackNode, state: FrameState) -> None:
    """Add a pair."""
    known = kernel.get(node)
    kernel[node] = state if known is None else known.join(state)
