"""Two languages compared string by string, where their automata need not be finite.

The same search of the product as in ``algebra``, as far as a budget leads. For languages that are not regular
there may be no end to it: whether two grammars derive the same strings is undecidable (Bar-Hillel, Perles and
Shamir 1961).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, Protocol

from abnforge.automaton.algebra import preference
from abnforge.automaton.dfa import DEAD, Automaton
from abnforge.budget import Meter
from abnforge.charset import CharSet, partition
from abnforge.errors import LimitExceeded

# What a pair of states costs in steps, beside its moves, and a move; what a pair takes in octets, estimated.
_PAIR_COST = 2
_MOVE_COST = 12
_PAIR_OCTETS = 300


class Walk(Protocol):
    """A deterministic automaton that need not be finite: states by moves, None for having left the language.

    ``charsets`` are the classes of characters that it tells apart.
    """

    @property
    def charsets(self) -> Sequence[CharSet]: ...

    @property
    def start(self) -> Hashable | None: ...

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """The state after one more character."""

    def accepts(self, state: Hashable) -> bool:
        """Whether a string may end in a state."""

    def cost(self, state: Hashable) -> tuple[int, int]:
        """What going on from a state takes in steps of a budget for each character, and a state in octets."""


class AutomatonWalk:
    """An automaton, which is finite."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self.charsets: Sequence[CharSet] = automaton.charsets
        self.start: Hashable | None = 0 if automaton.table else None

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """The row after one more character; None when the language has nothing that begins so."""
        assert isinstance(state, int)
        target = self._automaton.table[state + self._automaton.class_of(char)]
        return None if target == DEAD else target

    def accepts(self, state: Hashable) -> bool:
        """Whether a string may end in a row."""
        return state in self._automaton.accepting

    def cost(self, state: Hashable) -> tuple[int, int]:
        """Nothing: it was paid for when the automaton was built."""
        return 0, 0


# Where a string is: whether in the left language, and whether in the right one.
Region = tuple[bool, bool]
ONLY_LEFT, ONLY_RIGHT, BOTH = (True, False), (False, True), (True, True)
REGIONS = ONLY_LEFT, ONLY_RIGHT, BOTH


class Stopped(NamedTuple):
    """The end of a search that exceeded a limit.

    It tried all strings up to ``length`` characters, with one character of each class.
    """

    length: int
    limit: LimitExceeded


def explore(
    left: Walk, right: Walk, meter: Meter, regions: Iterable[Region] = REGIONS
) -> tuple[dict[Region, str], Stopped | None]:
    """A shortest string of each of some regions of two languages, as far as ``meter`` allows to look.

    The second value is None if there is nothing more to find.
    """
    found: dict[Region, str] = {}
    missing = set(regions)
    classes = sorted(map(preference, partition((*left.charsets, *right.charsets))))
    # The states of both, the length of the text that led there, the pair before, and the last character.
    pairs: list[tuple[Hashable | None, Hashable | None, int, int, str]] = []
    met: set[tuple[Hashable | None, Hashable | None]] = set()
    tried = 0

    def add(one: Hashable | None, other: Hashable | None, length: int, before: int, char: str) -> None:
        met.add((one, other))
        pairs.append((one, other, length, before, char))
        steps, octets = 0, 0
        for walk, state in ((left, one), (right, other)):
            if state is not None:
                more, size = walk.cost(state)
                steps, octets = steps + more, octets + size
        meter.charge(_PAIR_COST + steps)
        meter.hold(_PAIR_OCTETS + octets)

    def text_to(place: int) -> str:
        chars: list[str] = []
        while place > 0:
            _, _, _, before, char = pairs[place]
            chars.append(char)
            place = before
        return "".join(reversed(chars))

    try:
        add(left.start, right.start, 0, 0, "")
        for place, (one, other, length, _, _) in enumerate(pairs):
            accepted = one is not None and left.accepts(one), other is not None and right.accepts(other)
            if accepted in missing:
                found[accepted] = text_to(place)
                missing.remove(accepted)
                if not missing:
                    break
            tried = max(0, length - 1)
            # Where one language is left, there is one region to find a string of.
            if (one is None and ONLY_RIGHT not in missing) or (other is None and ONLY_LEFT not in missing):
                continue
            for _, char in classes:
                target = (
                    None if one is None else left.move(one, char),
                    None if other is None else right.move(other, char),
                )
                meter.charge(_MOVE_COST)
                if target not in met and target != (None, None):
                    add(*target, length + 1, place, char)
    except LimitExceeded as error:
        return found, Stopped(tried, error)
    return found, None
