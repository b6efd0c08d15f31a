"""A pattern read back as its engine reads it: the notation that ``writer`` emits, and nothing else.

The reader is strict. What it does not know, or what engines of a dialect differ in, is ``UnreadError``;
nothing is guessed. It knows nothing of the writer: what each engine's notation means is told here once more
(``NOTATIONS``), after the manuals of the engines: a mistake in ``dialects`` is found and not repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Union

from abnforge.backends.regex.messages import message
from abnforge.catalog import CodedError
from abnforge.charset import MAX_CODE_POINT, CharSet, Range

# Groups within one another. The writer's expressions are nested less (``expression.MAX_DEPTH``).
MAX_NESTING = 120


class UnreadError(CodedError, ValueError):
    """A pattern that is not of the notation that is known here."""


@dataclass(frozen=True, slots=True)
class One:
    """One character of a set."""

    charset: CharSet


@dataclass(frozen=True, slots=True)
class Run:
    """Its items one after the other."""

    items: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Branches:
    """The first of its items that matches."""

    items: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """``min`` to ``max`` times ``item``, as often as possible; ``possessive``: with no way back."""

    item: Part
    min: int
    max: int | None
    possessive: bool


@dataclass(frozen=True, slots=True)
class Atomic:
    """Its item's first match, with no way back into it."""

    item: Part


Part = Union[One, Run, Branches, Loop, Atomic]

NOTHING = Run(())


def inner(part: Part) -> tuple[Part, ...]:
    """What a part is made of."""
    match part:
        case One():
            return ()
        case Run(items=items) | Branches(items=items):
            return items
        case Loop(item=item) | Atomic(item=item):
            return (item,)


def parts(tree: Part) -> Iterator[Part]:
    """All parts of a tree, each after those it is made of. Cost: linear; no recursion."""
    stack = [(tree, False)]
    while stack:
        part, entered = stack.pop()
        if entered or isinstance(part, One):
            yield part
            continue
        stack.append((part, True))
        stack.extend((item, False) for item in reversed(inner(part)))


@dataclass(frozen=True, slots=True)
class Notation:
    """How the engines of a dialect read a pattern, as far as it is needed here."""

    escapes: Mapping[str, tuple[int, ...]]  # letter -> how many digits it takes; 0: any number in braces
    starts: tuple[str, ...]  # what stands for the beginning of the text
    ends: Mapping[str, Part]  # what stands for its end -> what it lets pass before the very end
    group: str | None = "(?<"  # the beginning of a named group
    options: str = ""  # what may stand at the very beginning, and changes no meaning
    possessive: bool = False  # has quantifiers and groups that give nothing back
    cuts_turns: bool = True  # ``X{n,m}+`` gives back nothing of any turn; else nothing of the whole
    # Whether a turn that reads nothing ends a loop, as it does in CPython. Where turns that read nothing
    # have another order, a cut may take another match; without cuts the language is the same.
    empty_turn_ends: bool = True
    max_count: int | None = None
    utf16: bool = False  # a high surrogate before a low one is one character, and never these two


_NEWLINE = Loop(One(CharSet.of("\n")), 0, 1, False)
_LINE_END = Loop(  # of Java: \R without \v and \f
    Branches(
        (Run((One(CharSet.of("\r")), One(CharSet.of("\n")))), One(CharSet.of("\n\r\x85\u2028\u2029"))),
    ),
    0,
    1,
    False,
)

NOTATIONS: Mapping[str, Notation] = {
    "python": Notation(
        escapes={"x": (2,), "u": (4,), "U": (8,)},
        starts=(r"\A", "^"),
        ends={r"\Z": NOTHING, "$": _NEWLINE},
        group="(?P<",
        possessive=True,
    ),
    "re2": Notation(
        escapes={"x": (2, 0)},
        starts=(r"\A", "^"),
        ends={r"\z": NOTHING, "$": NOTHING},
        group="(?P<",
        max_count=1000,
    ),
    "rust": Notation(
        escapes={"x": (2, 0)}, starts=(r"\A", "^"), ends={r"\z": NOTHING, "$": NOTHING}, group="(?P<"
    ),
    "pcre2": Notation(
        escapes={"x": (2, 0)},
        starts=(r"\A", "^"),
        ends={r"\z": NOTHING, r"\Z": _NEWLINE, "$": _NEWLINE},
        options="(*NO_AUTO_POSSESS)",
        possessive=True,
        cuts_turns=False,
        empty_turn_ends=False,
        max_count=65535,
    ),
    "ecmascript": Notation(escapes={"x": (2,), "u": (4, 0)}, starts=("^",), ends={"$": NOTHING}, utf16=True),
    "java": Notation(
        escapes={"x": (2, 0)},
        starts=(r"\A", "^"),
        ends={r"\z": NOTHING, r"\Z": _LINE_END, "$": _LINE_END},
        possessive=True,
        empty_turn_ends=False,
        utf16=True,
    ),
    "sql": Notation(
        escapes={"u": (4,), "U": (8,)},
        starts=(r"\A", "^"),
        ends={r"\Z": NOTHING, "$": NOTHING},
        group=None,
        max_count=255,
    ),
}

# Characters that mean themselves outside of a class, in every dialect.
_PLAIN = frozenset("!\"%&',/:;<=>@_`~") | frozenset(
    map(chr, (*range(48, 58), *range(65, 91), *range(97, 123)))
)
_COUNTS = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{1,9})?)?\}")
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9_]*)>")
_SIMPLE = {"?": (0, 1), "*": (0, None), "+": (1, None)}


def read(pattern: str, notation: Notation, anchored: bool) -> Part:
    """A pattern as a tree; ``anchored``: with the anchors of both ends, which have to be there.

    What an end anchor lets pass (``$`` a newline) is part of the tree, so that the whole text is what the
    tree matches. Raises UnreadError, which names the first thing that is not known. Cost: linear; no
    recursion.
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
    return Run((tree, notation.ends[end])) if notation.ends[end] != NOTHING else tree


@dataclass(slots=True)
class _Frame:
    """A group that has been opened."""

    opened: int
    atomic: bool
    branches: list[Part] = field(default_factory=list)
    items: list[Part] = field(default_factory=list)

    def branch(self) -> None:
        self.branches.append(self.items[0] if len(self.items) == 1 else Run(tuple(self.items)))
        self.items = []

    def part(self) -> Part:
        self.branch()
        node = self.branches[0] if len(self.branches) == 1 else Branches(tuple(self.branches))
        return Atomic(node) if self.atomic else node


class _Reader:
    def __init__(self, text: str, notation: Notation) -> None:
        self._text = text
        self._notation = notation
        self._at = 0
        self._names: set[str] = set()
        self.is_one_group = False

    def tree(self) -> Part:
        frames = [_Frame(0, False)]
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "|":
                self._at += 1
                frames[-1].branch()
                continue
            if char == "(":
                frames.append(self._open())
                if len(frames) > MAX_NESTING:
                    raise UnreadError(message("regex-nesting", limit=MAX_NESTING))
                continue
            part: Part
            if char == ")":
                frame = frames.pop()
                if not frames:
                    raise self._unread()
                self._at += 1
                self.is_one_group = frame.opened == 0 and self._at == len(self._text)
                part = frame.part()
            elif char == "[":
                part = One(self._class())
            elif char in _PLAIN:
                self._at += 1
                part = One(CharSet.of(char))
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
            found = _NAME.match(self._text, opened + len(beginning))
            if found is None or found[1] in self._names:
                raise self._unread()
            self._names.add(found[1])
            self._at = found.end()
        else:
            raise self._unread()
        return _Frame(opened, False)

    def _quantified(self, part: Part) -> Part:
        text, at = self._text, self._at
        char = text[at : at + 1]
        least: int
        most: int | None
        if char in _SIMPLE:
            least, most = _SIMPLE[char]
            self._at += 1
        elif char == "{":
            found = _COUNTS.match(text, at)
            if found is None:
                raise self._unread()
            least = int(found[1])
            most = int(found[3]) if found[3] else (None if found[2] else least)
            highest = max(least, most or 0)
            limit = self._notation.max_count
            if (most is not None and most < least) or (limit is not None and highest > limit):
                raise self._unread()
            self._at = found.end()
        else:
            return part
        possessive = self._notation.possessive and text.startswith("+", self._at)
        self._at += possessive
        if text[self._at : self._at + 1] in ("?", "*", "+", "{"):  # lazy, or one quantifier on another
            raise self._unread()
        return Loop(part, least, most, possessive)

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
            raise self._unread()  # in some engines the bracket is the first member then
        self._at += 1
        return CharSet.from_ranges(ranges)

    def _char(self) -> int:
        """A member of a class."""
        text, at = self._text, self._at
        char = text[at : at + 1]
        if char == "\\":
            return self._escape()
        # Two of the same are operators in some: && of Java, && -- ~~ of Rust, more with ECMAScript's flag v.
        if not "\x20" < char < "\x7f" or char in "[^]-" or text[at + 1 : at + 2] == char:
            raise self._unread()
        self._at += 1
        return ord(char)

    def _escape(self) -> int:
        text, at = self._text, self._at
        letter = text[at + 1 : at + 2]
        for digits in self._notation.escapes.get(letter, ()):
            form = r"\{([0-9A-Fa-f]{1,8})\}" if digits == 0 else f"([0-9A-Fa-f]{{{digits}}})"
            found = re.compile(form).match(text, at + 2)
            if found is not None and int(found[1], 16) <= MAX_CODE_POINT:
                self._at = found.end()
                return int(found[1], 16)
        if not "\x20" < letter < "\x7f" or letter.isalnum():
            raise self._unread()
        self._at += 2
        return ord(letter)

    def _unread(self) -> UnreadError:
        rest = self._text[self._at : self._at + 10]
        if not rest:
            return UnreadError(message("regex-end"))
        return UnreadError(message("regex-unread", text=rest, offset=self._at))
