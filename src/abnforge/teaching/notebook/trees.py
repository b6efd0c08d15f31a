"""Parse trees as text with lines, as HTML, and as a diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from abnforge._arguments import TextLike, instance_argument, text_argument
from abnforge._lazy import NotebookView
from abnforge.engine.rule import Rule
from abnforge.teaching.derivations import nodes_of
from abnforge.teaching.nodes import Node
from abnforge.teaching.notebook.markup import MAX_LINES, SOFT, folded, frame, line, picture, pre, soft, strong
from abnforge.teaching.pictures.compact import boxes
from abnforge.teaching.pictures.drawing import safe, shown
from abnforge.teaching.pictures.lines import Line, tree_lines
from abnforge.teaching.pictures.trees import tree_svg

MAX_DRAWN = 80  # boxes of a legible diagram


@dataclass(frozen=True, slots=True)
class Tree(NotebookView):
    """The parse tree of a string, as text by ``str``, and as HTML in a notebook.

    ``nodes`` are in preorder, with the names of the grammar; with ``full``, each node has a line.
    """

    rule: Rule
    text: str
    nodes: Sequence[Node] = field(repr=False)
    full: bool = False

    def __str__(self) -> str:
        return "\n".join(map(str, tree_lines(self.nodes, self.text, full=self.full)))

    def svg(self) -> str:
        """Return the tree as an SVG document. Complexity: linear."""
        return "".join(tree_svg(self.nodes, self.text, full=self.full))


def tree(rule: Rule, text: str | TextLike, *, full: bool = False) -> Tree:
    """Return the tree of ``rule.parse(text)`` with a view; with ``full``, each node has a line.

    Offsets are 0-based, in code points. Raises as ``rule.parse``; TypeError.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = text_argument(text, "text")
    return Tree(rule, plain, nodes_of(rule, plain), bool(full))


def tree_html(tree: Tree) -> str:
    """Return a tree as lines, and a small one also as a diagram."""
    lines = list(islice(tree_lines(tree.nodes, tree.text, full=tree.full), MAX_LINES))
    drawn = boxes(tree.nodes, full=tree.full)
    head = line(strong(tree.rule.name), soft(f"of {tree.rule.grammar.name}; {len(tree.nodes):,} nodes"))
    small = len(drawn) <= MAX_DRAWN
    title = f"Parse tree of {shown(tree.text, 0, len(tree.text), 60)} by {tree.rule.name}"
    return frame(
        head,
        pre(map(_line, lines), len(drawn) - len(lines)),
        folded("as a diagram", picture(tree.svg(), title) if small else ""),
    )


def _line(row: Line) -> str:
    names = strong(row.names) if row.names else ""
    span = f'<span style="{SOFT}">{row.span}</span>'
    margin = f'<span style="{SOFT}">{row.margin}</span>'
    return margin + "  ".join(filter(None, (names, safe(row.told), span)))
