"""Complete suites: the HSI method for acceptors.

Every word of a state cover is tested, followed by up to ``extra`` characters. After each of these words, and
one more character, the words that identify its target state are tested (Petrenko, Yevtushenko, Lebedev and
Das 1994). Any automaton over the same classes with at most ``extra`` additional states and the same verdicts
is equivalent to the rule (Vasilevskii 1973, Chow 1978).

An acceptor gives one bit for a whole word, so prefixes of words are tested as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from abnforge.automata.algebra import shortest
from abnforge.automata.dfa import Automaton, build
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.engine.grammar import source_of
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.grammar.core import EPSILON, Chars, Node, Seq, choice
from abnforge.grammar.facts import walk
from abnforge.grammar.sentences import Sentences

# Words that distinguish the states of an automaton: harmonized state identifiers (HSI; Petrenko,
# Yevtushenko, Lebedev and Das 1994; Luo, Petrenko and von Bochmann 1994). A word distinguishes two states
# if exactly one of them accepts it, and the identifiers of any two states share such a word. The shortest
# candidates come from the reverse subset automaton, whose states are sets of states that accept a word. The
# rules of RFC 3986 have at most 207 of them.

MAX_CANDIDATES = 5_000
"""The number of words to choose identifiers from. If there are more, identifiers are larger, but correct."""


def identifiers(acceptor: Acceptor, meter: Meter) -> list[list[Word]]:
    """Return words for each state, such that any two states share a distinguishing word.

    Raises LimitExceeded. Cost: the number of candidates times the number of states, for each chosen word.
    """
    if acceptor.size == 1:
        return [[]]
    candidates = _candidates(acceptor, meter)
    words: list[list[Word]] = [[] for _ in range(acceptor.size)]
    # Most transitions lead to the dead state, so its identifier matters most and is chosen first.
    hitting = [] if acceptor.dead is None else _hitting(acceptor, candidates, meter)
    blocks = [(1 << acceptor.size) - 1]
    while blocks:
        block = blocks.pop()
        if not block & (block - 1):
            continue
        meter.charge(len(candidates))
        with_dead = acceptor.dead is not None and block >> acceptor.dead & 1
        word, accepting = _best(block, hitting if with_dead else candidates, bool(with_dead))
        for state in _members(block):
            words[state].append(word)
        blocks += [block & accepting, block & ~accepting]
    return words


def _best(block: int, candidates: list[tuple[Word, int]], most: bool) -> tuple[Word, int]:
    """Return the candidate that most states accept if ``most``, else the one with the most even split."""
    size = block.bit_count()

    def worth(candidate: tuple[Word, int]) -> int:
        inside = (block & candidate[1]).bit_count()
        return inside if most else inside * (size - inside)

    best = max(candidates, key=worth)
    assert worth(best)
    return best


def _hitting(acceptor: Acceptor, candidates: list[tuple[Word, int]], meter: Meter) -> list[tuple[Word, int]]:
    """Return a few words that together hit every live state (a greedy hitting set, Chvatal 1979)."""
    left = (1 << len(acceptor.live)) - 1
    chosen: list[tuple[Word, int]] = []
    while left:
        meter.charge(len(candidates))
        word, accepting = _best(left, candidates, True)
        chosen.append((word, accepting))
        left &= ~accepting
    # Remove superfluous words, the longest first.
    for each in sorted(chosen, key=lambda pair: -len(pair[0])):
        others = [other for other in chosen if other is not each]
        reached = 0
        for _, accepting in others:
            reached |= accepting
        if reached == (1 << len(acceptor.live)) - 1:
            chosen = others
    return chosen


def _candidates(acceptor: Acceptor, meter: Meter) -> list[tuple[Word, int]]:
    """Return words and the sets of states (as bits) that accept them: a shortest word for each set."""
    whole = (1 << acceptor.size) - 1
    before = [[0] * acceptor.size for _ in range(acceptor.classes)]
    for state, row in enumerate(acceptor.rows):
        for number, target in enumerate(row):
            before[number][target] |= 1 << state
    start = sum(1 << state for state in range(acceptor.size) if acceptor.accepting[state])
    shortest_words: dict[int, Word] = {start: ()}
    queue = deque([start])
    blocks = _split([whole], start)
    while queue and (blocks or len(shortest_words) < MAX_CANDIDATES):
        current = queue.popleft()
        members = list(_members(current))
        meter.charge(1 + len(members) * acceptor.classes // 10)
        for number in acceptor.order:
            sources = 0
            for target in members:
                sources |= before[number][target]
            if sources not in shortest_words:
                shortest_words[sources] = (number, *shortest_words[current])
                queue.append(sources)
                blocks = _split(blocks, sources)
    return [(word, accepting) for accepting, word in shortest_words.items() if accepting not in (0, whole)]


def _split(blocks: list[int], by: int) -> list[int]:
    return [part for block in blocks for part in (block & by, block & ~by) if part & (part - 1)]


def _members(block: int) -> Iterator[int]:
    while block:
        lowest = block & -block
        yield lowest.bit_length() - 1
        block ^= lowest


W = TypeVar("W", Word, str)

# The estimated size of a word in bytes, in addition to its characters.
_WORD_OCTETS = 150


def complete_words(acceptor: Acceptor, extra: int, meter: Meter) -> Iterator[tuple[Word, bool]]:
    """Yield the words of a complete suite, each once, with whether it is accepted, in arbitrary order.

    Raises LimitExceeded. Cost: linear in the number of words, which is about ``classes`` times as large for
    each extra state.
    """
    return _complete(acceptor, extra, meter, tuple, [(number,) for number in range(acceptor.classes)])


def complete_texts(acceptor: Acceptor, extra: int, meter: Meter) -> Iterator[tuple[str, bool]]:
    return _complete(acceptor, extra, meter, acceptor.text, acceptor.representatives)


def _complete(
    acceptor: Acceptor, extra: int, meter: Meter, write: Callable[[Word], W], letters: Sequence[W]
) -> Iterator[tuple[W, bool]]:
    # Words combine a few prefixes and fewer suffixes. Each of these is converted only once.
    ends: list[list[tuple[W, bool]]] = [
        [(write(word), acceptor.accepting[acceptor.run(word, state)]) for word in words]
        for state, words in enumerate(identifiers(acceptor, meter))
    ]
    nothing = write(())
    asked: set[W] = set()
    level: dict[W, int] = {write(word): state for state, word in enumerate(acceptor.cover)}
    met = set(level)
    for distance in range(extra + 2):
        for word, state in level.items():
            behind: list[tuple[W, bool]] = list(ends[state])
            if distance <= extra:
                behind.append((nothing, acceptor.accepting[state]))
            meter.charge(len(behind))
            meter.hold(_WORD_OCTETS * len(behind))
            for end, accepted in behind:
                whole = word + end
                if whole not in asked:
                    asked.add(whole)
                    yield whole, accepted
        if distance <= extra:
            level = {
                longer: acceptor.rows[state][number]
                for word, state in level.items()
                for number in acceptor.order
                if (longer := word + letters[number]) not in met
            }
            met.update(level)


# Split a large rule into modules, each with a complete suite. The size of a complete suite is exponential in
# the number of additional states: two more states of URI's automaton need 17 million strings. With one string
# instead of ``IPv6address``, URI has 32 states, and ``IPv6address`` is tested within a short string. The
# drawback: an implementation that treats a module differently in different places may pass.


MIN_STATES = 8  # minimum number of states of a rule that becomes a module
MAX_TRIED = 12  # maximum number of rules below a module that are tried as modules, the largest first
MIN_GAIN = 0.7  # the maximum size of the suites of two modules, relative to one suite for both


@dataclass(frozen=True, slots=True)
class Module:
    """A rule in its context, between ``before`` and ``behind``.

    ``instead`` names the rules below it that are separate modules, and replaced in this one.
    """

    name: str
    acceptor: Acceptor
    before: str
    behind: str
    instead: tuple[str, ...] = ()


def modules(rule: Rule, extra: int, meter: Meter) -> list[Module]:
    """Return the modules of a regular rule, itself first; only itself if modules have no advantage.

    Raises LimitExceeded. Cost: the automata of some of its parts.
    """
    if expression_of(rule) is not None:
        return [Module(rule.name, Acceptor(rule.automaton), "", "")]
    return list(_Cutting(rule, extra, meter).cut(rule.key, "", ""))


class _Cutting:
    def __init__(self, rule: Rule, extra: int, meter: Meter) -> None:
        self._grammar = rule.grammar
        self._bodies = rule.grammar.compilation.bodies
        self._extra = extra
        self._meter = meter
        self._source: Sentences = source_of(rule)
        self._done: set[str] = set()

    def cut(self, key: str, before: str, behind: str) -> Iterator[Module]:
        """Yield the modules of a rule in its context; each rule becomes a module only once."""
        self._done.add(key)
        names = self._grammar.core.names
        automaton = self._automaton(key, {})
        instead: dict[str, Node] = {}
        while (split := self._best(key, automaton, instead)) is not None:
            below, automaton = split
            instead[below] = self._body(below)
        cut = tuple(names[below] for below in instead)
        yield Module(names[key], Acceptor(automaton), before, behind, cut)
        contexts = self._source.contexts(key)
        for below in instead:
            if below not in self._done:
                start, end = contexts[below]
                yield from self.cut(below, before + start, end + behind)

    def _best(
        self, key: str, automaton: Automaton, instead: Mapping[str, Node]
    ) -> tuple[str, Automaton] | None:
        """Return the rule below ``key`` that makes the best module, and the automaton without that rule."""
        sizes = {
            below: self._automaton(below, {}).states
            for below in self._below(key, instead)
            if below != key and below not in instead and below in self._bodies
        }
        tried = [
            below
            for below in sorted(sizes, key=lambda below: (-sizes[below], below))
            if MIN_STATES <= sizes[below] < automaton.states
        ]
        limit = MIN_GAIN * self._cost(automaton)
        best = None
        for below in tried[:MAX_TRIED]:
            left = self._automaton(key, {**instead, below: self._body(below)})
            cost = self._cost(left) + self._cost(self._automaton(below, {}))
            if cost < limit:
                limit, best = cost, (below, left)
        return best

    def _below(self, key: str, instead: Mapping[str, Node]) -> list[str]:
        keys = {key: None}
        for each in (queue := [key]):
            for node in walk(instead.get(each, self._bodies[each])):
                below = getattr(node, "key", None)
                if below is not None and below not in keys:
                    keys[below] = None
                    queue.append(below)
        return list(keys)

    def _automaton(self, key: str, instead: Mapping[str, Node]) -> Automaton:
        if not instead:
            return self._grammar.compilation.automaton(key)
        return build(self._grammar.core, {**self._bodies, **instead}, key, self._meter)

    def _body(self, key: str) -> Node:
        """Return a node for a shortest nonempty string of a rule, and for the empty string if it matches."""
        automaton = self._automaton(key, {})
        text = _shortest_nonempty(automaton)
        literal: Node = Seq(tuple(Chars(CharSet.of(char)) for char in text))
        return choice((literal, EPSILON)) if 0 in automaton.accepting and text else literal

    def _cost(self, automaton: Automaton) -> int:
        classes: int = automaton.width ** (self._extra + 1)
        return automaton.states * classes


def _shortest_nonempty(automaton: Automaton) -> str:
    text = shortest(automaton)
    if text:
        return text
    acceptor = Acceptor(automaton)
    ends = [
        (1 + len(behind), place, number)
        for place, number in enumerate(acceptor.order)
        if (behind := acceptor.completions[acceptor.rows[0][number]]) is not None
    ]
    if not ends:
        return ""
    number = min(ends)[2]
    behind = acceptor.completions[acceptor.rows[0][number]]
    assert behind is not None
    return acceptor.text((number, *behind))
