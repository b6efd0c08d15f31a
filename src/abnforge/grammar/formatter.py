"""Format ABNF: arrange the same words and comments in a regular layout.

The formatter keeps some of the author's decisions: line breaks in a rule, spaces inside brackets, the column
of ``=`` in a block, and the distance between code and comments. The formatter decides where each line begins
(``/`` below ``=``), the spaces between words, the column of the comments in a block, and the number of empty
lines. It folds lines that exceed the width. Columns that are aligned across the lines of a rule, as in RFC
3986's IPv6address, stay unchanged. Formatting is idempotent. Cost: linear.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as copied
from itertools import groupby

from abnforge._arguments import instance_argument, plain_argument
from abnforge.catalog import ArgumentError, ArgumentTypeError
from abnforge.grammar import lexer
from abnforge.grammar.lexer import Chunk, Token, comment_text
from abnforge.grammar.messages import message
from abnforge.grammar.printer import MAX_COLUMNS, MAX_HEAD, OutputLine, Style, Word, drawn, lay
from abnforge.grammar.reader import read
from abnforge.messages import message as _message

MIN_WIDTH = 20  # columns; fewer do not fit a name and an element
MAX_WIDTH = 10_000  # columns; no screen or page is wider
MAX_BLANK = 2  # consecutive empty lines; authors use two between sections of a grammar

_MAX_GAP = 4  # spaces after "=" and before comments; more are an alignment or an accident
_MIN_COMMENT_GAP = 2
_TAB = 8


def format_abnf(text: str, width: int = MAX_COLUMNS, *, align: bool | None = None) -> str:
    """Return an ABNF grammar in a regular layout; its rules and comments stay the same.

    ``width`` is in columns. With ``align=True``, the ``=`` of rules on consecutive lines are aligned; with
    False, they are not; None keeps the author's choice. All lines get the most common line end. The "|"
    notation stays.

    Raises GrammarError for a syntax error, and ValueError for a width below :data:`MIN_WIDTH` or above
    :data:`MAX_WIDTH`. Cost: linear, about three times the cost of reading the grammar.
    """
    instance_argument(align, "align", bool | None, "a bool or None")
    return formatted(plain_argument(text, "text"), "<string>", width, align)


def formatted(text: str, name: str, width: int = MAX_COLUMNS, align: bool | None = None) -> str:
    """Return the formatted text of a grammar, which is called ``name`` in errors."""
    if isinstance(width, bool) or not isinstance(width, int):
        kind = type(width).__name__
        raise ArgumentTypeError(_message("argument-type", name="width", expected="an int", type=kind))
    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise ArgumentError(message("width-out-of-range", least=MIN_WIDTH, most=MAX_WIDTH, width=width))
    dialect = read(text, name).dialect
    blocks = list(_blocks(text, dialect))
    _choose_columns(blocks, align)
    rules = [rule for block in blocks for rule in block.rules]
    gaps = Counter(rule.gap_behind for rule in rules if rule.short and 0 < rule.gap_behind <= _MAX_GAP)
    gap = min(gaps, key=lambda spaces: (-gaps[spaces], spaces), default=1)
    comment_gap = min((spaces for rule in rules for spaces in rule.comment_gaps()), default=_MIN_COMMENT_GAP)
    comment_gap = max(_MIN_COMMENT_GAP, min(_MAX_GAP, comment_gap))
    lines: list[str] = []
    for block in blocks:
        if lines:
            lines += [""] * min(block.blank, MAX_BLANK)
        groups = [
            item.lines(Style(width, gap, nested=True)) if isinstance(item, _Rule) else [OutputLine(item)]
            for item in block.items
        ]
        lines += drawn(groups, comment_gap, width)
    end = "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"
    return "".join(line + end for line in lines)


@dataclass(slots=True)
class _Rule:
    """The words of a rule with the author's columns; column 0 is the margin.

    ``head`` contains the comments between the name and ``defined_as`` (``=`` or ``=/``). The author put
    ``defined_as`` in ``column``, ``gap`` spaces after the previous word (0: on a separate line); the
    formatter moves it to the column ``chosen``.
    """

    name: str
    head: list[Word]
    defined_as: str
    column: int
    gap: int
    words: list[Word]
    chosen: int = 0

    @property
    def natural(self) -> int:
        """The column of ``=`` without alignment."""
        return len(self.name) + 1

    @property
    def moved(self) -> bool:
        """True if the author put the ``=`` further right."""
        return self.gap > 1

    @property
    def aimed(self) -> int:
        """The column that the author chose for the ``=``."""
        return self.column if self.moved else self.natural

    @property
    def short(self) -> bool:
        """True if elements fit on the line of the name."""
        return self.natural + len(self.defined_as) < MAX_HEAD

    @property
    def gap_behind(self) -> int:
        """The number of spaces between ``=`` and an element on the same line, or 0."""
        first = self.words[0]
        return 0 if first.kind == ";" else first.gap

    def comment_gaps(self) -> Iterator[int]:
        """Return the number of spaces before each comment after code."""
        return (word.gap for word in (*self.head, *self.words) if word.kind == ";" and not word.broken)

    def lines(self, style: Style) -> list[OutputLine]:
        """Return the lines of the rule, with the author's gaps if they form columns."""
        head = self.name.ljust(self.chosen - 1) + " "
        before: list[OutputLine] = []
        if self.head:
            before = _headed(self.name, self.head)
            head = " " * self.chosen
        head += self.defined_as
        kept = copied(style, kept=True)
        words = self._placed(style.gap)
        result = lay(head, words, kept)
        if not _tabular(result, style):
            words = self._placed(self.gap_behind or style.gap)
            result = lay(head, words, style)
        return before + result

    def _placed(self, gap: int) -> list[Word]:
        """Return the words, with the offset of each comment from the column of the first element."""
        first = self.words[0]
        start = first.column if first.broken else self.column + len(self.defined_as) + gap
        return [copied(word, offset=word.column - start) if word.kind == ";" else word for word in self.words]


@dataclass(slots=True)
class _Block:
    """Rules and comments without empty lines between them, and the number of empty lines before them."""

    blank: int
    items: list[_Rule | str] = field(default_factory=list)

    @property
    def rules(self) -> list[_Rule]:
        return [item for item in self.items if isinstance(item, _Rule)]

    def neighbors(self) -> Iterator[list[_Rule]]:
        """Yield runs of adjacent rules."""
        for rules, items in groupby(self.items, lambda item: isinstance(item, _Rule)):
            if rules:
                yield [item for item in items if isinstance(item, _Rule)]


def _blocks(text: str, dialect: str) -> Iterator[_Block]:
    block = _Block(0)
    for part in lexer.parts(text):
        if isinstance(part, Chunk):
            block.items.append(_rule(text, part, dialect))
        elif part.text:
            block.items.append(";" + part.text.strip(" \t\r") if part.text == " " else f";{part.text}")
        elif block.items:
            yield block
            block = _Block(1)
        else:
            block.blank += 1
    if block.items:
        yield block


def _headed(name: str, comments: Sequence[Word]) -> list[OutputLine]:
    """Return a rule's name with the comments before its ``=``."""
    lines = [OutputLine(name)]
    for word in comments:
        if word.broken:
            lines.append(OutputLine("", word, 2))
        else:
            lines[-1].comment = word
    return lines


def _tabular(lines: Iterable[OutputLine], style: Style) -> bool:
    """Return whether lines with the author's gaps fit, and each wide gap aligns with a neighboring line."""
    marks = [line.marks for line in lines if line.code]
    if any(len(line.code) > style.width for line in lines):
        return False
    starts = [{column for column, _ in line} for line in marks]
    wide = False
    for at, line in enumerate(marks):
        neighbors = set().union(*starts[max(0, at - 1) : at], *starts[at + 1 : at + 2])
        for place, (column, space) in enumerate(line):
            usual = style.gap if place == 0 or (place == 1 and at) else 1
            if space > usual:
                wide = True
                if column not in neighbors:
                    return False
    return wide


def _choose_columns(blocks: Iterable[_Block], align: bool | None) -> None:
    """Choose the column of each ``=``, which most neighbors share if the author aligned some of them."""
    alone: list[_Rule] = []
    columns: dict[int, set[int]] = {}
    for block in blocks:
        for rules in block.neighbors():
            short = [rule for rule in rules if rule.short]
            column = 0 if align is False else _common(short, align is True)
            if len(short) == 1 and align is not False:
                alone += short
                columns.setdefault(short[0].aimed, set()).add(short[0].natural)
            for rule in rules:
                rule.chosen = max(rule.natural, column if rule.short else 0)
                if len(short) > 1:
                    columns.setdefault(rule.chosen, set()).add(rule.natural)
    for rule in alone:
        if rule.moved and len(columns[rule.aimed]) > 1 and rule.aimed < MAX_HEAD:
            rule.chosen = rule.aimed


def _common(rules: Sequence[_Rule], align: bool) -> int:
    """Return the common column for the ``=`` of neighbors, or 0; with ``align``, it fits all of them."""
    if len(rules) < 2:
        return 0
    needed = max(rule.natural for rule in rules) if align else 0
    votes = Counter(rule.aimed for rule in rules)
    column = max(votes, key=lambda place: (votes[place], place))
    moved = any(rule.moved for rule in rules if rule.aimed == column)
    most = moved and 2 * votes[column] > len(rules) and column < MAX_HEAD
    return max(needed, column) if most else needed


def _rule(text: str, chunk: Chunk, dialect: str) -> _Rule:
    """Return the words of a well-formed chunk."""
    tokens = _Tokens(text, chunk, dialect)
    name = next(tokens)
    head: list[Word] = []
    defined_as = next(tokens)
    while defined_as.kind == ";":
        head.append(defined_as)
        defined_as = next(tokens)
    words = list(tokens)
    _slashes_first(words)
    _attach(words)
    return _Rule(name.text, head, defined_as.text, defined_as.column, defined_as.gap, words)


class _Tokens:
    """The words of a chunk, in order."""

    def __init__(self, text: str, chunk: Chunk, dialect: str) -> None:
        self.text = text
        self.tokens = lexer.tokens(text, chunk.start, chunk.end, dialect)
        self.at = text.rfind("\n", 0, chunk.start) + 1
        self.here = 0
        self._move(chunk.start)
        self.margin = self.here

    def __iter__(self) -> Iterator[Word]:
        return self

    def __next__(self) -> Word:
        token = next(self.tokens)
        if token.kind == "end":
            raise StopIteration
        start, kind = token.start, token.kind
        broken, gap = self._move(start)
        column = self.here - self.margin
        if kind in ("repeat", "list"):
            token = next(self.tokens)  # a repeat and its element are one word
        self._move(token.end)
        written = self.text[start : token.end]
        if token.kind == "comment":
            written = ";" + comment_text(self.text, start, token.end)
        return Word(written, _kind(token), column, broken=broken, gap=0 if broken else gap)

    def _move(self, offset: int) -> tuple[bool, int]:
        """Move to an offset; return whether a line end was passed, and the number of columns moved."""
        between = self.text[self.at : offset]
        broken = "\n" in between
        if broken:
            self.here = 0
            between = between[between.rfind("\n") + 1 :]
        before = self.here
        for char in between if "\t" in between else ():
            self.here = (self.here // _TAB + 1) * _TAB if char == "\t" else self.here + 1
        if "\t" not in between:
            self.here += len(between)
        self.at = offset
        return broken, self.here - before


def _kind(token: Token) -> str:
    kinds = {"(": "open", "[": "open", ")": "close", "]": "close", "/": "/", "|": "/", "comment": ";"}
    return kinds.get(token.kind, "element")


def _slashes_first(words: list[Word]) -> None:
    """Move each ``/`` at the end of a line to the start of the next line, after any comments."""
    at = 0
    while at < len(words):
        word, start = words[at], at
        if word.kind == "/":
            while words[at + 1].kind == ";":
                at += 1
            following = words[at + 1]
            if at > start:
                words[start:at], words[at] = words[start + 1 : at + 1], word
                if word.broken and not words[start].broken:
                    words[start].broken, words[start].column = True, word.column
            if following.broken or at > start:
                word.broken, following.broken, following.gap = True, False, 0
        at += 1


def _attach(words: Sequence[Word]) -> None:
    """Set the flags that depend on neighbors: brackets without inner spaces, and consecutive comments."""
    tight: list[bool] = []
    for at, word in enumerate(words):
        before = words[at - 1] if at else None
        if before is not None and before.kind == "open" and not word.broken and not word.gap:
            before.tight = word.glued = word.kind != ";"
            tight[-1] = before.tight
        if word.kind == "open":
            tight.append(False)
        elif word.kind == "close" and tight.pop() and before is not None and before.kind != ";":
            word.glued, word.broken = True, False
        elif word.kind == ";" and word.broken and before is not None and before.kind == ";":
            word.follows = before.column == word.column and (before.follows or not before.broken)
