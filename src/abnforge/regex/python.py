"""Read patterns of Python's ``re`` with its own parser, so that each Python version reads its own syntax.

The parser is ``re._parser``, which is not a public interface. The format of its trees has been stable, and
this module rejects unknown trees. If case does not matter, the engine itself decides which characters a set
or a letter matches, because its rules differ from Unicode case folding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from re import _parser
from typing import Any

from abnforge.budget import Meter
from abnforge.charset import CharSet, union
from abnforge.regex.ast import (
    BEFORE_LAST_NEWLINE,
    END,
    EVERY,
    NEVER,
    START,
    Alternatives,
    AtomicGroup,
    CharacterClass,
    Concat,
    Iteration,
    Lookaround,
    Regex,
    ahead,
    behind,
    boundary,
    concat,
    no_boundary,
    possessive,
)
from abnforge.regex.engines import AFTER_NEWLINE, BEFORE_NEWLINE, NOT_NEWLINE, cased, matching
from abnforge.regex.errors import MAX_NESTING, PatternError, too_deep, unproved
from abnforge.regex.messages import message

_TYPES = re.ASCII | re.UNICODE | re.LOCALE
_CASE = re.IGNORECASE | re.ASCII  # the flags that decide which characters a set matches

_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}


def read(text: str, flags: int, meter: Meter) -> Regex:
    """Return the tree of a pattern.

    Raises PatternError for a pattern that is invalid or not regular, and LimitExceeded for a pattern that is
    nested too deeply. Complexity: the cost of compiling the pattern.
    """
    meter.charge(10 + 5 * len(text))
    try:
        parsed = _parser.parse(text, flags)
    except (re.error, ValueError, OverflowError) as error:
        offset = getattr(error, "pos", None)
        raise PatternError(message("pattern-python", reason=str(error)), offset=offset) from None
    except RecursionError:
        raise too_deep() from None
    return _Converter(meter).sequence(parsed.data, parsed.state.flags, 0)


class _Converter:
    """A converter for the parser's result: pairs of an operation and its argument."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter

    def sequence(self, items: Iterable[tuple[Any, Any]], flags: int, depth: int) -> Regex:
        if depth > MAX_NESTING:
            raise too_deep()
        return concat([self._node(str(operation), value, flags, depth + 1) for operation, value in items])

    def _node(self, operation: str, value: Any, flags: int, depth: int) -> Regex:
        self._meter.charge(2)
        match operation:
            case "LITERAL":
                return CharacterClass(_literal(value, flags))
            case "NOT_LITERAL":
                return CharacterClass(~_literal(value, flags))
            case "ANY":
                return EVERY if flags & re.DOTALL else NOT_NEWLINE
            case "IN":
                return CharacterClass(self._set(value, flags))
            case "BRANCH":
                return Alternatives(tuple([self.sequence(item, flags, depth) for item in value[1]]))
            case "SUBPATTERN":
                _, added, removed, item = value
                if added & _TYPES:
                    flags &= ~_TYPES
                return self.sequence(item, (flags | added) & ~removed, depth)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                least, most, item = value
                upper = None if str(most) == "MAXREPEAT" else int(most)
                inner = self.sequence(item, flags, depth)
                return self._repeat(inner, int(least), upper, operation)
            case "ATOMIC_GROUP":
                return AtomicGroup(self.sequence(value, flags, depth))
            case "ASSERT" | "ASSERT_NOT":
                direction, item = value
                inner = self.sequence(item, flags, depth)
                return Lookaround(inner, direction > 0, operation == "ASSERT_NOT")
            case "AT":
                return _at(str(value), flags)
            case "FAILURE":
                return NEVER
            case "GROUPREF":
                raise unproved("a back reference")
            case "GROUPREF_EXISTS":
                raise unproved("a conditional group")
        raise unproved(operation)

    def _repeat(self, item: Regex, least: int, most: int | None, operation: str) -> Regex:
        if operation != "POSSESSIVE_REPEAT":
            return Iteration(item, least, most, "greedy" if operation == "MAX_REPEAT" else "lazy")
        return possessive(item, least, most, True)

    def _set(self, items: Sequence[tuple[Any, Any]], flags: int) -> CharSet:
        """Return the characters of a set, including the other cases that the engine matches."""
        self._meter.charge(len(items))
        negated = bool(items) and str(items[0][0]) == "NEGATE"
        charsets: list[CharSet] = []
        members: list[str] = []  # their notation
        for operation, value in items[negated:]:
            match str(operation):
                case "LITERAL":
                    charsets.append(CharSet(((value, value),)))
                    members.append(re.escape(chr(value)))
                case "RANGE":
                    low, high = value
                    charsets.append(CharSet(((low, high),)))
                    members.append(f"{_escaped(low)}-{_escaped(high)}")
                case "CATEGORY":
                    name = _CATEGORIES[str(value)]
                    charsets.append(matching(name, flags & re.ASCII))
                    members.append(name)
                case other:
                    raise unproved(f"{other} in a set")
        self._meter.charge(sum(len(charset.ranges) for charset in charsets) // 4)
        plain = union(charsets)
        if flags & re.IGNORECASE:
            self._meter.charge(2_000)
            notation = "".join(sorted(members))
            plain = (plain & ~_cased()) | _of_cased(f"[{notation}]", flags & _CASE)
        return ~plain if negated else plain


def _literal(code: int, flags: int) -> CharSet:
    if flags & re.IGNORECASE and code in _cased():
        return _of_cased(_escaped(code), flags & _CASE)
    return CharSet(((code, code),))


def _escaped(code: int) -> str:
    return f"\\U{code:08x}"


@cache
def _cased() -> CharSet:
    return CharSet.of(cased())


@lru_cache(maxsize=4096)
def _of_cased(pattern: str, flags: int) -> CharSet:
    """Return the cased characters that a one-character pattern matches."""
    return CharSet.of("".join(re.findall(pattern, cased(), flags)))


def _at(place: str, flags: int) -> Regex:
    match place:
        case "AT_BEGINNING":
            return AFTER_NEWLINE if flags & re.MULTILINE else START
        case "AT_BEGINNING_STRING":
            return START
        case "AT_END":
            return BEFORE_NEWLINE if flags & re.MULTILINE else BEFORE_LAST_NEWLINE
        case "AT_END_STRING":
            return END
        case "AT_BOUNDARY" | "AT_NON_BOUNDARY":
            return _boundary(place == "AT_BOUNDARY", flags & re.ASCII)
    raise unproved(place)


@cache
def _boundary(is_one: bool, flags: int) -> Regex:
    word = matching(r"\w", flags)
    if is_one:
        return boundary(word)
    elsewhere = no_boundary(word)
    # Up to Python 3.13, \B does not match the empty string.
    if re.search(r"\B", "") is None:
        return Concat((elsewhere, Alternatives((behind(EVERY), ahead(EVERY)))))
    return elsewhere
