"""Parse trees as text and as JSON, without recursion: a tree is as deep as its input makes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abnforge.cli.common.output import PLAIN, Style, dumps
from abnforge.cli.common.structure import Structure
from abnforge.drawing import escape
from abnforge.teaching.derivations import steps
from abnforge.teaching.nodes import Node, flatten

TEXT_COLUMNS = 60
MAX_INDENT = 40  # levels; deeper ones are numbered, or indentation alone would be quadratic in the input


def nodes_of(structure: Structure) -> list[Node]:
    """The nodes of a string's parse tree, by the names of its grammar."""
    return flatten(structure.tree(), structure.rule.lark_names.__getitem__)


def draw_tree(nodes: Sequence[Node], text: str, *, full: bool = False, style: Style = PLAIN) -> Iterator[str]:
    """Lines: two spaces a level, the rule, the text it matched.

    Unless ``full``, neighbours of one rule that match one character each share a line, and text that is all
    a rule consists of is not told twice.
    """
    index = 0
    while index < len(nodes):
        node = nodes[index]
        times, following = _run(nodes, index, full)
        told = not full and node.rule is None and index > 0 and _same_span(nodes[index - 1], node)
        index = following
        if told:
            continue
        shown = _quote(text, node.start, node.end if times == 1 else node.start + times)
        if times > 1:
            shown += f"  ({times} times)"
        if node.depth <= MAX_INDENT:
            margin = "  " * node.depth
        else:
            margin = "  " * MAX_INDENT + f"(level {node.depth}) "
        yield margin + (f"{style.strong(escape(node.rule))}  {shown}" if node.rule is not None else shown)


def _same_span(parent: Node, node: Node) -> bool:
    return (parent.depth + 1, parent.start, parent.end) == (node.depth, node.start, node.end)


def _run(nodes: Sequence[Node], index: int, full: bool) -> tuple[int, int]:
    """How many siblings from ``index`` on share a line, and the index behind what that line stands for."""
    node = nodes[index]
    if full or node.end - node.start != 1:
        return 1, index + 1
    times, after = 0, index
    while after < len(nodes):
        sibling = nodes[after]
        if (sibling.rule, sibling.depth) != (node.rule, node.depth) or sibling.end - sibling.start != 1:
            break
        times += 1
        after += 1
        while after < len(nodes) and nodes[after].depth > node.depth:
            after += 1
    return (times, after) if times > 1 else (1, index + 1)


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


def _quote(text: str, start: int, end: int) -> str:
    """A part of a text. Of a long one no more is read than is shown: each level of a tree has its own."""
    if end - start > TEXT_COLUMNS:
        return f'"{escape(text[start : start + TEXT_COLUMNS])}..."'
    return f'"{escape(text[start:end])}"'
