"""Find one change that makes a wrong answer right, to show the place and the kind of the mistake.

The tried changes are the inverses of frequent mistakes: another count, case, name or end of a range, an
omitted element, different brackets, a slash with too many operands. The changed answer is proved equal to the
reference. The message says where to look, but not what to write.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abnforge.automata.algebra import EQUAL
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.comparison.rules import compare
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Group,
    NumVal,
    Option,
    Repetition,
    RuleName,
)
from abnforge.teaching.exercises import Exercise, load_answer
from abnforge.teaching.messages import message
from abnforge.text import Span

MOST = 200  # maximum number of changes to an answer that are tried
LONGEST = 1000  # the maximum length of an answer whose changes are tried, since each change is parsed again

_BUDGET = Budget(steps=100_000, per_character=10)

_NAMES = ("ALPHA", "CHAR", "CRLF", "DIGIT", "HEXDIG", "HTAB", "LF", "SP", "VCHAR", "WSP")

_COUNT = "change-count"
_CASE = "change-case"
_BRACKETS = "change-brackets"
_RANGE = "change-range"
_NAME = "change-name"
_EXTRA = "change-extra"
_GROUP = "change-group"


@dataclass(frozen=True, slots=True)
class AnswerEdit:
    """A replacement for a span of the answer, and the code of the message about it."""

    span: Span
    text: str
    code: str


def repair(
    exercise: Exercise, required: Rule, text: str, accepted: str | None, refused: str | None
) -> Message | None:
    """Return the place where one change makes the answer right; None if no tried change does.

    ``accepted`` and ``refused`` are strings that the answer gets wrong; a change must correct both. Cost:
    about a hundred parses of a short grammar.
    """
    if len(text) > LONGEST or not required.regular:
        return None
    for number, change in enumerate(changes(text)):
        if number == MOST:
            break
        changed = text[: change.span.start] + change.text + text[change.span.end :]
        try:
            rule = load_answer(exercise, changed, _BUDGET)
            if not rule.regular or not _better(rule, accepted, refused):
                continue
            if compare(rule, required).relation != EQUAL:
                continue
        except GrammarError:
            continue
        line = text.count("\n", 0, change.span.start) + 1
        part = " ".join(text[change.span.start : change.span.end].split())
        return message(change.code, line=line, part=part)
    return None


def _better(rule: Rule, accepted: str | None, refused: str | None) -> bool:
    """Return whether a rule decides both strings correctly, using the engine with the least preparation."""
    if accepted is not None and rule.matches(accepted, engine="general"):
        return False
    return refused is None or rule.matches(refused, engine="general")


def changes(text: str) -> Iterator[AnswerEdit]:
    for rule in read(text).rules:
        yield from _of_alternation(rule.elements, text)


def _of_alternation(elements: Alternation, text: str) -> Iterator[AnswerEdit]:
    whole = elements.alternatives
    for number, alternative in enumerate(whole):
        for item in alternative.items:
            yield from _of_item(item, text)
            if len(alternative.items) > 1:
                yield AnswerEdit(item.span, "", _EXTRA)
        if len(whole) > 1:
            others = whole[:number] + whole[number + 1 :]
            text_of_others = " / ".join(_written(each.span, text) for each in others)
            yield AnswerEdit(elements.span, text_of_others, _EXTRA)
    if len(whole) > 1:
        yield from _regrouped(elements, text)


def _regrouped(elements: Alternation, text: str) -> Iterator[AnswerEdit]:
    """Yield edits that apply the end of the last alternative, or the start of the first, to all of them."""
    written = [_written(each.span, text) for each in elements.alternatives]
    for cut in range(1, len(elements.alternatives[-1].items)):
        items = [_written(item.span, text) for item in elements.alternatives[-1].items]
        group = " / ".join([*written[:-1], " ".join(items[:cut])])
        yield AnswerEdit(elements.span, f"({group}) {' '.join(items[cut:])}", _GROUP)
    for cut in range(1, len(elements.alternatives[0].items)):
        items = [_written(item.span, text) for item in elements.alternatives[0].items]
        group = " / ".join([" ".join(items[cut:]), *written[1:]])
        yield AnswerEdit(elements.span, f"{' '.join(items[:cut])} ({group})", _GROUP)


def _of_item(item: Repetition, text: str) -> Iterator[AnswerEdit]:
    element = item.element
    if item.listed:
        return
    if isinstance(element, Group | Option):
        inner = _written(element.alternation.span, text)
        if (item.min, item.max) == (1, 1):
            brackets = f"[{inner}]" if isinstance(element, Group) else f"({inner})"
            yield AnswerEdit(item.span, brackets, _BRACKETS)
        if isinstance(element, Option):
            yield AnswerEdit(item.span, f"*({inner})", _COUNT)
            yield AnswerEdit(item.span, f"1*({inner})", _COUNT)
        yield from _of_alternation(element.alternation, text)
    if not isinstance(element, Option):
        for least, most in _counts(item.min, item.max):
            count = f"{least or ''}*{'' if most is None else most}"
            yield AnswerEdit(item.span, f"{count}{_written(element.span, text)}", _COUNT)
    if isinstance(element, CharVal):
        prefix = "" if element.case_sensitive else "%s"
        yield AnswerEdit(element.span, f'{prefix}"{element.value}"', _CASE)
    elif isinstance(element, NumVal) and element.is_range:
        first, last = element.values
        for a, b in ((first - 1, last), (first + 1, last), (first, last - 1), (first, last + 1)):
            if 0 <= a <= b:
                yield AnswerEdit(element.span, f"%x{a:X}-{b:X}", _RANGE)
    elif isinstance(element, RuleName):
        for name in _NAMES:
            if name != element.name.upper():
                yield AnswerEdit(element.span, name, _NAME)


def _counts(least: int, most: int | None) -> list[tuple[int, int | None]]:
    counts: list[tuple[int, int | None]] = [
        (0, None),
        (1, None),
        (1, 1),
        (0, 1),
        (least, least),
        (least, None),
    ]
    if most is not None:
        counts += [(0, most), (most, most)]
        near = (-1, 0, 1)
        counts += [(least + low, most + high) for low in near for high in near]
    else:
        counts += [(least - 1, None), (least + 1, None)]
    usable = (each for each in counts if each[0] >= 0 and (each[1] is None or 1 <= each[1] >= each[0]))
    return [each for each in dict.fromkeys(usable) if each != (least, most)]


def _written(span: Span, text: str) -> str:
    return text[span.start : span.end]


# The probable mistake in an answer.


def guess(required: Rule, answer: Rule, accepted: str | None, refused: str | None) -> Message | None:
    """Return the probable mistake, by shortest strings that are wrongly ``accepted`` and ``refused``.

    Returns None if the kind of mistake is unknown. Cost: a few matches, and one more for each character.
    """
    if accepted == "":
        return message("accepts-empty")
    if refused == "":
        return message("rejects-empty")
    if accepted is not None and _other_case(required, accepted):
        return message("accepts-case")
    if refused is not None and _other_case(answer, refused):
        return message("rejects-case")
    if accepted is not None and _without_space(required, accepted):
        return message("accepts-space")
    if refused is not None and _without_space(answer, refused):
        return message("rejects-space")
    if accepted is not None and _repeats(required, accepted):
        return message("accepts-repetition")
    if refused is not None and _repeats(answer, refused):
        return message("rejects-repetition")
    return None


def _other_case(rule: Rule, text: str) -> bool:
    return any(other != text and rule.matches(other) for other in (text.lower(), text.upper()))


def _without_space(rule: Rule, text: str) -> bool:
    bare = "".join(char for char in text if char not in " \t\r\n")
    return bare != text and bare != "" and rule.matches(bare)


def _repeats(rule: Rule, text: str) -> bool:
    half, odd = divmod(len(text), 2)
    return not odd and half > 0 and text[:half] == text[half:] and rule.matches(text[:half])
