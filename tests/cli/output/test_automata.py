"""Automata as files and tables."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

import abnforge
from abnforge.cli.output.automata import (
    AutomatonDot,
    AutomatonJflap,
    AutomatonPage,
    AutomatonSvg,
    TransitionCsv,
    TransitionText,
)
from abnforge.teaching.pictures.automata import (
    automaton_svg,
    graph_dot,
    graph_jff,
    graph_of,
    transition_table,
)
from tests.cli.command import Seen
from tests.cli.output.outcomes import run

RULE = abnforge.rule("rfc3986:dec-octet")
SIGNS = abnforge.loads('a = "=" / "+" / "<"\n')["a"]


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (AutomatonSvg, automaton_svg),
        (AutomatonDot, lambda rule: "".join(graph_dot(graph_of(rule)))),
        (AutomatonJflap, lambda rule: "".join(graph_jff(graph_of(rule)))),
    ],
)
def test_files(report: type[AutomatonSvg], expected: Callable[[abnforge.Rule], str]) -> None:
    assert run(report, RULE) == expected(RULE)


def test_tables(seen: Seen) -> None:
    seen(run(TransitionText, RULE))
    rows = list(csv.reader(io.StringIO(run(TransitionCsv, SIGNS))))
    assert rows == [["", "state", "'+<="], [">", "0", "1"], ["*", "1", ""]]
    assert [len(row) for row in csv.reader(io.StringIO(run(TransitionCsv, RULE)))] == [8] * 7


def test_a_page_has_the_diagram_and_the_table() -> None:
    page = run(AutomatonPage, SIGNS)
    assert page.count("<svg ") == page.count("</svg>") == page.count("</html>") == 1
    table = ElementTree.fromstring(page[page.index("<table>") : page.index("</table>")] + "</table>")
    assert [[cell.text or "" for cell in row] for row in table] == transition_table(SIGNS)
