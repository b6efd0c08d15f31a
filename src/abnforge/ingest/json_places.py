"""Where values stand in the text of an object of JSON, so that some can be changed and all else stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from abnforge.catalog import ArgumentError
from abnforge.ingest.jsonable import Number, dumps
from abnforge.ingest.messages import message

_SPACE = re.compile(r"[ \t\r\n]*")
_KEY = re.compile(r'"((?:[^"\\\x00-\x1f]|\\.)*+)"[ \t\r\n]*+:[ \t\r\n]*+')
_BEHIND = re.compile(r"[ \t\r\n]*+([,}])[ \t\r\n]*+")
_DECODER = json.JSONDecoder(parse_int=Number, parse_float=Number)


class Member(NamedTuple):
    """A member of an object: its key, where that begins, its value, and where that begins and ends."""

    key: str
    begin: int
    value: Any
    start: int
    end: int


def members(text: str) -> list[Member]:
    """The members of a text that is an object, in their order. Raises ValueError for any other text.

    Numbers are as they are written. Cost: linear in the text.
    """
    try:
        at, found = _members(text, _behind_space(text, 0))
    except (IndexError, RecursionError):
        raise ArgumentError(message("json-not-object")) from None
    if _behind_space(text, at) != len(text):
        raise ArgumentError(message("json-text-after", offset=at))
    return found


def _members(text: str, at: int) -> tuple[int, list[Member]]:
    found: list[Member] = []
    at = _behind(text, at, "{")
    if text[at] == "}":
        return at + 1, found
    while True:
        head = _KEY.match(text, at)
        if head is None:
            raise ArgumentError(message("json-key-missing", offset=at))
        key = head[1] if "\\" not in head[1] else json.loads(f'"{head[1]}"')
        value, end = _DECODER.raw_decode(text, head.end())
        found.append(Member(key, at, value, head.end(), end))
        behind = _BEHIND.match(text, end)
        if behind is None:
            raise ArgumentError(message("json-mark-missing", marks=("','", "'}'"), offset=end))
        at = behind.end()
        if behind[1] == "}":
            return behind.end(1), found


def _behind(text: str, at: int, mark: str) -> int:
    """Behind a mark, and white space behind it."""
    if text[at] != mark:
        raise ArgumentError(message("json-mark-missing", marks=(f"'{mark}'",), offset=at))
    return _behind_space(text, at + 1)


def _behind_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()


def without(text: str, found: Sequence[Member], names: Iterable[str]) -> str:
    """An object without the members of some names; what else stands in the text stays. ``found`` are all."""
    unwanted = set(names)
    kept = [each for each in found if each.key not in unwanted]
    if len(kept) == len(found):
        return text
    if not kept:
        return text[: found[0].begin].rstrip(" \t\r\n") + text[found[-1].end :].lstrip(" \t\r\n")
    pieces = [text[: found[0].begin]]
    before: Member | None = None  # that stays
    for last, each in zip([found[0], *found], found, strict=False):
        if each.key in unwanted:
            continue
        if before is last:
            pieces.append(text[last.end : each.begin])
        elif before is not None:  # what stood before the comma behind it, and from the comma before this one
            pieces.append(
                text[before.end : _comma(text, before.end)] + text[_comma(text, last.end) : each.begin]
            )
        pieces.append(text[each.begin : each.end])
        before = each
    assert before is not None
    if before is not found[-1]:
        pieces.append(text[before.end : _comma(text, before.end)])
    return "".join(pieces) + text[found[-1].end :]


def _comma(text: str, at: int) -> int:
    return text.index(",", at)  # only white space stands before it


def with_members(text: str, values: Sequence[tuple[str, str]]) -> str:
    """An object in which members have other values, given as JSON; those that it has not are added."""
    places = {each.key: each for each in members(text)}
    changes = [(places[key].start, places[key].end, value) for key, value in values if key in places]
    new = [f"{dumps(key)}:{value}" for key, value in values if key not in places]
    for start, end, value in sorted(changes, reverse=True):
        text = text[:start] + value + text[end:]
    if not new:
        return text
    end = text.rindex("}")
    return text[:end] + ("," if places else "") + ",".join(new) + text[end:]
