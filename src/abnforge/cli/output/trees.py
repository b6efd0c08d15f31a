"""Parse trees and components of strings, without recursion: a tree is as deep as its input makes it.

Text formats explain an invalid string; images report it on standard error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from abnforge._lazy import lazy
from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.messages import message
from abnforge.cli.common.outcome import Structure
from abnforge.cli.common.output import PLAIN, Style, dumps, print_stderr, stderr_style
from abnforge.cli.output.formats import JsonLines, LineReport, ResultReport
from abnforge.cli.output.rejection import described
from abnforge.cli.output.uris import component_lines
from abnforge.teaching.derivations import Node, flatten, steps
from abnforge.teaching.pictures.drawing import ASCII, BOXES, Line, Strokes, tree_lines

with lazy:
    from abnforge.teaching.pictures import drawing, page, trees


class StructureText(LineReport[Structure]):
    """Base of the formats that explain invalid strings."""

    spaced = True

    def lines(self, structure: Structure) -> Iterable[str]:
        outcome = structure.outcome
        return self.valid_lines(structure) if outcome.valid else [described(outcome, self.style)]

    def valid_lines(self, structure: Structure) -> Iterable[str]:
        """Return the lines of a valid string."""
        raise NotImplementedError


class TreeLines(StructureText):
    """The parse tree with a line per node; if ``full``, also for single characters."""

    def valid_lines(self, structure: Structure) -> Iterable[str]:
        return draw_tree(nodes_of(structure), structure.outcome.shown, full=self.full, style=self.style)


class ComponentsOrTree(TreeLines):
    """Components of a URI, else the parse tree."""

    def valid_lines(self, structure: Structure) -> Iterable[str]:
        components = structure.components()
        if components is None:
            return super().valid_lines(structure)
        return component_lines(components, self.style)


class Components(StructureText):
    """The components. Raises UsageError for a rule without components."""

    def valid_lines(self, structure: Structure) -> Iterable[str]:
        components = structure.components()
        if components is None:
            raise UsageError(message("structure-unavailable", rule=structure.outcome.target.rule))
        return component_lines(components, self.style)


class StructureLines(JsonLines):
    """Outcomes; valid ones with ``components`` and ``tree``, and a derivation or several trees on request.

    A tree is written in pieces: it may be large.
    """

    def add(self, structure: Structure) -> None:
        outcome = structure.outcome
        if not outcome.valid:
            self.put(dumps(outcome.to_dict()))
            return
        plain = outcome.to_dict() | {"components": structure.components()}
        nodes = nodes_of(structure)
        self._put(f'{dumps(plain)[:-1]}, "tree": ', tree_json(nodes, outcome.shown))
        if structure.also == "derivation":
            head = f', "order": {dumps(structure.order)}, "derivation": '
            self._put(head, steps_json(nodes, outcome.shown, structure.order))
        elif structure.also == "derivations":
            self._derivations(structure)
        self.write("}\n")

    def _put(self, head: str, pieces: Iterable[str]) -> None:
        self.write(head)
        for piece in pieces:
            self.write(piece)

    def _derivations(self, structure: Structure) -> None:
        """Write the number of derivations, null for infinitely many, and the trees of the first ones."""
        rule, judged = structure.rule, structure.outcome.judged
        count = rule.count_derivations(judged)
        self.write(f', "count": {dumps(None if count == inf else count)}, "derivations": [')
        for number, nodes in enumerate(derivations_of(structure)):
            self._put(", " if number else "", tree_json(nodes, structure.outcome.shown))
        self.write("]")


class TreeDot(ResultReport[Structure]):
    """A graph for each string, for Graphviz."""

    is_file = True

    def add(self, structure: Structure) -> None:
        if not structure.outcome.valid:
            print_stderr(described(structure.outcome, stderr_style()))
            return
        for piece in self.pieces(structure):
            self.write(piece)

    def pieces(self, structure: Structure) -> Iterable[str]:
        """Return the image of a valid string."""
        return trees.tree_dot(nodes_of(structure), structure.outcome.shown, full=self.full)


class TreeSvg(TreeDot):
    """The image of one string's tree, or of several trees side by side.

    Raises UsageError for a second string: a document has one root.
    """

    drawn = False

    def pieces(self, structure: Structure) -> Iterable[str]:
        if self.drawn:
            raise UsageError(message("svg-single-string", format="svg, png and pdf"))
        self.drawn = True
        text, theme = structure.outcome.shown, self.theme or "light"
        if structure.also != "derivations":
            return trees.tree_svg(nodes_of(structure), text, full=self.full, theme=theme)
        found = list(derivations_of(structure))
        return trees.derivations_svg(found, text, full=self.full, theme=theme)


class TreePage(ResultReport[Structure]):
    """A page with the tree of each string."""

    is_file = True

    begun = False

    def add(self, structure: Structure) -> None:
        if not self.begun:
            title = f"Parsed by {structure.rule.name} of {structure.rule.grammar.name}"
            self.write(page.page_head(title, theme=self.theme or "auto"))
            self.begun = True
        if not structure.outcome.valid:
            text = "".join(f"{drawing.safe(line)}\n" for line in described(structure.outcome).splitlines())
            self.write(f"<section>\n<pre>{text}</pre>\n</section>\n")
            return
        for piece in page.tree_section(nodes_of(structure), structure.outcome.shown, full=self.full):
            self.write(piece)

    def finish(self) -> None:
        if self.begun:
            self.write(page.PAGE_END)


def nodes_of(structure: Structure) -> list[Node]:
    """Return the nodes of a string's parse tree, with the names of its grammar."""
    return flatten(structure.tree(), structure.rule.lark_names.__getitem__)


def derivations_of(structure: Structure) -> Iterator[list[Node]]:
    """Yield the nodes of the first trees of a string, with the names of its grammar."""
    rule = structure.rule
    for tree in rule.derivations(structure.outcome.judged, structure.most):
        yield flatten(tree, rule.lark_names.__getitem__)


def draw_tree(nodes: Sequence[Node], text: str, *, full: bool = False, style: Style = PLAIN) -> Iterator[str]:
    """Return lines of the rules, their characters and offsets, as :func:`tree_lines` draws them.

    Unless ``full``, rules with one child and the same characters share a line, and so do neighbors of a rule
    that match one character each.
    """
    return (drawn_line(line, style) for line in tree_lines(nodes, text, full=full, strokes=strokes(style)))


def drawn_line(line: Line, style: Style = PLAIN) -> str:
    """Return a line of a tree in the colors of a terminal."""
    parts = (style.strong(line.names), line.told, style.faint(line.span))
    return style.faint(line.margin) + "  ".join(filter(None, parts))


def strokes(style: Style) -> Strokes:
    """Return the characters that trees are drawn with."""
    return ASCII if style.ascii else BOXES


def tree_json(nodes: Sequence[Node], text: str) -> Iterator[str]:
    """Yield pieces of JSON: ``rule``, ``start``, ``end``, ``children``; or ``text``, ``start``, ``end``.

    The string of an inner node is ``input[start:end]``; writing it would be quadratic.
    """
    depth = -1  # depth of the previous node
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
    """Yield pieces of one JSON array. A step has the replaced ``rule``, ``start``, ``end``, and ``by``.

    The forms are omitted, since they would be quadratic: each step replaces the first (or last) rule.
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
