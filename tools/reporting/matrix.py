"""The picture: who differs from which rule, and in what direction. SVG, by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import escape

from svg import opening, text

from reporting.implementation import PROMISES, Implementation
from reporting.measure import Result
from reporting.tables import Column, Field

FONT = 12
ROW, CELL, LABEL, GAP, MARGIN = 20, 70, 172, 34, 16
TITLE, LEGEND = 40, 70

# Symbols tell the same as colours; a background of its own, since pages are light or dark.
STYLE = """\
<style>
.back { fill: #ffffff } text { fill: #1f2328 } .dim { fill: #59636e } .line { stroke: #d1d9e0 }
.equal { fill: #b7e4c7 } .accepts { fill: #ffd8a8 } .refuses { fill: #bcd7ff } .both { fill: #f3bfd3 }
.none { fill: #f3f4f6 }
@media (prefers-color-scheme: dark) {
.back { fill: #0d1117 } text { fill: #f0f6fc } .dim { fill: #9198a1 } .line { stroke: #3d444d }
.equal { fill: #14532d } .accepts { fill: #7a4100 } .refuses { fill: #17437f } .both { fill: #7a1f4b }
.none { fill: #161b22 }
}
</style>"""

Answers = Mapping[tuple[str, str], Result]


def mark(result: Result, partly: bool) -> str:
    """What a cell says: ``=``, or the causes of wrong answers, ``+`` for yes and ``−`` for no; ``*`` where
    only a part of the suite was asked.
    """
    said = []
    if result.accepts is not None:
        said.append(f"+{result.accepts.causes}")
    if result.refuses is not None:
        said.append(f"−{result.refuses.causes}")
    return (" ".join(said) or "=") + ("*" if partly else "")


def matrix(
    fields: Sequence[Field],
    implementations: Sequence[Implementation],
    answers: Answers,
    caption: str,
) -> str:
    """The picture as SVG text: fields in two halves, each where there is more room left."""
    panels = [_Panel(field, implementations, answers) for field in fields]
    across = (MARGIN, MARGIN + panels[0].width + GAP)
    ends = [TITLE, TITLE]  # of the left and the right half, in which panels are put below each other
    places = []
    for panel in panels:
        half = ends.index(min(ends))
        places.append((panel, across[half], ends[half]))
        ends[half] += panel.height + ROW
    width = max(x + panel.width for panel, x, _ in places) + MARGIN
    bottom = max(y + panel.height for panel, _, y in places)
    height = bottom + LEGEND
    parts = [
        opening(width, height, FONT),
        f"<title>{escape(caption)}</title>",
        STYLE,
        f'<rect class="back" width="{width}" height="{height}"/>',
        text(caption, MARGIN, 24, 'font-weight="bold" font-size="14"'),
    ]
    for panel, x, y in places:
        parts += panel.drawn(x, y)
    parts += _legend(MARGIN, bottom + 24)
    return "\n".join([*parts, "</svg>", ""])


def _legend(x: float, y: float) -> Iterator[str]:
    entries = (
        ("equal", "=", "every answer is the rule's"),
        ("accepts", "+3", "accepts more, for 3 causes"),
        ("refuses", "−2", "refuses, for 2 causes"),
        ("both", "+3 −2", "both"),
        ("none", "", "not asked: it has no such function"),
    )
    start = x
    for kind, said, meaning in entries:
        yield f'<rect class="{kind}" x="{x}" y="{y}" width="46" height="16" rx="3"/>'
        yield text(said, x + 23, y + 12, 'text-anchor="middle" font-size="11"')
        yield text(meaning, x + 52, y + 12, "")
        x += 52 + 6.4 * len(meaning) + 18
    yield text("* asked for a part of the suite, since answers take long", start, y + 34, 'class="dim"')


class _Panel:
    """The rows and columns of a field."""

    def __init__(self, field: Field, implementations: Sequence[Implementation], answers: Answers) -> None:
        self._field = field
        self._answers = answers
        rules = [column.rule for column in field.columns]
        asked = [each for each in implementations if any((each.name, rule) in answers for rule in rules)]
        self._groups = [
            (words, rows)
            for promise, words in PROMISES.items()
            if (rows := [each for each in asked if each.promise == promise])
        ]
        self.width = LABEL + CELL * len(rules)
        self.height = ROW * (2 + len(self._groups) + len(asked))

    def drawn(self, x: float, y: float) -> Iterator[str]:
        """The elements, from a place on."""
        yield text(self._field.title, x, y + 14, 'font-weight="bold"')
        y += ROW
        for number, column in enumerate(self._field.columns):
            middle = x + LABEL + CELL * number + CELL / 2
            yield text(column.short, middle, y + 14, 'text-anchor="middle" font-size="11"')
        y += ROW
        for words, rows in self._groups:
            yield f'<line class="line" x1="{x}" y1="{y + 2}" x2="{x + self.width}" y2="{y + 2}"/>'
            yield text(f"promises {words}", x, y + 15, 'class="dim" font-size="11"')
            y += ROW
            for each in rows:
                yield text(each.name, x + 8, y + 14, "")
                for number, column in enumerate(self._field.columns):
                    yield from self._cell(each, column, x + LABEL + CELL * number, y)
                y += ROW

    def _cell(self, implementation: Implementation, column: Column, x: float, y: float) -> Iterator[str]:
        box = f'x="{x + 1}" y="{y + 1}" width="{CELL - 2}" height="{ROW - 2}" rx="3"'
        result = self._answers.get((implementation.name, column.rule))
        if result is None:
            yield f'<rect class="none" {box}/>'
            return
        said = mark(result, implementation.asked[column.rule].strings is not None)
        yield f'<rect class="{result.kind}" {box}>'
        yield f"<title>{escape(f'{implementation.name}, {column.title}: {said}')}</title></rect>"
        yield text(said, x + CELL / 2, y + 14, 'text-anchor="middle" font-size="11"')
