"""Where each reading of an input broke off, and which of them a person would look at first.

Several alternatives of a grammar can be under way at once. Each breaks off somewhere, at the latest at the
offset. Told without a search for repairs, the likelier one is the one that broke off late, that could have
ended where it broke off (another one still needs something, such as the "@" of a userinfo), and that broke
off at a character another reading took for one of many like it, rather than for a delimiter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from abnforge.analysis.core_form import Chars
from abnforge.automaton.derivative import Derivatives
from abnforge.automaton.states import LiveSet, State
from abnforge.explain.encoding import begins_triplet

# How far before the offset a reading may have broken off.
MAX_LOOK_BACK = 64

# What makes a reading less likely: each character before the offset, and having to go on.
DISTANCE = 0.1
UNFINISHED = 0.65


@dataclass(frozen=True, slots=True)
class Reading:
    """``state`` could not read the character at ``offset``; the mistake starts at ``start``."""

    state: State
    offset: int
    start: int
    trail: tuple[str, ...]  # keys of the rules being read, or about to be
    doubt: float


def readings(
    derivatives: Derivatives, text: str, reached: Sequence[LiveSet], look_back: int = MAX_LOOK_BACK
) -> list[Reading]:
    """The readings of an input, likeliest first; of several by the same rules the one that got furthest.

    ``reached`` are the live sets of the viable prefixes. Cost: the live states of ``look_back`` places.
    """
    found: dict[tuple[str, ...], Reading] = {}
    for reading in _broken_off(derivatives, text, reached, look_back):
        found.setdefault(reading.trail, reading)
    return sorted(found.values(), key=lambda reading: reading.doubt)


def _broken_off(
    derivatives: Derivatives, text: str, reached: Sequence[LiveSet], look_back: int
) -> Iterator[Reading]:
    last = len(reached) - 1
    for offset in range(last, max(-1, last - look_back), -1):
        live = reached[offset]
        if offset < last and _is_delimiter(derivatives, live, text[offset]):
            continue
        for state in live.states:
            if not derivatives.arcs(state) or (offset < last and derivatives.moves(state, text[offset])):
                continue
            start, trail = offset, _trail(derivatives, state)
            if offset and (place := _triplet(derivatives, text, reached, offset)) is not None:
                start, trail = place, state.trail
            doubt = DISTANCE * (last - offset) + (0.0 if derivatives.accepts(state) else UNFINISHED)
            yield Reading(state, offset, start, trail, doubt)


def _is_delimiter(derivatives: Derivatives, live: LiveSet, char: str) -> bool:
    """Whether every reading that took a character took it for a delimiter: not for one of many like it."""
    targets = [arc.target for state in live.states for arc in derivatives.moves(state, char)]
    return not any(again.target is target for target in targets for again in derivatives.moves(target, char))


def _trail(derivatives: Derivatives, state: State) -> tuple[str, ...]:
    reading = state.reading
    # That a character was to come (DIGIT) says less than whose.
    if len(reading) > len(state.trail) and isinstance(derivatives.core.rules[reading[-1]], Chars):
        return state.trail
    return reading


def _triplet(derivatives: Derivatives, text: str, reached: Sequence[LiveSet], offset: int) -> int | None:
    """Where an incomplete percent-encoded triplet right before ``offset`` begins; None if there is none."""
    for place in range(offset - 1, max(-1, offset - 3), -1):
        if text[place] == "%":
            arcs = (arc for state in reached[place].states for arc in derivatives.moves(state, "%"))
            return place if any(begins_triplet(derivatives, arc) for arc in arcs) else None
    return None
