"""Rejections for learners: the attempts of each part of a rule, the choices of a parse, numbered steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from abnforge._lazy import lazy
from abnforge.charset import CharSet
from abnforge.cli.common.outcome import Outcome, Structure
from abnforge.cli.common.output import PLAIN, Style
from abnforge.cli.output.formats import LineReport, ResultReport
from abnforge.cli.output.rejection import (
    INDENT,
    characters,
    described,
    drawing,
    edit,
    expected,
    other_mistakes,
    rule_path,
    specification,
    suggested,
)
from abnforge.text import citation, draw, escape, in_quotes, show_char, where, width

with lazy:
    from abnforge.cli.output import trees
    from abnforge.teaching import trace
    from abnforge.teaching.pictures import drawing as strokes

if TYPE_CHECKING:
    from abnforge.explain.attempts import Attempt
    from abnforge.explain.rule_paths import Lesson, ParsedPart

MAX_LINES = 40
NAME_COLUMNS = 60  # width of the parts on a line as ABNF
TEXT_COLUMNS = 40
_REPEATED = " (repeated)"  # appended to a part that was parsed more than once
PARTS = 24  # maximum number of parts that are shown, from the end
PART_COLUMNS = 40  # width of one part


class Trace(LineReport[Structure]):
    """The choices of each string; then the attempts and the mistake of an invalid one."""

    spaced = True

    def lines(self, structure: Structure) -> Iterator[str]:
        outcome, rule = structure.outcome, structure.rule
        if not outcome.valid and outcome.rejection is None:  # the string was not parsed
            yield described(outcome, self.style)
            return
        nodes = trees.nodes_of(structure) if outcome.valid else trace.read_nodes(rule, outcome.judged)
        verb = "matches" if outcome.valid else "does not match"
        yield f"{_quoted(outcome.shown, 0, len(outcome.shown))}  {verb} {escape(rule.name)}"
        for each in trace.choices_of(rule, nodes, outcome.judged):
            yield choice_line(each, outcome.shown)
        if not outcome.valid:
            yield from self._attempts(structure)
            yield described(outcome, self.style)

    def _attempts(self, structure: Structure) -> Iterator[str]:
        """Yield the characters that each part of the rule matches in an invalid string."""
        outcome = structure.outcome
        try:
            tree = structure.rule.attempts(outcome.judged)
        except ValueError as error:  # includes LimitExceeded
            yield f"  cannot show the attempts: {escape(str(getattr(error, 'message', error)))}"
            return
        for line in attempt_lines(tree, outcome.shown, self.style):
            yield f"  {line}"


def choice_line(choice: trace.TraceChoice, text: str) -> str:
    tried = [_tried(each, choice, text) for each in choice.attempts]
    so = f"so {escape(choice.taken)} {_quoted(text, choice.start, choice.end)}"
    places = f" ({choice.times:,} places)" if choice.times > 1 else ""
    return f"  {escape(choice.rule)} at {choice.start}: " + "; ".join([*tried, so]) + places


def _tried(attempt: trace.FailedAlternative, choice: trace.TraceChoice, text: str) -> str:
    name = escape(attempt.rule)
    if attempt.end == choice.start:
        return f"{name} matched nothing"
    read = f"{name}: matched {_quoted(text, choice.start, attempt.end)}"
    if attempt.end == choice.end:
        return read + (", but the rest does not match" if attempt.complete else ", but expected more")
    rest = _quoted(text, attempt.end, choice.end)
    return read + (f", but {rest} is unread" if attempt.complete else f", but {rest} cannot follow")


def attempt_lines(attempt: Attempt, text: str, style: Style = PLAIN) -> Iterator[str]:
    """Yield the tree of attempts, at most ``MAX_LINES`` lines, and the number of the other lines.

    Consecutive parts that match share a line, and so do neighboring alternatives that match nothing. A part
    that consists of one other part with the same characters has its name in the same line. ``text`` is
    displayed, and may be masked. Complexity: linear.
    """
    drawn = trees.strokes(style)
    rows = list(_rows(attempt, text, drawn.within))
    shown = rows[:MAX_LINES]
    margins = strokes.margins([depth for depth, _, _ in shown], drawn)
    for (_, names, result), (_, margin) in zip(shown, margins, strict=True):
        yield f"{style.faint(margin)}{style.strong(names)}: {result}"
    if len(rows) > len(shown):
        yield f"... {len(rows) - len(shown):,} more"


def _rows(attempt: Attempt, text: str, within: str) -> Iterator[tuple[int, str, str]]:
    """Yield lines: the depth in the tree, the names of the parts, and their result."""
    described = -1  # the last offset whose character was described
    # attempts that share a line, their depth, and whether the parser continued after them
    waiting: list[tuple[list[Attempt], int, bool]] = [([attempt], 0, False)]
    while waiting:
        row, depth, went_on = waiting.pop()
        if len(row) > 1:
            read = row[-1].end > row[0].start
            joined = _cut((" " if went_on else " / ").join(map(_name, row)))
            result = f"matched {_quoted(text, row[0].start, row[-1].end)}" if read else "matched nothing"
            yield depth, joined, result
            continue
        first = last = row[0]
        names = [_name(first)]
        while len(last.parts) == 1 and _same(last.parts[0], first):
            last = last.parts[0]
            if last.rule is not None or (first.rule is not None and len(names) == 1):
                names.append(_name(last))
        yield depth, _cut(within.join(names)), _became(first, text, went_on, described)
        described = attempt.end
        below = list(_together(last.parts))
        waiting.extend((each, depth + 1, on) for each, on in reversed(below))


def _same(inner: Attempt, outer: Attempt) -> bool:
    return (inner.start, inner.end, inner.complete) == (outer.start, outer.end, outer.complete)


def _together(parts: Sequence[Attempt]) -> Iterator[tuple[list[Attempt], bool]]:
    """Yield parts that share a line, and whether the parser continued after them."""

    def kind(index: int) -> str:
        part = parts[index]
        if part.furthest:
            return f"alone {index}"
        if part.complete and not part.expected and index + 1 < len(parts) and follows[index]:
            return "read"
        return "nothing" if part.end == part.start else f"alone {index}"

    follows = [parts[index + 1].start == part.end for index, part in enumerate(parts[:-1])]
    for group, indices in groupby(range(len(parts)), kind):
        yield [parts[index] for index in indices], group == "read"


def _became(attempt: Attempt, text: str, went_on: bool, described: int) -> str:
    """Return the result of an attempt: its characters, and the one after them if not ``described``."""
    nothing = attempt.end == attempt.start
    read = "matched nothing" if nothing else f"matched {_quoted(text, attempt.start, attempt.end)}"
    if went_on or (nothing and not attempt.furthest):
        return read
    left = _quoted(text, attempt.end, len(text))
    if attempt.complete and not nothing:
        return f"{read}, but {left} is unread" if attempt.end < len(text) else read
    if not attempt.expected:
        return read
    verb = "could match" if attempt.complete else "expected"
    result = f"{read}{';' if nothing else ', then'} {verb} {_wanted(attempt.expected)}"
    if attempt.end == len(text):
        here = "the end"
    elif text[attempt.end] == "*":  # may be a masked character
        return result
    else:
        here = show_char(text[attempt.end])
    return result if attempt.end == described else f"{result}, found {here}"


def _wanted(expected: CharSet) -> str:
    described = characters(str(expected)[1:-1])
    return f"one of {described}" if described.startswith("[") else described


def _name(attempt: Attempt) -> str:
    """Return the name of a part, or its ABNF; a repetition keeps its mark."""
    written = attempt.source.removesuffix(_REPEATED)
    shown = _cut(escape(written), NAME_COLUMNS - len(_REPEATED))
    return shown if written == attempt.source else shown + _REPEATED


def _cut(names: str, columns: int = NAME_COLUMNS) -> str:
    return names if width(names) <= columns else draw(names, 0, columns=columns)[0]


def _quoted(text: str, start: int, end: int) -> str:
    if end - start > TEXT_COLUMNS:
        return in_quotes(f"{escape(text[start : start + TEXT_COLUMNS])}...")
    return in_quotes(escape(text[start:end]))


def teaching(
    report: ResultReport[Any], outcomes: Iterable[Outcome], lesson: Callable[[str], Lesson | None]
) -> None:
    """Write lessons about rejected strings, and the report on other strings."""
    separator = ""
    for outcome in outcomes:
        explained = None if outcome.rejection is None else lesson(outcome.judged)
        if explained is None:
            report.add(outcome)
        else:
            report.write(separator + "\n".join(lesson_lines(explained, report.style)) + "\n")
        separator = "\n"


def lesson_lines(lesson: Lesson, style: Style = PLAIN) -> list[str]:
    rejection = lesson.rejection
    text, offset = rejection.input, rejection.offset
    verdict = f"not valid: {escape(rejection.rule)} ({specification(rejection.grammar)})"
    lines = [style.error(verdict), *drawing(text, *rejection.span, style), ""]
    lines.append(style.strong("1. Parsed from left to right"))
    lines += [f"{INDENT}{row}" for row in _parts(lesson, text)]
    title = "The input ends too early" if rejection.found is None else "No rule can continue"
    lines += ["", style.strong(f"2. {title} ({where(text, offset)})")]
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
        start, end = rejection.span
        if start == end and not any(each.text for each in suggestion.edits):  # the mistake is a missing item
            lines.append(f"{INDENT}insert the missing characters, or")
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
