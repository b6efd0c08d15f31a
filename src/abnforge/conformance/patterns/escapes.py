"""Sets and escapes of characters, as the engines read them: the part of the reader that gives characters."""

from __future__ import annotations

import re

from abnforge.budget import Meter
from abnforge.charset import ANY, MAX_CODE_POINT, CharSet, Range, union
from abnforge.conformance.patterns.characters import (
    DIGITS,
    HORIZONTAL,
    POSIX,
    VERTICAL,
    WORD,
    general_category,
    in_either_case,
)
from abnforge.conformance.patterns.dialects import DIALECTS
from abnforge.conformance.patterns.errors import PatternError, unproved
from abnforge.conformance.patterns.messages import message

_PROPERTY = re.compile(r"\{(\^?)([A-Za-z&_]+)\}|([A-Z])")
_POSIX = re.compile(r"\[:(\^?)([a-z]+):\]")
_JAVA_POSIX = {name: name.lower() for name in (
    "Alnum", "Alpha", "ASCII", "Blank", "Cntrl", "Digit", "Graph", "Lower", "Print", "Punct", "Space",
    "Upper", "XDigit",
)}  # fmt: skip
_JS_SYNTAX = "^$\\.*+?()[]{}|/"
_CASE_BOUND = {"Lu", "Ll", "Lt", "Lower", "Upper"}

# How a character is written by its number: the forms after \x, \u, \o and \0, by dialect.
_X = {
    "javascript": r"([0-9A-Fa-f]{2})",
    "pcre": r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{0,2})",
    "java": r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2})",
    "re2": r"\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2})",
}
_OCTAL = {
    "javascript": r"0(?![0-9])",
    "pcre": r"0[0-7]{0,2}",
    "java": r"0([0-3][0-7]{2}|[0-7]{1,2})",
    "re2": r"0[0-7]{0,2}|[1-7][0-7]{1,2}",
}


_CONTROL = {"javascript": "[A-Za-z]", "pcre": "[ -~]", "java": "[A-Za-z]", "re2": "(?!)"}


class Escapes:
    """A pattern that is being read, and the place in it. ``_flags`` are those that hold there."""

    def __init__(self, text: str, dialect: str, meter: Meter) -> None:
        self._text = text
        self._at = 0
        self._dialect_name = dialect
        self._dialect = DIALECTS[dialect]
        self._meter = meter
        self._flags: frozenset[str] = frozenset()

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _wrong(self, code: str, offset: int | None = None, **data: str) -> PatternError:
        """Return the error for a pattern that the dialect does not allow at an offset, or here."""
        at = self._at if offset is None else offset
        return PatternError(message(code, dialect=self._dialect.title, offset=at, **data), offset=at)

    # Sets of characters

    def folded(self, charset: CharSet) -> CharSet:
        """A set with the other cases of its characters, where case does not matter."""
        if "i" not in self._flags:
            return charset
        folding = self._dialect.folding
        if self._dialect_name == "javascript" and "u" in self._flags:
            folding = "unicode"
        self._meter.charge(20 if len(charset) < 100 else 1_500)
        return in_either_case(charset, folding)

    def named(self, letter: str) -> CharSet | None:
        """The set of ``\\d`` and its like; None for another letter."""
        sets = {"d": DIGITS, "w": WORD, "s": self._dialect.blanks}
        if self._dialect_name in ("pcre", "java"):
            sets |= {"h": HORIZONTAL, "v": VERTICAL}
        found = sets.get(letter.lower())
        if found is None:
            return None
        if self._folds_names:
            found = self.folded(found)
        return found if letter.islower() else ~found

    @property
    def _folds_names(self) -> bool:
        """Whether ``\\w`` has more characters where case does not matter."""
        return self._dialect_name == "re2" or (self._dialect_name == "javascript" and "u" in self._flags)

    def member(self) -> CharSet:
        """The characters of an escape, with their other cases."""
        letter = self._text[self._at + 1 : self._at + 2]
        named = self.named(letter) if letter else None
        if named is not None:
            self._at += 2
            return named
        if letter and letter in "pP":
            return self._property()
        return self.folded(CharSet(((code := self._code(in_set=False), code),)))

    def set(self) -> CharSet:
        """A set in brackets."""
        self._at += 1
        negated = self._peek() == "^"
        self._at += negated
        ranges: list[Range] = []
        sets: list[CharSet] = []
        first = True
        while first or self._peek() != "]":
            self._meter.charge(2)
            if self._peek() == "]" and not (first and self._dialect.close_first):
                break
            first = False
            found = self._set_member()
            if isinstance(found, CharSet):
                sets.append(found)
                if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                    self._refuse_loose_range()
                continue
            low = high = found
            following = self._text[self._at + 1 : self._at + 2]
            if self._peek() == "-" and following not in ("]", ""):
                self._at += 1
                end = self._set_member()
                if isinstance(end, CharSet):
                    self._refuse_loose_range()
                    sets.append(end)
                    ranges.append((0x2D, 0x2D))
                else:
                    high = end
            if high < low:
                raise self._wrong("pattern-range-order")
            ranges.append((low, high))
        if not ranges and not sets and self._dialect_name == "java":
            raise self._wrong("pattern-set-empty")
        self._at += 1
        self._meter.charge(sum(len(each.ranges) for each in sets) // 4)
        plain = union((self.folded(CharSet.from_ranges(ranges)), *sets))
        return ~plain if negated else plain

    def _refuse_loose_range(self) -> None:
        if self._dialect_name != "javascript" or "u" in self._flags:
            raise self._wrong("pattern-range")

    def _set_member(self) -> CharSet | int:
        """A member of a set: a character by its number, or characters."""
        text, at, java = self._text, self._at, self._dialect_name == "java"
        char = self._peek()
        if char == "[":
            if self._dialect.posix and text.startswith(("[:", "[.", "[="), at):
                found = _POSIX.match(text, at)
                if found is not None and found[2] in POSIX:
                    self._at = found.end()
                    named = POSIX[found[2]]
                    if "i" in self._flags:
                        if found[2] in ("lower", "upper"):
                            raise self._wrong("pattern-class-case", name=found[2])
                        named = self.folded(named) if self._folds_names else named
                    return ~named if found[1] else named
                if self._dialect_name == "re2" or text.find(text[at + 1] + "]", at + 2) >= 0:
                    raise self._wrong("pattern-class-unknown")
            if java:
                raise self._wrong("pattern-set-nested")
        if java and (text.startswith("&&", at) or ("x" in self._flags and char and char in " \t\n\v\f\r#")):
            raise self._wrong("pattern-set-syntax")
        if char == "\\":
            letter = text[at + 1 : at + 2]
            named_set = self.named(letter) if letter else None
            if named_set is not None:
                self._at += 2
                return named_set
            if letter and letter in "pP":
                return self._property()
            if letter and letter in "QEBRXNAZzG" and self._dialect_name != "javascript":
                raise self._wrong("pattern-set-escape", letter=letter)
            if letter == "b" and self._dialect_name in ("javascript", "pcre"):
                self._at += 2
                return 8
            return self._code(in_set=True)
        if not char:
            raise self._wrong("pattern-set-unclosed")
        self._at += 1
        return ord(char)

    def _property(self) -> CharSet:
        text, at, name = self._text, self._at, self._dialect_name
        if name == "javascript" and "u" not in self._flags:
            self._at += 2
            return self.folded(CharSet.of(text[at + 1]))
        found = _PROPERTY.match(text, at + 2)
        if found is None or (found[1] and name not in ("pcre", "re2")) or (found[3] and name == "javascript"):
            raise self._wrong("pattern-property")
        title: str = found[2] or found[3]
        if "i" in self._flags and (title in _CASE_BOUND or name in ("javascript", "re2")):
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
        self._at = found.end()
        return ~charset if (text[at + 1] == "P") is not bool(found[1]) else charset

    # One character

    def refuse_references(self, letter: str) -> None:
        """Raise PatternError for an escape that is no character and has no automaton."""
        text, at, name = self._text, self._at, self._dialect_name
        if letter in "123456789" and letter and re.compile(_OCTAL["re2"]).match(text, at + 1) is None:
            raise unproved("a back reference", at)
        if letter and letter in "123456789" and name != "re2":
            raise unproved("a back reference", at)
        if letter == "k" and (name != "javascript" or "(?<" in text):
            raise unproved("a back reference", at)
        if letter == "g" and name == "pcre":
            raise unproved("a back reference", at)
        if letter and letter in "XKGC" and name in ("pcre", "java"):
            raise unproved(f"\\{letter}", at)

    def _code(self, in_set: bool) -> int:
        text, at, name = self._text, self._at, self._dialect_name
        unicode = "u" in self._flags and name == "javascript"
        letter = text[at + 1 : at + 2]
        if not letter:
            raise self._wrong("pattern-backslash")
        if letter in self._dialect.controls:
            self._at += 2
            return ord(self._dialect.controls[letter])
        if letter == "x" and (found := re.compile(_X[name]).match(text, at + 2)) is not None:
            return self._numbered(found.end(), next((g for g in found.groups() if g), "0"), 16)
        if letter == "u" and name in ("javascript", "java"):
            form = r"([0-9A-Fa-f]{4})" + (r"|\{([0-9A-Fa-f]{1,8})\}" if unicode else "")
            if (found := re.compile(form).match(text, at + 2)) is not None:
                return self._numbered(found.end(), found[1] or found[2], 16)
        if (found := re.compile(_OCTAL[name]).match(text, at + 1)) is not None:
            return self._numbered(found.end(), found[0], 8)
        if letter == "c" and (found := re.compile(_CONTROL[name]).match(text, at + 2)) is not None:
            self._at = found.end()
            code = ord(found[0].upper() if name == "pcre" else found[0])
            return code % 32 if name == "javascript" else code ^ 64
        if letter.isascii() and letter.isalnum():
            # JavaScript without its flag u takes other letters for themselves.
            if name != "javascript" or unicode or letter in "cukx" or letter.isdigit():
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
