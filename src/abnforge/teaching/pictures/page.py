"""Pages of HTML: parse trees, and the rules of a grammar with an index, diagrams and ABNF.

A page does not need scripts or the network, and has light and dark colors. All of it is accessible by
keyboard. Each box of a tree is a line that opens and closes the lines below it, and a rule in a diagram is a
link. Only the first levels of a large tree are open, and a browser draws only the visible part. Lines below
``NESTED`` levels have a number instead of nesting, since browsers stop at a few hundred levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from urllib.parse import quote

from abnforge._lazy import lazy
from abnforge.engine.rule import Rule
from abnforge.teaching.derivations import Node
from abnforge.teaching.pictures.drawing import Box, boxes, palette, safe, shown, with_theme

with lazy:
    from abnforge.teaching.pictures import railroad

NESTED = 100
OPEN = 400  # maximum number of boxes of a fully open tree
OPEN_LEVELS = 2  # number of open levels of a larger tree
TEXT_COLUMNS = 60
INPUT = 10_000  # maximum number of characters of the string on a page

_LEGEND = (
    ("rule", "rule"),
    ("any-case", '"text" any case'),
    ("one-case", '%s"Text" case-sensitive'),
    ("range", "0-9 range"),
    ("value", "%x0D by number"),
    ("prose", "&lt;prose&gt;"),
)


@cache
def stylesheet(theme: str = "auto") -> str:
    """Return the CSS rules of all pages."""
    return with_theme(palette(":root") + Path(__file__).with_name("page.css").read_text("utf-8"), theme)


def page_head(title: str, kind: str = "", style: str = "", theme: str = "auto") -> str:
    """Return the beginning of a page, up to its first heading; ``kind`` is the class of its content."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>\n{stylesheet(theme)}{style}</style>\n</head>\n<body>\n"
        f'<main class="{kind}">\n<h1>{safe(title)}</h1>\n'
    )


PAGE_END = "</main>\n</body>\n</html>\n"


def tree_section(nodes: Sequence[Node], text: str, *, full: bool = False) -> Iterator[str]:
    """Yield pieces of HTML that show a string and its tree. Cost: linear."""
    drawn = boxes(nodes, full=full)
    more = f'<span class="soft">... {len(text) - INPUT:,} more characters</span>' if len(text) > INPUT else ""
    yield f'<section>\n<pre class="wrap">{safe(text[:INPUT])}{more}</pre>\n'
    yield f'<p class="soft">{len(nodes):,} nodes in {len(drawn):,} lines; offsets in code points, from 0</p>'
    yield '\n<div class="tree">\n'
    opened = 0
    for box in drawn:
        level = min(box.depth, NESTED)
        while opened > level:
            yield "</details>\n"
            opened -= 1
        line = _line(box, text)
        if box.children and box.depth < NESTED:
            state = " open" if len(drawn) <= OPEN or box.depth < OPEN_LEVELS else ""
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


def rules_page(
    title: str,
    rules: Sequence[Rule],
    *,
    text: str | None = None,
    path: railroad.Path | None = None,
    theme: str = "auto",
) -> Iterator[str]:
    """Yield pieces of a page about rules of a grammar; the parts on the ``path`` are highlighted.

    Raises the errors of ``rule_svg``. Cost: linear in the rules.
    """
    places = {rule.key: f"#rule-{quote(rule.key)}" for rule in rules}
    yield page_head(title, "rules", railroad.STYLE, theme)
    if text is not None:
        yield "<p>The parts that this string uses are highlighted:</p>\n"
        yield f'<pre class="wrap">{safe(text)}</pre>\n'
    yield '<nav aria-label="Rules">\n<ul>\n'
    for rule in rules:
        yield f'<li><a href="{places[rule.key]}">{safe(rule.name)}</a></li>\n'
    yield '</ul>\n</nav>\n<ul class="legend" aria-label="Legend">'
    yield "".join(f'<li><span class="{kind}">{label}</span></li>' for kind, label in _LEGEND)
    yield "</ul>\n"
    for rule in rules:
        yield from _section(rule, places, path)
    yield PAGE_END


def _section(rule: Rule, places: dict[str, str], path: railroad.Path | None) -> Iterator[str]:
    name = quote(rule.key)
    where = f' <span class="soft">section {safe(rule.section)}</span>' if rule.section else ""
    yield f'<section id="rule-{name}">\n<h2>{safe(rule.name)}{where}</h2>\n<div class="drawing">\n'
    yield railroad.rule_element(rule, places.get, path=path)
    yield '</div>\n<pre class="wrap">' + "\n".join(map(safe, rule.definition.split("\n"))) + "</pre>\n"
    users = [user for user in rule.used_by if user.lower() in places]
    if users:
        links = ", ".join(f'<a href="{places[user.lower()]}">{safe(user)}</a>' for user in users)
        yield f'<p class="soft">used by {links}</p>\n'
    yield "</section>\n"
