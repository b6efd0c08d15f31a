"""Describe changes of a wrong answer: the place of each change, and one message for all of them.

The message says where to look, but not what to write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import permutations
from typing import Any

from abnforge.catalog import Message
from abnforge.comparison.rules import quoted
from abnforge.teaching.changes import EXTRA, LIST, MISSING, NAME, OVER, AnswerEdit, as_word, text_of
from abnforge.teaching.messages import message

MOST_CHANGES = 3  # maximum number of changes in a result


def is_rewritten(changes: list[Message]) -> bool:
    """Return whether changes write one part again, so that they show no cause.

    Many changes that surround each other do so, or one that removes an element before one that adds one.
    """
    codes = [each.code for each in changes]
    if codes[-2:] in ([EXTRA, MISSING], [EXTRA, LIST], [LIST, EXTRA], [OVER, LIST]):
        return True
    for one, two in permutations(changes, 2):
        if one.code != EXTRA and one.data["removed"] & two.data["added"]:
            return True
    found = [each.data["part"] for each in changes]
    if len(found) > 1 and changes[-2].code == NAME and " " in found[-2] and found[-2] in found[-1]:
        return True  # a rule replaces several elements, and the last change writes some of them again
    return len(found) == MOST_CHANGES and found[0] in found[1] + found[2] and found[1] in found[2]


def described(edit: AnswerEdit, before: str, text: str, earlier: list[Message]) -> Message:
    """Return the message about an edit of the answer ``text`` after earlier edits.

    It has the column of a part that occurs several times.
    """
    place = edit.place or edit.span
    start, end = place.start, place.end
    for data in (each.data for each in reversed(earlier)):
        start, end = _moved(start, data, data["inside"][0]), _moved(end, data, data["inside"][1])
    own = text_of(place, before)
    if earlier and text.count(own, start, end) == 1:  # a part that an earlier change writes again
        start = text.index(own, start)
        end = start + len(own)
    part = shown = re.sub(r'("[^"\n]*")|\s+', lambda match: match[1] or " ", text[start:end].strip())
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    if edit.is_each:
        shown = f"each {part}"
    elif len(re.findall(as_word(part), text)) > 1:
        shown = f"{part} in column {column}"
    data = {
        "start": edit.span.start,
        "end": edit.span.end,
        "inside": (edit.span.start, edit.span.end)
        if edit.span.end > edit.span.start
        else (place.start, place.end),
        "removed": _literals(text_of(edit.span, before)) - _literals(edit.text),
        "added": _literals(edit.text) - _literals(text_of(edit.span, before)),
        "growth": len(edit.text) - (edit.span.end - edit.span.start),
    }
    examples = {"over": _example(edit.over), "under": _example(edit.under)}
    return message(edit.code, line=line, part=shown, **data, **examples)


def _literals(text: str) -> frozenset[str]:
    """Return the literals in a part of an answer."""
    return frozenset(re.findall(r'"[^"\n]+"|%[xdb][0-9A-F.-]+', text, re.IGNORECASE))


def _moved(offset: int, edit: Mapping[str, Any], inside: int) -> int:
    """Return an offset before an edit, or ``inside`` for an offset in the characters that the edit wrote."""
    if offset <= edit["start"]:
        return offset
    return offset - edit["growth"] if offset >= edit["end"] + edit["growth"] else inside


def _example(text: str | None) -> str:
    return quoted(text) if text else "the empty string"


def summary(changes: list[Message], text: str, *, is_enough: bool) -> Message:
    """Return one message for all changes."""
    shown = list(dict.fromkeys(changes))
    line = shown[0].data["line"]
    if not is_enough:
        return message("change-some", line=line, change=shown[0])
    if len(changes) == 1:
        return message("change-one", line=line, change=shown[0])
    if len({each.data["line"] for each in shown}) > 1:
        shown = [message(each.code, **_with_line(each.data)) for each in shown]
    return message("change-several", number=len(changes), changes=tuple(shown))


def _with_line(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a change whose part has its line, too."""
    part, sign, column = str(data["part"]).rpartition(" in column ")
    return {**data, "part": f"{part or column} in line {data['line']}{sign and f', column {column}'}"}
