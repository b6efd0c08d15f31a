"""Parse trees as one page of HTML: no script, nothing from elsewhere, light and dark.

Each box of a tree is a line that opens and closes what is below it, by keyboard, too. Of a large tree only
the first levels are open, and a browser draws what is in sight. Beyond ``NESTED`` levels lines are not nested
any more, but numbered: browsers end at some hundred.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abnforge.teaching.derivations import Node
from abnforge.teaching.pictures.drawing import FONT, palette, safe, shown
from abnforge.teaching.pictures.lines import LAYERS, Box, boxes

NESTED = 100
OPEN = 400  # boxes of a tree that is shown with everything open
OPEN_LEVELS = 2  # of a larger one
TEXT_COLUMNS = 60
INPUT = 10_000  # characters of the text itself on a page

_STYLE = f"""
:root {{ color-scheme: light dark; }}
* {{ box-sizing: border-box; }}
body {{ margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 70rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 1.5rem; margin: 0 0 .5rem; }} h2 {{ font-size: 1.15rem; margin: 2rem 0 .5rem; }}
.soft {{ color: var(--soft); font-weight: 400; }} pre, .tree {{ font-family: {FONT}; font-size: 14px; }}
pre {{ margin: .5rem 0 1rem; padding: .8rem; background: var(--shade); border-radius: 4px;
  white-space: pre-wrap; overflow-wrap: anywhere; }}
.tree details {{ content-visibility: auto; contain-intrinsic-size: auto 1.6em; }}
.tree details > div, .tree details > details {{ margin-left: .55rem; padding-left: .8rem;
  border-left: 1px solid var(--line); }}
.tree summary {{ cursor: pointer; }} .tree div {{ padding-left: 1.6rem; }} .tree .leaf {{ display: block; }}
.tree summary:focus-visible {{ outline: 2px solid currentColor; border-radius: 2px; }}
.tree b {{ font-weight: 600; }} .tree q {{ quotes: none; overflow-wrap: anywhere; }}
"""
_LAYERS = "".join(f".n{n} > b, .n{n} > summary > b {{ color: var(--l{n}); }}\n" for n in range(LAYERS))


def page_head(title: str) -> str:
    """What a page begins with, up to its first heading."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>\n{palette(':root')}{_STYLE}{_LAYERS}</style>\n</head>\n<body>\n"
        f"<main>\n<h1>{safe(title)}</h1>\n"
    )


PAGE_END = "</main>\n</body>\n</html>\n"


def tree_section(nodes: Sequence[Node], text: str, *, full: bool = False) -> Iterator[str]:
    """Pieces of HTML: a text and its tree. Cost: linear."""
    found = boxes(nodes, full=full)
    more = f'<span class="soft">... {len(text) - INPUT:,} more characters</span>' if len(text) > INPUT else ""
    yield f"<section>\n<pre>{safe(text[:INPUT])}{more}</pre>\n"
    yield f'<p class="soft">{len(nodes):,} nodes in {len(found):,} lines; offsets in code points, from 0</p>'
    yield '\n<div class="tree">\n'
    opened = 0
    for box in found:
        level = min(box.depth, NESTED)
        while opened > level:
            yield "</details>\n"
            opened -= 1
        line = _line(box, text)
        if box.children and box.depth < NESTED:
            state = " open" if len(found) <= OPEN or box.depth < OPEN_LEVELS else ""
            yield f'<details class="n{box.layer}"{state}><summary>{line}</summary>\n'
            opened += 1
        else:
            deep = f'<span class="soft">level {box.depth:,}</span> ' if box.depth > NESTED else ""
            yield f'<div class="n{box.layer}">{deep}{line}</div>\n'
    yield "</details>\n" * opened
    yield "</div>\n</section>\n"


def _line(box: Box, text: str) -> str:
    names = " › ".join(map(safe, box.names))
    times = f' <span class="soft">×{box.times:,}</span>' if box.times > 1 else ""
    part = shown(text, box.start, box.end, TEXT_COLUMNS)
    head = f"<b>{names}</b>{times} " if names else ""
    return f'{head}<q>{safe(part)}</q> <span class="soft">{box.start}-{box.end}</span>'
