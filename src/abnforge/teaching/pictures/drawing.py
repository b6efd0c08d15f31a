"""Code that tree diagrams share: escaping, colors, the boxes of a tree, and its lines of text.

A line of text, for terminals, notebooks and plain pages, shows one box with box-drawing characters. Up to
``MAX_LEVEL`` levels are indented; deeper ones are numbered, below their ancestor of that level, since the
margins of a deep tree would be quadratic in size.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from abnforge.teaching.derivations import Node, children_of
from abnforge.text import escape

COLUMN = 7.9  # maximum width in px of a monospaced character of 13 px
SOFT_COLUMN = 6.7  # maximum width for characters of 11 px

FONT = "'DejaVu Sans Mono', ui-monospace, Menlo, Consolas, monospace"  # CairoSVG uses only the first font

COLORS = """
--ink: #1c2024; --soft: #5b6470; --line: #aab3bd; --paper: #ffffff; --shade: #f4f6f8; --mark: #b3261e;
--l0: #1f4fa3; --l1: #8a3a9c; --l2: #1b7046; --l3: #a14a12; --l4: #0b6b78; --l5: #97224f;
""".strip()
DARK = """
--ink: #e6e9ed; --soft: #9aa4b0; --line: #59636f; --paper: #15181c; --shade: #1e2329; --mark: #ef7d74;
--l0: #8ab4f8; --l1: #d6a2e8; --l2: #7fd1a0; --l3: #f0a878; --l4: #74cbd8; --l5: #f29bbd;
""".strip()


THEMES = "light", "dark", "auto"


def palette(root: str) -> str:
    """Return CSS rules that set the colors of an element for light and dark mode."""
    return f"{root} {{ {COLORS} }}\n@media (prefers-color-scheme: dark) {{ {root} {{ {DARK} }} }}\n"


def with_theme(style: str, theme: str) -> str:
    """Return the CSS rules of a page in a theme: light, dark, or the reader's choice (auto)."""
    if theme == "auto":
        return style
    media = "all" if theme == "dark" else "not all"
    style = style.replace("@media (prefers-color-scheme: dark)", f"@media {media}")
    return style.replace("color-scheme: light dark", f"color-scheme: {theme}")


def style_element(rules: str, root: str, theme: str) -> str:
    """Return the style of an SVG document: CSS rules with the colors of a theme instead of variables.

    librsvg, CairoSVG and Inkscape do not support variables, and would draw black on black. The theme "auto"
    is light there: CairoSVG skips ``@supports``, and Inkscape skips a whole element with it.
    """
    values = dict(re.findall(r"--(\w+): (#\w+);", DARK if theme == "dark" else COLORS))
    plain = re.sub(r"var\(--(\w+)\)", lambda name: values[name[1]], rules)
    variables = f"@supports (color: var(--ink)) {{\n{palette(root)}{rules}}}"
    more = f"<style>{variables}</style>\n" if theme == "auto" else ""
    return f"<style>{plain}</style>\n{more}"


def safe(text: str) -> str:
    """Escape text for XML and HTML; controls and bidirectional characters become visible escapes."""
    return html.escape(escape(text))


def quoted_for_dot(text: str) -> str:
    """Escape text for a quoted string of Graphviz, which interprets HTML entities in any label."""
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def shown(text: str, start: int, end: int, most: int) -> str:
    """Return a part of a string in quotes, shortened at its end. Only the shown part is escaped."""
    if end - start > most:
        return f'"{escape(text[start : start + most])}..."'
    return f'"{escape(text[start:end])}"'


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


# Boxes of a parse tree. A chain of rules with one child each is one box with several names, and so are
# neighbors of one rule that match one character each. A rule without children has its string in its box.

LAYERS = 6  # number of box colors, which alternate by the smallest depth of a box's first name


@dataclass(slots=True)
class Box:
    """A box: ``names`` of rules from the outermost inwards, empty for text.

    ``times`` is the number of neighbors that it represents, ``leaf`` whether it shows its string, ``layer``
    its color. ``children`` and ``parent`` (None for the root) are indices of boxes.
    """

    names: list[str]
    start: int
    end: int
    depth: int
    parent: int | None
    times: int = 1
    leaf: bool = False
    layer: int = 0
    children: list[int] = field(default_factory=list)


def boxes(nodes: Sequence[Node], *, full: bool = False) -> list[Box]:
    """Return the boxes of a tree in preorder; if ``full``, one for each node. Cost: linear."""
    below = children_of(nodes)
    drawn: list[Box] = []
    # A node, its parent box, and the number of neighbors that it represents.
    stack: list[tuple[int, int | None, int]] = [(0, None, 1)]
    while stack:
        index, parent, times = stack.pop()
        node = nodes[index]
        box = Box([], node.start, node.end, 0, parent, times)
        if parent is not None:
            box.depth = drawn[parent].depth + 1
            drawn[parent].children.append(len(drawn))
        if times > 1:
            box.end = box.start + times
            box.names.append(node.rule or "")
            box.leaf = True
            drawn.append(box)
            continue
        inner = below[index]
        if node.rule is not None:
            box.names.append(node.rule)
        while not full and len(inner) == 1 and _spans(nodes[inner[0]], node):
            only = nodes[inner[0]].rule
            if only is None:
                break
            box.names.append(only)
            inner = below[inner[0]]
        box.leaf = not inner or (not full and len(inner) == 1 and nodes[inner[0]].rule is None)
        here = len(drawn)
        drawn.append(box)
        if box.leaf:
            continue
        runs = _runs(nodes, inner, full)
        if len(runs) == 1 and runs[0][1] > 1:  # the run is the whole match
            box.names.append(nodes[inner[0]].rule or "")
            box.times, box.leaf = runs[0][1], True
            continue
        stack.extend((first, here, count) for first, count in reversed(runs))
    _color(drawn)
    return drawn


def _spans(inner: Node, outer: Node) -> bool:
    return (inner.start, inner.end) == (outer.start, outer.end)


def _runs(nodes: Sequence[Node], indices: Sequence[int], full: bool) -> list[tuple[int, int]]:
    """Return siblings, each with the number of one-character neighbors that it represents."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        node = nodes[index]
        if runs and not full and node.rule is not None and node.end - node.start == 1:
            first, count = runs[-1]
            before = nodes[first]
            if before.rule == node.rule and before.end - before.start == 1:
                runs[-1] = first, count + 1
                continue
        runs.append((index, 1))
    return runs


def _color(drawn: Sequence[Box]) -> None:
    """Color each box by the smallest depth of a box with the same first name."""
    first: dict[str, int] = {}
    for box in drawn:
        if box.names and box.depth < first.get(box.names[0], len(drawn)):
            first[box.names[0]] = box.depth
    for box in drawn:
        if box.names:
            box.layer = first[box.names[0]] % LAYERS


TEXT_COLUMNS = 60
MAX_LEVEL = 20
MAX_NAMES = 8  # maximum length of a chain of rules with one child each; longer ones omit the middle


@dataclass(frozen=True, slots=True)
class Strokes:
    """The strings that draw a tree: before children, below them, between names, and before a number."""

    child: str
    last: str
    beside: str
    below: str
    within: str
    times: str

    def encoded_by(self, encoding: str) -> bool:
        """Return whether an encoding has all characters; False for an unknown encoding."""
        try:
            "".join((self.child, self.last, self.beside, self.within, self.times)).encode(encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True


BOXES = Strokes("├─ ", "└─ ", "│  ", "   ", " › ", "×")
ASCII = Strokes("|- ", "`- ", "|  ", "   ", " > ", "x")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its ``margin`` and its ``level`` of indentation.

    ``names`` has the names of its rules, and is empty for literal text; ``told`` is the quoted match, and
    ``span`` its offsets in code points.
    """

    level: int
    margin: str
    names: str
    told: str
    span: str

    def __str__(self) -> str:
        return self.margin + "  ".join(filter(None, (self.names, self.told, self.span)))


def tree_lines(
    nodes: Sequence[Node], text: str, *, full: bool = False, strokes: Strokes = BOXES
) -> Iterator[Line]:
    """Yield the lines of a tree, from the top down; if ``full``, one for each node. Cost: linear."""
    drawn_boxes = boxes(nodes, full=full)
    drawn = margins([box.depth for box in drawn_boxes], strokes)
    for box, (level, margin) in zip(drawn_boxes, drawn, strict=True):
        match = shown(text, box.start, box.end, TEXT_COLUMNS)
        yield Line(level, margin, _names(box, strokes), match, f"{box.start}-{box.end}")


def margins(depths: Sequence[int], strokes: Strokes = BOXES) -> Iterator[tuple[int, str]]:
    """Return the level and the margin of each line of a tree in preorder, from its depth. Cost: linear."""
    above = [""] * (MAX_LEVEL + 1)  # the lines below the last line of each level
    for depth, is_last in zip(depths, _last_ones(depths), strict=True):
        level = min(depth, MAX_LEVEL)
        margin = ""
        if level:
            margin = above[level - 1] + (strokes.last if is_last else strokes.child)
            above[level] = above[level - 1] + (strokes.below if is_last else strokes.beside)
        if depth > MAX_LEVEL:
            margin += f"(level {depth:,}) "
        yield level, margin


def _last_ones(depths: Sequence[int]) -> list[bool]:
    """Return, for each line, whether it is the last line of its level below its parent."""
    last = [False] * len(depths)
    follows = [False] * (MAX_LEVEL + 1)
    for index in range(len(depths) - 1, -1, -1):
        level = min(depths[index], MAX_LEVEL)
        last[index] = not follows[level]
        follows[level] = True
        follows[level + 1 :] = [False] * (MAX_LEVEL - level)
    return last


def _names(box: Box, strokes: Strokes) -> str:
    names = list(map(escape, box.names[:MAX_NAMES]))
    if len(box.names) > MAX_NAMES:
        left = f"... {len(box.names) - MAX_NAMES:,} more ..."
        names = [*names[:-1], left, escape(box.names[-1])]
    joined = strokes.within.join(names)
    return f"{joined} {strokes.times}{box.times:,}" if box.times > 1 else joined
