"""HTML pages of values in notebooks: rejections, findings, comparisons, reports, grades and URIs.

Read first: ``PAGES`` at the end, which maps classes to the functions that draw them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from abnforge._arguments import TextLike
from abnforge.comparison.rules import Comparison
from abnforge.conformance.coverage import Coverage
from abnforge.conformance.deviations import Deviation
from abnforge.conformance.running import Report
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.linting.finding import Finding
from abnforge.rejection import Rejection
from abnforge.teaching.exercises.exercise import Exercise
from abnforge.teaching.exercises.grading import BY_THE_ANSWER, Grade, Witness
from abnforge.teaching.notebook.grammars import grammar_html, rule_html
from abnforge.teaching.notebook.markup import (
    MARK,
    MAX_ROWS,
    code,
    cut,
    frame,
    line,
    marked,
    pre,
    quoted,
    soft,
    strong,
    table,
)
from abnforge.teaching.notebook.trees import Tree, tree_html
from abnforge.teaching.pictures.drawing import safe
from abnforge.text import citation
from abnforge.uri.common.components import Component
from abnforge.uri.common.password import without_password


def rejection_html(rejection: Rejection) -> str:
    """Return a rejection: the marked place, the message, the code, the suggestion."""
    start, end = (rejection._code_points(each) for each in rejection.span)
    suggestion = rejection.suggestion
    section = rejection.section
    cited = citation(rejection.grammar, section) if section else ""
    return frame(
        line(strong("not valid:"), safe(rejection.rule), soft(f"of {rejection.grammar}")),
        marked(rejection.input, start, end),
        line(strong(cut(rejection.message_with_position)), soft(f"[{rejection.code}]")),
        line(soft("did you mean"), quoted(suggestion.text)) if suggestion is not None else "",
        line(soft(f"see {cited}")) if cited else "",
    )


def finding_html(finding: Finding) -> str:
    """Return a finding: its place, message, code, example and fix."""
    place = f"{finding.path}:{finding.line}:{finding.column}: " if finding.line else f"{finding.path}: "
    last = finding.end_column if finding.end_line == finding.line else len(finding.excerpt) + 1
    return frame(
        line(
            soft(place),
            strong(finding.severity + ":"),
            safe(cut(finding.message)),
            soft(f"[{finding.code} {finding.name}]"),
        ),
        marked(finding.excerpt, finding.column - 1, last - 1) if finding.excerpt and finding.line else "",
        line(soft("shown by"), quoted(finding.witness)) if finding.witness is not None else "",
        line(soft("fix:"), code(finding.fix)) if finding.fix else "",
        line(soft(f"accepted: {finding.accepted}")) if finding.accepted is not None else "",
    )


def comparison_html(comparison: Comparison) -> str:
    """Return the relation of two rules, and strings that show it."""
    left, right = (f"{rule.name} of {rule.grammar.name}" for rule in (comparison.left, comparison.right))
    rows = [
        (safe(f"only {owner}"), quoted(text), soft(why.message if why is not None else ""))
        for owner, text, why in (
            (left, comparison.only_left, comparison.right_rejection()),
            (right, comparison.only_right, comparison.left_rejection()),
        )
        if text is not None
    ]
    if comparison.common is not None:
        rows.append((safe("both"), quoted(comparison.common), ""))
    first = str(comparison).partition("\n")[0]
    return frame(
        line(strong(first)),
        table(rows) if rows else "",
        line(soft(f"tried: {comparison.bound}")) if comparison.bound is not None else "",
    )


def report_html(report: Report) -> str:
    """Return the results of an implementation for a test suite."""
    rule = report.suite.rule
    what = f"{rule.name} of {rule.grammar.name}"
    left = f"; {report.skipped:,} skipped" if report.skipped else ""
    if report.passed:
        asked = f"{report.tried:,} strings tested{left}. " if report.tried else ""
        return frame(line(strong("passed"), soft(what)), line(safe(asked + report.guarantee)))
    rows = [_deviation(each) for each in islice(report.deviations, MAX_ROWS)]
    count = f"{report.differing:,} of {report.tried:,} strings{left}; causes: {len(report.deviations):,}"
    return frame(
        line(strong("differs"), soft(f"{what}; {count}")),
        table(rows, ("result", "string", "expected", "count"), len(report.deviations) - len(rows)),
    )


def _deviation(deviation: Deviation) -> tuple[str, str, str, str]:
    answer = "rejected" if deviation.valid else "accepted"
    why = "valid"
    if deviation.rejection is not None:
        why = deviation.rejection.message
    elif deviation.error:
        why = f"valid; failed with {deviation.error}"
    return safe(answer), quoted(deviation.text), safe(cut(why)), f"{deviation.count:,}"


def coverage_html(coverage: Coverage) -> str:
    """Return the percentage of a rule that strings cover, and the parts that are never used."""
    never = coverage.never
    rows = [
        (
            safe(each.part.rule),
            code(each.part.source or each.part.kind),
            quoted(each.sample) if each.sample is not None else soft("not found"),
        )
        for each in islice(never, MAX_ROWS)
    ]
    texts = f"{coverage.texts:,} strings, {coverage.rejected:,} rejected, {coverage.undecided:,} undecided"
    return frame(
        line(
            strong(f"{coverage.percent:.0f}% of {coverage.rule.name}"),
            soft(f"of {coverage.rule.grammar.name}; {texts}; parts never used: {len(never):,}"),
        ),
        table(rows, ("rule", "never used", "example"), len(never) - len(rows)) if rows else "",
    )


def exercise_html(exercise: Exercise) -> str:
    """Return an exercise: its task and examples, without hints."""
    rows = [("valid", *map(quoted, exercise.valid[:MAX_ROWS]))] if exercise.valid else []
    rows += [("invalid", *map(quoted, exercise.invalid[:MAX_ROWS]))] if exercise.invalid else []
    return frame(
        line(strong(exercise.title), soft(f"exercise {exercise.id}, level {exercise.level}")),
        line(safe(cut(exercise.task))),
        line(safe("Rule:"), code(exercise.rule)),
        table(rows) if rows else "",
        line(safe("Imports:"), safe(", ".join(exercise.imports))) if exercise.imports else "",
    )


def grade_html(grade: Grade) -> str:
    """Return the grade of an answer."""
    rows = [
        *_witness("wrongly accepted", grade.wrongly_accepted),
        *_witness("wrongly rejected", grade.wrongly_refused, BY_THE_ANSWER),
    ]
    hints = [*(finding.message for finding in grade.findings[:MAX_ROWS]), *grade.style]
    return frame(
        line(strong(grade.verdict), soft(f"exercise {grade.exercise.id}")),
        pre([safe(each) for each in cut(grade.answer).splitlines()]),
        line(f'<span style="{MARK}">{safe(grade.mistake)}</span>') if grade.mistake else "",
        table(rows) if rows else "",
        *(line(safe(cut(hint))) for hint in hints),
        line(soft(f"tried: {grade.bound}")) if grade.bound is not None else "",
    )


def _witness(what: str, witness: Witness | None, whose: str = "") -> list[tuple[str, str, str]]:
    if witness is None:
        return []
    return [(safe(what), quoted(witness.text), soft(cut(whose + witness.reason)))]


_ROWS = (
    "scheme",
    "authority",
    "userinfo",
    "host",
    "host_kind",
    "port",
    "path",
    "path_kind",
    "query",
    "fragment",
)


def component_html(component: TextLike) -> str:
    """Return a component object: its string and components, without passwords."""
    text = str(component)
    own = getattr(component, "rule", None)
    masked = without_password(text, "authority") if own is None else without_password(text)
    rows = []
    for name in _ROWS:
        if hasattr(component, name):
            rows.append((safe(name.replace("_", " ")), _cell(name, getattr(component, name))))
    head = line(strong(type(component).__name__), soft(f"read as {own}") if own else "")
    return frame(head, line(quoted(masked)), table(rows))


def _cell(name: str, value: object) -> str:
    if value is None:
        return soft("undefined")
    text = str(value)
    if name.endswith("kind"):
        return code(text)
    return quoted(without_password(text, name))


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
    """Return a value as HTML for a notebook, or None for a class without a page."""
    for kind in type(value).__mro__:
        if kind in PAGES:
            return PAGES[kind](value)
    return None
