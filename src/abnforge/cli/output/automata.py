"""Minimal automata of regular rules: diagrams, files for Graphviz and JFLAP, and tables of transitions."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from abnforge._lazy import lazy
from abnforge.cli.common.output import aligned
from abnforge.cli.output.exercises import cell
from abnforge.cli.output.formats import LineReport, ResultReport
from abnforge.text import escape

with lazy:
    from abnforge.teaching.pictures import automata, drawing, page

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule


class AutomatonSvg(ResultReport["Rule"]):
    """The automaton as an SVG document; base of the other files."""

    is_file = True

    def add(self, rule: Rule) -> None:
        for piece in self.pieces(rule):
            self.write(piece)

    def pieces(self, rule: Rule) -> Iterable[str]:
        """Return the parts of the file."""
        return [automata.automaton_svg(rule, self.theme or "light")]


class AutomatonDot(AutomatonSvg):
    """The automaton as a graph for Graphviz."""

    def pieces(self, rule: Rule) -> Iterable[str]:
        return automata.graph_dot(automata.graph_of(rule))


class AutomatonJflap(AutomatonSvg):
    """The automaton as a file for JFLAP."""

    def pieces(self, rule: Rule) -> Iterable[str]:
        return automata.graph_jff(automata.graph_of(rule))


class AutomatonPage(AutomatonSvg):
    """A page with the diagram, and with the table of transitions."""

    def pieces(self, rule: Rule) -> Iterator[str]:
        title = f"Automaton of {rule.name}"
        head, *rows = automata.transition_table(rule)
        yield page.page_head(title, style=automata.STYLE, theme=self.theme or "auto")
        yield f'<div class="wide">\n{automata.automaton_element(rule)}</div>\n<div class="wide">\n<table>\n'
        yield "<tr>" + "".join(f"<th>{drawing.safe(each)}</th>" for each in head) + "</tr>\n"
        for row in rows:
            yield "<tr>" + "".join(f"<td>{drawing.safe(each)}</td>" for each in row) + "</tr>\n"
        yield f"</table>\n</div>\n{page.PAGE_END}"


class TransitionText(LineReport["Rule"]):
    """The table of transitions, with aligned columns."""

    wraps = False

    def lines(self, rule: Rule) -> Iterator[str]:
        head, *rows = automata.transition_table(rule)
        filled = ([mark.rjust(2), *(each or "-" for each in row)] for mark, *row in rows)
        yield from aligned([list(map(escape, head)), *filled])


class TransitionCsv(AutomatonSvg):
    """The table of transitions (RFC 4180, with LF); an apostrophe precedes cells that look like a formula."""

    def add(self, rule: Rule) -> None:
        rows = (map(cell, row) for row in automata.transition_table(rule))
        csv.writer(self, lineterminator="\n").writerows(rows)
