"""Reading one text, piece by piece, by the configurations of a grammar."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from itertools import accumulate
from operator import getitem
from typing import Any

from abnforge._lazy import gc_paused
from abnforge.budget import Meter
from abnforge.pushdown.configurations import Base, Configuration, Configurations
from abnforge.pushdown.grouped import WIDE, read_grouped
from abnforge.pushdown.trails import Trails, units

# After so many different configurations in one text they are all forgotten.
MOST = 20_000

# Characters that are read between two looks at what they cost.
_PIECE = 1 << 14

# Where a text is longer, what is made for it is more than garbage is worth looking for meanwhile.
LONG = 1000


class Reading:
    """One text being read by a rule. ``offset`` is how many characters have been read; ``current`` the
    configuration they led to, None when no string of the rule begins with one more; ``last`` is that, too,
    and stays where the next character could not be read.

    ``feed`` what comes next, then ask. Raises LimitExceeded when ``meter`` has no more to spend; a
    configuration is charged when the text first leads to it, known or not.
    """

    def __init__(
        self,
        configurations: Configurations,
        key: str,
        table: Mapping[int, int],
        meter: Meter,
        trails: Trails | None = None,
    ) -> None:
        self._configurations = configurations
        self._table = table
        self._meter = meter
        self._base: Base = None
        self._met: set[Configuration] = set()
        self._forgotten = False
        self._trails = trails
        self._walked = 0  # configurations that were met on trails
        if trails is not None:
            trails.trail.begin()
        self.offset = 0
        self.last = configurations.start(key)
        self.current: Configuration | None = self.last

    @property
    def accepting(self) -> bool:
        """Whether the text may end here."""
        return self.current is not None and self.current.accepting

    def feed(self, text: str) -> bool:
        """Read on. False when a character cannot be read; then ``offset`` is its place."""
        for begin in range(0, len(text), _PIECE):
            if self.current is None:
                break
            piece = text[begin : begin + _PIECE]
            self._meter.extend(len(piece))
            if len(piece) < LONG:
                self._read(piece)
            else:
                with gc_paused(len(piece), LONG):
                    self._read(piece)
        return self.current is not None

    def _read(self, text: str) -> None:
        if self._trails is None:
            self._read_plainly(text.translate(self._table))
        else:
            self._read_on_trails(text, self._trails)

    def _read_on_trails(self, text: str, trails: Trails) -> None:
        """Read along what is known in C, and work out the rest as below."""
        configurations, current, base = self._configurations, self.current, self._base
        assert current is not None
        characters, width = units(text)
        standing: str | None = None  # the same with what stands for each character, once it is needed
        last = current
        at = 0
        while True:
            if len(current.pairs) > WIDE:  # it is not kept, nor is where it leads
                self._meet({current})
            else:
                at, number, cost, octets, met = trails.trail.walk(
                    characters, width, at, trails.number(current)
                )
                current = trails.configurations[number]
                if met:
                    self._charge(cost, octets, met)
            last = current
            if at == len(text):
                break
            char = chr(self._table[ord(text[at])])
            following, base = configurations.next(last, char, base)
            if following is not None:
                at += 1
                if last.get(char) is following and max(len(last.pairs), len(following.pairs)) <= WIDE:
                    trails.learn(last, char, following)
            while following is not None and len(following.pairs) > WIDE and at < len(text):
                standing = standing or text.translate(self._table)
                rest: Any = iter(standing)
                rest.__setstate__(at)
                last, dead = read_grouped(configurations, following, rest, self._meter)
                at = len(text) - rest.__length_hint__() - dead
                following, base = (None, base) if dead else configurations.settle(last, base)
            if following is None:
                break
            current = following
        self.current = None if at < len(text) else current
        self.last = last
        self.offset += at
        self._base = base

    def _read_plainly(self, text: str) -> None:
        configurations, current, base = self._configurations, self.current, self._base
        assert current is not None
        visited: list[Configuration] = []
        following: Any = iter(text)
        while True:
            try:
                # As a loop would, in half the time: what was reached before an exception stays.
                visited.extend(accumulate(following, getitem, initial=current))
                current = visited[-1]
                break
            except KeyError as missing:
                (char,) = missing.args
                last = visited[-1]
                current, base = configurations.next(last, char, base)
                while current is not None and len(current.pairs) > WIDE and following.__length_hint__():
                    last, dead = read_grouped(configurations, current, following, self._meter)
                    current, base = (None, base) if dead else configurations.settle(last, base)
                if current is None:
                    self.last = last
                    break
                if current not in self._met:
                    self._meet({current})
        left = following.__length_hint__()
        read = len(text) - left - (current is None)
        self.offset += read
        self._base = base
        self.current = current
        if current is not None:
            self.last = current
        if visited:
            self._meet(set(visited))

    def _meet(self, configurations: set[Configuration]) -> None:
        """Charge configurations that are met for the first time."""
        new = configurations - self._met
        if not new:
            return
        self._met |= new
        cost = octets = 0
        for configuration in new:
            cost += configuration.cost
            octets += configuration.octets
        self._charge(cost, octets, 0)

    def _charge(self, cost: int, octets: int, walked: int) -> None:
        """Charge what configurations cost; so many of them were met on trails."""
        self._walked += walked
        self._meter.charge(cost)
        if not self._forgotten:
            self._meter.hold(octets)
        if len(self._met) + self._walked > MOST:
            self._met.clear()
            self._walked = 0
            self._forgotten = True
            self._configurations.forget()
            if self._trails is not None:
                self._trails.forget()
            if not gc.isenabled():
                gc.collect()  # what was forgotten leads to itself
