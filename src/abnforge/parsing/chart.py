"""Which parts of a text each rule derives: a chart, for every context-free grammar.

The calls of a grammar's network (``recognizer.network``) that are under way are the nodes of a graph-
structured stack (Tomita 1985; Scott and Johnstone 2010, GLL): a rule and the place where it was called,
with an edge to every call that waits for it, and the state to return to. A node's frame is read as an
automaton of sets of items, so all ways to read a rule from one place go side by side; where the frame may
end, the node has a span. The chart is that of Earley (1970) with items of a rule put together, and rules
written out that are not called.

Cost: at worst cubic in the length of the text; linear where the number of calls under way is bounded. A
list by recursion to the right is quadratic. Charged to a meter by what the text asks for, whatever was read
before.

*Ends.* ``Ends`` returns where a part of a rule can end, if it starts at an offset. Sets of offsets are
integers, relative to the place where the part starts: bit ``d`` stands for ``d`` characters behind it. So
they are as large as what the part can derive, wherever in the text that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
from abnforge.grammar.facts import Facts, components, terminals
from abnforge.parsing.recognizer.calls import called_rules
from abnforge.parsing.recognizer.network import FrameState, Network

# rule key -> start offset -> ends, as bits
Spans = Mapping[str, Mapping[int, int]]

# Offsets that are allowed: bit ``d`` of the second stands for ``d`` characters behind the first.
Allowed = tuple[int, int]

# Of so many ends what follows is looked at one by one; of more, the other way round, which is kept.
FEW = 8

# Ends that are looked at in a step of the budget.
ENDS_A_STEP = 2

# What an entry of the memo takes in octets, besides its set.
_OCTETS = 250


def bits(value: int) -> Iterator[int]:
    """The positions of the bits that are set, lowest first."""
    while value:
        low = value & -value
        yield low.bit_length() - 1
        value ^= low


def within(ends: int, start: int, allowed: Allowed) -> int:
    """Those ends of a part that starts at ``start`` that are allowed."""
    low, places = allowed
    behind = low - start
    return (ends >> behind & places) << behind if behind >= 0 else ends & places >> -behind


class Ends:
    """The ends of the parts of all rules in one text. Everything is kept, and charged to ``meter``.

    ``spans`` must hold every span that takes part in a derivation of the whole text, but for empty ones; of
    rules that are not among ``known`` it need not tell any, since what their bodies' parts derive tells them
    (None: it tells of all rules). Recurses with the nesting of groups, and of rules that are not known: these
    must not be recursive. Raises LimitExceeded.
    """

    def __init__(
        self,
        core: Core,
        facts: Facts,
        text: str,
        spans: Spans,
        meter: Meter,
        known: frozenset[str] | None = None,
    ) -> None:
        self._facts = facts
        self._text = text
        self._spans = spans
        self._meter = meter
        self._memo: dict[tuple[int, int, int], int] = {}
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._known = known
        # Of the rest of a sequence that starts somewhere: the ends of what is before that were looked at, and
        # for a place those that lead there.
        self._leading: dict[tuple[int, int, int], tuple[int, dict[int, int]]] = {}
        self._of_rules: dict[tuple[str, int], int] = {}
        self.core = core

    def of(self, node: Node, start: int) -> int:
        """The ends of a node that starts at ``start``."""
        match node:
            case Chars(charset=charset):
                return 2 if start < len(self._text) and self._text[start] in charset else 0
            case Ref(key=key) if self._known is None or key in self._known:
                ends = self._spans.get(key, {}).get(start, 0)
                return ends | 1 if key in self._facts.nullable else ends
            case Ref(key=key):
                found = self._of_rules.get((key, start))
                if found is None:
                    productive = key in self._facts.productive
                    found = self.of(self.core.rules[key], start) if productive else 0
                    self._of_rules[key, start] = found
                    self._meter.charge()
                    self._meter.hold(_OCTETS)
                return found
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

    def of_rest(self, node: Seq, index: int, start: int) -> int:
        """The ends of ``node.items[index:]`` when it starts at ``start``."""
        if index == len(node.items):
            return 1
        if index == len(node.items) - 1:
            return self.of(node.items[index], start)
        found = self._memo.get((id(node), index, start))
        return self._of_rest(node, index, start) if found is None else found

    def _of_rest(self, node: Seq, index: int, start: int) -> int:
        """Forward to every place that the items reach, then back; a literal is a sequence of any length."""
        me, last = id(node), len(node.items) - 1
        reached: list[dict[int, tuple[int, ...]]] = []
        places = {start}
        for number in range(index, last):
            ends = {
                place: tuple(place + end for end in bits(self.of(node.items[number], place)))
                for place in places
                if (me, number, place) not in self._memo
            }
            reached.append(ends)
            places = {end for found in ends.values() for end in found}
            self._meter.charge(len(ends) + len(places))
            if not places:
                break
        for number in range(index + len(reached) - 1, index - 1, -1):
            for place, found in reached[number - index].items():
                self._memo[me, number, place] = self._union(
                    [(end - place, self.of_rest(node, number + 1, end)) for end in found]
                )
        return self._memo[me, index, start]

    def _union(self, sets: list[tuple[int, int]]) -> int:
        """All of some sets, for the memo, each relative to a place that is so far behind."""
        result = 0
        for behind, one in sets:
            result |= one << behind
        self._meter.hold(_OCTETS + result.bit_length() // 8)
        return result

    def that_lead_on(self, node: Seq, index: int, start: int, allowed: Allowed) -> int:
        """The ends of an item that starts at ``start`` from which the items behind it lead to an allowed
        place.
        """
        ends = self.of(node.items[index], start)
        count = ends.bit_count()
        if count > FEW:
            return self._leading_on(node, index + 1, start, ends, allowed)
        self._meter.charge(count // ENDS_A_STEP)
        found = 0
        for behind in bits(ends):
            middle = start + behind
            if within(self.of_rest(node, index + 1, middle), middle, allowed):
                found |= 1 << behind
        return found

    def _leading_on(self, node: Seq, index: int, start: int, ends: int, allowed: Allowed) -> int:
        """Those of some ends, of what starts at ``start``, from which the rest of a sequence leads to an
        allowed place.

        Each is looked at once, whoever asks: lists by left recursion ask with ever fewer of the same.
        """
        key = (id(node), index, start)
        looked_at, leading = self._leading.get(key, (0, {}))
        new = ends & ~looked_at
        octets = 0
        for behind in bits(new):
            middle = start + behind
            found = self.of_rest(node, index, middle)
            self._meter.charge(1 + found.bit_count() // ENDS_A_STEP)
            for further in bits(found):
                before = leading.get(middle + further, 0)
                leading[middle + further] = before | 1 << behind
                octets += 0 if before else _OCTETS + behind // 8
        if new:
            self._leading[key] = looked_at | new, leading
            self._meter.hold(octets)
        low, offsets = allowed
        self._meter.charge(offsets.bit_count() // ENDS_A_STEP)
        result = 0
        for offset in bits(offsets):
            result |= leading.get(low + offset, 0)
        return result & ends

    def _of_repeat(self, node: Repeat, start: int) -> int:
        key = (id(node), -1, start)
        found = self._memo.get(key)
        if found is None:
            if node.max is None and node.min == 0:
                return self._of_star(node, start)
            found = 0
            fronts = self.fronts(node, start)[self.minimum(node) :]
            if node.max is None:
                star = self.repeat(node.item, 0, None)
                for behind in bits(fronts[0] if fronts else 0):
                    found |= self.of(star, start + behind) << behind
            for front in fronts:
                found |= front
            self._memo[key] = self._union([(0, found)])
        return found

    def _of_star(self, node: Repeat, start: int) -> int:
        """The closure of the item's ends. Fills the memo for every place on the way, last ones first."""
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

    def repeat(self, item: Node, minimum: int, maximum: int | None) -> Repeat:
        """A repetition of an item; the same one each time."""
        key = (id(item), minimum, maximum)
        found = self._repeats.get(key)
        if found is None:
            found = self._repeats[key] = Repeat(item, minimum, maximum)
        return found

    def minimum(self, node: Repeat) -> int:
        """The iterations a repetition must have.

        A nullable item can do all its work in one iteration a character, so a larger minimum asks
        for nothing but empty iterations; beyond MAX_EMPTY_ITERATIONS they are left out of the tree.
        """
        if node.min <= MAX_EMPTY_ITERATIONS or not self._facts.is_nullable(node.item):
            return node.min
        return MAX_EMPTY_ITERATIONS

    def fronts(self, node: Repeat, start: int) -> list[int]:
        """Element k: where k iterations can end, relative to ``start``. Stops when no further count adds
        anything; without a maximum, at the minimum, from where on one count is as good as another.
        """
        minimum = self.minimum(node)
        most = minimum if node.max is None else node.max
        result = [1]
        while len(result) <= most:
            front = 0
            for behind in bits(result[-1]):
                ends = self.of(node.item, start + behind)
                # Beyond the minimum an iteration must consume something.
                front |= (ends if len(result) <= minimum else ends & ~1) << behind
                self._meter.charge()
            if not front:
                break
            result.append(front)
        return result

    def allowed_fronts(self, node: Repeat, start: int, allowed: Allowed) -> list[int]:
        """Element k: where k iterations may end so that further ones, or none, end in ``allowed``."""
        fronts = self.fronts(node, start)
        minimum = self.minimum(node)
        self._meter.hold(sum(_OCTETS + front.bit_length() // 8 for front in fronts))
        following = 0
        for count in range(len(fronts) - 1, -1, -1):
            front = 0
            if node.max is None and count == minimum:
                star = self.repeat(node.item, 0, None)
                for behind in bits(fronts[count]):
                    if within(self.of(star, start + behind), start + behind, allowed):
                        front |= 1 << behind
            elif count >= minimum:
                front = within(fronts[count], start, allowed)
            for behind in bits(fronts[count] & ~front):
                self._meter.charge()
                if self.of(node.item, start + behind) << behind & following:
                    front |= 1 << behind
            fronts[count] = following = front
        return fronts


# Rules inside one another that are written out: what asks where parts end recurses as deep.
MAX_WRITTEN_OUT = 8

# States of the network that are kept from text to text.
MOST = 50_000

# So many calls that wait are looked at in a step, when they have been told already.
_TOLD = 64

# What a call under way takes in octets, and an edge.
_NODE_OCTETS = 500
_EDGE_OCTETS = 150


class _Call:
    """A rule that was called at a place. ``waiting``: the states to return to, each with those who do;
    ``ends``: how many characters it can derive from there, as bits.
    """

    __slots__ = ("ends", "key", "start", "waiting")

    def __init__(self, key: str, start: int) -> None:
        self.key = key
        self.start = start
        self.waiting: dict[FrameState, set[_Call]] = {}
        self.ends = 0


class Charts:
    """The charts of one grammar's texts. Raises LimitExceeded when the grammar takes more than the budget."""

    def __init__(self, facts: Facts, budget: Budget) -> None:
        self._facts = facts
        self._budget = budget
        core = facts.core
        meter = budget.meter("calls of the grammar")
        called = called_rules(facts, core.rules, meter)
        self.called = called | _deep(facts, called)
        sets = terminals(core.rules.values())
        meter.charge(10 * len(sets))
        self._classes = partition(sets)
        self._table = AlphabetCompressor.first_of(self._classes)
        self._network = self._new_network()

    def _new_network(self) -> Network:
        return Network(self._facts, self._facts.core.rules, self.called, self._classes, self._budget)

    def ends(self, key: str, text: str, meter: Meter) -> Ends | None:
        """Where parts of rules can end in a text, to choose among its derivations from a rule; None when
        there is none. Raises LimitExceeded.
        """
        spans = self.spans(key, text, meter)
        if spans is None:
            return None
        return Ends(self._facts.core, self._facts, text, spans, meter, self.called)

    def spans(self, key: str, text: str, meter: Meter) -> Spans | None:
        """All spans that are not empty of the rules that are called; there are more than take part in a
        derivation of the text from the rule. None when the rule does not derive it.
        """
        found, derived = self._read(key, text, meter)
        return found if derived else None

    def attempted(self, key: str, text: str, meter: Meter) -> Ends:
        """Where parts of rules can end, up to the place that some string which the rule derives begins with
        the text up to; whether it derives the text or not.
        """
        found, _ = self._read(key, text, meter)
        return Ends(self._facts.core, self._facts, text, found, meter, self.called)

    def _read(self, key: str, text: str, meter: Meter) -> tuple[Spans, bool]:
        """The spans of the rules that are called in as much of a text as can be read, and whether the rule
        derives all of it.
        """
        if self._network.size > MOST:
            self._network = self._new_network()
        root = _Call(key, 0)
        frames = {root: self._network.entry(key)}
        final = frames[root].final
        calls = [root] if key in self.called else []
        for place, char in enumerate(text.translate(self._table)):
            calls += self._call(frames, place, meter)
            after: dict[_Call, FrameState] = {}
            ended: list[_Call] = []
            for call, state in frames.items():
                following = state.step(char)
                if following is not None:
                    after[call] = following
                    if following.final:
                        ended.append(call)
            meter.charge(len(frames))
            _return(after, ended, place + 1, meter)
            final = root in after and after[root].final
            frames = {call: state for call, state in after.items() if state.items}
            if not frames and place + 1 < len(text):
                final = False
                break
        found: dict[str, dict[int, int]] = {}
        for call in calls:
            if call.ends:
                starts = found.setdefault(call.key, {})
                starts[call.start] = starts.get(call.start, 0) | call.ends
        return found, final

    def _call(self, frames: dict[_Call, FrameState], place: int, meter: Meter) -> list[_Call]:
        """Call all that can be called at a place, by those whose frames are given, which are joined by what
        is called. Gives what is called.
        """
        made: dict[str, _Call] = {}
        edges = 0
        waiting = list(frames.items())
        while waiting:
            caller, state = waiting.pop()
            for key, behind in state.calls:
                call = made.get(key)
                if call is None:
                    call = made[key] = _Call(key, place)
                    frames[call] = self._network.entry(key)
                    waiting.append((call, frames[call]))
                call.waiting.setdefault(behind, set()).add(caller)
                edges += 1
        meter.charge(len(made) + edges)
        meter.hold(_NODE_OCTETS * len(made) + _EDGE_OCTETS * edges)
        return list(made.values())


def _return(frames: dict[_Call, FrameState], ended: list[_Call], place: int, meter: Meter) -> None:
    """Go on behind the calls that end at a place, and behind those that end because of it."""
    steps = 0
    known = set(ended)
    # Many calls end where one began: each of those who wait is told once of a state.
    returned: dict[FrameState, set[_Call]] = {}
    while ended:
        call = ended.pop()
        call.ends |= 1 << place - call.start
        for state, callers in call.waiting.items():
            told = returned.setdefault(state, set())
            others = callers - told
            told |= others
            steps += 1 + len(callers) // _TOLD + len(others)
            for caller in others:
                other = frames.get(caller)
                frames[caller] = state if other is None else other.join(state)
                if state.final and caller not in known:
                    known.add(caller)
                    ended.append(caller)
    meter.charge(steps)


def _deep(facts: Facts, called: frozenset[str]) -> set[str]:
    """Rules to call, too, so that no more than MAX_WRITTEN_OUT are written out inside one another."""
    found: set[str] = set()
    depths: dict[str, int] = {}
    written_out = facts.productive - called
    edges = {
        key: tuple(used for used in facts.references[key] if used in written_out)
        for key in facts.references
        if key in facts.productive
    }
    for (key,) in components(edges):
        depth = 1 + max((depths[used] for used in edges[key]), default=0)
        if depth > MAX_WRITTEN_OUT and key not in called:
            found.add(key)
            depth = 0
        depths[key] = depth
    return found
