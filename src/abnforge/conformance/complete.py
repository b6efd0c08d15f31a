"""Complete suites: the HSI method for acceptors.

Every word of a state cover, followed by up to ``extra`` characters, is tested; followed by up to ``extra`` +
1, it is identified by the words of its target state (Petrenko, Yevtushenko, Lebedev and Das 1994; Vasilevskii
1973 and Chow 1978 for the bound). Any automaton over the same classes with at most ``extra`` additional
states and the same verdicts on them is equivalent to the rule.

An acceptor gives one bit for a whole word, so prefixes of words are tested as well.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from abnforge.budget import Meter
from abnforge.conformance.acceptor import Acceptor, Word

# Words that distinguish the states of an automaton: harmonized state identifiers (HSI; Petrenko,
# Yevtushenko, Lebedev and Das 1994; Luo, Petrenko and von Bochmann 1994). A word distinguishes two states
# if exactly one of them accepts it, and the identifiers of any two states share such a word. The shortest
# candidates come from the reverse subset automaton, whose states are sets of states that accept a word. The
# rules of RFC 3986 have at most 207 of them.

MAX_CANDIDATES = 5_000
"""Words that identifiers are chosen from. With fewer than there are, identifiers are right and larger."""


def identifiers(acceptor: Acceptor, meter: Meter) -> list[list[Word]]:
    """Return words for each state, such that any two states share a distinguishing one.

    Raises LimitExceeded. Cost: the number of candidates times the number of states, for each chosen word.
    """
    if acceptor.size == 1:
        return [[]]
    candidates = _candidates(acceptor, meter)
    found: list[list[Word]] = [[] for _ in range(acceptor.size)]
    # Most transitions lead to the dead state: its identifier counts most, and is chosen first.
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
            found[state].append(word)
        blocks += [block & accepting, block & ~accepting]
    return found


def _best(block: int, candidates: list[tuple[Word, int]], most: bool) -> tuple[Word, int]:
    """The candidate that splits a block best: the one that most accept, or that parts it most evenly."""
    size = block.bit_count()

    def worth(candidate: tuple[Word, int]) -> int:
        inside = (block & candidate[1]).bit_count()
        return inside if most else inside * (size - inside)

    found = max(candidates, key=worth)
    assert worth(found)
    return found


def _hitting(acceptor: Acceptor, candidates: list[tuple[Word, int]], meter: Meter) -> list[tuple[Word, int]]:
    """Return a few words, one of which each live state accepts (a greedy hitting set, Chvatal 1979)."""
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
    """Shortest words by the set of states (as bits) that accept them, without those that tell nothing."""
    whole = (1 << acceptor.size) - 1
    before = [[0] * acceptor.size for _ in range(acceptor.classes)]
    for state, row in enumerate(acceptor.rows):
        for number, target in enumerate(row):
            before[number][target] |= 1 << state
    start = sum(1 << state for state in range(acceptor.size) if acceptor.accepting[state])
    known: dict[int, Word] = {start: ()}
    queue = deque([start])
    blocks = _split([whole], start)
    while queue and (blocks or len(known) < MAX_CANDIDATES):
        current = queue.popleft()
        members = list(_members(current))
        meter.charge(1 + len(members) * acceptor.classes // 10)
        for number in acceptor.order:
            sources = 0
            for target in members:
                sources |= before[number][target]
            if sources not in known:
                known[sources] = (number, *known[current])
                queue.append(sources)
                blocks = _split(blocks, sources)
    return [(word, accepting) for accepting, word in known.items() if accepting not in (0, whole)]


def _split(blocks: list[int], by: int) -> list[int]:
    """Split blocks of more than one state by a set."""
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
    """The words of a complete suite, each once, with whether it is accepted; in no order that means anything.

    Raises LimitExceeded. Cost: the words, about ``classes`` times as many for each extra state.
    """
    return _complete(acceptor, extra, meter, tuple, [(number,) for number in range(acceptor.classes)])


def complete_texts(acceptor: Acceptor, extra: int, meter: Meter) -> Iterator[tuple[str, bool]]:
    """Yield the complete suite as strings."""
    return _complete(acceptor, extra, meter, acceptor.text, acceptor.representatives)


def _complete(
    acceptor: Acceptor, extra: int, meter: Meter, write: Callable[[Word], W], letters: Sequence[W]
) -> Iterator[tuple[W, bool]]:
    # Words are put together of few beginnings and fewer ends, which are written once.
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
