"""Parse trees as pictures: SVG, DOT, a page. A string that is not valid is told on standard error."""

from __future__ import annotations

from abnforge.cli.common.messages import message
from abnforge.cli.common.output import tell, telling
from abnforge.cli.common.structure import Structure
from abnforge.cli.common.usage import UsageError
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.rejection import described
from abnforge.cli.reports.trees import nodes_of


class TreeSvg(Report[Structure]):
    """The picture of one string's tree. Raises UsageError for a second string: a document has one root."""

    is_file = True

    drawn = False

    def add(self, structure: Structure) -> None:
        from abnforge.teaching.pictures.trees import tree_svg

        if not structure.outcome.valid:
            tell(described(structure.outcome, telling()))
            return
        if self.drawn:
            raise UsageError(message("svg-single-string"))
        self.drawn = True
        for piece in tree_svg(nodes_of(structure), structure.outcome.shown, full=self.full):
            self.write(piece)


class TreeDot(Report[Structure]):
    """A graph for each string, for Graphviz."""

    is_file = True

    def add(self, structure: Structure) -> None:
        from abnforge.teaching.pictures.trees import tree_dot

        if not structure.outcome.valid:
            tell(described(structure.outcome, telling()))
            return
        for piece in tree_dot(nodes_of(structure), structure.outcome.shown, full=self.full):
            self.write(piece)


class TreePage(Report[Structure]):
    """A page with the tree of each string."""

    is_file = True

    begun = False

    def add(self, structure: Structure) -> None:
        from abnforge.teaching.pictures.page import page_head, tree_section

        if not self.begun:
            self.write(page_head(f"Parsed by {structure.rule.name} of {structure.rule.grammar.name}"))
            self.begun = True
        if not structure.outcome.valid:
            from abnforge.teaching.pictures.drawing import safe

            said = "".join(f"{safe(line)}\n" for line in described(structure.outcome).splitlines())
            self.write(f"<section>\n<pre>{said}</pre>\n</section>\n")
            return
        for piece in tree_section(nodes_of(structure), structure.outcome.shown, full=self.full):
            self.write(piece)

    def finish(self) -> None:
        from abnforge.teaching.pictures.page import PAGE_END

        if self.begun:
            self.write(PAGE_END)
