"""Finding the sets that are stored with a bundled grammar (``stored``): those that given texts lead to.

Texts are the examples of the mistakes, and others made of their parts. Of each set the moves by all classes
are looked at, and those are stored that lead to a set that is stored, or nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import TypeVar

from abnforge.mistakes.binding import BoundMistakes
from abnforge.mistakes.events import Begin, CatchAll, End, Event, SlotBegin, Way
from abnforge.mistakes.fingerprints import Fingerprints
from abnforge.mistakes.lanes import Lane
from abnforge.mistakes.reader import Reader
from abnforge.mistakes.sets import Live, Move, Sets
from abnforge.mistakes.stored import BETWEEN, NOTHING, Path

T = TypeVar("T")

SPLICED = 1_000
"""Texts that are made of the parts of two others: with two mistakes, or with one in other surroundings."""


def to_text(generated: str, bound: BoundMistakes, rules: Iterable[str]) -> str:
    """What is stored of some rules, by the examples of mistakes; ``generated`` tells where it comes from."""
    sections: list[str] = []
    classes: list[list[int]] = []
    read = texts(bound)
    rules = list(rules)
    for rule in rules:
        reader = Reader(bound, rule)
        for text in read:
            reader.read(text)
        classes = [list(each) for each in reader.lane.classes.ranges]
        sections += _Writer(reader.lane).sections()
    head = json.dumps({"generated": generated, "classes": classes, "rules": rules})
    return BETWEEN.join([head, *sections]) + "\n"


def texts(bound: BoundMistakes) -> list[str]:
    """The examples of mistakes, wrong and right, what is near them, and ``SPLICED`` texts made of these."""
    found: dict[str, None] = {}
    for mistake in bound.mistakes.mistakes:
        for example in mistake.examples:
            found.update(dict.fromkeys([example.wrong, example.right or ""]))
        found.update(dict.fromkeys([near.valid for near in mistake.near]))
    examples = [text for text in found if text and not text.isalnum()]
    random = Random(0)

    def drawn(items: Sequence[T]) -> T:
        return items[int(random.random() * len(items))]

    for _ in range(SPLICED if examples else 0):
        # One text up to a mark, the other from such a mark on.
        before, behind = drawn(examples), drawn(examples)
        at = drawn([place for place, char in enumerate(before) if not char.isalnum()])
        places = [place for place, char in enumerate(behind) if char == before[at]]
        if places:
            found.setdefault(before[:at] + behind[drawn(places) :])
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
        bands = ["\n".join(self._rows(sets)) for sets in self._lane.bands]
        head = json.dumps({"trails": [list(trail) for trail in self._trails], "ways": list(self._ways)})
        return [head, "\n".join(self._paths), *bands]

    def _rows(self, sets: Sets) -> list[str]:
        """The sets that were met, the nearest first."""
        first, *_ = met = dict.fromkeys(sets.explore())
        rows: dict[Live, int] = {first: 0}
        access = {first: NOTHING}
        found: dict[Live, dict[int, Move | None]] = {}
        waiting = [first]
        for live in waiting:
            found[live] = {number: sets.move(live, char) for number, char in self._lane.classes.samples()}
            for number, move in found[live].items():
                if move is not None and move.target in met and move.target not in rows:
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
        return [",".join(map(str, numbers)) + move for move, numbers in moves.items()]

    def _path(self, path: Path) -> int:
        sources, ways = path
        ranges: list[list[int]] = []
        for source in sources:
            if ranges and source == ranges[-1][1] + 1:
                ranges[-1][1] = source
            else:
                ranges.append([source, source])
        taken = [f"{member}:{self._way(way)}" for member, way in enumerate(ways) if way is not None]
        text = ",".join(f"{low}-{high}" if low < high else str(low) for low, high in ranges)
        return self._paths.setdefault(f"{text} {','.join(taken)}", len(self._paths))

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
                return f"C{what.key}/{trail}" if isinstance(what, CatchAll) else f"B{what.order}/{trail}"
            case End():
                return "E"
            case SlotBegin(name=name):
                return f"S{name}"
            case _:
                return "e"
