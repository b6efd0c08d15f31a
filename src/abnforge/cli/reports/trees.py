"""Parse trees as text and as JSON, without recursion: a tree is as deep as its input makes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abnforge.cli.common.output import PLAIN, Style, dumps
from abnforge.cli.common.structure import Structure
from abnforge.teaching.derivations import steps
from abnforge.teaching.nodes import Node, flatten
from abnforge.teaching.pictures.lines import ASCII, BOXES, Line, Strokes, tree_lines


def nodes_of(structure: Structure) -> list[Node]:
    """The nodes of a string's parse tree, by the names of its grammar."""
    return flatten(structure.tree(), structure.rule.lark_names.__getitem__)


def draw_tree(nodes: Sequence[Node], text: str, *, full: bool = False, style: Style = PLAIN) -> Iterator[str]:
    """Lines: the rules, the text they match, its offsets; drawn as :func:`tree_lines` does.

    Unless ``full``, rules that have one child each over the same text share a line, and so do neighbours of
    one rule that match one character each.
    """
    return (drawn_line(line, style) for line in tree_lines(nodes, text, full=full, strokes=strokes(style)))


def drawn_line(line: Line, style: Style = PLAIN) -> str:
    """A line of a tree in the colours of a terminal."""
    told = (style.strong(line.names), line.told, style.faint(line.span))
    return style.faint(line.margin) + "  ".join(filter(None, told))


def strokes(style: Style) -> Strokes:
    """What trees are drawn with."""
    return ASCII if style.ascii else BOXES


def tree_json(nodes: Sequence[Node], text: str) -> Iterator[str]:
    """Pieces of one JSON value: ``rule``, ``start``, ``end``, ``children``; or ``text``, ``start``, ``end``.

    Inner nodes carry no text, since that would be quadratic: it is ``input[start:end]``.
    """
    depth = -1  # of the node before
    opened = 0  # nodes whose children are being written
    for node in nodes:
        while opened > node.depth:
            yield "]}"
            opened -= 1
        if depth >= node.depth:
            yield ", "
        depth = node.depth
        place = f'"start": {node.start}, "end": {node.end}'
        if node.rule is None:
            yield f'{{"text": {dumps(text[node.start : node.end])}, {place}}}'
        else:
            yield f'{{"rule": {dumps(node.rule)}, {place}, "children": ['
            opened += 1
    yield "]}" * opened


def steps_json(nodes: Sequence[Node], text: str, order: str) -> Iterator[str]:
    """Pieces of one JSON array: of each step the ``rule`` that is replaced, ``start``, ``end``, and what
    it is replaced ``by``.

    The forms are not told, since that would be quadratic: in each the first (the last) rule is replaced.
    """
    for number, step in enumerate(steps(nodes, order, 0)):
        by = [
            {"rule": each.rule, "start": each.start, "end": each.end}
            if each.rule is not None
            else {"text": text[each.start : each.end], "start": each.start, "end": each.end}
            for each in step.by
        ]
        replaced = step.replaced
        plain = {"rule": replaced.rule, "start": replaced.start, "end": replaced.end, "by": by}
        yield ("[" if number == 0 else ", ") + dumps(plain)
    yield "]"
