"""Read a pattern back as its engine interprets it, in the notation that ``writer`` emits and no other.

The reader is strict. It raises UnreadError for unknown notation, and for notation that engines of a dialect
interpret differently. It shares no table with the writer: ``NOTATIONS`` defines the meaning of each notation
separately, according to the manuals of the engines, so a proof detects mistakes in ``dialects``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from abnforge.charset import MAX_CODE_POINT, CharSet, Range
from abnforge.regex.ast import (
    EPSILON,
    NEWLINE,
    Alternatives,
    AtomicGroup,
    CharacterClass,
    Concat,
    Iteration,
    Regex,
    chars,
    concat,
    ordered,
    possessive,
)
from abnforge.regex.errors import UnreadError
from abnforge.regex.messages import message

# The maximum nesting depth of groups. The writer's expressions are nested less (``from_rule.MAX_DEPTH``).
MAX_OPEN_GROUPS = 120

_COUNTS = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{1,9})?)?\}")
_SIMPLE = {"?": (0, 1), "*": (0, None), "+": (1, None)}


@dataclass(frozen=True, slots=True)
class PatternNotation:
    """The notation of a dialect as its engines interpret it, restricted to the parts that the writer uses."""

    escapes: Mapping[str, tuple[int, ...]]  # letter -> its digit count; 0 means any number, in braces
    starts: tuple[str, ...]  # anchors for the beginning
    ends: Mapping[str, Regex]  # anchor for the end -> the characters that it allows before the very end
    group: str | None = "(?<"  # the beginning of a named group
    options: str = ""  # options at the beginning, which do not change the language
    possessive: bool = False  # possessive quantifiers and atomic groups exist
    cuts_turns: bool = True  # ``X{n,m}+`` makes each turn atomic; otherwise, only the whole
    # True if an empty turn ends a loop, as in CPython. If empty turns are tried in another order, an atomic
    # group may take another match; without atomic groups, the language is the same.
    empty_turn_ends: bool = True
    max_count: int | None = None
    utf16: bool = False  # a high and a low surrogate in sequence are always one character


_OPTIONAL_NEWLINE = Iteration(NEWLINE, 0, 1)
# Java: \R without \v and \f.
_OPTIONAL_LINE_END = Iteration(ordered([concat([chars("\r"), NEWLINE]), chars("\n\r\x85\u2028\u2029")]), 0, 1)

NOTATIONS: Mapping[str, PatternNotation] = {
    "python": PatternNotation(
        escapes={"x": (2,), "u": (4,), "U": (8,)},
        starts=(r"\A", "^"),
        ends={r"\Z": EPSILON, "$": _OPTIONAL_NEWLINE},
        group="(?P<",
        possessive=True,
    ),
    "re2": PatternNotation(
        escapes={"x": (2, 0)},
        starts=(r"\A", "^"),
        ends={r"\z": EPSILON, "$": EPSILON},
        group="(?P<",
        max_count=1000,
    ),
    "rust": PatternNotation(
        escapes={"x": (2, 0)}, starts=(r"\A", "^"), ends={r"\z": EPSILON, "$": EPSILON}, group="(?P<"
    ),
    "pcre2": PatternNotation(
        escapes={"x": (2, 0)},
        starts=(r"\A", "^"),
        ends={r"\z": EPSILON, r"\Z": _OPTIONAL_NEWLINE, "$": _OPTIONAL_NEWLINE},
        options="(*NO_AUTO_POSSESS)",
        possessive=True,
        cuts_turns=False,
        empty_turn_ends=False,
        max_count=65535,
    ),
    "ecmascript": PatternNotation(
        escapes={"x": (2,), "u": (4, 0)}, starts=("^",), ends={"$": EPSILON}, utf16=True
    ),
    "java": PatternNotation(
        escapes={"x": (2, 0)},
        starts=(r"\A", "^"),
        ends={r"\z": EPSILON, r"\Z": _OPTIONAL_LINE_END, "$": _OPTIONAL_LINE_END},
        possessive=True,
        empty_turn_ends=False,
        utf16=True,
    ),
    "sql": PatternNotation(
        escapes={"u": (4,), "U": (8,)},
        starts=(r"\A", "^"),
        ends={r"\Z": EPSILON, "$": EPSILON},
        group=None,
        max_count=255,
    ),
}

# Characters that match themselves outside a class, in every dialect.
_PLAIN = frozenset("!\"%&',/:;<=>@_`~") | frozenset(
    map(chr, (*range(48, 58), *range(65, 91), *range(97, 123)))
)
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9_]*)>")


def read_quantifier(text: str, at: int) -> tuple[int, int | None, int] | None:
    """Return the counts of the quantifier at an offset, and the offset after the quantifier, or None."""
    counts = _SIMPLE.get(text[at : at + 1])
    if counts is not None:
        return *counts, at + 1
    match = _COUNTS.match(text, at)
    if match is None:
        return None
    least = int(match[1])
    return least, int(match[3]) if match[3] else (None if match[2] else least), match.end()


def can_count(least: int, most: int | None, limit: int | None) -> bool:
    """Return whether counts are in order and at most ``limit``."""
    return (most is None or least <= most) and (limit is None or max(least, most or 0) <= limit)


def read(pattern: str, notation: PatternNotation, anchored: bool) -> Regex:
    """Return the tree of a pattern; if ``anchored``, the pattern must have anchors at both ends.

    The tree includes the characters that an end anchor allows before the end (a newline for ``$``), so the
    tree matches the whole input. Raises UnreadError, which names the first unknown part. The function does
    not recurse. Complexity: linear.
    """
    pattern = pattern.removeprefix(notation.options)
    if not anchored:
        return _Reader(pattern, notation).tree()
    start = next((s for s in notation.starts if pattern.startswith(s)), None)
    end = next((e for e in sorted(notation.ends, key=len, reverse=True) if pattern.endswith(e)), None)
    if start is None or end is None:
        raise UnreadError(message("regex-anchors"))
    reader = _Reader(pattern[len(start) : len(pattern) - len(end)], notation)
    tree = reader.tree()
    if not reader.is_one_group:
        raise UnreadError(message("regex-anchors-group"))
    return Concat((tree, notation.ends[end])) if notation.ends[end] != EPSILON else tree


@dataclass(slots=True)
class _Frame:
    """An open group."""

    opened: int
    atomic: bool
    branches: list[Regex] = field(default_factory=list)
    items: list[Regex] = field(default_factory=list)

    def branch(self) -> None:
        self.branches.append(self.items[0] if len(self.items) == 1 else Concat(tuple(self.items)))
        self.items = []

    def part(self) -> Regex:
        self.branch()
        node = self.branches[0] if len(self.branches) == 1 else Alternatives(tuple(self.branches))
        return AtomicGroup(node) if self.atomic else node


class _Reader:
    def __init__(self, text: str, notation: PatternNotation) -> None:
        self._text = text
        self._notation = notation
        self._at = 0
        self._names: set[str] = set()
        self.is_one_group = False

    def tree(self) -> Regex:
        frames = [_Frame(0, False)]
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "|":
                self._at += 1
                frames[-1].branch()
                continue
            if char == "(":
                frames.append(self._open())
                if len(frames) > MAX_OPEN_GROUPS:
                    raise UnreadError(message("regex-nesting", limit=MAX_OPEN_GROUPS))
                continue
            part: Regex
            if char == ")":
                frame = frames.pop()
                if not frames:
                    raise self._unread()
                self._at += 1
                self.is_one_group = frame.opened == 0 and self._at == len(self._text)
                part = frame.part()
            elif char == "[":
                part = CharacterClass(self._class())
            elif char in _PLAIN:
                self._at += 1
                part = CharacterClass(CharSet.of(char))
            else:
                raise self._unread()
            frames[-1].items.append(self._quantified(part))
        if len(frames) > 1:
            raise UnreadError(message("regex-unclosed", offset=frames[-1].opened))
        return frames[0].part()

    def _open(self) -> _Frame:
        opened = self._at
        beginning = self._notation.group
        if self._text.startswith("(?:", opened):
            self._at += 3
        elif self._text.startswith("(?>", opened) and self._notation.possessive:
            self._at += 3
            return _Frame(opened, True)
        elif beginning is not None and self._text.startswith(beginning, opened):
            name = _NAME.match(self._text, opened + len(beginning))
            if name is None or name[1] in self._names:
                raise self._unread()
            self._names.add(name[1])
            self._at = name.end()
        else:
            raise self._unread()
        return _Frame(opened, False)

    def _quantified(self, part: Regex) -> Regex:
        text = self._text
        quantifier = read_quantifier(text, self._at)
        if quantifier is None and not text.startswith("{", self._at):
            return part
        if quantifier is None or not can_count(*quantifier[:2], self._notation.max_count):
            raise self._unread()
        least, most, self._at = quantifier
        is_possessive = self._notation.possessive and text.startswith("+", self._at)
        self._at += is_possessive
        if text[self._at : self._at + 1] in ("?", "*", "+", "{"):  # a lazy or repeated quantifier
            raise self._unread()
        if is_possessive:
            return possessive(part, least, most, self._notation.cuts_turns)
        return Iteration(part, least, most)

    def _class(self) -> CharSet:
        self._at += 1
        ranges: list[Range] = []
        while not self._text.startswith("]", self._at):
            low = high = self._char()
            if self._text.startswith("-", self._at):
                self._at += 1
                high = self._char()
            if high < low:
                raise self._unread()
            ranges.append((low, high))
        if not ranges:
            raise self._unread()  # some engines interpret the bracket as the first member
        self._at += 1
        return CharSet.from_ranges(ranges)

    def _char(self) -> int:
        """Read a member of a class and return its code point."""
        text, at = self._text, self._at
        char = text[at : at + 1]
        if char == "\\":
            return self._escape()
        # Doubled characters are operators in some engines: && in Java, && -- ~~ in Rust, and more with flag
        # v.
        if not "\x20" < char < "\x7f" or char in "[^]-" or text[at + 1 : at + 2] == char:
            raise self._unread()
        self._at += 1
        return ord(char)

    def _escape(self) -> int:
        text, at = self._text, self._at
        letter = text[at + 1 : at + 2]
        for digits in self._notation.escapes.get(letter, ()):
            form = r"\{([0-9A-Fa-f]{1,8})\}" if digits == 0 else f"([0-9A-Fa-f]{{{digits}}})"
            number = re.compile(form).match(text, at + 2)
            if number is not None and int(number[1], 16) <= MAX_CODE_POINT:
                self._at = number.end()
                return int(number[1], 16)
        if not "\x20" < letter < "\x7f" or letter.isalnum():
            raise self._unread()
        self._at += 2
        return ord(letter)

    def _unread(self) -> UnreadError:
        rest = self._text[self._at : self._at + 10]
        if not rest:
            return UnreadError(message("regex-end"))
        return UnreadError(message("regex-unread", text=rest, offset=self._at))
