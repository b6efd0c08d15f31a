"""Which values have a page, and which function draws it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abnforge.comparison.rules import Comparison
from abnforge.conformance.coverage import Coverage
from abnforge.conformance.running import Report
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.linting.finding import Finding
from abnforge.notebook.grammars import grammar_html, rule_html
from abnforge.notebook.results import (
    comparison_html,
    coverage_html,
    exercise_html,
    finding_html,
    grade_html,
    rejection_html,
    report_html,
)
from abnforge.notebook.trees import Tree, tree_html
from abnforge.notebook.uris import component_html
from abnforge.rejection import Rejection
from abnforge.teaching.exercises import Exercise
from abnforge.teaching.grading import Grade
from abnforge.uri.common.components import Component

PAGES: dict[type, Callable[[Any], str]] = {
    Component: component_html,
    Comparison: comparison_html,
    Coverage: coverage_html,
    Exercise: exercise_html,
    Finding: finding_html,
    Grade: grade_html,
    Grammar: grammar_html,
    Rejection: rejection_html,
    Report: report_html,
    Rule: rule_html,
    Tree: tree_html,
}


def html_of(value: object) -> str | None:
    """A value as HTML for a notebook; None for one of a kind that has no page.

    Cost: bounded, but for a text's or a grammar's own length, and for what a value finds out when it is asked
    for the first time.
    """
    for kind in type(value).__mro__:
        if kind in PAGES:
            return PAGES[kind](value)
    return None
