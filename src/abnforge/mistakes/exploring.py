"""Finding the sets that are stored with a bundled grammar (``stored``): those that given texts lead to.

Texts are the examples of the mistakes. Of each set in the narrow band the moves by all classes are looked
at, and those are stored that lead to a set that is stored, or nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from abnforge.mistakes.binding import BoundMistakes
from abnforge.mistakes.events import Begin, CatchAll, End, Event, SlotBegin, Way
from abnforge.mistakes.fingerprints import Fingerprints
from abnforge.mistakes.lanes import Lane
from abnforge.mistakes.reader import Reader
from abnforge.mistakes.sets import Live, Move, Sets
from abnforge.mistakes.stored import BETWEEN, NOTHING, Path

MOST = (4_000, 1_000, 200)
"""Sets that are stored of each band, those that short texts lead to first."""


def to_text(generated: str, bound: BoundMistakes, texts: Mapping[str, Iterable[str]]) -> str:
    """What is stored of some rules, by the texts that each reads; ``generated`` tells where it comes from."""
    sections: list[str] = []
    classes: list[list[int]] = []
    for rule, read in texts.items():
        reader = Reader(bound, rule)
        for text in read:
            reader.read(text)
        classes = [list(each) for each in reader.lane.classes.ranges]
        sections += _Writer(reader.lane).sections()
    sizes = list(map(len, sections))
    head = json.dumps({"generated": generated, "classes": classes, "rules": list(texts), "sizes": sizes})
    return BETWEEN.decode().join([head, *sections]) + "\n"


def known_texts(bound: BoundMistakes) -> list[str]:
    """The examples of mistakes, wrong and right, and what is near them."""
    found: dict[str, None] = {}
    for mistake in bound.mistakes.mistakes:
        for example in mistake.examples:
            found.update(dict.fromkeys([example.wrong, example.right or ""]))
        found.update(dict.fromkeys([near.valid for near in mistake.near]))
    return list(found)


class _Writer:
    """Writes the sets of one lane."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._fingerprints = Fingerprints(lane.states)
        self._trails: dict[tuple[str, ...], int] = {}
        self._ways: dict[str, int] = {}
        self._paths: dict[str, int] = {}

    def sections(self) -> list[str]:
        bands = ["\n".join(self._rows(sets, most)) for sets, most in zip(self._lane.bands, MOST, strict=True)]
        head = json.dumps({"trails": [list(trail) for trail in self._trails], "ways": list(self._ways)})
        return [head, "\n".join(self._paths), *bands]

    def _rows(self, sets: Sets, most: int) -> list[str]:
        """The sets that were met, the nearest first, so many at most."""
        first, *_ = sets.explore()
        rows: dict[Live, int] = {first: 0}
        access = {first: NOTHING}
        found: dict[Live, dict[int, Move | None]] = {}
        waiting = [first]
        for live in waiting:
            # In the narrow band, where most texts are read, those that no text has made are looked for, too.
            found[live] = sets.known_moves(live) if sets is self._lane.bands[0] else live.of_class
            for number, move in found[live].items():
                if move is not None and move.target not in rows and len(rows) < most:
                    access[move.target] = f"{number}.{rows[live]}"
                    rows[move.target] = len(rows)
                    waiting.append(move.target)
        return [
            " ".join(
                [
                    self._fingerprints.of(sets.members(live)),
                    str(live.most),
                    access[live],
                    self._final(sets, live),
                    *self._moves(found[live], rows),
                ]
            )
            for live in rows
        ]

    def _final(self, sets: Sets, live: Live) -> str:
        final = sets.final(live)
        if final is None:
            return NOTHING
        weight, member, way = final
        return f"{weight}.{member}.{self._way(way)}"

    def _moves(self, found: Mapping[int, Move | None], rows: Mapping[Live, int]) -> list[str]:
        moves: dict[str, list[int]] = {}
        for number, move in found.items():
            if move is None:
                moves.setdefault("", []).append(number)
            elif move.target in rows:
                path = self._path((move.sources, move.ways))
                moves.setdefault(f":{rows[move.target]}:{move.weight}:{path}", []).append(number)
        return [runs(numbers) + move for move, numbers in moves.items()]

    def _path(self, path: Path) -> int:
        sources, ways = path
        taken: list[tuple[int, int]] = []
        for member, way in enumerate(ways):
            if way is not None:
                taken.append((member, self._way(way)))
        text = f"{runs(sources)} {runs([member for member, _ in taken])} {runs([w for _, w in taken])}"
        return self._paths.setdefault(text, len(self._paths))

    def _way(self, way: Way | int) -> int:
        assert not isinstance(way, int)
        events: list[str] = []
        while way is not None:
            events.append(self._event(way[0]))
            way = way[1]
        return self._ways.setdefault(" ".join(events), len(self._ways) + 1) if events else 0

    def _event(self, event: Event) -> str:
        match event:
            case Begin(what=what, state=state):
                trail = self._trails.setdefault(state.trail, len(self._trails))
                return f"C{what.key}/{trail}" if isinstance(what, CatchAll) else f"B{what.key}/{trail}"
            case End():
                return "E"
            case SlotBegin(name=name):
                return f"S{name}"
            case _:
                return "e"


def runs(numbers: Sequence[int]) -> str:
    """Numbers as ``stored.numbers`` reads them: ``3-5`` for 3, 4, 5, and ``3*5`` for 3 five times."""
    found: list[str] = []
    at = 0
    while at < len(numbers):
        end = at + 1
        step = numbers[end] - numbers[at] if end < len(numbers) else 0
        while step in (0, 1) and end < len(numbers) and numbers[end] - numbers[end - 1] == step:
            end += 1
        size = end - at
        first = numbers[at]
        found.append(
            str(first) if size == 1 else f"{first}*{size}" if step == 0 else f"{first}-{numbers[end - 1]}"
        )
        at = end
    return ",".join(found)
