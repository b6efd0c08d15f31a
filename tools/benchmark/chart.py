"""A chart of verdicts: how long one takes, and how many of the corpus are wrong. SVG, by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from xml.sax.saxutils import escape

from svg import opening, text

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 70, 30, 56, 60
FONT = 13
LETTER = 7.1  # the width of one, roughly
OURS, OTHERS, LINES, TEXT = "#0b6e4f", "#b3541e", "#d9d9d9", "#222222"

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Judge:
    """Who gives verdicts: ``seconds`` for one, and how many of the corpus are ``wrong``."""

    name: str
    seconds: float
    wrong: int
    ours: bool = False


def chart(judges: Sequence[Judge], strings: int) -> str:
    """The chart as SVG text. To the left is faster, and lowest is who is never wrong."""
    places = {
        judge: (_across([j.seconds for j in judges], judge.seconds), _up(judge.wrong)) for judge in judges
    }
    parts = [*_frame([j.seconds for j in judges], strings)]
    taken: list[Box] = [(x - 6, y - 6, x + 6, y + 6) for x, y in places.values()]
    for judge, (x, y) in sorted(places.items(), key=lambda pair: (not pair[0].ours, pair[1])):
        colour = OURS if judge.ours else OTHERS
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{6 if judge.ours else 5}" fill="{colour}"/>')
        at, box = _free(judge.name, x, y, taken)
        taken.append(box)
        if at[1] != y + 4:  # a line leads from the point to its name
            edge = box[3] if at[1] < y else box[1]
            parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x:.1f}" y2="{edge:.1f}" stroke="{colour}"/>')
        weight = ' font-weight="bold"' if judge.ours else ""
        parts.append(text(judge.name, *at, f'fill="{colour}"{weight}'))
    title = f"<title>{escape(_caption(strings))}</title>"
    return "\n".join([opening(WIDTH, HEIGHT, FONT), title, *parts, "</svg>", ""])


def _caption(strings: int) -> str:
    return f"Verdicts on {strings:,} real URIs: time of one, and how many are wrong"


def _bounds(seconds: Iterable[float]) -> tuple[int, int]:
    found = [math.log10(each) for each in seconds]
    return math.floor(min(found)), math.ceil(max(found))


def _across(seconds: Sequence[float], value: float) -> float:
    low, high = _bounds(seconds)
    return LEFT + (math.log10(value) - low) / max(1, high - low) * (WIDTH - LEFT - RIGHT)


def _up(wrong: int) -> float:
    """Logarithmic, with a place for 0: steps to 10, 100, ... are as wide as that from 0 to 10."""
    share = (wrong / 10 if wrong < 10 else math.log10(wrong)) / 4
    return HEIGHT - BOTTOM - 14 - share * (HEIGHT - TOP - BOTTOM - 28)


def _frame(seconds: Sequence[float], strings: int) -> Iterator[str]:
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    yield text(_caption(strings), LEFT, 24, f'fill="{TEXT}" font-weight="bold"')
    low, high = _bounds(seconds)
    for power in range(low, high + 1):
        x = _across(seconds, 10.0**power)
        yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{HEIGHT - BOTTOM}" stroke="{LINES}"/>'
        yield text(_duration(power), x, HEIGHT - BOTTOM + 18, f'fill="{TEXT}" text-anchor="middle"')
    for wrong in (0, 10, 100, 1_000, 10_000):
        y = _up(wrong)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{LINES}"/>'
        yield text(f"{wrong:,}", LEFT - 8, y + 4, f'fill="{TEXT}" text-anchor="end"')
    yield text("wrong verdicts", LEFT - 58, TOP - 12, f'fill="{TEXT}"')
    yield text("time of one verdict", WIDTH - RIGHT, HEIGHT - 16, f'fill="{TEXT}" text-anchor="end"')


def _duration(power: int) -> str:
    for unit, least in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9)):
        if power >= least:
            return f"{10 ** (power - least)} {unit}"
    return f"{10.0 ** (power + 9):g} ns"


def _free(name: str, x: float, y: float, taken: Iterable[Box]) -> tuple[tuple[float, float], Box]:
    """Where a point's name stands: beside it, or above or below, where it covers nothing that is there."""
    width = LETTER * len(name)
    first: tuple[tuple[float, float], Box] | None = None
    beside = [(4, 10), (4, -10 - width)]
    lines = product((-14, 24, -34, 44, -54, 64), (-width / 2, -10, 10 - width))
    for down, across in (*beside, *lines):
        at = (x + across, y + down)
        box = (at[0], at[1] - FONT, at[0] + width, at[1] + 3)
        first = first or (at, box)
        inside = (
            box[0] >= LEFT and box[2] <= WIDTH - 4 and box[1] >= TOP - 8 and box[3] <= HEIGHT - BOTTOM + 2
        )
        if inside and not any(_overlap(box, other) for other in taken):
            return at, box
    assert first is not None
    return first


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
