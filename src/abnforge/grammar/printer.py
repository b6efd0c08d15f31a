"""Print syntax trees as ABNF in one canonical layout, and arrange words in lines.

Law: ``read(print_rulelist(tree), dialect=tree.dialect) == tree`` for every tree that the reader returns. The
output follows RFC 5234 (with the prefixes of RFC 7405): ``/`` replaces ``|``, and ``%x22`` replaces ``<">``.
A ``_`` in a name stays, and the output is then read as ``"rfc822"`` again.

A rule that fits is on one line. Otherwise each alternative has a separate line, with ``/`` below ``=``, as in
RFCs; alternatives that are single elements share lines. Long lines are folded between the outermost words:
before each alternative, or before the single elements that do not fit. A part that is still too long is
folded one level deeper. A word that is wider than the line stays whole. Comments stay with their alternative,
aligned in one column if they fit, and are never folded. ``grammar.formatter`` applies this layout to the
words and line ends of a file. Cost: linear for each level of parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from abnforge.catalog import ArgumentError
from abnforge.grammar.messages import message
from abnforge.grammar.syntax import (
    BRACKETS,
    Alternation,
    CharVal,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    RuleDefinition,
    Rulelist,
    RuleName,
)
from abnforge.records import dataclass, field

MAX_COLUMNS = 72
"""The line width of RFCs. A single element or comment may be longer, because it cannot be folded."""

MAX_HEAD = 36
"""The least width of a head (the rule name and ``=``) whose elements start on a separate line: a longer head
leaves less than half of the line.
"""

_MANY = 8  # least number of alternatives, mostly single elements, that share lines
_UNDER_LONG_HEAD = 6  # column of the elements below a longer head


@dataclass(slots=True)
class Word:
    """A unit that is not folded: ``kind`` is ``element``, ``open``, ``close``, ``/`` or ``;`` (a comment).

    A ``glued`` word touches the previous word, and a ``tight`` bracket touches the next one; ``broken`` words
    begin a line. ``column`` is the column in the author's file. ``gap`` is the number of spaces before the
    word, or 0 at the start of a line. For a comment on a separate line, ``offset`` is its distance from the
    column of the elements. A comment that ``follows`` continues a comment after code on the line above.
    """

    text: str
    kind: str
    column: int = 0
    glued: bool = False
    tight: bool = False
    broken: bool = False
    gap: int = 0
    offset: int = 0
    follows: bool = False


@dataclass(slots=True)
class OutputLine:
    """A line of code and the ``comment`` after the code.

    A comment without code begins at ``column``, or below the previous comment.

    ``marks`` contains the column where each word begins and the number of spaces before the word.
    """

    code: str
    comment: Word | None = None
    column: int = 0
    marks: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Style:
    """The layout: ``width`` is in columns, and ``gap`` is the number of spaces after ``=``.

    With ``nested``, lines within brackets are aligned with the content of the bracket; otherwise they are
    indented by two columns. With ``kept``, words keep the gaps before them, and lines are not folded.
    """

    width: int = MAX_COLUMNS
    gap: int = 1
    nested: bool = False
    kept: bool = False


@dataclass(slots=True)
class _Level:
    """The columns of the words that begin a line in a bracket or in the rule."""

    mark: int  # for "/" and the closing bracket
    content: int


def content_column(head: str) -> int:
    """Return the column where elements start in a rule that does not fit on one line."""
    return len(head) + 1 if len(head) < MAX_HEAD else _UNDER_LONG_HEAD


def lay(head: str, words: Sequence[Word], style: Style) -> list[OutputLine]:
    """Return the lines of a rule. ``head`` is its name and ``=``, or an indented ``=``."""
    flat = _Laying(head, words, style)
    if len(head) < MAX_HEAD:
        flat.all()
        return flat.lines
    if not any(word.broken for word in words[1:]):
        flat.all()
        if len(flat.lines) == 1 and len(flat.lines[0].code) <= style.width:
            return flat.lines
    below = _Laying(head, words, style, _UNDER_LONG_HEAD)
    below.all()
    return below.lines


class _Laying:
    def __init__(self, head: str, words: Sequence[Word], style: Style, below: int = 0) -> None:
        self.style = style
        self.words = words
        self.below = below
        self.gap = 1 if below else style.gap
        content = below or len(head) + style.gap
        self.levels = [_Level(content - 2 if below else len(head) - 1, content)]
        self.lines = [OutputLine(head)]
        self.before: Word | None = None  # the previous word on this line
        self.begun: Word | None = None  # the first word of this line
        self.ends = list(accumulate((len(w.text) + (not w.glued) for w in words), initial=0))
        self.depths = _depths(words)

    def all(self) -> None:
        """Lay out every word; each line end in the author's file starts a new run of words."""
        words = self.words
        starts = [
            at
            for at in range(1, len(words))
            if words[at].broken or ";" in (words[at].kind, words[at - 1].kind)
        ]
        for start, end in _parts(0, starts, len(words)):
            word = words[start]
            if word.kind == ";":
                self._comment(word)
                continue
            if start or self.below:
                self._new_line(word)
            if self.style.kept:
                for word in words[start:end]:
                    self._put(word)
            else:
                self._run(start, end)

    def _comment(self, word: Word) -> None:
        if word.broken or self.lines[-1].comment is not None:
            base = self.levels[0].content
            column = base + (0 if self.below else word.offset)
            column = max(column, self.levels[0].mark)
            if column + len(word.text) > self.style.width:
                column = base
            self.lines.append(OutputLine("", word, column))
        else:
            self.lines[-1].comment = word

    def _run(self, start: int, end: int) -> None:
        """Put words on one line, or on as few lines as possible."""
        fits = self._fits(start, end)
        places = [] if fits else [at for at in range(start + 1, end) if self._breakable(at)]
        if not places:
            for word in self.words[start:end]:
                self._put(word)
            return
        outermost = min(self.depths[at] for at in places)
        places = [at for at in places if self.depths[at] == outermost]
        slashes = [at for at in places if self.words[at].kind == "/"]
        parts = _parts(start, slashes or places, end)
        filled = not slashes or _short(self.words[first:last] for first, last in parts)
        for first, last in parts:
            if first > start and not (filled and self._fits(first, last)):
                self._new_line(self.words[first])
            self._run(first, last)

    def _breakable(self, at: int) -> bool:
        word, before = self.words[at], self.words[at - 1]
        return not word.glued and before.kind not in ("/", "open") and word.kind != "close"

    def _fits(self, start: int, end: int) -> bool:
        first = self.words[start]
        size = self.ends[end] - self.ends[start] - (not first.glued)
        if first is self.begun and first.kind == "/" and len(self.levels) == 1:
            size += self.gap - 1
        return len(self.lines[-1].code) + self._space(first) + size <= self.style.width

    def _space(self, word: Word) -> int:
        if word is self.begun or word.glued:
            return 0
        kept = self.style.kept and word.gap
        before = self.before
        if before is None or (before is self.begun and before.kind == "/" and len(self.levels) == 1):
            return kept or self.gap
        return kept or 1

    def _new_line(self, word: Word) -> None:
        level, base = self.levels[-1], self.levels[0]
        if not self.style.nested and (len(self.levels) > 1 or word.kind != "/"):
            column = base.content + (0 if word is self.words[0] else 2)
        else:
            column = level.content if word.kind in ("element", "open") else level.mark
        self.lines.append(OutputLine(" " * column))
        self.begun = word

    def _put(self, word: Word) -> None:
        line = self.lines[-1]
        space = self._space(word)
        line.code += " " * space + word.text
        column = len(line.code) - len(word.text)
        line.marks.append((column, space))
        if word.kind == "open":
            self._open(len(line.code) - 1, word.tight)
        elif word.kind == "close":
            self.levels.pop()
        self.before = word

    def _open(self, column: int, tight: bool) -> None:
        outer = self.levels[-1]
        if column > max(MAX_HEAD, self.style.width // 2):
            column = outer.content
        self.levels.append(_Level(column, column + (1 if tight else 2)))


def _depths(words: Sequence[Word]) -> list[int]:
    """Return the number of open brackets before each word."""
    depths, depth = [], 0
    for word in words:
        depths.append(depth)
        depth += (word.kind == "open") - (word.kind == "close")
    return depths


def _parts(start: int, places: Sequence[int], end: int) -> list[tuple[int, int]]:
    starts = [start, *places]
    return list(zip(starts, [*places, end], strict=True))


def _short(alternatives: Iterable[Sequence[Word]]) -> bool:
    """Return whether alternatives share lines: all (or nearly all of many) are single elements."""
    singles = [_single(words) for words in alternatives]
    return all(singles) or (len(singles) >= _MANY and 4 * singles.count(False) <= len(singles))


def _single(words: Sequence[Word]) -> bool:
    """Return whether an alternative is a single element; brackets may only open or only close."""
    kinds = [word.kind for word in words]
    return kinds.count("element") == 1 and not ("open" in kinds and "close" in kinds)


def drawn(groups: Sequence[Sequence[OutputLine]], gap: int, width: int) -> list[str]:
    """Return the lines of consecutive rules, with their comments aligned.

    If all comments fit in one column, they are aligned there; otherwise the comments of each rule, or of
    adjacent lines, are aligned. ``gap`` is the least number of spaces before a comment; comments that the
    author aligned may have more.
    """
    drawn_lines: list[str] = []
    column = _column([line for lines in groups for line in lines], gap, width)
    for lines in groups:
        own = column or _column(lines, gap, width)
        for run in [lines] if own else _runs(lines):
            at = own or _column(run, gap, width)
            last = 0
            for line in run:
                if line.comment is None:
                    drawn_lines.append(line.code)
                    continue
                if line.code:
                    last = at or len(line.code) + gap
                elif not (line.comment.follows and last):
                    last = line.column
                drawn_lines.append(line.code.ljust(last) + line.comment.text)
    return drawn_lines


def _column(lines: Sequence[OutputLine], gap: int, width: int) -> int:
    """Return the column for the comments of lines, or 0 if none fits and they were not aligned before."""
    code = [(line, line.comment) for line in lines if line.comment is not None and line.code]
    longest = max((len(line.code) for line, _ in code), default=0)
    comments = [line.comment for line in lines if line.comment and (line.code or line.comment.follows)]
    widest = max((len(comment.text) for comment in comments), default=0)
    gaps = [gap]
    aligned = len(code) > 1 and len({comment.column for _, comment in code}) == 1
    if aligned:
        gaps.insert(0, max(gap, min(comment.gap for _, comment in code)))
    kept = longest + gaps[0] if aligned else 0
    return next((longest + gap for gap in gaps if longest + gap + widest <= width), kept)


def _runs(lines: Sequence[OutputLine]) -> list[list[OutputLine]]:
    """Split lines into runs of lines with comments and of lines without comments."""
    runs: list[list[OutputLine]] = []
    for line in lines:
        if not runs or (line.comment is None) != (runs[-1][-1].comment is None):
            runs.append([])
        runs[-1].append(line)
    return runs


_NUMBER = {"x": "02X", "d": "d", "b": "b"}
_CHAR_VAL = re.compile(r"[\x20-\x21\x23-\x7e]*")


def print_rulelist(rulelist: Rulelist) -> str:
    """Return a whole grammar; rules and comments start in the first column, and every line has a line end.

    Raises ``ValueError`` for a tree that ABNF cannot express (a line feed in a comment, a quote in a string).
    """
    return "".join(
        (print_rule(item) if isinstance(item, RuleDefinition) else item.text and _comment(item.text)) + "\n"
        for item in rulelist.items
    )


def print_rule(rule: RuleDefinition) -> str:
    """Return a rule with its comments, folded into lines; the last line has no line end."""
    head = f"{rule.name} {'=/' if rule.incremental else '='}"
    words = list(_words(rule.elements))
    flat = " ".join([head, *(word.text for word in words)])
    if len(flat) <= MAX_COLUMNS and not any(word.kind == ";" for word in words[:-1]):
        return flat
    alternatives = [list(_words(Alternation((a,)))) for a in rule.elements.alternatives]
    if any(len(alternative) > 1 for alternative in alternatives):
        at = -1
        for alternative in alternatives[:-1]:
            at += len(alternative) + 1
            words[at].broken = True
    lines: list[OutputLine] = []
    for line in lay(head, words, Style()):
        if (
            line.comment is not None
            and line.code
            and len(line.code) + 1 + len(line.comment.text) > MAX_COLUMNS
        ):
            lines += [OutputLine(line.code), OutputLine("", line.comment, content_column(head))]
        else:
            lines.append(line)
    return "\n".join(drawn([lines], 1, MAX_COLUMNS))


def print_alternation(alternation: Alternation) -> str:
    """Return an alternation on one line, without its comments."""
    return " ".join(word.text for word in _words(alternation) if word.kind != ";")


def print_element(element: Element) -> str:
    """Return an element on one line, without comments."""
    if isinstance(element, (Group, Option)):
        opener, closer = BRACKETS[type(element)]
        return f"{opener} {print_alternation(element.alternation)} {closer}"
    return _terminal(element)


def _words(alternation: Alternation) -> Iterator[Word]:
    for index, alternative in enumerate(alternation.alternatives):
        if index:
            yield Word("/", "/")
        for item in alternative.items:
            repeat = _repeat(item)
            if isinstance(item.element, (Group, Option)):
                opener, closer = BRACKETS[type(item.element)]
                yield Word(repeat + opener, "open")
                yield from _words(item.element.alternation)
                yield Word(closer, "close")
            else:
                yield Word(repeat + _terminal(item.element), "element")
        for comment in alternative.comments:
            yield Word(_comment(comment), ";")


def _terminal(element: RuleName | CharVal | NumVal | ProseVal) -> str:
    match element:
        case RuleName(name=name):
            return f"<{name}>" if element.in_prose else name
        case CharVal(value=value, prefix=prefix):
            if not _CHAR_VAL.fullmatch(value):
                raise ArgumentError(message("string-unwritable", text=value))
            return f'{prefix}"{value}"'
        case NumVal(base=base, values=values):
            separator = "-" if element.is_range else "."
            return f"%{base}" + separator.join(format(value, _NUMBER[base]) for value in values)
        case ProseVal(text=text):
            if ">" in text or "\n" in text:
                raise ArgumentError(message("prose-unwritable", text=text))
            return f"<{text}>"


def _repeat(item: Repetition) -> str:
    low, high = item.min, item.max
    if item.listed:
        return f"{low or ''}#{'' if high is None else high}"
    if low == high:
        return "" if low == 1 else str(low)
    return f"{low or ''}*{'' if high is None else high}"


def _comment(text: str) -> str:
    if "\n" in text:
        raise ArgumentError(message("comment-unwritable", text=text))
    return f";{text}".rstrip(" \t\r")
