"""A parse tree as SVG, and as text for Graphviz (DOT).

The layout is a simple tidy tree (Wetherell and Shannon 1979). A subtree is as wide as its box or its
children, a box is above the middle of its children, and no two subtrees share a column. In an image that is
wider than screens, a box is above its first child, so that the root is visible. The layout takes linear time,
without recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from abnforge.teaching.derivations import Node
from abnforge.teaching.pictures.drawing import (
    COLUMN,
    FONT,
    LAYERS,
    SOFT_COLUMN,
    Box,
    boxes,
    number,
    palette,
    quoted_for_dot,
    safe,
    shown,
    style_element,
)
from abnforge.text import escape, width

TEXT_COLUMNS = 24  # the width of a string in a box
LINE, SOFT_LINE, PAD, GAP, DROP, EDGE = 17.0, 14.0, 6.0, 10.0, 24.0, 12.0
CAPTION, BESIDE = 22.0, 20.0  # height of a caption, and distance of two trees
MAX_CENTERED = 4_000.0  # width in px; boxes of wider images are left-aligned

_STYLE = f"""
.tree {{ font: 13px {FONT}; background: var(--paper); }}
.tree text {{ fill: var(--ink); text-anchor: middle; }} .tree .soft {{ fill: var(--soft); font-size: 11px; }}
.tree rect {{ fill: var(--paper); stroke: var(--line); }}
.tree .text rect {{ fill: var(--shade); stroke: none; }} .tree .paper {{ stroke: none; }}
.tree .differs rect {{ stroke-width: 2.5; }} .tree .caption {{ fill: var(--soft); }}
.tree path {{ fill: none; stroke: var(--line); }}
"""
_LAYERS = "".join(
    f".tree .n{layer} .name {{ fill: var(--l{layer}); font-weight: 600; }} "
    f".tree .n{layer} rect {{ stroke: var(--l{layer}); }}\n"
    for layer in range(LAYERS)
)


def tree_svg(nodes: Sequence[Node], text: str, *, full: bool = False, theme: str = "light") -> Iterator[str]:
    """Yield pieces of an SVG document of the tree, from the top down. Cost: linear.

    Each box has its rules and its span in code points, and its string unless boxes below have it. For the
    theme "", it is an element for a page with the style of :func:`tree_style`.
    """
    return _document([nodes], text, full, theme, captions=False)


def derivations_svg(
    trees: Sequence[Sequence[Node]], text: str, *, full: bool = False, theme: str = "light"
) -> Iterator[str]:
    """Yield pieces of an SVG document of several trees of one string, side by side. Cost: linear.

    Boxes whose rule and span are not in every tree have a thick border.
    """
    return _document(trees, text, full, theme, captions=True)


def _document(
    trees: Sequence[Sequence[Node]], text: str, full: bool, theme: str, captions: bool
) -> Iterator[str]:
    forests = [boxes(nodes, full=full) for nodes in trees]
    common = set.intersection(*({_key(box) for box in drawn} for drawn in forests))
    groups: list[str] = []
    wide, high, top = 0.0, 0.0, CAPTION if captions else 0.0
    for number_, drawn in enumerate(forests, 1):
        lines = [_lines(box, text) for box in drawn]
        sizes = [_size(each) for each in lines]
        places, own_wide, own_high = _layout(drawn, sizes)
        title = f"derivation {number_}"
        own_wide = max(own_wide, width(title) * COLUMN + 2 * EDGE if captions else 0.0)
        if captions:
            groups.append(f'<g transform="translate({number(wide)} {number(top)})">\n')
            groups.append(f'<text class="caption" x="{number(own_wide / 2)}" y="-4">{title}</text>\n')
        for index, box in enumerate(drawn):
            if box.parent is not None:
                groups.append(_edge(places[box.parent], sizes[box.parent], places[index]))
        for index, box in enumerate(drawn):
            groups.append(_drawn(box, lines[index], places[index], sizes[index], _key(box) not in common))
        groups.append("</g>\n" * captions)
        wide, high = wide + own_wide + BESIDE * captions, max(high, top + own_high)
    wide -= BESIDE * captions
    root = forests[0][0].names[0] if forests[0][0].names else ""
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tree" role="img" aria-labelledby="t d" '
        f'width="{number(wide)}" height="{number(high)}" viewBox="0 0 {number(wide)} {number(high)}">\n'
    )
    yield f'<title id="t">Parse tree of {safe(shown(text, 0, len(text), 60))} by {safe(root)}</title>\n'
    nodes, drawn_boxes = sum(map(len, trees)), sum(map(len, forests))
    kind = f"{len(trees)} trees side by side: " if captions else ""
    yield f'<desc id="d">{kind}{nodes:,} nodes in {drawn_boxes:,} boxes, from the rule to its text.</desc>\n'
    if theme:
        yield style_element(_STYLE + _LAYERS, ".tree", theme)
    yield '<rect class="paper" width="100%" height="100%"/>\n'
    yield from groups
    yield "</svg>\n"


def _key(box: Box) -> tuple[tuple[str, ...], int, int]:
    return tuple(box.names), box.start, box.end


def tree_style(root: str) -> str:
    """Return the style of trees within an element of a page."""
    return palette(root) + _STYLE + _LAYERS


def tree_dot(nodes: Sequence[Node], text: str, *, full: bool = False) -> Iterator[str]:
    """Yield lines of the tree as a graph for Graphviz. Cost: linear."""
    yield "digraph tree {\n"
    yield '  node [shape=box, style=rounded, fontname="monospace", fontsize=11, margin="0.08,0.04"];\n'
    yield "  edge [arrowhead=none];\n  ordering=out;\n"
    for index, box in enumerate(boxes(nodes, full=full)):
        label = r"\n".join(quoted_for_dot(line) for _, line in _lines(box, text))
        shape = "" if box.names else ", shape=plaintext"
        yield f'  n{index} [label="{label}"{shape}];\n'
        if box.parent is not None:
            yield f"  n{box.parent} -> n{index};\n"
    yield "}\n"


def _lines(box: Box, text: str) -> list[tuple[str, str]]:
    lines = [("name", escape(name)) for name in box.names]
    if box.times > 1:
        lines[-1] = ("name", f"{lines[-1][1]} ×{box.times}")
    if box.leaf or not box.names:
        lines.append(("text", shown(text, box.start, box.end, TEXT_COLUMNS)))
    lines.append(("soft", f"{box.start}-{box.end}"))
    return lines


def _size(lines: Sequence[tuple[str, str]]) -> tuple[float, float]:
    wide = max(width(line) * (SOFT_COLUMN if kind == "soft" else COLUMN) for kind, line in lines)
    return wide + 2 * PAD, LINE * (len(lines) - 1) + SOFT_LINE + PAD


def _layout(
    drawn: Sequence[Box], sizes: Sequence[tuple[float, float]]
) -> tuple[list[tuple[float, float]], float, float]:
    """Return the middle of each box's upper edge, and the width and height of the image."""
    widths = [0.0] * len(drawn)  # columns of each subtree
    together = [0.0] * len(drawn)  # columns of all children
    for index in range(len(drawn) - 1, -1, -1):
        box = drawn[index]
        together[index] = sum(widths[child] for child in box.children) + GAP * (len(box.children) - 1)
        widths[index] = max(sizes[index][0], together[index])
    centered = widths[0] <= MAX_CENTERED
    lefts = [0.0] * len(drawn)
    places = [(0.0, 0.0)] * len(drawn)
    high = 0.0
    lefts[0] = EDGE
    tops = [EDGE] * len(drawn)
    for index, box in enumerate(drawn):
        left = lefts[index]
        if centered:
            left += max(0.0, (widths[index] - together[index]) / 2)
        for child in box.children:
            lefts[child] = left
            tops[child] = tops[index] + sizes[index][1] + DROP
            left += widths[child] + GAP
        high = max(high, tops[index] + sizes[index][1])
    for index in range(len(drawn) - 1, -1, -1):
        children = drawn[index].children
        middle = (
            (places[children[0]][0] + places[children[-1]][0]) / 2
            if children
            else lefts[index] + widths[index] / 2
        )
        half = sizes[index][0] / 2
        if not centered:
            middle = 0.0
        middle = min(max(middle, lefts[index] + half), lefts[index] + widths[index] - half)
        places[index] = middle, tops[index]
    return places, widths[0] + 2 * EDGE, high + EDGE


def _edge(above: tuple[float, float], size: tuple[float, float], below: tuple[float, float]) -> str:
    x, y = above[0], above[1] + size[1]
    bend = y + DROP / 2
    points = [(x, y), (x, bend), (below[0], bend), below]
    distinct = [points[0], *(b for a, b in pairwise(points) if a != b)]
    return f'<path d="M{" L".join(f"{number(a)} {number(b)}" for a, b in distinct)}"/>\n'


def _drawn(
    box: Box,
    lines: Sequence[tuple[str, str]],
    place: tuple[float, float],
    size: tuple[float, float],
    differs: bool = False,
) -> str:
    kind = f"n{box.layer}" if box.names else "text"
    kind += " differs" * differs
    x, y = place
    parts = [
        f'<g class="{kind}"><rect x="{number(x - size[0] / 2)}" y="{number(y)}" width="{number(size[0])}" '
        f'height="{number(size[1])}" rx="4"/>'
    ]
    down = y + PAD / 2
    for name, line in lines:
        down += SOFT_LINE if name == "soft" else LINE
        base = down - 4
        parts.append(f'<text class="{name}" x="{number(x)}" y="{number(base)}">{safe(line)}</text>')
    return "".join(parts) + "</g>\n"
