"""Read patterns of JavaScript, PCRE, Java and RE2 as their engines interpret them.

The reader is strict. It rejects, by name, unknown constructs and constructs that versions of an engine
interpret differently. The reader in ``reading`` is separate. It supports only the notation that this package
writes, without flags, anchors and assertions, and the proofs of exported patterns depend on it.
"""

from __future__ import annotations

import re

from abnforge.budget import Meter
from abnforge.charset import ANY, MAX_CODE_POINT, CharSet, Range, union
from abnforge.regex.ast import (
    END,
    EVERY,
    START,
    Alternatives,
    AtomicGroup,
    CharacterClass,
    Iteration,
    Lookaround,
    Regex,
    boundary,
    chars,
    concat,
    no_boundary,
    ordered,
    possessive,
    width,
)
from abnforge.regex.engines import (
    DIGITS,
    ENGINES,
    HORIZONTAL,
    POSIX,
    UNIX_LINES,
    VERTICAL,
    WORD,
    general_category,
    in_either_case,
)
from abnforge.regex.errors import MAX_NESTING, PatternError, too_deep, unproved
from abnforge.regex.messages import message
from abnforge.regex.reading import can_count, read_quantifier

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_INLINE = re.compile(r"\?(\^?)([A-Za-z]*)(-[A-Za-z]*)?([:)])")
_LOOKS = {"?=": (True, False), "?!": (True, True), "?<=": (False, False), "?<!": (False, True)}
_UNSUPPORTED = {
    "?(": "a conditional group",
    "?R": "a call of the pattern",
    "?0": "a call of the pattern",
    "?&": "a call of a group",
    "?P>": "a call of a group",
    "?P=": "a back reference",
    "?C": "a callout",
    "*": "a verb",
}
_VERBOSE_SPACES = " \t\n\v\f\r"
_PROPERTY = re.compile(r"\{(\^?)([A-Za-z&_]+)\}|([A-Z])")
_POSIX = re.compile(r"\[:(\^?)([a-z]+):\]")
_JAVA_POSIX = {name: name.lower() for name in (
    "Alnum", "Alpha", "ASCII", "Blank", "Cntrl", "Digit", "Graph", "Lower", "Print", "Punct", "Space",
    "Upper", "XDigit",
)}  # fmt: skip
_JS_SYNTAX = "^$\\.*+?()[]{}|/"
_CASED_PROPERTIES = {"Lu", "Ll", "Lt", "Lower", "Upper"}

# Numeric notations of a character by dialect: after \x, and after a backslash.
_X = {
    "ecmascript": r"([0-9A-Fa-f]{2})",
    "pcre2": r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{0,2})",
    "java": r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2})",
    "re2": r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2})",
}
_OCTAL = {
    "ecmascript": r"0(?![0-9])",
    "pcre2": r"0[0-7]{0,2}",
    "java": r"0([0-3][0-7]{2}|[0-7]{1,2})",
    "re2": r"0[0-7]{0,2}|[1-7][0-7]{1,2}",
}
_CONTROL = {"ecmascript": "[A-Za-z]", "pcre2": "[ -~]", "java": "[A-Za-z]", "re2": "(?!)"}


def read(text: str, dialect: str, flags: str, meter: Meter) -> Regex:
    """Return the tree of a pattern; ``flags`` contains flag letters of the dialect.

    Raises PatternError for a pattern that the dialect does not allow or that is not regular, and
    LimitExceeded for groups that are nested too deeply. Complexity: linear.
    """
    meter.charge(10 + 5 * len(text))
    return _Reader(text, dialect, flags, meter).whole()


class _CharacterReader:
    """The reader for characters, at an offset in a pattern. ``_flags`` apply at that offset."""

    def __init__(self, text: str, dialect: str, meter: Meter) -> None:
        self._text = text
        self._at = 0
        self._engine = dialect
        self._syntax = ENGINES[dialect]
        self._meter = meter
        self._flags: frozenset[str] = frozenset()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _wrong(self, code: str, offset: int | None = None, **data: str) -> PatternError:
        """Return the error for a construct that the dialect does not allow, at an offset or here."""
        at = self._at if offset is None else offset
        return PatternError(message(code, dialect=self._syntax.title, offset=at, **data), offset=at)

    # Character sets

    def _folded(self, charset: CharSet) -> CharSet:
        """Return a set, extended by the other cases of its characters if case does not matter."""
        if "i" not in self._flags:
            return charset
        folding = self._syntax.folding
        if self._engine == "ecmascript" and "u" in self._flags:
            folding = "unicode"
        self._meter.charge(20 if len(charset) < 100 else 1_500)
        return in_either_case(charset, folding)

    def _named(self, letter: str) -> CharSet | None:
        r"""Return the set of ``\d`` and similar escapes, or None for another letter."""
        sets = {"d": DIGITS, "w": WORD, "s": self._syntax.blanks}
        if self._engine in ("pcre2", "java"):
            sets |= {"h": HORIZONTAL, "v": VERTICAL}
        charset = sets.get(letter.lower())
        if charset is None:
            return None
        if self._folds_names:
            charset = self._folded(charset)
        return charset if letter.islower() else ~charset

    @property
    def _folds_names(self) -> bool:
        r"""Return whether ``\w`` matches more characters if case does not matter."""
        return self._engine == "re2" or (self._engine == "ecmascript" and "u" in self._flags)

    def _member(self) -> CharSet:
        """Read an escape and return its characters, with their other cases."""
        letter = self._text[self._at + 1 : self._at + 2]
        named = self._named(letter) if letter else None
        if named is not None:
            self._at += 2
            return named
        if letter and letter in "pP":
            return self._property()
        return self._folded(CharSet(((code := self._code(in_set=False), code),)))

    def _set(self) -> CharSet:
        self._at += 1
        negated = self._peek() == "^"
        self._at += negated
        ranges: list[Range] = []
        sets: list[CharSet] = []
        first = True
        while first or self._peek() != "]":
            self._meter.charge(2)
            if self._peek() == "]" and not (first and self._syntax.close_first):
                break
            first = False
            member = self._set_member()
            if isinstance(member, CharSet):
                sets.append(member)
                if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                    self._reject_loose_range()
                continue
            low = high = member
            following = self._text[self._at + 1 : self._at + 2]
            if self._peek() == "-" and following not in ("]", ""):
                self._at += 1
                end = self._set_member()
                if isinstance(end, CharSet):
                    self._reject_loose_range()
                    sets.append(end)
                    ranges.append((0x2D, 0x2D))
                else:
                    high = end
            if high < low:
                raise self._wrong("pattern-range-order")
            ranges.append((low, high))
        if not ranges and not sets and self._engine == "java":
            raise self._wrong("pattern-set-empty")
        self._at += 1
        self._meter.charge(sum(len(charset.ranges) for charset in sets) // 4)
        plain = union((self._folded(CharSet.from_ranges(ranges)), *sets))
        return ~plain if negated else plain

    def _reject_loose_range(self) -> None:
        if self._engine != "ecmascript" or "u" in self._flags:
            raise self._wrong("pattern-range")

    def _set_member(self) -> CharSet | int:
        """Read a member of a set: the number of a character, or a character set."""
        text, at, java = self._text, self._at, self._engine == "java"
        char = self._peek()
        if char == "[":
            if self._syntax.posix and text.startswith(("[:", "[.", "[="), at):
                posix = _POSIX.match(text, at)
                if posix is not None and posix[2] in POSIX:
                    self._at = posix.end()
                    named = POSIX[posix[2]]
                    if "i" in self._flags:
                        if posix[2] in ("lower", "upper"):
                            raise self._wrong("pattern-class-case", name=posix[2])
                        named = self._folded(named) if self._folds_names else named
                    return ~named if posix[1] else named
                if self._engine == "re2" or text.find(text[at + 1] + "]", at + 2) >= 0:
                    raise self._wrong("pattern-class-unknown")
            if java:
                raise self._wrong("pattern-set-nested")
        if java and (text.startswith("&&", at) or ("x" in self._flags and char and char in " \t\n\v\f\r#")):
            raise self._wrong("pattern-set-syntax")
        if char == "\\":
            letter = text[at + 1 : at + 2]
            named_set = self._named(letter) if letter else None
            if named_set is not None:
                self._at += 2
                return named_set
            if letter and letter in "pP":
                return self._property()
            if letter and letter in "QEBRXNAZzG" and self._engine != "ecmascript":
                raise self._wrong("pattern-set-escape", letter=letter)
            if letter == "b" and self._engine in ("ecmascript", "pcre2"):
                self._at += 2
                return 8
            return self._code(in_set=True)
        if not char:
            raise self._wrong("pattern-set-unclosed")
        self._at += 1
        return ord(char)

    def _property(self) -> CharSet:
        text, at, name = self._text, self._at, self._engine
        if name == "ecmascript" and "u" not in self._flags:
            self._at += 2
            return self._folded(CharSet.of(text[at + 1]))
        match = _PROPERTY.match(text, at + 2)
        if (
            match is None
            or (match[1] and name not in ("pcre2", "re2"))
            or (match[3] and name == "ecmascript")
        ):
            raise self._wrong("pattern-property")
        title: str = match[2] or match[3]
        if "i" in self._flags and (title in _CASED_PROPERTIES or name in ("ecmascript", "re2")):
            raise self._wrong("pattern-property-case", name=title)
        charset: CharSet | None
        if name == "java" and title in _JAVA_POSIX:
            charset = POSIX[_JAVA_POSIX[title]]
        elif title == "Any" and name != "java":
            charset = ANY
        else:
            self._meter.charge(500)
            charset = general_category(title) if len(title) < 3 else None
        if charset is None:
            raise self._wrong("pattern-property-unknown", name=title)
        self._at = match.end()
        return ~charset if (text[at + 1] == "P") is not bool(match[1]) else charset

    # One character

    def _reject_references(self, letter: str) -> None:
        """Raise PatternError for an escape that automata do not support."""
        text, at, name = self._text, self._at, self._engine
        if letter in "123456789" and letter and re.compile(_OCTAL["re2"]).match(text, at + 1) is None:
            raise unproved("a back reference", at)
        if letter and letter in "123456789" and name != "re2":
            raise unproved("a back reference", at)
        if letter == "k" and (name != "ecmascript" or "(?<" in text):
            raise unproved("a back reference", at)
        if letter == "g" and name == "pcre2":
            raise unproved("a back reference", at)
        if letter and letter in "XKGC" and name in ("pcre2", "java"):
            raise unproved(f"\\{letter}", at)

    def _code(self, in_set: bool) -> int:
        text, at, name = self._text, self._at, self._engine
        unicode = "u" in self._flags and name == "ecmascript"
        letter = text[at + 1 : at + 2]
        if not letter:
            raise self._wrong("pattern-backslash")
        if letter in self._syntax.controls:
            self._at += 2
            return ord(self._syntax.controls[letter])
        if letter == "x" and (code := re.compile(_X[name]).match(text, at + 2)) is not None:
            return self._numbered(code.end(), next((g for g in code.groups() if g), "0"), 16)
        if letter == "u" and name in ("ecmascript", "java"):
            form = r"([0-9A-Fa-f]{4})" + (r"|\{([0-9A-Fa-f]{1,8})\}" if unicode else "")
            if (code := re.compile(form).match(text, at + 2)) is not None:
                return self._numbered(code.end(), code[1] or code[2], 16)
        if (code := re.compile(_OCTAL[name]).match(text, at + 1)) is not None:
            return self._numbered(code.end(), code[0], 8)
        if letter == "c" and (control := re.compile(_CONTROL[name]).match(text, at + 2)) is not None:
            self._at = control.end()
            number = ord(control[0].upper() if name == "pcre2" else control[0])
            return number % 32 if name == "ecmascript" else number ^ 64
        if letter.isascii() and letter.isalnum():
            # In JavaScript without the flag u, other letters match themselves.
            if name != "ecmascript" or unicode or letter in "cukx" or letter.isdigit():
                raise self._wrong("pattern-escape", letter=letter)
        elif (unicode and letter not in _JS_SYNTAX and not (in_set and letter == "-")) or (
            name == "re2" and not letter.isascii()
        ):
            raise self._wrong("pattern-escape", letter=letter)
        self._at += 2
        return ord(letter)

    def _numbered(self, end: int, digits: str, base: int) -> int:
        code = int(digits, base)
        if code > MAX_CODE_POINT:
            raise self._wrong("pattern-code-point")
        self._at = end
        return code


class _Reader(_CharacterReader):
    def __init__(self, text: str, dialect: str, flags: str, meter: Meter) -> None:
        super().__init__(text, dialect, meter)
        self._flags = frozenset(flags)
        self._names: set[str] = set()

    def whole(self) -> Regex:
        node = self._choice(0)
        if self._at < len(self._text):
            raise self._wrong("pattern-parenthesis")
        return node

    def _choice(self, depth: int) -> Regex:
        """Read alternatives up to the end of a group or of the pattern."""
        if depth > MAX_NESTING:
            raise too_deep()
        branches: list[Regex] = []
        items: list[Regex] = []
        while True:
            self._skip()
            char = self._peek()
            if char in ("", ")"):
                break
            if char == "|":
                self._at += 1
                branches.append(concat(items))
                items = []
                continue
            self._meter.charge(2)
            quantifiable, nodes = self._item(depth)
            items += nodes[:-1]
            items += [self._quantified(node, quantifiable) for node in nodes[-1:]]
        return Alternatives((*branches, concat(items))) if branches else concat(items)

    def _skip(self) -> None:
        """Skip comments and ignored whitespace."""
        text = self._text
        while True:
            char = self._peek()
            if text.startswith("(?#", self._at) and self._engine == "pcre2":
                end = text.find(")", self._at)
                if end < 0:
                    raise self._wrong("pattern-comment")
                self._at = end + 1
            elif "x" in self._flags and char and char in _VERBOSE_SPACES:
                self._at += 1
            elif "x" in self._flags and char == "#":
                end = text.find("\n", self._at)
                self._at = len(text) if end < 0 else end + 1
            else:
                return

    def _item(self, depth: int) -> tuple[bool, list[Regex]]:
        """Read an item; return whether a quantifier may follow, and its nodes (several for a quotation)."""
        text, char = self._text, self._peek()
        if char == "(":
            return self._group(depth)
        if char == "[":
            return True, [CharacterClass(self._set())]
        if char == "\\":
            if self._syntax.quotes and text.startswith("\\Q", self._at):
                return True, self._quotation()
            return self._escaped()
        self._at += 1
        if char == ".":
            return True, [EVERY if "s" in self._flags else self._lines("dot")]
        if char == "^":
            anchored = self._lines("line_start") if "m" in self._flags else START
            return self._engine != "ecmascript", [anchored]
        if char == "$":
            return self._engine != "ecmascript", [self._dollar()]
        if char in "?*+" or (char == "{" and self._is_count(self._at - 1)):
            self._at -= 1
            raise self._wrong("pattern-operand", char=char)
        if char in "{}]" and not self._is_literal(char):
            self._at -= 1
            raise self._wrong("pattern-special", char=char)
        return True, [CharacterClass(self._folded(CharSet.of(char)))]

    def _is_literal(self, char: str) -> bool:
        if self._engine == "ecmascript":
            return "u" not in self._flags
        return char != "{" or self._syntax.loose_brace

    def _dollar(self) -> Regex:
        if "m" in self._flags:
            return self._lines("line_end")
        return END if "D" in self._flags else self._lines("dollar")

    def _lines(self, name: str) -> Regex:
        if self._engine == "java" and "d" in self._flags:
            return UNIX_LINES[name]
        node: Regex = getattr(self._syntax, name)
        return node

    # Groups

    def _group(self, depth: int) -> tuple[bool, list[Regex]]:
        text, opened = self._text, self._at
        self._at += 1
        for beginning, construct in _UNSUPPORTED.items():
            if text.startswith(beginning, self._at) and (beginning != "*" or self._syntax.posix):
                if self._engine != "pcre2":
                    raise self._wrong("pattern-group")
                raise unproved(construct, opened)
        if self._syntax.looks:
            for beginning in ("?<=", "?<!", "?=", "?!"):
                if text.startswith(beginning, self._at):
                    return self._look(beginning, depth)
        if text.startswith("?>", self._at) and self._syntax.possessive:
            self._at += 2
            return True, [AtomicGroup(self._inside(depth, self._flags))]
        for beginning in self._syntax.names:
            if text.startswith(beginning[1:], self._at):
                name = _NAME.match(text, self._at + len(beginning) - 1)
                close = "'" if beginning.endswith("'") else ">"
                if name is None or not text.startswith(close, name.end()):
                    raise self._wrong("pattern-group-name")
                if name[0] in self._names:
                    raise self._wrong("pattern-group-twice", name=name[0])
                self._names.add(name[0])
                self._at = name.end() + 1
                return True, [self._inside(depth, self._flags)]
        if not text.startswith("?", self._at):
            return True, [self._inside(depth, self._flags)]
        if text.startswith("?|", self._at) and self._engine == "pcre2":
            self._at += 2
            return True, [self._inside(depth, self._flags)]
        return self._with_flags(depth)

    def _with_flags(self, depth: int) -> tuple[bool, list[Regex]]:
        inline = _INLINE.match(self._text, self._at)
        if inline is None:
            if self._engine == "pcre2" and re.compile(r"\?[-+]?[0-9]").match(self._text, self._at):
                raise unproved("a call of a group", self._at - 1)
            raise self._wrong("pattern-group")
        caret, added, removed, end = inline.groups()
        if set(added + (removed or "-")[1:]) - set(self._syntax.inline) or caret:
            raise self._wrong("pattern-flags-inline")
        self._at = inline.end()
        flags = (self._flags | set(added)) - set((removed or "-")[1:])
        if end == ")":
            self._flags = flags  # up to the end of the enclosing group
            return False, []
        return True, [self._inside(depth, flags)]

    def _inside(self, depth: int, flags: frozenset[str]) -> Regex:
        """Read the content and the end of an open group."""
        opened, around = self._at, self._flags
        self._flags = flags
        node = self._choice(depth + 1)
        self._flags = around
        if self._peek() != ")":
            raise self._wrong("pattern-group-unclosed", opened)
        self._at += 1
        return node

    def _look(self, beginning: str, depth: int) -> tuple[bool, list[Regex]]:
        ahead, negative = _LOOKS[beginning]
        opened = self._at - 1
        self._at += len(beginning)
        node = self._inside(depth, self._flags)
        if not ahead and self._syntax.behind_bounded and width(node)[1] is None:
            raise self._wrong("pattern-lookbehind", opened)
        quantifiable = self._engine != "ecmascript" or (ahead and "u" not in self._flags)
        return quantifiable, [Lookaround(node, ahead, negative)]

    # Quantifiers

    def _is_count(self, at: int) -> bool:
        return self._text[at : at + 1] == "{" and read_quantifier(self._text, at) is not None

    def _quantified(self, node: Regex, allowed: bool) -> Regex:
        self._skip()
        quantifier = read_quantifier(self._text, self._at)
        if quantifier is None:
            if self._text.startswith("{,", self._at) and self._engine == "pcre2":
                raise self._wrong("pattern-count-open")
            return node
        least, most, end = quantifier
        if not can_count(least, most, self._syntax.max_count):
            raise self._wrong("pattern-count")
        self._at = end
        if not allowed:
            raise self._wrong("pattern-quantified")
        mode = self._peek()
        if mode and mode in "?+":
            if mode == "+" and not self._syntax.possessive:
                raise self._wrong("pattern-operand", char="+")
            self._at += 1
        if self._peek() and (self._peek() in "?*+" or self._is_count(self._at)):
            raise self._wrong("pattern-quantifier-twice")
        if mode == "+":
            return possessive(node, least, most, self._syntax.cuts_turns)
        return Iteration(node, least, most, "greedy" if (mode == "?") is ("U" in self._flags) else "lazy")

    # Escapes outside a set

    def _quotation(self) -> list[Regex]:
        start = self._at + 2
        end = self._text.find("\\E", start)
        end, self._at = (len(self._text), len(self._text)) if end < 0 else (end, end + 2)
        return [CharacterClass(self._folded(CharSet.of(char))) for char in self._text[start:end]]

    def _escaped(self) -> tuple[bool, list[Regex]]:
        text, at = self._text, self._at
        letter = text[at + 1 : at + 2]
        name, javascript = self._engine, self._engine == "ecmascript"
        self._reject_references(letter)
        if letter and letter in "bB":
            self._at += 2
            if text.startswith("{", self._at) and not javascript:
                raise self._wrong("pattern-boundary")
            word = self._folded(WORD) if javascript and "u" in self._flags else WORD
            return not javascript, [boundary(word) if letter == "b" else no_boundary(word)]
        if letter == "Z" and name == "java" and "d" in self._flags:
            self._at += 2
            return True, [self._lines("dollar")]
        if letter in self._syntax.escapes:
            self._at += 2
            return True, [self._syntax.escapes[letter]]
        if letter == "R" and name == "pcre2":
            self._at += 2
            newline = ordered([concat([chars("\r"), chars("\n")]), CharacterClass(VERTICAL)])
            return True, [AtomicGroup(newline)]
        if letter == "N" and name == "pcre2" and not text.startswith("{", at + 2):
            self._at += 2
            return True, [self._syntax.dot]
        if letter == "E" and self._syntax.quotes:
            self._at += 2
            return False, []
        return True, [CharacterClass(self._member())]
