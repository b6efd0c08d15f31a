"""Blocks of text, tables and automata, one below the other, as HTML and as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from abnforge.errors import GrammarError
from abnforge.teaching.pictures.automata import STYLE, Graph, graph_body, graph_svg
from abnforge.teaching.pictures.drawing import COLUMN, FONT, number, safe, style_element
from abnforge.text import width

Line = tuple[str, str]
"""A style ("", "code", "mark" or "soft") and a line of text."""

Cell = str | Sequence[Line]

LINE, PAD, GAP, EDGE = 18.0, 12.0, 14.0, 14.0  # px: a line, between columns, between blocks, around all
MAX_COLUMNS = 200  # the maximum number of characters of a line of an SVG document

_STYLE = f"""
.blocks {{ font: 13px {FONT}; background: var(--paper); }} .blocks > .paper {{ fill: var(--paper); }}
.blocks text {{ fill: var(--ink); }} .blocks .soft {{ fill: var(--soft); }}
.blocks .h3, .blocks .th {{ font-weight: 600; }} .blocks .mark {{ fill: var(--l3); font-weight: 600; }}
.blocks .under {{ fill: none; stroke: var(--line); }}
"""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of text: a heading ("h3"), a paragraph ("p") or preformatted text ("pre")."""

    kind: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Table:
    """A table. The first cell of a row is the head of the row."""

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]


Block = Lines | Table | Graph


def text_block(kind: str, text: str, style: str = "") -> Lines:
    """Return a block of the lines of a string."""
    return Lines(kind, [(style, line) for line in text.split("\n")])


def _lines(cell: Cell) -> Sequence[Line]:
    return [("", cell)] if isinstance(cell, str) else cell


def blocks_html(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield pieces of HTML. Pictures need the style of ``automata.automaton_style``. Cost: linear."""
    for number_, block in enumerate(blocks, 1):
        if isinstance(block, Lines):
            wrap = ' class="wrap"' if block.kind == "pre" else ""
            joined = "\n".join(map(_html, block.lines))
            yield f"<{block.kind}{wrap}>{joined}</{block.kind}>\n"
        elif isinstance(block, Table):
            yield '<div class="drawing"><table>\n<thead><tr>'
            yield from (f'<th scope="col">{safe(each)}</th>' for each in block.head)
            yield "</tr></thead>\n<tbody>\n"
            for row in block.rows:
                first, *cells = ("<br>".join(map(_html, _lines(each))) for each in row)
                yield f'<tr><th scope="row">{first}</th>'
                yield from (f"<td>{each}</td>" for each in cells)
                yield "</tr>\n"
            yield "</tbody>\n</table></div>\n"
        else:
            yield _graph_html(block, number_)


def _html(line: Line) -> str:
    style, text = line
    if style == "soft":
        return f'<span class="soft">{safe(text)}</span>'
    return f"<{style}>{safe(text)}</{style}>" if style else safe(text)


def _graph_html(graph: Graph, number_: int) -> str:
    try:
        svg = graph_svg(graph, "")
    except GrammarError as error:
        return f'<p class="soft">{safe(error.message)}</p>\n'
    for each in "td":  # identifiers are unique on a page
        svg = svg.replace(f'id="{each}"', f'id="{each}{number_}"', 1)
    svg = svg.replace('aria-labelledby="t d"', f'aria-labelledby="t{number_} d{number_}"', 1)
    return f'<div class="drawing">{svg}</div>\n'


def blocks_svg(blocks: Iterable[Block], title: str, theme: str = "light") -> Iterator[str]:
    """Yield pieces of an SVG document. Lines have at most ``MAX_COLUMNS`` characters. Cost: linear."""
    pieces: list[str] = []
    wide, down = 0.0, EDGE
    for block in blocks:
        own_wide, own_high, drawn = _placed(block)
        pieces.append(f'<g transform="translate({number(EDGE)} {number(down)})">\n{drawn}</g>\n')
        wide, down = max(wide, own_wide), down + own_high + GAP
    size = number(wide + 2 * EDGE), number(down - GAP + EDGE)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="blocks" role="img" aria-labelledby="t" '
        f'xml:space="preserve" width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} {size[1]}">\n'
        f'<title id="t">{safe(title)}</title>\n'
        f"{style_element(_STYLE + STYLE, '.blocks', theme)}"
        '<rect class="paper" width="100%" height="100%"/>\n'
    )
    yield from pieces
    yield "</svg>\n"


def _placed(block: Block) -> tuple[float, float, str]:
    """Return the width, the height and the elements of a block."""
    if isinstance(block, Lines):
        return _drawn([_cut(each) for each in block.lines], 0.0, 0.0, block.kind)
    if isinstance(block, Table):
        return _table(block)
    try:
        wide, high, drawn = graph_body(block)
    except GrammarError as error:
        return _placed(text_block("p", error.message, "soft"))
    return wide, high, f'<g class="automaton">{drawn}</g>\n'


def _cut(line: Line) -> Line:
    style, text = line
    return style, text if len(text) <= MAX_COLUMNS else text[: MAX_COLUMNS - 3] + "..."


def _drawn(lines: Sequence[Line], x: float, y: float, kind: str) -> tuple[float, float, str]:
    """Return the width, the height and the elements of lines at a place."""
    drawn = "".join(
        f'<text class="{style or kind}" x="{number(x)}" y="{number(y + LINE * place - 5)}">'
        f"{safe(text)}</text>\n"
        for place, (style, text) in enumerate(lines, 1)
        if text
    )
    return max((width(text) * COLUMN for _, text in lines), default=0.0), LINE * len(lines), drawn


def _table(table: Table) -> tuple[float, float, str]:
    rows = [[[_cut(each) for each in _lines(cell)] for cell in row] for row in [table.head, *table.rows]]
    columns = [max(_drawn(cell, 0, 0, "")[0] for cell in column) + PAD for column in zip(*rows, strict=True)]
    drawn: list[str] = []
    down = 0.0
    for place, row in enumerate(rows):
        left, high = 0.0, 0.0
        for column, cell in enumerate(row):
            _, own_high, text = _drawn(cell, left, down, "td" if place and column else "th")
            drawn.append(text)
            left, high = left + columns[column], max(high, own_high)
        down += high
        drawn.append(f'<path class="under" d="M0 {number(down)} H{number(left - PAD)}"/>\n')
    return sum(columns) - PAD, down, "".join(drawn)
