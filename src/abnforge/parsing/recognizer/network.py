"""The network of a grammar: the parse within one frame of the stack, determinized lazily.

In a recursive transition network (Woods 1970), the body of a rule is parsed by a finite automaton. A *called*
rule (``calls``) is parsed in its own frame, and the end of its body returns to the state after the call. An
``Item`` is the unread rest of a frame: a partial derivative (Antimirov 1996) as a linked list, like the
dotted items of Earley (1970). A ``FrameState`` is a set of items: the subset construction within the frame.

A nullable called rule is also skipped at its call. So no frame ends where it began, and hidden left
recursion, cycles and nullable rules are parsed exactly.

*Counts.* Among items that differ only in the counts of their repetitions, covered items are dropped: the rest
of ``*998x`` after five iterations is contained in its rest after four. If ``x`` is nullable, or several
consecutive ``x`` are again one ``x``, all 998 counts would otherwise be alive together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import count

from abnforge.budget import Budget, Meter
from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Choice, Node, Prose, Ref, Repeat, Seq, factored
from abnforge.grammar.facts import Facts, components, walk

# The maximum number of items of one shape that are compared; larger groups are kept unchanged.
MAX_COMPARED = 64

ENDLESS = 10**18  # the count of an unlimited repetition


class Shape:
    """The identity shared by items that differ only in their counts."""

    __slots__ = ()


class Item:
    """The unread rest of a frame: a node (for a sequence, its items from ``index``), then ``rest``.

    ``counts`` are the limits of the bounded repetitions in progress, innermost first: pairs of the minimum
    and maximum of remaining iterations. ``loose`` means that these differ in a pair. ``reads`` are the
    representatives of the character classes that the item reads; ``after`` is the closure after it.
    """

    __slots__ = ("after", "closed", "counts", "index", "loose", "reads", "rest", "shape", "task")

    def __init__(
        self,
        task: Node,
        index: int,
        rest: Item | None,
        shape: Shape,
        counts: tuple[tuple[int, int], ...],
    ) -> None:
        self.task = task
        self.index = index
        self.rest = rest
        self.shape = shape
        self.counts = counts
        self.loose = any(least != most for least, most in counts)
        self.reads: frozenset[str] = frozenset()
        self.after: tuple[frozenset[Item], bool] | None = None
        self.closed: tuple[frozenset[Item], bool] | None = None


def prune_dominated(items: frozenset[Item]) -> frozenset[Item]:
    """Return the items without those that the counts of another item of the same shape cover."""
    groups: dict[Shape, list[Item]] = {}
    for item in items:
        if item.counts:
            groups.setdefault(item.shape, []).append(item)
    dropped: list[Item] = []
    for group in groups.values():
        # Exact counts do not cover one another.
        if len(group) > 1 and any(item.loose for item in group):
            dropped += _find_dominated(group)
    return items.difference(dropped) if dropped else items


def covers_all(larger: frozenset[Item], smaller: frozenset[Item]) -> bool:
    """Return whether each smaller item is one of the larger items or is covered by one's counts."""
    rest = smaller - larger
    return not rest or (
        len(rest) <= MAX_COMPARED
        and len(larger) <= MAX_COMPARED
        and all(
            item.counts and any(other.shape is item.shape and _allows_counts(other, item) for other in larger)
            for item in rest
        )
    )


def _find_dominated(group: list[Item]) -> Iterator[Item]:
    if len(group[0].counts) == 1:
        furthest = -1
        for item in sorted(group, key=_widest_first):
            if item.counts[0][1] <= furthest:
                yield item
            furthest = max(furthest, item.counts[0][1])
    elif len(group) <= MAX_COMPARED:
        yield from (item for item in group if any(_allows_counts(other, item) for other in group))


def _widest_first(item: Item) -> tuple[int, int]:
    ((least, most),) = item.counts
    return least, -most


def _allows_counts(larger: Item, smaller: Item) -> bool:
    """Return whether all counts of one item cover those of another; they differ, since items are interned."""
    return larger is not smaller and all(
        least <= other_least and most >= other_most
        for (least, most), (other_least, other_most) in zip(larger.counts, smaller.counts, strict=True)
    )


# The cost of visiting an item, in steps.
FOLLOW_COST = 3


class FrameState:
    """A state of a frame: the items that wait for a character or a call, and whether the frame can end.

    ``only_returns`` means that the frame can only end. Equal states are identical.
    """

    __slots__ = (
        "_calls",
        "_covers",
        "_joined",
        "_moves",
        "_network",
        "final",
        "items",
        "number",
        "only_returns",
    )

    def __init__(self, network: Network, items: frozenset[Item], final: bool) -> None:
        self._network = network
        self._calls: tuple[tuple[str, FrameState], ...] | None = None
        self._covers: dict[FrameState, bool] = {self: True}
        self._joined: dict[FrameState, FrameState] = {}
        self._moves: dict[str, FrameState | None] = {}
        self.items = items
        self.final = final
        self.number = network.count()
        self.only_returns = final and not items

    def step(self, char: str) -> FrameState | None:
        """Return the state after the representative of a character's class, or None."""
        try:
            return self._moves[char]
        except KeyError:
            following = self._moves[char] = self._network.step(self, char)
            return following

    @property
    def calls(self) -> tuple[tuple[str, FrameState], ...]:
        """Return the called rules, each with the state to return to."""
        if self._calls is None:
            self._calls = self._network.returns(self)
        return self._calls

    def join(self, other: FrameState) -> FrameState:
        """Return the union of two states."""
        if other is self:
            return self
        union = self._joined.get(other)
        if union is None:
            union = self._network.state(self.items | other.items, self.final or other.final)
            self._joined[other] = union
        return union

    def covers(self, other: FrameState) -> bool:
        """Return whether this state's items provably cover those of the other state."""
        result = self._covers.get(other)
        if result is None:
            result = self.final >= other.final and covers_all(self.items, other.items)
            self._covers[other] = result
        return result


class Network:
    """The items and frame states of one grammar.

    ``bodies`` are the bodies of its rules as parsed; ``called`` are the rules that have frames. Methods raise
    LimitExceeded if the closure of one item costs more than ``budget.steps``.
    """

    def __init__(
        self,
        facts: Facts,
        bodies: Mapping[str, Node],
        called: frozenset[str],
        classes: Iterable[CharSet],
        budget: Budget,
    ) -> None:
        self.facts = facts
        self.called = called
        self.bodies = bodies
        self.budget = budget
        self._symbols = [charset.min() for charset in classes]
        self._members: dict[int, frozenset[str]] = {}
        self.is_nullable = cache(facts.is_nullable)
        self.is_productive = cache(facts.is_productive)
        self.alternatives = cache(factored)
        self._repeat = cache(Repeat)
        self.count = count().__next__  # numbers define a deterministic order of objects
        self.forget()

    def forget(self) -> None:
        """Drop all items and states; those in use stay valid, but are not identical to equal new ones."""
        self._items: dict[tuple[int | str, int, int], Item] = {}
        self._shapes: dict[tuple[object, ...], Shape] = {}
        self._states: dict[tuple[frozenset[Item], bool], FrameState] = {}
        self._entries: dict[str, FrameState] = {}
        self._corners: dict[str, LeftCornerGroup] = {}

    @property
    def size(self) -> int:
        return len(self._items) + len(self._states)

    def entry(self, key: str) -> FrameState:
        """Return the state at the start of a rule's frame."""
        state = self._entries.get(key)
        if state is None:
            if self.facts.productive.isdisjoint((key,)):
                state = self.state(frozenset(), False)
            else:
                state = self.state(*self._closure(self.item(self.bodies[key], None)))
            self._entries[key] = state
        return state

    def corners(self, key: str) -> LeftCornerGroup:
        """Return the left-corner group of a called rule."""
        group = self._corners.get(key)
        if group is None:
            self._find_corners(key)
            group = self._corners[key]
        return group

    def _find_corners(self, key: str) -> None:
        def calls(rule: str) -> tuple[str, ...]:
            return tuple(name for name, _ in self.entry(rule).calls)

        for members, corners, recursive in find_corners(key, calls, self._corners):
            reached = set(members).union(*(self._corners[corner].reached for corner in corners))
            # Each group comes after all groups that it reaches, so callers have higher ranks.
            left_corners = LeftCornerGroup(members, frozenset(reached), len(self._corners), recursive)
            self._corners.update(dict.fromkeys(members, left_corners))

    def state(self, items: frozenset[Item], final: bool) -> FrameState:
        """Return the state of a set of items."""
        key = (items, final)
        state = self._states.get(key)
        if state is None:
            pruned = prune_dominated(items)
            state = FrameState(self, items, final) if pruned is items else self.state(pruned, final)
            self._states[key] = state
        return state

    def step(self, state: FrameState, char: str) -> FrameState | None:
        """Return the state after a character, or None. Complexity: linear in the items."""
        items: set[Item] = set()
        final = False
        for item in state.items:
            if char in item.reads:
                more, ends = item.after or self.after(item)
                items.update(more)
                final = final or ends
        return self.state(frozenset(items), final) if items or final else None

    def returns(self, state: FrameState) -> tuple[tuple[str, FrameState], ...]:
        """Return the rules called in a state, each with the state to return to."""
        items_by_rule: dict[str, tuple[frozenset[Item], bool]] = {}
        for item in state.items:
            if type(item.task) is Ref:
                items, final = item.after or self.after(item)
                known_items, ends = items_by_rule.get(item.task.key, (frozenset(), False))
                items_by_rule[item.task.key] = known_items | items, ends or final
        return tuple((key, self.state(*items_by_rule[key])) for key in sorted(items_by_rule))

    def after(self, item: Item) -> tuple[frozenset[Item], bool]:
        """Return the items after an item has read its character or call, and whether the frame can end."""
        if item.after is None:
            item.after = self._closure(item.rest)
        return item.after

    def _readable(self, node: Chars) -> frozenset[str]:
        """Return the representatives of the character classes that a node reads."""
        representatives = self._members.get(id(node))
        if representatives is None:
            representatives = frozenset(char for char in self._symbols if char in node.charset)
            self._members[id(node)] = representatives
        return representatives

    def _closure(self, item: Item | None) -> tuple[frozenset[Item], bool]:
        """Return the items that wait for a character or a call, and whether the frame can end."""
        if item is None:
            return frozenset(), True
        if item.closed is None:
            item.closed = self._follow(item)
        return item.closed

    def _follow(self, origin: Item) -> tuple[frozenset[Item], bool]:
        result: list[Item] = []
        final = False
        most = self.budget.steps // FOLLOW_COST
        seen: set[Item] = set()
        stack: list[Item | None] = [origin]
        while stack:
            item = stack.pop()
            if item is None:
                final = True
                continue
            if item in seen:
                continue
            seen.add(item)
            if len(seen) > most:
                self.budget.meter("lookahead of the grammar").charge(FOLLOW_COST * len(seen))
            task, rest = item.task, item.rest
            match task:
                case Chars():
                    result.append(item)
                case Ref(key=key):
                    if key in self.called:
                        if key in self.facts.productive:
                            result.append(item)
                        if key in self.facts.nullable:
                            stack.append(rest)
                    elif key in self.facts.productive:
                        stack.append(self.item(self.bodies[key], rest))
                case Seq(items=items):
                    if item.index == len(items):
                        stack.append(rest)
                    elif item.index or self.is_productive(task):
                        last = item.index == len(items) - 1
                        return_state = rest if last else self.item(task, rest, item.index + 1)
                        stack.append(self.item(items[item.index], return_state))
                case Choice():
                    stack.extend(self.item(one, rest) for one in self.alternatives(task))
                case Repeat(item=one):
                    # Mandatory iterations of a nullable item can be empty.
                    least = 0 if self.is_nullable(one) else task.min
                    if least == 0:
                        stack.append(rest)
                    if task.max != 0 and self.is_productive(one):
                        again = self._after_iteration(item, task, least)
                        stack.append(self.item(one, again))
                        if least == 0 and again is not None and again is not rest:
                            # After an empty iteration nothing follows that does not also follow here.
                            seen.add(again)
                case Prose():
                    pass
        return prune_dominated(frozenset(result)), final

    def _after_iteration(self, item: Item, task: Repeat, least: int) -> Item | None:
        if task.max is None and task.min == 0:
            return item
        if task.max == 1:
            return item.rest
        maximum = None if task.max is None else task.max - 1
        return self.item(self._repeat(task.item, max(0, least - 1), maximum), item.rest)

    def item(self, task: Node, rest: Item | None, index: int = 0) -> Item:
        key = (task.key if type(task) is Ref else id(task), index, id(rest))
        result = self._items.get(key)
        if result is None:
            counts = () if rest is None else rest.counts
            below = None if rest is None else rest.shape
            shape_key: tuple[object, ...]
            if type(task) is Repeat and (task.min, task.max) not in ((0, None), (0, 1)):
                shape_key = ("count", id(task.item), below, None)
                counts = ((task.min, ENDLESS if task.max is None else task.max), *counts)
            else:
                shape_key = (key[0], index, below)
            shape = self._shapes.get(shape_key)
            if shape is None:
                shape = self._shapes[shape_key] = Shape()
            result = self._items[key] = Item(task, index, rest, shape, counts)
            if type(task) is Chars:
                result.reads = self._readable(task)
        return result

    def repetition(self, task: Repeat, iterations: int, rest: Item | None) -> Item:
        """Return the item of a repetition after some iterations."""
        if iterations:
            least = 0 if self.is_nullable(task.item) else max(0, task.min - iterations)
            maximum = None if task.max is None else task.max - iterations
            task = self._repeat(task.item, least, maximum)
        return self.item(task, rest)


def find_corners(
    key: str, calls: Callable[[str], tuple[str, ...]], known: Mapping[str, object]
) -> Iterator[tuple[tuple[str, ...], set[str], bool]]:
    """Yield the left-corner groups that a rule reaches and that are not known, each after those it reaches.

    ``calls`` returns the rules that a rule calls before the first character. A group consists of its members,
    the further rules that they call, and whether it is recursive. The caller adds each group to ``known``.
    """
    edges: dict[str, tuple[str, ...]] = {}
    pending = [key]
    while pending:
        rule = pending.pop()
        if rule not in edges:
            edges[rule] = calls(rule)
            pending += edges[rule]
    for group in components(edges):
        if group[0] not in known:
            corners = {corner for member in group for corner in edges[member]}
            yield tuple(group), corners.difference(group), not corners.isdisjoint(group)


class LeftCornerGroup:
    """Called rules that call one another before the first character; most groups have one member.

    ``reached`` are the members and all rules that they call in this way; ``rank`` is higher than that of
    every other group reached. ``recursive`` means that the members are left-recursive.
    """

    __slots__ = ("members", "rank", "reached", "recursive")

    def __init__(self, members: tuple[str, ...], reached: frozenset[str], rank: int, recursive: bool) -> None:
        self.members = members
        self.reached = reached
        self.rank = rank
        self.recursive = recursive


# The recognizer calls some rules, each with a frame on its stack, and inlines all others.
#
# A network without calls is a finite automaton, so only as many rules are called as recursion requires. These
# form a feedback vertex set of the references between non-regular rules: a set that breaks every cycle.
# Finding a smallest set is NP-complete (Karp 1972); this search is greedy. JSON needs one called rule,
# ``value``; TOML needs two.
#
# A body with all rules inlined can be exponentially larger than the grammar. If a body would exceed MAX_BODY
# nodes, its largest parts are called as well, which changes only the stack.


# The maximum number of nodes of a body with its uncalled rules inlined.
MAX_BODY = 400

# The share of a large mutually recursive group that each round of the greedy search chooses.
_SHARE_PER_ROUND = 0.05


def called_rules(
    facts: Facts, bodies: Mapping[str, Node], meter: Meter, most: int | None = MAX_BODY
) -> frozenset[str]:
    """Return the rules to call, by key.

    ``bodies`` are the rules' bodies as parsed; ``most`` is the limit on the nodes of a body with its uncalled
    rules inlined, or None. Complexity: linear in the grammar for each called rule.
    """
    uses = {
        key: [node.key for node in walk(body) if isinstance(node, Ref) and node.key in facts.productive]
        for key, body in bodies.items()
        if key in facts.productive
    }
    meter.charge((sum(map(len, uses.values())) + len(bodies)) // 4)
    called = set(feedback_vertex_set({key: set(used) for key, used in uses.items()}, meter))
    if most is not None:
        called.update(_bound_bodies(bodies, uses, called, most, meter))
    return frozenset(called)


def feedback_vertex_set(edges: dict[str, set[str]], meter: Meter) -> Iterator[str]:
    """Yield rules whose removal breaks every cycle of references."""
    pending = [edges]
    while pending:
        graph = pending.pop()
        for group in components({key: tuple(sorted(targets)) for key, targets in graph.items()}):
            if len(group) == 1 and group[0] not in graph[group[0]]:
                continue
            members = set(group)
            inside = {key: graph[key] & members for key in group}
            meter.charge(sum(map(len, inside.values())))
            entering = dict.fromkeys(group, 0)
            for targets in inside.values():
                for target in targets:
                    entering[target] += 1
            # Rules on many cycles come first: rules that call themselves, then rules with many edges in and
            # out.
            ranked = sorted(
                group, key=lambda key: (key not in inside[key], -entering[key] * len(inside[key]), key)
            )
            chosen = set(ranked[: max(1, int(len(group) * _SHARE_PER_ROUND))])
            yield from chosen
            pending.append({key: targets - chosen for key, targets in inside.items() if key not in chosen})


def _bound_bodies(
    bodies: Mapping[str, Node], uses: Mapping[str, list[str]], called: set[str], most: int, meter: Meter
) -> Iterator[str]:
    """Return further rules to call so that inlining does not make a body exceed ``most`` nodes."""
    extra: set[str] = set()
    sizes: dict[str, int] = {}
    edges = {key: tuple(dict.fromkeys(u for u in used if u not in called)) for key, used in uses.items()}
    for (key,) in components(edges):
        size = sum(1 for _ in walk(bodies[key]))
        meter.charge(size // 10)
        parts = [part for part in uses[key] if part not in called and part not in extra]
        size += sum(sizes[part] for part in parts)
        if size > most:
            counts = {part: parts.count(part) for part in edges[key] if part not in extra}
            for part in sorted(counts, key=lambda part: (-sizes[part] * counts[part], part)):
                if size <= most or sizes[part] == 1:
                    break
                size -= (sizes[part] - 1) * counts[part]
                extra.add(part)
        sizes[key] = size
    return iter(extra)
