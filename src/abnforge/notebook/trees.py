"""Parse trees to be looked at: as text with lines drawn between, as HTML, as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from abnforge._arguments import TextLike, instance_argument, text_argument
from abnforge._lazy import NotebookView
from abnforge.engine.rule import Rule
from abnforge.notebook.markup import MAX_LINES, SOFT, folded, frame, line, picture, pre, soft, strong
from abnforge.teaching.derivations import nodes_of
from abnforge.teaching.nodes import Node
from abnforge.teaching.pictures.compact import boxes
from abnforge.teaching.pictures.drawing import safe, shown
from abnforge.teaching.pictures.lines import Line, tree_lines
from abnforge.teaching.pictures.trees import tree_svg

MAX_DRAWN = 80  # boxes of a picture that one takes in


@dataclass(frozen=True, slots=True)
class Tree(NotebookView):
    """The parse tree of a text by a rule. ``str`` gives it as text, a notebook shows it.

    ``nodes`` are in preorder, by the names of the grammar; ``full`` says whether each of them has a line.
    """

    rule: Rule
    text: str
    nodes: Sequence[Node] = field(repr=False)
    full: bool = False

    def __str__(self) -> str:
        return "\n".join(map(str, tree_lines(self.nodes, self.text, full=self.full)))

    def svg(self) -> str:
        """The tree as an SVG document. Cost: linear."""
        return "".join(tree_svg(self.nodes, self.text, full=self.full))


def tree(rule: Rule, text: str | TextLike, *, full: bool = False) -> Tree:
    """The tree that ``rule.parse(text)`` gives, to be looked at; ``full``: with a line for each node.

    Raises Rejected, and what ``rule.parse`` raises; TypeError. Offsets count code points.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = text_argument(text, "text")
    return Tree(rule, plain, nodes_of(rule, plain), bool(full))


def tree_html(found: Tree) -> str:
    """A tree as lines, and, if it is small, as a picture."""
    lines = list(islice(tree_lines(found.nodes, found.text, full=found.full), MAX_LINES))
    drawn = boxes(found.nodes, full=found.full)
    head = line(strong(found.rule.name), soft(f"of {found.rule.grammar.name}; {len(found.nodes):,} nodes"))
    small = len(drawn) <= MAX_DRAWN
    title = f"Parse tree of {shown(found.text, 0, len(found.text), 60)} by {found.rule.name}"
    return frame(
        head,
        pre(map(_line, lines), len(drawn) - len(lines)),
        folded("as a diagram", picture(found.svg(), title) if small else ""),
    )


def _line(found: Line) -> str:
    names = strong(found.names) if found.names else ""
    span = f'<span style="{SOFT}">{found.span}</span>'
    margin = f'<span style="{SOFT}">{found.margin}</span>'
    return margin + "  ".join(filter(None, (names, safe(found.told), span)))
