"""One result for every format: a place, a code, a severity, a message, a fix and help.

The functions turn each kind of value into diagnostics. The formats ``github``, ``sarif`` and ``junit`` only
know diagnostics; each of them escapes strings itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from abnforge._lazy import lazy
from abnforge.catalog import Message
from abnforge.charset import BYTES
from abnforge.cli.common import grammar_results as results
from abnforge.cli.common.inputs import in_file_system
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import PLAIN, Style
from abnforge.cli.output.rejection import (
    LABEL_COLUMNS,
    drawing,
    exact_offset,
    labeled,
    other_mistakes,
    rule_path,
    specification,
    suggested,
)
from abnforge.rejection import Rejection
from abnforge.text import LATIN_1, citation, escape, position, where

with lazy:
    from abnforge.cli.output import codes, differences
    from abnforge.comparison import grammars

if TYPE_CHECKING:
    from abnforge.cli.common.grammar_results import ConformanceResult, MatrixResult
    from abnforge.comparison.grammars import Compatibility, GrammarDiff, RuleDiff
    from abnforge.conformance.causes import Deviation
    from abnforge.linting.finding import Finding, Linted

PASSED, FAILED, ERROR, SKIPPED, NOTE = "passed", "failed", "error", "skipped", "note"
NOTE_COLUMNS = 9  # width of labels
NAME_COLUMNS = 120  # maximum width of a test case's name, which lists show
SNIPPET_COLUMNS = 2000  # maximum width of a quoted line, which may be a whole document


class Place(NamedTuple):
    """A region, counted from 1; ``end_line`` is 0 on the same line, ``end_column`` is after the region."""

    line: int
    column: int
    end_line: int
    end_column: int


class Help(NamedTuple):
    """The meaning of a code."""

    summary: str
    explanation: str | None = None
    name: str | None = None
    severity: str | None = None


class Fix(NamedTuple):
    """Edits that fix a file: regions and their new text."""

    description: str
    edits: Iterable[tuple[Place, str]]


@dataclass(slots=True)
class Diagnostic:
    """A result about a place.

    ``summary`` is the message of formats other than text, if it differs. ``title`` is a short form of the
    code and its context, ``name`` a test case of ``group``. A result with an ``accepted`` reason is not a
    failure. ``function`` is the name of the implementation that the result is about. ``label`` and ``tag``
    are written before and after the message, and ``excerpt`` with its ``span`` below it. Edits and notes are
    printable; they are iterators, which only some formats consume.
    """

    status: str
    path: str = ""
    is_file: bool = False
    place: Place | None = None
    severity: str = "error"
    code: str = ""
    message: str = ""
    summary: str = ""
    title: str = ""
    group: str = ""
    name: str = ""
    function: str = ""
    accepted: str | None = None
    help: Callable[[], Help] = lambda: Help("")
    fix: Fix | None = None
    related: Sequence[tuple[Place, str]] = ()
    snippet: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    where: str = ""
    label: str = ""
    tag: str = ""
    suffix: str = ""
    excerpt: str | None = None
    span: tuple[int, int] = (0, 0)
    notes: Iterable[tuple[str, str]] = ()
    note_columns: int = NOTE_COLUMNS

    def __post_init__(self) -> None:
        self.summary = self.summary or self.message

    def lines(self, style: Style = PLAIN) -> Iterator[str]:
        """Yield the message at its place, the excerpt with the span underlined, and the notes."""
        paint = style.severity(self.label or self.severity)
        message = escape(self.message)
        head = [f"{style.strong(self.where)}:"] if self.where else []
        head += [f"{paint(self.label)}:", message] if self.label else [paint(message)]
        head += [style.faint(f"[{escape(self.tag)}]")] if self.tag else []
        yield " ".join([*head, self.suffix] if self.suffix else head)
        if self.excerpt is not None:
            yield from drawing(self.excerpt, *self.span, style, paint)
        for label, text in self.notes:
            yield from labeled(label, text.split("\n"), style, self.note_columns)


_UNREADABLE = {
    "not-utf-8": "Line is not UTF-8",
    "line-too-long": "Line exceeds the limit",
    "file-too-large": "File exceeds the limit",
    "limit-exceeded": "String exceeds the budget",
}


def outcomes(outcome: Outcome) -> Iterator[Diagnostic]:
    """Yield the verdict on a string."""
    record, rejection, target = outcome.record, outcome.rejection, outcome.target
    name = f"{'file' if record.whole else f'line {record.line}'}: {outcome.shown[:NAME_COLUMNS]}"
    if outcome.valid:
        yield Diagnostic(PASSED, group=record.source, name=name)
        return
    start, end = outcome.span
    suggestion = None if rejection is None else rejection.suggestion
    text = "" if suggestion is None else suggested(suggestion)
    is_file = in_file_system(record.source)
    converted = {"newline": record.newline} if record.newline else {}
    fix = None
    # Programs apply a fix. A masked string may have masked edits, and edits after a conversion of line
    # endings may name line endings that the file does not have.
    if suggestion is not None and is_file and not converted and outcome.judged in ("", outcome.shown):
        fix = Fix(text, ((_place(outcome, each.start, each.end), each.text) for each in suggestion.edits))
    code = outcome.code
    yield Diagnostic(
        FAILED if rejection is not None else ERROR,
        path=record.source,
        is_file=is_file,
        place=_place(outcome, start, end),
        code=code,
        message=outcome.message,
        summary=f"{outcome.message}; did you mean {text}" if suggestion else "",
        title=f"{code} ({target.rule}, {specification(target.grammar)})",
        group=record.source,
        name=name,
        help=partial(_code_help, outcome),
        fix=fix,
        snippet=_snippet(outcome, start),
        properties={"grammar": target.grammar, "rule": target.rule, **converted},
        where=f"{escape(record.source)}:{_where(outcome, start)}",
        tag=code,
        suffix="" if rejection is None else f"(exact offset {exact_offset(rejection)})",
        excerpt=outcome.shown if rejection is not None else outcome.shown or None,
        span=(start, end),
        notes=() if rejection is None else _reasons(rejection, text),
        note_columns=LABEL_COLUMNS,
    )


def _reasons(rejection: Rejection, suggestion: str) -> Iterator[tuple[str, str]]:
    best = rejection.hypotheses[0] if rejection.hypotheses else None
    if best and best.message != rejection.message:
        yield "reason", escape(best.message)
    if others := other_mistakes(rejection):
        yield "also", "\n".join(others)
    if rejection.suggestion is not None:
        yield "suggestion", suggestion


def warnings(outcome: Outcome) -> Iterator[Diagnostic]:
    """Yield the diagnostics of ``--security`` about a valid string."""
    for each in outcome.security:
        more = f" ({each.count - 1} more)" if each.count > 1 else ""
        yield Diagnostic(
            NOTE,
            message=each.message + more,
            where=f"{escape(outcome.record.source)}:{outcome.record.line}:{each.start + 1}",
            label=str(each.severity),
            tag=f"{each.code}, {specification(outcome.target.grammar)}, section {each.section}",
            excerpt=outcome.shown,
            span=(each.start, each.end),
        )


def _where(outcome: Outcome, start: int) -> str:
    """Return the line and column in the source; for a string of several lines, also the place in it."""
    if outcome.record.whole:
        return "{}:{}".format(*outcome.place(start))
    if position(outcome.shown, start)[0] > 1:
        return f"{outcome.record.line}: {where(outcome.shown, start)}"
    return f"{outcome.record.line}:{start + 1}"


def _place(outcome: Outcome, start: int, end: int) -> Place:
    """Return the place of a span. Columns count characters, also if the offsets count the bytes of UTF-8."""
    line, column = outcome.place(start)
    end_line, end_column = outcome.place(end) if outcome.several_lines else (line, column + end - start)
    last = 0 if end_line == line else end_line
    if (octets := _utf8(outcome)) is None:
        return Place(line, column, last, end_column)

    def characters(offset: int, column: int) -> int:
        return len(octets[offset - column + 1 : offset].decode(errors="ignore")) + 1

    return Place(line, characters(start, column), last, characters(end, end_column))


def _utf8(outcome: Outcome) -> bytes | None:
    """Return the bytes of a string of bytes that is UTF-8, but not ASCII."""
    rejection = outcome.rejection
    if rejection is None or rejection.alphabet != BYTES or outcome.shown.isascii():
        return None
    octets = outcome.shown.encode(LATIN_1)
    try:
        octets.decode()
    except UnicodeDecodeError:
        return None
    return octets


def _snippet(outcome: Outcome, start: int) -> str | None:
    """Return the string, or the line of a whole file; None if the line is too long."""
    text = outcome.shown
    if outcome.record.whole:
        first = start - position(text, start)[1] + 1
        end = text.find("\n", start)
        text = text[first : end if end >= 0 else len(text)].removesuffix("\r")
        if len(text) > SNIPPET_COLUMNS:
            return None
    return text if _utf8(outcome) is None else text.encode(LATIN_1).decode()


def _code_help(outcome: Outcome) -> Help:
    code = outcome.target.codes().get(outcome.code)
    if code is None:
        return Help(_UNREADABLE.get(outcome.code, outcome.code))
    text = summary = code.meaning.replace("<all>", "the string")
    if code.others:  # none of several mistakes explains the others
        summary = outcome.code.replace("-", " ")
        text = "; or ".join((text, *code.others)).replace("<all>", "the string")
    if code.section is not None:
        text = f"{text} ({citation(outcome.target.grammar, code.section)})"
    return Help(summary, text if code.section is not None or code.others else None)


def findings(linted: Linted) -> Iterator[Diagnostic]:
    """Yield the findings about a grammar."""
    for each in linted.findings:
        yield finding(each, linted.is_file, linted.text)


def finding(item: Finding, is_file: bool = False, text: str = "") -> Diagnostic:
    """Return a finding about a grammar; ``text`` is the grammar's text if the edits are to be reported."""
    fix = None
    if item.edits and is_file and text:
        places = ((position(text, each.start), position(text, each.end), each.text) for each in item.edits)
        fix = Fix(f"Correct {item.name}", ((Place(*start, *end), new) for start, end, new in places))
    on_one_line = item.end_line == item.line
    return Diagnostic(
        FAILED,
        path=item.path,
        is_file=is_file,
        place=Place(item.line, item.column, item.end_line, item.end_column) if item.line else None,
        severity=item.severity,
        code=item.code,
        message=item.message,
        title=f"{item.code} {item.name}",
        accepted=item.accepted,
        fix=fix,
        related=[(Place(near.line, near.column, 0, 0), near.note) for near in item.related],
        properties={"name": item.name, "rule": item.rule, "witness": item.witness},
        where=location(item.path, item.line, item.column),
        label=item.severity if item.accepted is None else "accepted",
        tag=f"{item.code} {item.name}",
        excerpt=item.excerpt if item.line else None,
        span=(item.column - 1, item.end_column - 1 if on_one_line else len(item.excerpt)),
        notes=_details(item),
    )


def _details(item: Finding) -> Iterator[tuple[str, str]]:
    yield from zip(("either", "or"), map(escape, item.derivations), strict=False)
    for near in item.related:
        yield "see", f"{location(near.path, near.line, near.column)}: {escape(near.note)}"
    if item.fix is not None:
        yield "fix", escape(fix_text(item.fix))
    if count := len(item.edits):
        edits = "it" if count == 1 else "them"
        yield "edits", f"{count:,}: show {edits} with --diff, apply {edits} with --fix"
    if item.accepted is not None:
        yield "because", escape(item.accepted)


def fix_text(fix: str | Message) -> str:
    """Return the fix for a finding as an instruction; the fix is a message, or ABNF to write."""
    return fix if isinstance(fix, Message) else f"write {fix}"


def location(path: str, line: int, column: int) -> str:
    """Return ``path:line:column``; the path alone without a line."""
    return f"{escape(path)}:{line}:{column}" if line else escape(path)


_EXAMPLES = {
    results.PASSED: (PASSED, ""),
    results.LISTED: (SKIPPED, ""),
    results.UNDECIDED: (ERROR, "not decided"),
    results.FAILED: (FAILED, "error"),
    results.MISSING: (FAILED, "error"),
}


def examples(outcome: results.ExampleOutcome) -> Iterator[Diagnostic]:
    """Yield an example of a rule and its result, or a rule with too few examples."""
    status, label = _EXAMPLES[outcome.status]
    yield Diagnostic(
        status,
        path=outcome.path,
        is_file=outcome.is_file,
        place=Place(outcome.line, outcome.column, outcome.line, outcome.end_column) if outcome.line else None,
        code=outcome.code or outcome.status,
        message=outcome.message,
        title=outcome.name,
        group=outcome.path,
        name=f"{outcome.line}:{outcome.column} {outcome.name}",
        where=location(outcome.path, outcome.line, outcome.column),
        label=label,
        tag=outcome.code or "",
        excerpt=outcome.excerpt if outcome.line else None,
        span=(outcome.column - 1, outcome.end_column - 1),
        notes=() if outcome.note is None else [("from", escape(outcome.note))],
    )


def deviations(conformed: ConformanceResult) -> Iterator[Diagnostic]:
    """Yield the deviations of an implementation from a rule: new, known and vanished ones."""
    report = conformed.report
    rule = report.suite.rule
    group = f"{rule.grammar.name}:{rule.name}"
    yield Diagnostic(
        PASSED, group=group, name=f"{report.tried - report.differing} strings agree with the rule"
    )
    for each in conformed.sorted.new:
        yield deviation(each, conformed.name, group)
    for each, reason in conformed.sorted.accepted:
        yield deviation(each, conformed.name, group, reason)
    for vanished in conformed.sorted.vanished:
        message = f'"{escape(vanished.text)}" no longer deviates; remove the known deviation'
        yield Diagnostic(NOTE, severity="info", title="vanished", message=message)


def matrix(result: MatrixResult) -> Iterator[Diagnostic]:
    """Yield the deviations of several implementations from a rule."""
    return chain.from_iterable(map(deviations, result.results))


def deviation(item: Deviation, function: str = "", group: str = "", reason: str | None = None) -> Diagnostic:
    """Return a deviation: a string on which implementation and rule differ, with the ``reason`` if known."""
    code = item.code or "rejected"
    more = f" (and {item.count - 1:,} more)" if item.count > 1 else ""
    message = f"{'rejected' if item.valid else 'accepted'}{more}: {item.reason}"
    path = rule_path(item.rule_path)
    if item.section is not None:
        path += f"; {escape(citation(item.rule.grammar.name, item.section))}"
    end = min(item.offset + 1, len(item.text))
    note = "" if reason is None else f" (known: {reason})"
    return Diagnostic(
        FAILED if reason is None else SKIPPED,
        code=code,
        message=message,
        summary=f'"{escape(item.text)}" {message}{note}',
        title=f"{code} ({item.rule.name}, {item.rule.grammar.name})",
        group=group,
        name=item.text or "(the empty string)",
        function=function,
        accepted=reason,
        help=lambda: Help(code),
        properties={
            "grammar": item.rule.grammar.name,
            "rule": item.rule.name,
            "valid": item.valid,
            "text": escape(item.text),
        },
        tag=code,
        excerpt=item.text,
        span=(min(item.offset, end), end),
        notes=[("rule", path)] + ([] if item.error is None else [("error", escape(item.error))]),
    )


def rule_differences(diff: GrammarDiff) -> Iterator[Diagnostic]:
    """Yield the rules that differ between two grammars."""
    return (_difference(rule, diff, "warning", rule.relation) for rule in diff.rules if not rule.equal)


_VERDICTS = {"broken": "error", "not-shown": "warning", "compatible": "info"}


def changes(comparison: Compatibility) -> Iterator[Diagnostic]:
    """Yield the rules that differ: errors for broken rules, information for rules that only grew."""
    for rule in comparison.diff.rules:
        if not rule.equal:
            verdict = grammars.verdict(rule)
            yield _difference(rule, comparison.diff, _VERDICTS[verdict], verdict)


def _difference(rule: RuleDiff, diff: GrammarDiff, severity: str, verdict: str) -> Diagnostic:
    """Return the difference of a rule, placed in the right grammar, which is the one to change."""
    # A rule that the right grammar lacks has the place of that grammar.
    shown = rule.right or next((each.right for each in diff.rules if each.right), None)
    source = None if shown is None else shown.grammar.source
    is_file = source is not None and Path(source.name).is_file()
    place = None
    if is_file and rule.right is not None and rule.right.origin == "file":
        span = rule.right.grammar.compilation.bound.rules[rule.right.key].rule.name_span
        line, column = rule.right.grammar.source.position(span.start)
        place = Place(line, column, line, column + span.end - span.start)
    parts = [f"{rule.relation}, {diff.left} compared with {diff.right}"]
    parts += [
        f"only {name}: {codes.code(text)} ({why})" for name, text, why in differences.witnesses(rule, diff)
    ]
    parts += [rule.note] if rule.note else []
    return Diagnostic(
        FAILED,
        path="" if source is None else source.name,
        is_file=is_file,
        place=place,
        severity=severity,
        title=f"{verdict}: {differences.title(rule)}",
        message="; ".join(parts),
    )


def finding_help() -> Iterator[tuple[str, Help]]:
    """Yield every lint rule: its code and its meaning."""
    from abnforge.linting.finding import KINDS

    for kind in KINDS.values():
        yield kind.code, Help(kind.summary, kind.explanation, kind.name, kind.severity)


class DiagnosticSource(NamedTuple):
    """The diagnostics of a kind of value; ``suite`` names them, ``codes`` are known before the first one."""

    diagnose: Callable[[Any], Iterator[Diagnostic]]
    suite: str = "abnforge"
    codes: Callable[[], Iterable[tuple[str, Help]]] = tuple


SOURCES: Mapping[str, DiagnosticSource] = {
    "outcome": DiagnosticSource(outcomes, "abnforge check"),
    "finding": DiagnosticSource(findings, "abnforge lint", finding_help),
    "example": DiagnosticSource(examples, "abnforge test"),
    "conformed": DiagnosticSource(deviations, "abnforge conform"),
    "matrix": DiagnosticSource(matrix, "abnforge conform"),
    "difference": DiagnosticSource(rule_differences),
    "compatibility": DiagnosticSource(changes),
}
"""Kind of value -> its diagnostics."""
