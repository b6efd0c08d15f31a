"""Interleaved measurement: in each round every contender reads the same strings once, in turn.

What disturbs the machine for a while so disturbs all contenders alike, and the median over the rounds drops
it. The garbage collector is off while the clock runs. The order changes from round to round, so that nobody
always runs behind the same neighbour.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

# A pass shorter than this is repeated within the round: the clock and the loop's start would show.
SHORTEST_ROUND = 0.05

Clock = Callable[[], float]


@dataclass(frozen=True)
class Contender:
    """One way to do a task: ``call`` is made for each string; ``rejects`` is how it says no by exception.

    ``call`` is what a user would call, without a wrapper, so that its call overhead is its own.
    ``reset`` empties caches before each pass over the strings.
    """

    name: str
    call: Callable[[str], Any]
    rejects: tuple[type[BaseException], ...] = ()
    reset: Callable[[], object] | None = None

    def run(self, strings: Sequence[str], clock: Clock = perf_counter) -> float:
        """The seconds that one pass over the strings takes."""
        call, rejects = self.call, self.rejects
        if self.reset is not None:
            self.reset()
        if not rejects:
            start = clock()
            for text in strings:
                call(text)
            return clock() - start
        start = clock()
        for text in strings:
            try:  # noqa: SIM105 - a context manager for each call would be measured too
                call(text)
            except rejects:
                pass
        return clock() - start


@dataclass(frozen=True)
class Timing:
    """A contender's seconds per string, one figure a round."""

    name: str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median of the rounds, in seconds per string."""
        return median(self.rounds)

    def ratio(self, other: Timing) -> float:
        """How many times as long as the other this takes: ratio of the medians."""
        return self.median / other.median

    def paired_ratio(self, other: Timing) -> float:
        """The median of the ratios of each round: above or below ``ratio`` when the machine was restless."""
        return median(a / b for a, b in zip(self.rounds, other.rounds, strict=True))


def interleave(
    contenders: Sequence[Contender], strings: Sequence[str], rounds: int, clock: Clock = perf_counter
) -> dict[str, Timing]:
    """Each contender's timing by name. One pass warms up, one tells how often a pass is repeated.

    ``clock`` is ``time.process_time`` where the processor's time is wanted, which another program on the
    machine hardly changes; threads are added up.
    """
    for contender in contenders:
        contender.run(strings)
    passes = {c.name: max(1, round(SHORTEST_ROUND / max(c.run(strings), 1e-6))) for c in contenders}
    seconds: dict[str, list[float]] = {c.name: [] for c in contenders}
    order = list(contenders)
    shuffle = random.Random(rounds).shuffle
    for _ in range(rounds):
        shuffle(order)
        for contender in order:
            gc.collect()
            gc.disable()
            try:
                spent = sum(contender.run(strings, clock) for _ in range(passes[contender.name]))
            finally:
                gc.enable()
            seconds[contender.name].append(spent / passes[contender.name] / len(strings))
    return {name: Timing(name, tuple(found)) for name, found in seconds.items()}
