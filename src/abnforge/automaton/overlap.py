"""Searches for shared strings and movable borders, with shortest witnesses.

A grammar is unambiguous when the alternatives of every choice are disjoint and the border between the parts
of every sequence can be drawn in one place only (vertical and horizontal unambiguity; Brabrand, Giegerich and
Moller, "Analyzing ambiguity of context-free grammars", 2007). Both are questions about pairs of
languages. They are answered by a breadth-first search over pairs of live sets, which are built as the search
meets them: a witness is mostly near, and few pairs are visited.

For regular languages the answers are exact. For others a witness is one, but a search may have
no end; then LimitExceeded is raised, as it is for every search that takes too much work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Union

from abnforge.automaton.derivative import Derivatives
from abnforge.automaton.states import LiveSet
from abnforge.budget import Meter

# A character moves so many states in a step of the budget.
_STATES_A_STEP = 8

_Pair = tuple[LiveSet | None, LiveSet | None]
# Reading the left part; reading it on while the right part has begun; the left part has ended, later.
_Split = tuple[int, LiveSet, Union[LiveSet, None]]


class Overlaps:
    """Searches in the languages of one grammar's rules.

    All searches are charged to ``meter``, and one may take ``fraction`` of it. ``symbols`` of a search are
    the characters to try, one of each class, in the order of preference for witnesses.
    """

    def __init__(self, derivatives: Derivatives, meter: Meter, fraction: float) -> None:
        self._derivatives = derivatives
        self._meter = meter
        self._fraction = fraction
        self._search = meter

    def shared(self, left: str, right: str, symbols: Sequence[str]) -> str | None:
        """A shortest string that both rules derive; None when there is none."""
        for (a, b), text in self._pairs(
            left, right, symbols, keep=lambda a, b: a is not None and b is not None
        ):
            if a is not None and b is not None and a.accepting and b.accepting:
                return text()
        return None

    def missing(self, left: str, right: str, symbols: Sequence[str]) -> str | None:
        """A shortest string that the left rule derives and the right one does not; None when there is
        none.
        """
        for (a, b), text in self._pairs(left, right, symbols, keep=lambda a, b: a is not None):
            if a is not None and a.accepting and not (b is not None and b.accepting):
                return text()
        return None

    def border(self, left: str, right: str, symbols: Sequence[str]) -> tuple[str, str, str] | None:
        """Strings u, v, w with u and uv in the left language, vw and w in the right one, and v not empty.

        ``uvw`` then is the left part and the right part in two ways, and as short as possible. None when the
        border is always in one place.
        """
        self._begin()
        begin, behind = self._start(left), self._start(right)
        start: _Split = (0, begin, None)
        back: dict[_Split, tuple[_Split, str] | None] = {start: None}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            phase, a, b = node
            if phase == 2 and a.accepting and b is not None and b.accepting:
                return _parts(back, node)
            if phase == 1 and a.accepting:
                ended: _Split = (2, behind, b)
                if ended not in back:
                    back[ended] = node, ""
                    queue.appendleft(ended)
            for symbol in symbols:
                moved = self._step(a, symbol)
                if moved is None:
                    continue
                if phase == 0:
                    targets: list[_Split] = [(0, moved, None)]
                    if a.accepting:
                        begun = self._step(behind, symbol)
                        if begun is not None:
                            targets.append((1, moved, begun))
                else:
                    assert b is not None
                    beside = self._step(b, symbol)
                    targets = [] if beside is None else [(phase, moved, beside)]
                for target in targets:
                    if target not in back:
                        back[target] = node, symbol
                        queue.append(target)
        return None

    def _pairs(
        self,
        left: str,
        right: str,
        symbols: Sequence[str],
        keep: Callable[[LiveSet | None, LiveSet | None], bool],
    ) -> Iterator[tuple[_Pair, Callable[[], str]]]:
        """The pairs that reading the same text leads both rules to, nearest first, as long as ``keep`` says
        so.
        """
        self._begin()
        start: _Pair = self._start(left), self._start(right)
        back: dict[_Pair, tuple[_Pair, str] | None] = {start: None}

        def path(pair: _Pair) -> str:
            chars: list[str] = []
            step = back[pair]
            while step is not None:
                chars.append(step[1])
                step = back[step[0]]
            return "".join(reversed(chars))

        for pair in (queue := [start]):
            yield pair, lambda pair=pair: path(pair)  # type: ignore[misc]
            for symbol in symbols:
                a, b = (None if side is None else self._step(side, symbol) for side in pair)
                if keep(a, b) and (a, b) not in back:
                    back[a, b] = pair, symbol
                    queue.append((a, b))

    def _begin(self) -> None:
        self._search = self._meter.share("a search", self._fraction)
        self._search.charge()
        if self._derivatives.full:
            self._derivatives.forget()

    def _start(self, key: str) -> LiveSet:
        self._derivatives.meter = self._search
        return self._derivatives.start(key)

    def _step(self, live: LiveSet, symbol: str) -> LiveSet | None:
        self._search.charge(1 + len(live.states) // _STATES_A_STEP)
        self._derivatives.meter = self._search
        return self._derivatives.step(live, symbol)


def _parts(back: dict[_Split, tuple[_Split, str] | None], node: _Split) -> tuple[str, str, str]:
    """The strings read in the three phases on the way to a node."""
    parts = ["", "", ""]
    step = back[node]
    while step is not None:
        before, symbol = step
        parts[node[0]] = symbol + parts[node[0]]
        node, step = before, back[before]
    return parts[0], parts[1], parts[2]
