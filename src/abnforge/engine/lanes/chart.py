"""Which parts of a text each rule derives: a chart, for every context-free grammar.

The calls of a grammar's network (``pushdown.network``) that are under way are the nodes of a graph-structured
stack (Tomita 1985; Scott and Johnstone 2010, GLL): a rule and the place where it was called, with an edge to
every call that waits for it, and the state to return to. A node's frame is read as an automaton of sets of
items, so all ways to read a rule from one place go side by side; where the frame may end, the node has a
span. The chart is that of Earley (1970) with items of a rule put together, and rules written out that are not
called.

Cost: at worst cubic in the length of the text; linear where the number of calls under way is bounded. A list
by recursion to the right is quadratic. Charged to a meter by what the text asks for, whatever was read
before.
"""

from __future__ import annotations

from abnforge.budget import Budget, Meter
from abnforge.charset import partition
from abnforge.engine.lanes.ends import Ends, Spans
from abnforge.grammar.facts import Facts, components, terminals
from abnforge.pushdown.calls import called_rules
from abnforge.pushdown.network import FrameState, Network
from abnforge.pushdown.representatives import Representatives

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
        self._table = Representatives.first_of(self._classes)
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
