"""Patterns of JavaScript, PCRE, Java and RE2, read as their engines read them.

Strict: what is not known, or what versions of an engine differ in, is refused by name, and nothing is
guessed. ``backends.regex.reading`` reads the few notations that are written by this project, and is what
proofs of them rest on: it knows no flags, anchors or assertions, and stays as small as it is.
"""

from __future__ import annotations

import re

from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.conformance.patterns.characters import VERTICAL, WORD
from abnforge.conformance.patterns.dialects import UNIX_LINES
from abnforge.conformance.patterns.errors import too_deep, unproved
from abnforge.conformance.patterns.escapes import Escapes
from abnforge.conformance.patterns.tree import (
    END,
    EVERY,
    MAX_NESTING,
    START,
    Atomic,
    Char,
    Choice,
    Look,
    Node,
    Repeat,
    Run,
    boundary,
    chars,
    no_boundary,
    possessive,
    run,
    width,
)

_COUNTS = re.compile(r"\{([0-9]{1,9})(?:(,)([0-9]{1,9})?)?\}")
_SIMPLE = {"?": (0, 1), "*": (0, None), "+": (1, None)}
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_INLINE = re.compile(r"\?(\^?)([A-Za-z]*)(-[A-Za-z]*)?([:)])")
_LOOKS = {"?=": (True, False), "?!": (True, True), "?<=": (False, False), "?<!": (False, True)}
_REFUSED = {
    "?(": "a conditional group",
    "?R": "a call of the pattern",
    "?0": "a call of the pattern",
    "?&": "a call of a group",
    "?P>": "a call of a group",
    "?P=": "a back reference",
    "?C": "a callout",
    "*": "a verb",
}
_VERBOSE_BLANKS = " \t\n\v\f\r"


def read(text: str, dialect: str, flags: str, meter: Meter) -> Node:
    """A pattern as a tree. ``flags`` are letters that the dialect has.

    Raises PatternError for what is no pattern of the dialect, or not regular; LimitExceeded for what is
    nested too deeply. Cost: linear.
    """
    meter.charge(10 + 5 * len(text))
    return _Reader(text, dialect, flags, meter).whole()


class _Reader(Escapes):
    def __init__(self, text: str, dialect: str, flags: str, meter: Meter) -> None:
        super().__init__(text, dialect, meter)
        self._flags = frozenset(flags)
        self._names: set[str] = set()

    def whole(self) -> Node:
        node = self._choice(0)
        if self._at < len(self._text):
            raise self._wrong("pattern-parenthesis")
        return node

    def _choice(self, depth: int) -> Node:
        """Alternatives up to the end of a group, or of the text."""
        if depth > MAX_NESTING:
            raise too_deep()
        branches: list[Node] = []
        items: list[Node] = []
        while True:
            self._skip()
            char = self._peek()
            if char in ("", ")"):
                break
            if char == "|":
                self._at += 1
                branches.append(run(items))
                items = []
                continue
            self._meter.charge(2)
            quantifiable, found = self._item(depth)
            for number, node in enumerate(found):
                last = number == len(found) - 1
                items.append(self._quantified(node, quantifiable) if last else node)
        return Choice((*branches, run(items))) if branches else run(items)

    def _skip(self) -> None:
        """White space and comments, where they mean nothing; quotations of nothing."""
        text = self._text
        while True:
            char = self._peek()
            if text.startswith("(?#", self._at) and self._dialect_name == "pcre":
                end = text.find(")", self._at)
                if end < 0:
                    raise self._wrong("pattern-comment")
                self._at = end + 1
            elif "x" in self._flags and char and char in _VERBOSE_BLANKS:
                self._at += 1
            elif "x" in self._flags and char == "#":
                end = text.find("\n", self._at)
                self._at = len(text) if end < 0 else end + 1
            else:
                return

    def _item(self, depth: int) -> tuple[bool, list[Node]]:
        """What stands next, and whether a quantifier may follow it. A quotation is several nodes."""
        text, char = self._text, self._peek()
        if char == "(":
            return self._group(depth)
        if char == "[":
            return True, [Char(self.set())]
        if char == "\\":
            if self._dialect.quotes and text.startswith("\\Q", self._at):
                return True, self._quotation()
            return self._escaped()
        self._at += 1
        if char == ".":
            return True, [EVERY if "s" in self._flags else self._lines("dot")]
        if char == "^":
            anchored = self._lines("line_start") if "m" in self._flags else START
            return self._dialect_name != "javascript", [anchored]
        if char == "$":
            return self._dialect_name != "javascript", [self._dollar()]
        if char in "?*+" or (char == "{" and self._is_count(self._at - 1)):
            self._at -= 1
            raise self._wrong("pattern-operand", char=char)
        if char in "{}]" and not self._is_literal(char):
            self._at -= 1
            raise self._wrong("pattern-special", char=char)
        return True, [Char(self.folded(CharSet.of(char)))]

    def _is_literal(self, char: str) -> bool:
        if self._dialect_name == "javascript":
            return "u" not in self._flags
        return char != "{" or self._dialect.loose_brace

    def _dollar(self) -> Node:
        if "m" in self._flags:
            return self._lines("line_end")
        return END if "D" in self._flags else self._lines("dollar")

    def _lines(self, name: str) -> Node:
        found: Node = getattr(self._dialect, name)
        if self._dialect_name == "java" and "d" in self._flags:
            return UNIX_LINES[name]
        return found

    # Groups

    def _group(self, depth: int) -> tuple[bool, list[Node]]:
        text, opened = self._text, self._at
        self._at += 1
        for beginning, what in _REFUSED.items():
            if text.startswith(beginning, self._at) and (beginning != "*" or self._dialect.posix):
                if self._dialect_name != "pcre":
                    raise self._wrong("pattern-group")
                raise unproved(what, opened)
        if self._dialect.looks:
            for beginning in ("?<=", "?<!", "?=", "?!"):
                if text.startswith(beginning, self._at):
                    return self._look(beginning, depth)
        if text.startswith("?>", self._at) and self._dialect.possessive:
            self._at += 2
            return True, [Atomic(self._inside(depth, self._flags))]
        for beginning in self._dialect.names:
            if text.startswith(beginning[1:], self._at):
                found = _NAME.match(text, self._at + len(beginning) - 1)
                close = "'" if beginning.endswith("'") else ">"
                if found is None or not text.startswith(close, found.end()):
                    raise self._wrong("pattern-group-name")
                if found[0] in self._names:
                    raise self._wrong("pattern-group-twice", name=found[0])
                self._names.add(found[0])
                self._at = found.end() + 1
                return True, [self._inside(depth, self._flags)]
        if not text.startswith("?", self._at):
            return True, [self._inside(depth, self._flags)]
        if text.startswith("?|", self._at) and self._dialect_name == "pcre":
            self._at += 2
            return True, [self._inside(depth, self._flags)]
        return self._with_flags(depth)

    def _with_flags(self, depth: int) -> tuple[bool, list[Node]]:
        found = _INLINE.match(self._text, self._at)
        if found is None:
            if self._dialect_name == "pcre" and re.compile(r"\?[-+]?[0-9]").match(self._text, self._at):
                raise unproved("a call of a group", self._at - 1)
            raise self._wrong("pattern-group")
        caret, added, removed, end = found.groups()
        if set(added + (removed or "-")[1:]) - set(self._dialect.inline) or caret:
            raise self._wrong("pattern-flags-inline")
        self._at = found.end()
        flags = (self._flags | set(added)) - set((removed or "-")[1:])
        if end == ")":
            self._flags = flags  # up to the end of the group around it
            return False, []
        return True, [self._inside(depth, flags)]

    def _inside(self, depth: int, flags: frozenset[str]) -> Node:
        """What is in a group, which was opened, and its end."""
        opened, around = self._at, self._flags
        self._flags = flags
        node = self._choice(depth + 1)
        self._flags = around
        if self._peek() != ")":
            raise self._wrong("pattern-group-unclosed", opened)
        self._at += 1
        return node

    def _look(self, beginning: str, depth: int) -> tuple[bool, list[Node]]:
        ahead, negative = _LOOKS[beginning]
        opened = self._at - 1
        self._at += len(beginning)
        node = self._inside(depth, self._flags)
        if not ahead and self._dialect.behind_bounded and width(node)[1] is None:
            raise self._wrong("pattern-lookbehind", opened)
        quantifiable = self._dialect_name != "javascript" or (ahead and "u" not in self._flags)
        return quantifiable, [Look(node, ahead, negative)]

    # Quantifiers

    def _is_count(self, at: int) -> bool:
        return _COUNTS.match(self._text, at) is not None

    def _quantified(self, node: Node, allowed: bool) -> Node:
        self._skip()
        text, char = self._text, self._peek()
        least: int
        most: int | None
        if char and char in _SIMPLE:
            least, most = _SIMPLE[char]
            self._at += 1
        elif char == "{" and (found := _COUNTS.match(text, self._at)) is not None:
            least = int(found[1])
            most = int(found[3]) if found[3] else (None if found[2] else least)
            limit = self._dialect.max_count
            if (most is not None and most < least) or (limit is not None and max(least, most or 0) > limit):
                raise self._wrong("pattern-count")
            self._at = found.end()
        elif text.startswith("{,", self._at) and self._dialect_name == "pcre":
            raise self._wrong("pattern-count-open")
        else:
            return node
        if not allowed:
            raise self._wrong("pattern-quantified")
        mode = self._peek()
        if mode and mode in "?+":
            if mode == "+" and not self._dialect.possessive:
                raise self._wrong("pattern-operand", char="+")
            self._at += 1
        if self._peek() and (self._peek() in "?*+" or self._is_count(self._at)):
            raise self._wrong("pattern-quantifier-twice")
        if mode == "+":
            return possessive(node, least, most, self._dialect.cuts_turns)
        return Repeat(node, least, most, (mode == "?") is ("U" in self._flags))

    # Escapes outside of a set

    def _quotation(self) -> list[Node]:
        start = self._at + 2
        end = self._text.find("\\E", start)
        end, self._at = (len(self._text), len(self._text)) if end < 0 else (end, end + 2)
        return [Char(self.folded(CharSet.of(char))) for char in self._text[start:end]]

    def _escaped(self) -> tuple[bool, list[Node]]:
        text, at = self._text, self._at
        letter = text[at + 1 : at + 2]
        name, javascript = self._dialect_name, self._dialect_name == "javascript"
        self.refuse_references(letter)
        if letter and letter in "bB":
            self._at += 2
            if text.startswith("{", self._at) and not javascript:
                raise self._wrong("pattern-boundary")
            word = self.folded(WORD) if javascript and "u" in self._flags else WORD
            return not javascript, [boundary(word) if letter == "b" else no_boundary(word)]
        if letter == "Z" and name == "java" and "d" in self._flags:
            self._at += 2
            return True, [self._lines("dollar")]
        if letter in self._dialect.escapes:
            self._at += 2
            return True, [self._dialect.escapes[letter]]
        if letter == "R" and name == "pcre":
            self._at += 2
            return True, [Atomic(Choice((Run((chars("\r"), chars("\n"))), Char(VERTICAL))))]
        if letter == "N" and name == "pcre" and not text.startswith("{", at + 2):
            self._at += 2
            return True, [self._dialect.dot]
        if letter == "E" and self._dialect.quotes:
            self._at += 2
            return False, []
        return True, [Char(self.member())]
