"""The chart: the spans that each rule derives in a string, for every context-free grammar.

The pending calls of a grammar's network (``recognizer.network``) are the nodes of a graph-structured stack
(Tomita 1985; GLL: Scott and Johnstone 2010). A node is a rule and the offset of its call, with an edge to
every waiting call, labeled by the return state. The frame of a node is parsed with sets of items, so all
derivations of a rule from one offset proceed together. The node has a span for each offset at which its frame
can end. The chart is Earley's (1970) with the items of a rule merged and uncalled rules inlined.

Parsing takes cubic time in the length of the string at worst, linear time if the number of pending calls is
bounded, and quadratic time for right-recursive lists. The charged steps depend only on the string, not on
earlier strings.

``SpanTable`` extends the spans to the parts of rules. A set of ends is an integer relative to the start: bit
``d`` represents the offset ``d`` characters after the start. So its size is the length of the part's longest
string.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from abnforge.budget import Budget, Meter
from abnforge.charset import AlphabetCompressor, partition
from abnforge.grammar.core import (
    MAX_EMPTY_ITERATIONS,
    Chars,
    Choice,
    Core,
    Node,
    Prose,
    Ref,
    Repeat,
    Seq,
)
from abnforge.grammar.facts import Facts, components
from abnforge.parsing.recognizer.network import FrameState, Network, called_rules

# A node, or a sequence and the index of its first item; and its identity, which all references to a rule
# share.
Part = Node | tuple[Seq, int]
PartKey = str | int | tuple[int, int]

# rule key -> start offset -> ends, as bits
Spans = Mapping[str, Mapping[int, int]]

# Allowed offsets: bit ``d`` of the second integer represents the offset ``d`` characters after the first.
Allowed = tuple[int, int]

# The maximum number of an item's ends that are checked one by one. More ends are checked backwards from the
# allowed offsets, with a cache.
MAX_ENDS_ONE_BY_ONE = 8

# The number of ends checked per step.
ENDS_PER_STEP = 2

# The memory of a table entry without its set, in bytes.
_OCTETS = 250


def bits(value: int) -> Iterator[int]:
    """Return the positions of the set bits, lowest first."""
    while value:
        low = value & -value
        yield low.bit_length() - 1
        value ^= low


def part_key(part: Part) -> PartKey:
    """Return the identity of a part."""
    if isinstance(part, Ref):
        return part.key
    return (id(part[0]), part[1]) if isinstance(part, tuple) else id(part)


def within(ends: int, start: int, allowed: Allowed) -> int:
    """Return the allowed ends of a part that starts at ``start``."""
    low, places = allowed
    length = low - start
    return (ends >> length & places) << length if length >= 0 else ends & places >> -length


class SpanTable:
    """The ends of the parts of all rules in one string, computed lazily and charged to ``meter``.

    ``spans`` must contain every non-empty span in a derivation of the whole string, for the rules in
    ``span_rules`` (None means all rules). The ends of other rules are computed from their bodies, so these
    rules must not be recursive. The recursion depth is the nesting of groups and of such rules. Raises:
    LimitExceeded.
    """

    def __init__(
        self,
        core: Core,
        facts: Facts,
        text: str,
        spans: Spans,
        meter: Meter,
        span_rules: frozenset[str] | None = None,
    ) -> None:
        self._facts = facts
        self._text = text
        self._spans = spans
        self._meter = meter
        self._memo: dict[tuple[int, int, int], int] = {}
        self.repeat = cache(Repeat)  # interned
        self._span_rules = span_rules
        # The rest of a sequence and a start -> the checked ends before the rest, and a map from each offset
        # to the ends whose rest reaches it.
        self._leading: dict[tuple[int, int, int], tuple[int, dict[int, int]]] = {}
        self._of_rules: dict[tuple[str, int], int] = {}
        self.core = core

    def of(self, node: Node, start: int) -> int:
        """Return the ends of a node that starts at ``start``."""
        match node:
            case Chars(charset=charset):
                return 2 if start < len(self._text) and self._text[start] in charset else 0
            case Ref(key=key) if self._span_rules is None or key in self._span_rules:
                ends = self._spans.get(key, {}).get(start, 0)
                return ends | 1 if key in self._facts.nullable else ends
            case Ref(key=key):
                rule_ends = self._of_rules.get((key, start))
                if rule_ends is None:
                    productive = key in self._facts.productive
                    rule_ends = self.of(self.core.rules[key], start) if productive else 0
                    self._of_rules[key, start] = rule_ends
                    self._meter.charge()
                    self._meter.hold(_OCTETS)
                return rule_ends
            case Prose():
                return 0
            case Seq():
                return self.of_rest(node, 0, start)
            case Choice(items=items):
                result = 0
                for item in items:
                    result |= self.of(item, start)
                return result
            case Repeat():
                return self._of_repeat(node, start)

    def of_part(self, part: Part, start: int) -> int:
        """Return the ends of a part that starts at ``start``."""
        return self.of_rest(*part, start) if isinstance(part, tuple) else self.of(part, start)

    def of_rest(self, node: Seq, index: int, start: int) -> int:
        """Return the ends of the sequence ``node.items[index:]`` that starts at ``start``."""
        if index == len(node.items):
            return 1
        if index == len(node.items) - 1:
            return self.of(node.items[index], start)
        ends = self._memo.get((id(node), index, start))
        return self._of_rest(node, index, start) if ends is None else ends

    def _of_rest(self, node: Seq, index: int, start: int) -> int:
        """Compute the ends forward to every reachable offset, then back, without recursion."""
        node_id, last = id(node), len(node.items) - 1
        reached: list[dict[int, tuple[int, ...]]] = []
        places = {start}
        for number in range(index, last):
            ends = {
                place: tuple(place + end for end in bits(self.of(node.items[number], place)))
                for place in places
                if (node_id, number, place) not in self._memo
            }
            reached.append(ends)
            places = {end for ends_here in ends.values() for end in ends_here}
            self._meter.charge(len(ends) + len(places))
            if not places:
                break
        for number in range(index + len(reached) - 1, index - 1, -1):
            for place, ends_here in reached[number - index].items():
                self._memo[node_id, number, place] = self._union(
                    [(end - place, self.of_rest(node, number + 1, end)) for end in ends_here]
                )
        return self._memo[node_id, index, start]

    def _union(self, sets: list[tuple[int, int]]) -> int:
        """Return the union of sets, each shifted by an offset."""
        result = 0
        for length, ends in sets:
            result |= ends << length
        self._meter.hold(_OCTETS + result.bit_length() // 8)
        return result

    def viable_ends(self, node: Seq, index: int, start: int, allowed: Allowed) -> int:
        """Return the ends of an item from which the following items can reach an allowed offset."""
        ends = self.of(node.items[index], start)
        count = ends.bit_count()
        if count > MAX_ENDS_ONE_BY_ONE:
            return self._viable_of_many(node, index + 1, start, ends, allowed)
        self._meter.charge(count // ENDS_PER_STEP)
        viable = 0
        for length in bits(ends):
            middle = start + length
            if within(self.of_rest(node, index + 1, middle), middle, allowed):
                viable |= 1 << length
        return viable

    def _viable_of_many(self, node: Seq, index: int, start: int, ends: int, allowed: Allowed) -> int:
        """Return the ends before the rest of a sequence from which the rest can reach an allowed offset.

        Each end is checked once, since left-recursive lists check smaller and smaller subsets of the same
        ends.
        """
        key = (id(node), index, start)
        looked_at, leading = self._leading.get(key, (0, {}))
        new = ends & ~looked_at
        octets = 0
        for length in bits(new):
            middle = start + length
            further_ends = self.of_rest(node, index, middle)
            self._meter.charge(1 + further_ends.bit_count() // ENDS_PER_STEP)
            for further in bits(further_ends):
                before = leading.get(middle + further, 0)
                leading[middle + further] = before | 1 << length
                octets += 0 if before else _OCTETS + length // 8
        if new:
            self._leading[key] = looked_at | new, leading
            self._meter.hold(octets)
        low, offsets = allowed
        self._meter.charge(offsets.bit_count() // ENDS_PER_STEP)
        result = 0
        for offset in bits(offsets):
            result |= leading.get(low + offset, 0)
        return result & ends

    def _of_repeat(self, node: Repeat, start: int) -> int:
        key = (id(node), -1, start)
        ends = self._memo.get(key)
        if ends is None:
            if node.max is None and node.min == 0:
                return self._of_star(node, start)
            ends = 0
            ends_by_count = self.ends_by_count(node, start)[self.minimum(node) :]
            if node.max is None:
                star = self.repeat(node.item, 0, None)
                for length in bits(ends_by_count[0] if ends_by_count else 0):
                    ends |= self.of(star, start + length) << length
            for count_ends in ends_by_count:
                ends |= count_ends
            self._memo[key] = self._union([(0, ends)])
        return ends

    def _of_star(self, node: Repeat, start: int) -> int:
        """Return the ends of any number of iterations; cache them for every reachable offset, last first."""
        ends: dict[int, tuple[int, ...]] = {}
        stack = [start]
        while stack:
            place = stack.pop()
            if place not in ends and (id(node), -1, place) not in self._memo:
                ends[place] = tuple(place + end for end in bits(self.of(node.item, place) & ~1))
                stack.extend(ends[place])
                self._meter.charge(1 + len(ends[place]))
        for place in sorted(ends, reverse=True):
            further = [(end - place, self._memo[id(node), -1, end]) for end in ends[place]]
            self._memo[id(node), -1, place] = self._union([(0, 1), *further])
        return self._memo[id(node), -1, start]

    def minimum(self, node: Repeat) -> int:
        """Return the minimum number of iterations to parse.

        If the item is nullable, one iteration per character is enough, so a larger minimum adds only empty
        iterations. A tree has at most MAX_EMPTY_ITERATIONS of them.
        """
        if node.min <= MAX_EMPTY_ITERATIONS or not self._facts.is_nullable(node.item):
            return node.min
        return MAX_EMPTY_ITERATIONS

    def after_iteration(self, node: Repeat) -> Repeat:
        """Return the repetition after one more iteration."""
        minimum = self.minimum(node)
        if minimum == 0 and node.max is None:
            return node
        return self.repeat(node.item, max(0, minimum - 1), None if node.max is None else node.max - 1)

    def ends_by_count(self, node: Repeat, start: int) -> list[int]:
        """Return a list whose element k is the ends of k iterations.

        The list stops before a count without ends. Without a maximum it stops at the minimum, since all
        larger counts are equivalent.
        """
        minimum = self.minimum(node)
        maximum = minimum if node.max is None else node.max
        result = [1]
        while len(result) <= maximum:
            count_ends = 0
            for length in bits(result[-1]):
                ends = self.of(node.item, start + length)
                # Iterations beyond the minimum must read a character.
                count_ends |= (ends if len(result) <= minimum else ends & ~1) << length
                self._meter.charge()
            if not count_ends:
                break
            result.append(count_ends)
        return result

    def viable_ends_by_count(self, node: Repeat, start: int, allowed: Allowed) -> list[int]:
        """Return a list whose element k is the ends of k iterations from which ``allowed`` can be reached."""
        ends_by_count = self.ends_by_count(node, start)
        minimum = self.minimum(node)
        self._meter.hold(sum(_OCTETS + count_ends.bit_length() // 8 for count_ends in ends_by_count))
        following = 0
        for count in range(len(ends_by_count) - 1, -1, -1):
            count_ends = 0
            if node.max is None and count == minimum:
                star = self.repeat(node.item, 0, None)
                for length in bits(ends_by_count[count]):
                    if within(self.of(star, start + length), start + length, allowed):
                        count_ends |= 1 << length
            elif count >= minimum:
                count_ends = within(ends_by_count[count], start, allowed)
            for length in bits(ends_by_count[count] & ~count_ends):
                self._meter.charge()
                if self.of(node.item, start + length) << length & following:
                    count_ends |= 1 << length
            ends_by_count[count] = following = count_ends
        return ends_by_count


# The maximum nesting of inlined rules: the span table recurses to this depth.
MAX_INLINED = 8

# The maximum number of network states kept from one string to the next.
MAX_KEPT_STATES = 50_000

# The number of waiting calls, visited before, that are skipped per step.
_CALLERS_PER_STEP = 64

# The memory of a call and of an edge, in bytes.
_NODE_OCTETS = 500
_EDGE_OCTETS = 150


class _Call:
    """A pending call of a rule.

    ``waiting`` maps each return state to the callers; ``ends`` are the lengths that the rule derives from
    ``start``, as bits.
    """

    __slots__ = ("ends", "key", "start", "waiting")

    def __init__(self, key: str, start: int) -> None:
        self.key = key
        self.start = start
        self.waiting: dict[FrameState, set[_Call]] = {}
        self.ends = 0


class Charts:
    """The charts of one grammar's strings. Raises: LimitExceeded if the grammar exceeds the budget."""

    def __init__(self, facts: Facts, budget: Budget) -> None:
        self._facts = facts
        self._budget = budget
        core = facts.core
        meter = budget.meter("calls of the grammar")
        called = called_rules(facts, core.rules, meter)
        self.called = called | _bound_depth(facts, called)
        meter.charge(10 * len(facts.terminals))
        self._classes = partition(facts.terminals)
        self._table = AlphabetCompressor.first_of(self._classes)
        self._network = self._new_network()

    def _new_network(self) -> Network:
        return Network(self._facts, self._facts.core.rules, self.called, self._classes, self._budget)

    def table(self, key: str, text: str, meter: Meter) -> SpanTable | None:
        """Return the span table of a string for its derivations by a rule, or None. Raises: LimitExceeded."""
        spans = self.spans(key, text, meter)
        if spans is None:
            return None
        return SpanTable(self._facts.core, self._facts, text, spans, meter, self.called)

    def spans(self, key: str, text: str, meter: Meter) -> Spans | None:
        """Return all non-empty spans of the called rules, or None if the rule does not derive the string.

        The result can contain spans that are not part of a derivation of the string.
        """
        spans, derived = self._read(key, text, meter)
        return spans if derived else None

    def attempted(self, key: str, text: str, meter: Meter) -> SpanTable:
        """Return the span table of the longest viable prefix of a string."""
        spans, _ = self._read(key, text, meter)
        return SpanTable(self._facts.core, self._facts, text, spans, meter, self.called)

    def _read(self, key: str, text: str, meter: Meter) -> tuple[Spans, bool]:
        """Return the spans of called rules in the viable prefix, and whether the rule derives the string."""
        if self._network.size > MAX_KEPT_STATES:
            self._network = self._new_network()
        root = _Call(key, 0)
        frames = {root: self._network.entry(key)}
        final = frames[root].final
        calls = [root] if key in self.called else []
        for offset, char in enumerate(text.translate(self._table)):
            calls += self._call(frames, offset, meter)
            after: dict[_Call, FrameState] = {}
            ended: list[_Call] = []
            for call, state in frames.items():
                following = state.step(char)
                if following is not None:
                    after[call] = following
                    if following.final:
                        ended.append(call)
            meter.charge(len(frames))
            _return_calls(after, ended, offset + 1, meter)
            final = root in after and after[root].final
            frames = {call: state for call, state in after.items() if state.items}
            if not frames and offset + 1 < len(text):
                final = False
                break
        spans: dict[str, dict[int, int]] = {}
        for call in calls:
            if call.ends:
                starts = spans.setdefault(call.key, {})
                starts[call.start] = starts.get(call.start, 0) | call.ends
        return spans, final

    def _call(self, frames: dict[_Call, FrameState], offset: int, meter: Meter) -> list[_Call]:
        """Call all rules that the frames call, directly or through other rules; return the new calls."""
        calls: dict[str, _Call] = {}
        edges = 0
        waiting = list(frames.items())
        while waiting:
            caller, state = waiting.pop()
            for key, return_state in state.calls:
                call = calls.get(key)
                if call is None:
                    call = calls[key] = _Call(key, offset)
                    frames[call] = self._network.entry(key)
                    waiting.append((call, frames[call]))
                call.waiting.setdefault(return_state, set()).add(caller)
                edges += 1
        meter.charge(len(calls) + edges)
        meter.hold(_NODE_OCTETS * len(calls) + _EDGE_OCTETS * edges)
        return list(calls.values())


def _return_calls(frames: dict[_Call, FrameState], ended: list[_Call], offset: int, meter: Meter) -> None:
    """Continue after the calls that end at an offset, and after calls that end as a result."""
    steps = 0
    ended_calls = set(ended)
    # Many calls can end at one offset, but each caller returns to a state only once.
    returned: dict[FrameState, set[_Call]] = {}
    while ended:
        call = ended.pop()
        call.ends |= 1 << offset - call.start
        for state, callers in call.waiting.items():
            visited = returned.setdefault(state, set())
            others = callers - visited
            visited |= others
            steps += 1 + len(callers) // _CALLERS_PER_STEP + len(others)
            for caller in others:
                other = frames.get(caller)
                frames[caller] = state if other is None else other.join(state)
                if state.final and caller not in ended_calls:
                    ended_calls.add(caller)
                    ended.append(caller)
    meter.charge(steps)


def _bound_depth(facts: Facts, called: frozenset[str]) -> set[str]:
    """Return further rules to call, so that inlined rules are nested at most MAX_INLINED deep."""
    extra: set[str] = set()
    depths: dict[str, int] = {}
    inlined = facts.productive - called
    edges = {
        key: tuple(used for used in facts.references[key] if used in inlined)
        for key in facts.references
        if key in facts.productive
    }
    for (key,) in components(edges):
        depth = 1 + max((depths[used] for used in edges[key]), default=0)
        if depth > MAX_INLINED and key not in called:
            extra.add(key)
            depth = 0
        depths[key] = depth
    return extra
