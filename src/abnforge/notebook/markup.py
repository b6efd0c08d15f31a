"""Pieces of HTML for notebooks: text made safe, tables, texts with a place marked, and what bounds them.

Styles stand in their elements, since notebooks drop style sheets of output that they do not trust. No colour
is one of ink or paper: both are the notebook's, and may be light or dark. Marks are tints and lines.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence

from abnforge.teaching.pictures.drawing import FONT, safe

MAX_TEXT = 2_000  # characters of a text, a definition, a message
MAX_ROWS = 40  # of a table
MAX_LINES = 200  # of a tree or a source
MAX_PICTURE = 200_000  # characters of a picture
AROUND = 120  # characters of a text before a marked place, and behind it

_LINE = "1px solid rgba(127, 127, 127, .4)"
_CELL = f"text-align: left; vertical-align: top; padding: .15em .8em .15em 0; border-bottom: {_LINE};"
_MONO = f"font-family: {FONT}; font-size: 13px;"
_PRE = (
    f"{_MONO} line-height: 1.45; margin: .3em 0; padding: .5em .7em; text-align: left; "
    f"background: rgba(127, 127, 127, .1); border-radius: 4px; overflow-x: auto;"
)
MARK = "background: rgba(225, 70, 50, .3); border-bottom: 2px solid rgb(225, 70, 50);"
SOFT = "opacity: .72;"


def frame(*parts: str) -> str:
    """All that is shown of one value; parts that are empty are left out."""
    return f'<div style="line-height: 1.5; max-width: 70em;">{"".join(filter(None, parts))}</div>'


def line(*parts: str) -> str:
    """A paragraph of pieces of HTML."""
    return f'<div style="margin: .2em 0;">{" ".join(filter(None, parts))}</div>'


def cut(text: str) -> str:
    """A text, of a long one its beginning."""
    left = len(text) - MAX_TEXT
    return f"{text[:MAX_TEXT]} ... {left:,} more characters" if left > 0 else text


def strong(text: str) -> str:
    """What a person looks for first."""
    return f"<strong>{safe(text)}</strong>"


def soft(text: str) -> str:
    """What stands beside it; "" for nothing."""
    return f'<span style="{SOFT}">{safe(text)}</span>' if text else ""


def code(text: str, quote: str = "") -> str:
    """A text in type of one width, cut if it is long."""
    more = f" ... {len(text) - MAX_TEXT:,} more characters" if len(text) > MAX_TEXT else ""
    shown = f"{safe(quote)}{safe(text[:MAX_TEXT])}{safe(quote)}"
    return f'<span style="{_MONO} overflow-wrap: anywhere;">{shown}</span>{soft(more)}'


def quoted(text: str) -> str:
    """A text of a language, in quotes."""
    return code(text, '"')


def pre(lines: Iterable[str], left: int = 0, what: str = "lines") -> str:
    """Lines of HTML as they are; ``left`` is how many more there would be."""
    told = "\n".join(lines)
    more = f'\n<span style="{SOFT}">... {left:,} more {what}</span>' if left else ""
    return f'<pre style="{_PRE}">{told}{more}</pre>'


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = (), left: int = 0) -> str:
    """Rows of cells of HTML, the first of each its name; ``left`` is how many more there would be."""
    parts = [f'<table style="border-collapse: collapse; margin: .3em 0; {_MONO}">']
    if head:
        cells = "".join(f'<th style="{_CELL}">{safe(each)}</th>' for each in head)
        parts.append(f"<thead><tr>{cells}</tr></thead>")
    parts.append("<tbody>")
    for row in rows:
        cells = "".join(f'<td style="{_CELL} white-space: pre-wrap;">{each}</td>' for each in row)
        parts.append(f"<tr>{cells}</tr>")
    parts.append("</tbody></table>")
    return "".join(parts) + (line(soft(f"... {left:,} more")) if left else "")


def folded(title: str, body: str, *, opened: bool = False) -> str:
    """What opens by a click, or by keyboard."""
    if not body:
        return ""
    state = " open" if opened else ""
    return (
        f'<details{state} style="margin: .3em 0;"><summary style="cursor: pointer;">{safe(title)}</summary>'
        f"{body}</details>"
    )


def picture(svg: str, alternative: str) -> str:
    """An SVG document as an image of its own: its style and its names are not the notebook's."""
    if len(svg) > MAX_PICTURE:
        return line(soft("the diagram is too large for a notebook"))
    data = b64encode(svg.encode()).decode()
    style = "max-width: 100%; height: auto;"
    return f'<img style="{style}" alt="{safe(alternative)}" src="data:image/svg+xml;base64,{data}">'


def marked(text: str, start: int, end: int) -> str:
    """A text with a place marked, of a long one what is around it."""
    end = max(start, end)
    first, last = max(0, start - AROUND), min(len(text), end + AROUND)
    shown = text[start : min(end, start + AROUND)]
    inner = safe(shown) + ("..." if end - start > AROUND else "")
    before = ("... " if first else "") + safe(text[first:start])
    behind = safe(text[end:last]) + (" ..." if last < len(text) else "")
    return pre([f'{before}<span style="{MARK}">{inner or "&nbsp;"}</span>{behind}'])
