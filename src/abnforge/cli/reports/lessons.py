"""``explain --teach``: a rejection as numbered steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import PLAIN, Style
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.rejection import (
    INDENT,
    drawing,
    edit,
    expected,
    other_mistakes,
    rule_path,
    specification,
    suggested,
)
from abnforge.text import citation, escape, in_quotes, show_char, where

if TYPE_CHECKING:
    from abnforge.explain.lessons import Lesson, ParsedPart

PARTS = 24  # told of what was read; of a long text the last ones
PART_COLUMNS = 40  # of one of them


def teaching(
    report: Report[Any], outcomes: Iterable[Outcome], lesson: Callable[[str], Lesson | None]
) -> None:
    """Write lessons about what is rejected, and of the others what the report says."""
    separator = ""
    for outcome in outcomes:
        told = None if outcome.rejection is None else lesson(outcome.judged)
        if told is None:
            report.add(outcome)
        else:
            report.write(separator + "\n".join(lesson_lines(told, report.style)) + "\n")
        separator = "\n"


def lesson_lines(lesson: Lesson, style: Style = PLAIN) -> list[str]:
    """The steps, a line each or more."""
    rejection = lesson.rejection
    text, offset = rejection.input, rejection.offset
    verdict = f"not valid: {escape(rejection.rule)} ({specification(rejection.grammar)})"
    lines = [style.error(verdict), *drawing(text, *rejection.span, style), ""]
    lines.append(style.strong("1. Parsed from left to right"))
    lines += [f"{INDENT}{row}" for row in _parts(lesson, text)]
    lines += ["", style.strong(f"2. No rule can continue ({where(text, offset)})")]
    met = "the end of the input" if rejection.found is None else show_char(rejection.found)
    facts = lesson.at_offset
    if facts.expected:
        lines.append(f"{INDENT}found {met}; {rule_path(facts.rule_path)} expects:")
        lines += [f"{INDENT}  {row}" for row in expected(facts.expected)]
    else:
        lines.append(f"{INDENT}found {met} in {rule_path(facts.rule_path)}")
    lines += ["", style.strong(f"3. Mistake: {escape(rejection.message)} [{escape(rejection.code)}]")]
    lines += [f"{INDENT}{row}" for row in _mistake(lesson, text)]
    lines += ["", style.strong("4. Fix")]
    suggestion = rejection.suggestion
    if suggestion is None:
        lines.append(f"{INDENT}the fix depends on the intended string")
    else:
        lines += [f"{INDENT}{edit(each, text)}" for each in suggestion.edits]
        lines += [f"{INDENT}result: {suggested(suggestion)}"]
    lines += [f"{INDENT}and {row}" for row in other_mistakes(rejection)]
    return lines


def _parts(lesson: Lesson, text: str) -> list[str]:
    parts = lesson.parts
    if not parts:
        return ["nothing"]
    rows = [f"... {len(parts) - PARTS:,} earlier parts ..."] if len(parts) > PARTS else []
    return rows + _columns(parts[-PARTS:], text)


def _columns(parts: Iterable[ParsedPart], text: str) -> list[str]:
    """The texts of some parts, and beside them the rules that they are."""
    shown = [(_quote(text[part.start : part.end]), rule_path(part.rule_path)) for part in parts]
    columns = max((len(written) for written, _ in shown), default=0)
    return [f"{written.ljust(columns)}  {rule}" for written, rule in shown]


def _mistake(lesson: Lesson, text: str) -> list[str]:
    code = lesson.code
    rejection = lesson.rejection
    if code is None:
        return ["not a known mistake"]
    rows = [f"the mistake, {escape(code.place or '')}:"]
    if code.definition is not None:
        rows += [f"  {line}" for line in code.definition.splitlines()]
    if lesson.slots:
        rows += ["in this string", *(f"  {row}" for row in _columns(lesson.slots, text))]
    if rejection.section is not None:
        rows.append(f"specification: {escape(citation(rejection.grammar, rejection.section))}")
    return rows


def _quote(text: str) -> str:
    if len(text) > PART_COLUMNS:
        half = PART_COLUMNS // 2
        text = f"{text[:half]}...{text[-half:]}"
    return in_quotes(escape(text))
