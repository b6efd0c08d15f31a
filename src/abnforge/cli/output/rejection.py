"""Format rejections as text, with pure functions.

Everything from an input goes through ``text.escape`` or ``text.draw``, so that control and bidirectional
characters do not reach the terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from abnforge.cli.common.inputs import Unreadable
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.cli.common.output import PLAIN, Style
from abnforge.errors import Rejected
from abnforge.rejection import (
    Edit,
    Expected,
    Hypothesis,
    OtherMistake,
    Rejection,
    Repair,
    RepairEdit,
    Suggestion,
)
from abnforge.text import (
    COLUMNS,
    citation,
    draw,
    draw_line,
    escape,
    excerpt,
    in_quotes,
    several_lines,
    show_char,
    where,
)
from abnforge.text import specification as plain_specification

INDENT = "    "
LABEL_COLUMNS = 14
EXCERPT = 40  # number of matched characters that are shown, enough to find the position in a long string
SUGGESTION_COLUMNS = 2000  # longer suggestions are cut; shorter ones can be copied
CLASS_COLUMNS = 60  # maximum width: a class with half of Unicode would fill the screen
MAX_FIXES = 20  # maximum number of repairs that are listed
PLACES = 6  # maximum number of further mistakes whose positions are listed
RULE_PATH_ENDS = 4, 8  # rules kept at each end of the rule path of a deeply nested input


@cache
def specification(grammar: str) -> str:
    """Return a grammar's specification, safe for a terminal."""
    return escape(plain_specification(grammar))


def explanation(rejection: Rejection, style: Style = PLAIN, *, all_fixes: bool = False) -> str:
    """Return the explanation of a rejection, with all repairs if requested, without a newline at the end."""
    best = rejection.hypotheses[0] if rejection.hypotheses else None
    verdict, message = style.error("not valid:"), style.strong(escape(rejection.message_with_position))
    lines = [f"{verdict} {message} {style.faint(_code(rejection.code))}"]
    lines += drawing(rejection.input, *rejection.span, style)
    lines += labeled("rule", [f"{escape(rejection.rule)} ({specification(rejection.grammar)})"], style)
    if best and best.message != rejection.message:
        lines += labeled("reason", [escape(best.message)], style)
    offset = best.offset if best else rejection.offset
    read = rejection.input[:offset]
    lines += labeled("matched", [_quote(read)] if read else ["nothing"], style)
    lines += labeled("as", [rule_path(best.rule_path if best else rejection.rule_path)], style)
    may_end = rejection.end_expected and offset == rejection.offset
    following = best.expected if best else rejection.expected
    if following or may_end or offset <= rejection.offset:  # otherwise the expected characters are not known
        lines += labeled("could follow", expected(following, may_end), style)
    lines += _exact(rejection, drawn=offset == rejection.offset, style=style)
    # Hypotheses that differ only in their rule path do not help the reader.
    seen = {(h.message, h.offset) for h in rejection.hypotheses[:1]}
    for other in rejection.hypotheses[1:]:
        if (other.message, other.offset) not in seen:
            seen.add((other.message, other.offset))
            lines += labeled("or", _other(other, rejection.input), style)
    if others := other_mistakes(rejection):
        lines += labeled("also", others, style)
    if rejection.suggestion is not None:
        edits = [f"  {edit(e, rejection.input)}" for e in rejection.suggestion.edits]
        lines += labeled("suggestion", [suggested(rejection.suggestion), *edits], style)
    if all_fixes:
        lines += labeled("all fixes", repairs(rejection), style)
    if rejection.section:
        where = citation(rejection.grammar, rejection.section)
        lines += labeled("see", [escape(where)], style)
    return "\n".join(lines)


def other_mistakes(rejection: Rejection) -> list[str]:
    """Return the numbers and places of further mistakes, of the same kind and of other kinds.

    If there is a suggestion, these are the mistakes that it fixes.
    """
    fixed, mistakes = "", rejection.other_mistakes
    if rejection.suggestion is not None:
        fixed, edits = ", also fixed", rejection.suggestion.edits
        mistakes = tuple([m for m in mistakes if any(e.start <= m.end and m.offset <= e.end for e in edits)])
    same = [each for each in mistakes if each.code == rejection.code]
    others = [each for each in mistakes if each.code != rejection.code]
    lines = []
    if same:
        lines.append(f"{len(same):,} more of the same{fixed}: {_places(same, rejection.input)}")
    if others:
        noun = "mistake" if len(others) == 1 else "mistakes"
        lines.append(f"{len(others):,} other {noun}{fixed}: {_places(others, rejection.input, coded=True)}")
    return lines


def _places(others: Sequence[OtherMistake], text: str, *, coded: bool = False) -> str:
    first = others[:PLACES]
    places = [f"{where(text, each.offset)}{f' {_code(each.code)}' if coded else ''}" for each in first]
    return ", ".join(places) + (", ..." if len(others) > PLACES else "")


def refusal(text: str, error: ValueError, style: Style = PLAIN) -> str:
    """Return the explanation of a rejection, or the message of another error."""
    if isinstance(error, Rejected):
        return explanation(error.rejection, style)
    return f"{escape(str(error))}\n{INDENT}{draw(text, 0)[0]}"


def accepted(text: str, target: Target, style: Style = PLAIN) -> str:
    """Return the statement that a string is valid for a rule; the string may still be unsafe."""
    line = draw(text, 0)[0] or "(the empty string)"
    verdict = f"valid: {escape(target.rule)} ({specification(target.grammar)})"
    return f"{style.good(verdict)}\n{INDENT}{line}"


def described(outcome: Outcome, style: Style = PLAIN) -> str:
    """Return the explanation of an outcome; for a whole file, after its name."""
    record = outcome.record
    if isinstance(record, Unreadable):
        text = unreadable(record, style)
    elif outcome.rejection is None:
        text = accepted(record.text, outcome.target, style)
    else:
        text = explanation(outcome.rejection, style, all_fixes=outcome.all_fixes)
    return f"{style.strong(escape(record.source) + ':')} {text}" if record.whole else text


def unreadable(record: Unreadable, style: Style = PLAIN) -> str:
    bad_bytes = drawing(record.shown, record.start, record.end, style) if record.shown else []
    return "\n".join([style.error(escape(record.message)), *bad_bytes])


def drawing(
    text: str, start: int, end: int, style: Style = PLAIN, paint: Callable[[str], str] | None = None
) -> list[str]:
    """Return a string with its span underlined, indented; only the lines around the span."""
    room = min(COLUMNS, style.columns - len(INDENT)) if style.columns else COLUMNS
    lines, carets = excerpt(text, start, end, room, style.encoding)
    drawn = [(INDENT + line).rstrip(" ") for line in lines]
    drawn[carets] = INDENT + (paint or style.error)(lines[carets])
    return drawn if text else [f"{INDENT}(the empty string)", drawn[carets]]


def rule_path(names: Sequence[str]) -> str:
    """Return ``URI > hier-part > authority``, without the middle of a long path."""
    head, tail = RULE_PATH_ENDS
    if len(names) > head + tail:
        names = [*names[:head], f"... {len(names) - head - tail} more ...", *names[-tail:]]
    return " > ".join(map(escape, names))


def expected(items: Iterable[Expected], may_end: bool = False) -> list[str]:
    """Return one line per rule: its name and the characters that it expects."""
    rows = [(escape(item.rule), characters(item.chars)) for item in items]
    columns = max((len(name) for name, _ in rows), default=0)
    lines = [f"{name.ljust(columns)}  {chars}" for name, chars in rows]
    if may_end:
        lines.append("end of input")
    return lines or ["nothing"]


def characters(chars: str) -> str:
    """Return a character in quotes, or a class in brackets."""
    single = chars[1:] if len(chars) == 2 and chars[0] == "\\" else chars
    if len(single) == 1:
        return "'\"'" if single == '"' else f'"{escape(single)}"'
    if len(chars) > CLASS_COLUMNS:
        chars = chars[:CLASS_COLUMNS] + "..."
    return f"[{escape(chars)}]"


def repairs(rejection: Rejection) -> list[str]:
    """Return the first repaired strings and their edits."""
    lines = []
    for repair in rejection.repairs[:MAX_FIXES]:
        edits = "; ".join(edit(each, rejection.input) for each in united(repair.edits))
        lines += [suggested(repair), f"  {edits}"]
    if (others := len(rejection.repairs) - MAX_FIXES) > 0:
        lines.append(f"and {others:,} more, which --format json lists")
    if not rejection.repairs_complete:
        lines.append("and others" if lines else "not found within the limits")
    return lines or ["none"]


def united(edits: Iterable[RepairEdit]) -> list[Edit | RepairEdit]:
    """Return edits; adjacent ones of the same kind become one edit, with an example of its characters."""
    result: list[Edit | RepairEdit] = []
    for each in edits:
        change: Edit | RepairEdit = each
        if each.chars.removeprefix("\\") in (each.text, each.text.upper() + each.text):
            change = Edit(each.start, each.end, each.text)
        last = result[-1] if result else None
        if last is not None and last.end == each.start and _kind(last) == _kind(change):
            text = last.text + each.text
            if type(change) is type(last) is Edit:
                result[-1] = Edit(last.start, each.end, text)
            else:
                result[-1] = RepairEdit(last.start, each.end, text, "")
        else:
            result.append(change)
    return result


def _kind(change: Edit | RepairEdit) -> tuple[bool, bool]:
    return change.start == change.end, not change.text


def suggested(suggestion: Suggestion | Repair) -> str:
    """Return the suggested string; if it is long or has several lines, a window around the first edit."""
    start = suggestion.edits[0].start if suggestion.edits else 0
    if not suggestion.text:
        return "(the empty string)"
    if several_lines(suggestion.text):
        # Both strings are equal up to the first edit, so that its offset is right for both.
        number, line = draw_line(suggestion.text, start)
        return f"line {number}: {line or '(empty)'}"
    if len(suggestion.text) <= SUGGESTION_COLUMNS:
        return escape(suggestion.text)
    return draw(suggestion.text, start)[0]


def edit(change: Edit | RepairEdit, text: str) -> str:
    """Return ``replace " " by "%20" at offset 10``, or ``insert one of [0-9] at offset 3``."""
    old, new = _quote(text[change.start : change.end]), _quote(change.text)
    if isinstance(change, RepairEdit):
        new = f"one of {characters(change.chars)}" if change.chars else f"a string like {new}"
    place = where(text, change.start)
    if change.start == change.end:
        return f"insert {new} at {place}"
    if not change.text:
        return f"delete {old} at {place}"
    return f"replace {old} by {new} at {place}"


def _exact(rejection: Rejection, *, drawn: bool, style: Style) -> list[str]:
    """Return the exact offset, with the string drawn again if the mistake is elsewhere."""
    if drawn:
        return labeled("exact offset", [exact_offset(rejection)], style)
    read = _quote(rejection.input[: rejection.offset])
    what = f"{exact_offset(rejection)}: a valid string can start with {read} but not "
    if rejection.found is None:
        what += "end there"
    elif rejection.found == "*":
        what += "continue this way"  # the character may be masked
    else:
        what += f"continue with {show_char(rejection.found)}"
    return [
        *labeled("exact offset", [what], style),
        *drawing(rejection.input, rejection.offset, rejection.offset, style),
    ]


def _code(code: str) -> str:
    return f"[{escape(code)}]"


def exact_offset(rejection: Rejection) -> str:
    """Return the offset; in a string of several lines, the line and column too."""
    if not several_lines(rejection.input):
        return str(rejection.offset)
    return f"{rejection.offset}, {where(rejection.input, rejection.offset)}"


def _other(hypothesis: Hypothesis, text: str) -> list[str]:
    place = where(text, hypothesis.offset)
    return [f"{escape(hypothesis.message)} ({place})", f"  {rule_path(hypothesis.rule_path)}"]


def labeled(label: str, lines: Sequence[str], style: Style, columns: int = LABEL_COLUMNS) -> list[str]:
    """Return lines after a label; ``columns`` is the width of the labels.

    Lines are wrapped, but fixed strings are copied.
    """
    if label not in ("suggestion", "all fixes"):
        lines = [piece for line in lines for piece in style.wrap(line, columns + 2)]
    first, *rest = lines
    head = f"  {style.faint(label)}{' ' * (columns - len(label))}{first}"
    return [head, *(" " * (columns + 2) + line for line in rest)]


def _quote(text: str) -> str:
    if len(text) > EXCERPT:
        return in_quotes(f"...{escape(text[-EXCERPT:])}")
    return in_quotes(escape(text))
