"""Define the semantics of JavaScript, PCRE, Java and RE2 as data, and the character sets in patterns.

The sources are ECMA-262 (15th edition, section 22.2 and annex B), pcre2pattern(3), the documentation of
java.util.regex.Pattern (17) and the syntax page of RE2. All engines work on code points here: PCRE uses
PCRE2_UTF, and JavaScript treats surrogates as with the flag ``u``. Java is version 19 or later, where word
boundaries consider only ASCII; earlier versions consider letters and digits of all scripts.

Patterns can name character sets: general categories, and letters in either case. The Unicode data comes from
the running Python. An engine with another Unicode version differs for characters that only one of the
versions contains.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from unicodedata import category

from abnforge.charset import MAX_CODE_POINT, CharSet, union
from abnforge.regex.ast import (
    BEFORE_LAST_NEWLINE,
    END,
    EVERY,
    NEWLINE,
    START,
    Alternatives,
    CharacterClass,
    Concat,
    Regex,
    ahead,
    behind,
    chars,
    not_behind,
)

DIGITS = CharSet.from_ranges([(0x30, 0x39)])
LETTERS = CharSet.from_ranges([(0x41, 0x5A), (0x61, 0x7A)])
WORD = LETTERS | DIGITS | CharSet.of("_")
BLANKS = CharSet.of("\t\n\v\f\r ")
UNICODE_BLANKS = CharSet.of(" \t\u00a0\u1680\u202f\u205f\u3000") | CharSet.from_ranges([(0x2000, 0x200A)])
HORIZONTAL = UNICODE_BLANKS | CharSet.of("\u180e")
VERTICAL = CharSet.of("\n\v\f\r\x85\u2028\u2029")

# The POSIX classes, over ASCII.
POSIX: Mapping[str, CharSet] = {
    "alnum": LETTERS | DIGITS,
    "alpha": LETTERS,
    "ascii": CharSet.from_ranges([(0, 0x7F)]),
    "blank": CharSet.of("\t "),
    "cntrl": CharSet.from_ranges([(0, 0x1F), (0x7F, 0x7F)]),
    "digit": DIGITS,
    "graph": CharSet.from_ranges([(0x21, 0x7E)]),
    "lower": CharSet.from_ranges([(0x61, 0x7A)]),
    "print": CharSet.from_ranges([(0x20, 0x7E)]),
    "punct": CharSet.from_ranges([(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]),
    "space": BLANKS,
    "upper": CharSet.from_ranges([(0x41, 0x5A)]),
    "word": WORD,
    "xdigit": DIGITS | CharSet.from_ranges([(0x41, 0x46), (0x61, 0x66)]),
}


@cache
def _by_category() -> Mapping[str, CharSet]:
    ranges: dict[str, list[tuple[int, int]]] = {}
    low, current = 0, category("\0")
    for code in range(1, MAX_CODE_POINT + 1):
        following = category(chr(code))
        if following != current:
            ranges.setdefault(current, []).append((low, code - 1))
            low, current = code, following
    ranges.setdefault(current, []).append((low, MAX_CODE_POINT))
    return {name: CharSet.from_ranges(pairs) for name, pairs in ranges.items()}


def general_category(name: str) -> CharSet | None:
    """Return the characters of a general category (``Lu``) or a group of categories (``L``, ``L&``, ``LC``).

    The result is None for an unknown category. The first call takes about 0.1 s.
    """
    if name in ("L&", "LC"):
        return union(_by_category()[cased_category] for cased_category in ("Lu", "Ll", "Lt"))
    charsets = [charset for title, charset in _by_category().items() if name in (title, title[0])]
    return union(charsets) if charsets else None


# Case: a folding maps characters that an engine considers equal to one of them; engines have different
# foldings.


_BLOCK = 1 << 10


@cache
def cased() -> str:
    """Return all characters that have another case or are another case of a character, in order."""
    every = (
        array("I", range(MAX_CODE_POINT + 1)).tobytes().decode(f"utf-32-{sys.byteorder[0]}e", "surrogatepass")
    )
    found = []
    for start in range(0, len(every), _BLOCK):
        block = every[start : start + _BLOCK]
        if not block.lower() == block.upper() == block.casefold() == block:  # most blocks have no case
            found += [c for c in block if not c.lower() == c.upper() == c.casefold() == c]
    return "".join(found)


def _simple_fold(char: str) -> str:
    """Return the simple case folding of a character: status C and S in CaseFolding.txt."""
    for folded in (char.casefold(), _SIMPLE.get(char), char.lower()):
        if folded is not None and len(folded) == 1:
            return folded
    return char


# Simple foldings of characters whose full folding has several characters and that lower() does not change.
_SIMPLE = {"\u1fd3": "\u0390", "\u1fe3": "\u03b0", "\ufb05": "\ufb06"}


def _javascript_upper(char: str) -> str:
    """Apply Canonicalize of ECMA-262 without the flag u: upper case, but ASCII only for ASCII."""
    upper = char.upper()
    if len(upper) != 1 or (ord(char) >= 128 > ord(upper)):
        return char
    return upper


def _ascii_lower(char: str) -> str:
    return char.lower() if char.isascii() else char


_FOLDINGS = {"unicode": _simple_fold, "ecmascript": _javascript_upper, "ascii": _ascii_lower}


@cache
def _cases(folding: str) -> Mapping[str, str]:
    """Map each cased character to all characters with the same folding, if there are several."""
    groups: dict[str, list[str]] = {}
    for char in cased():
        groups.setdefault(_FOLDINGS[folding](char), []).append(char)
    return {char: "".join(group) for group in groups.values() if len(group) > 1 for char in group}


def in_either_case(charset: CharSet, folding: str) -> CharSet:
    """Return a set extended by the other cases of its characters, according to an engine's folding.

    ``folding`` is ``unicode``, ``ecmascript`` or ``ascii``. Complexity: linear in the 3,000 cased characters,
    or in the size of a small set.
    """
    cases = _cases(folding)
    candidates: Iterable[str] = map(chr, charset) if len(charset) < len(cases) else cases
    groups = [cases[char] for char in candidates if char in cases and char in charset]
    return charset | CharSet.of("".join(groups)) if groups else charset


@cache
def matching(pattern: str, flags: int) -> CharSet:
    """Return the characters that a one-character pattern matches in Python, by trying all characters.

    Complexity: a few hundredths of a second.
    """
    every = "".join(map(chr, range(MAX_CODE_POINT + 1)))
    runs = re.finditer(f"(?:{pattern})+", every, flags)
    return CharSet.from_ranges((match.start(), match.end() - 1) for match in runs)


@dataclass(frozen=True, slots=True)
class EngineSyntax:
    """The pattern syntax of one engine.

    ``flags`` contains the letters of all flags, and ``inline`` the flags allowed within a pattern. With
    ``possessive``, the engine has possessive quantifiers and atomic groups (for ``cuts_turns``, see
    ``ast.possessive``). With ``looks``, it has lookahead and lookbehind. With ``behind_bounded``, a
    lookbehind must have a longest match. For ``folding``, see ``in_either_case``.
    """

    title: str
    flags: str
    inline: str
    dot: Regex
    blanks: CharSet
    dollar: Regex
    line_start: Regex
    line_end: Regex
    escapes: Mapping[str, Regex]  # anchors written as escapes
    controls: Mapping[str, str]  # letter -> character
    folding: str
    names: tuple[str, ...] = ()  # possible beginnings of a named group
    possessive: bool = False
    cuts_turns: bool = False
    looks: bool = True
    behind_bounded: bool = True
    quotes: bool = True  # \Q...\E
    posix: bool = False  # [[:alpha:]]
    max_count: int | None = None
    close_first: bool = True  # "]" at the beginning of a set is a member
    loose_brace: bool = True  # "{" without a count is a character


_CONTROLS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r"}
NOT_NEWLINE = CharacterClass(~CharSet.of("\n"))
AFTER_NEWLINE = Alternatives((START, behind(NEWLINE)))
BEFORE_NEWLINE = Alternatives((END, ahead(NEWLINE)))

_JS_ENDS = CharSet.of("\n\r\u2028\u2029")
_JS_END = chars("\n\r\u2028\u2029")

_JAVA_ENDS = CharSet.of("\n\r\x85\u2028\u2029")
_CR, _LONE = chars("\r"), chars("\r\x85\u2028\u2029")
_JAVA_LAST = Alternatives(
    (
        END,
        ahead(_CR, NEWLINE, END),
        Concat((not_behind(_CR), ahead(NEWLINE, END))),
        ahead(_LONE, END),
    )
)
_JAVA_LINE_END = Alternatives((END, ahead(_LONE), Concat((not_behind(_CR), ahead(NEWLINE)))))
# Never at the end of the input, even of empty input, and not between a carriage return and a line feed.
_JAVA_LINE_START = Alternatives(
    (
        Concat((START, ahead(EVERY))),
        Concat((behind(chars("\n\x85\u2028\u2029")), ahead(EVERY))),
        Concat((behind(_CR), ahead(CharacterClass(~CharSet.of("\n"))))),
    )
)

ENGINES: Mapping[str, EngineSyntax] = {
    "ecmascript": EngineSyntax(
        title="JavaScript",
        flags="dgimsuy",
        inline="",
        dot=CharacterClass(~_JS_ENDS),
        blanks=UNICODE_BLANKS | CharSet.of("\n\v\f\r\u2028\u2029\ufeff"),
        dollar=END,
        line_start=Alternatives((START, behind(_JS_END))),
        line_end=Alternatives((END, ahead(_JS_END))),
        escapes={},
        controls={**_CONTROLS, "v": "\v"},
        folding="ecmascript",
        names=("(?<",),
        behind_bounded=False,
        quotes=False,
        close_first=False,
    ),
    "pcre2": EngineSyntax(
        title="PCRE",
        flags="imsxADUu",
        inline="imsx",
        dot=NOT_NEWLINE,
        blanks=BLANKS,
        dollar=BEFORE_LAST_NEWLINE,
        # Does not match after a line feed at the very end.
        line_start=Alternatives((START, Concat((behind(NEWLINE), ahead(EVERY))))),
        line_end=BEFORE_NEWLINE,
        escapes={"A": START, "z": END, "Z": BEFORE_LAST_NEWLINE},
        controls={**_CONTROLS, "a": "\a", "e": "\x1b"},
        folding="unicode",
        names=("(?<", "(?P<", "(?'"),
        possessive=True,
        posix=True,
        max_count=65535,
    ),
    "java": EngineSyntax(
        title="Java",
        flags="dimsx",
        inline="dimsx",
        dot=CharacterClass(~_JAVA_ENDS),
        blanks=BLANKS,
        dollar=_JAVA_LAST,
        line_start=_JAVA_LINE_START,
        line_end=_JAVA_LINE_END,
        escapes={"A": START, "z": END, "Z": _JAVA_LAST},
        controls={**_CONTROLS, "a": "\a", "e": "\x1b"},
        folding="ascii",
        names=("(?<",),
        possessive=True,
        cuts_turns=True,
        loose_brace=False,
        close_first=False,
    ),
    "re2": EngineSyntax(
        title="RE2",
        flags="imsU",
        inline="imsU",
        dot=NOT_NEWLINE,
        blanks=BLANKS - CharSet.of("\v"),
        dollar=END,
        line_start=AFTER_NEWLINE,
        line_end=BEFORE_NEWLINE,
        escapes={"A": START, "z": END},
        controls={**_CONTROLS, "v": "\v", "a": "\a"},
        folding="unicode",
        names=("(?P<", "(?<"),
        looks=False,
        posix=True,
        max_count=1000,
    ),
}

# Java with the flag d: only a line feed ends a line.
UNIX_LINES: Mapping[str, Regex] = {
    "dot": NOT_NEWLINE,
    "dollar": BEFORE_LAST_NEWLINE,
    "line_start": Concat((AFTER_NEWLINE, ahead(EVERY))),
    "line_end": BEFORE_NEWLINE,
}
