"""Elements of HTML for notebooks: escaped text, tables, strings with a marked place; and their limits.

Styles are attributes, because notebooks drop style sheets of untrusted output. Text and background keep the
colors of the notebook, which can be light or dark; marks are tints and lines.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence

from abnforge.teaching.pictures.drawing import FONT, safe

MAX_TEXT = 2_000  # characters of a string, a definition, a message
MAX_ROWS = 40  # rows of one table
MAX_LINES = 200  # lines of one tree or source
MAX_PICTURE = 200_000  # characters of a diagram
AROUND = 120  # characters before and after a marked place

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
    """Return the view of a value, without empty parts."""
    return f'<div style="line-height: 1.5; max-width: 70em;">{"".join(filter(None, parts))}</div>'


def line(*parts: str) -> str:
    """Return a paragraph of HTML elements."""
    return f'<div style="margin: .2em 0;">{" ".join(filter(None, parts))}</div>'


def cut(text: str) -> str:
    """Return a string, shortened to its first characters."""
    left = len(text) - MAX_TEXT
    return f"{text[:MAX_TEXT]} ... {left:,} more characters" if left > 0 else text


def strong(text: str) -> str:
    """Return emphasized text."""
    return f"<strong>{safe(text)}</strong>"


def soft(text: str) -> str:
    """Return secondary text; "" for ""."""
    return f'<span style="{SOFT}">{safe(text)}</span>' if text else ""


def code(text: str, quote: str = "") -> str:
    """Return a string in a monospace font, shortened."""
    more = f" ... {len(text) - MAX_TEXT:,} more characters" if len(text) > MAX_TEXT else ""
    shown = f"{safe(quote)}{safe(text[:MAX_TEXT])}{safe(quote)}"
    return f'<span style="{_MONO} overflow-wrap: anywhere;">{shown}</span>{soft(more)}'


def quoted(text: str) -> str:
    """Return a string of a language in quotes."""
    return code(text, '"')


def pre(lines: Iterable[str], left: int = 0, what: str = "lines") -> str:
    """Return preformatted lines of HTML; ``left`` is the number of omitted lines."""
    body = "\n".join(lines)
    more = f'\n<span style="{SOFT}">... {left:,} more {what}</span>' if left else ""
    return f'<pre style="{_PRE}">{body}{more}</pre>'


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = (), left: int = 0) -> str:
    """Return a table of HTML cells; ``left`` is the number of omitted rows."""
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
    """Return a body that opens on a click or by keyboard."""
    if not body:
        return ""
    state = " open" if opened else ""
    return (
        f'<details{state} style="margin: .3em 0;"><summary style="cursor: pointer;">{safe(title)}</summary>'
        f"{body}</details>"
    )


def picture(svg: str, alternative: str) -> str:
    """Return an SVG document as an image, which keeps its styles and identifiers separate."""
    if len(svg) > MAX_PICTURE:
        return line(soft("the diagram is too large for a notebook"))
    data = b64encode(svg.encode()).decode()
    style = "max-width: 100%; height: auto;"
    return f'<img style="{style}" alt="{safe(alternative)}" src="data:image/svg+xml;base64,{data}">'


def marked(text: str, start: int, end: int) -> str:
    """Return a string with a marked place and its surroundings."""
    end = max(start, end)
    first, last = max(0, start - AROUND), min(len(text), end + AROUND)
    shown = text[start : min(end, start + AROUND)]
    inner = safe(shown) + ("..." if end - start > AROUND else "")
    before = ("... " if first else "") + safe(text[first:start])
    behind = safe(text[end:last]) + (" ..." if last < len(text) else "")
    return pre([f'{before}<span style="{MARK}">{inner or "&nbsp;"}</span>{behind}'])
