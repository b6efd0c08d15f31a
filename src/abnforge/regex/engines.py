"""How engines differ in reading a pattern, as data: JavaScript, PCRE, Java and RE2.

After ECMA-262 (15th edition, section 22.2 and annex B), pcre2pattern(3), the documentation of
java.util.regex.Pattern (17) and the syntax page of RE2. All of them are over code points here: PCRE with
PCRE2_UTF, JavaScript as with the flag ``u`` with respect to surrogates. Java is version 19 or later, where a
word boundary is about ASCII; in earlier versions it is about letters and digits of all scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abnforge.charset import CharSet
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
from abnforge.regex.characters import BLANKS, UNICODE_BLANKS


@dataclass(frozen=True, slots=True)
class EngineSyntax:
    """The syntax of patterns of one engine.

    ``flags`` are the letters of its flags, ``inline`` those allowed within a pattern. ``possessive``: it has
    possessive quantifiers and atomic groups (``cuts_turns``: see ``ast.possessive``); ``looks``: lookahead
    and lookbehind; ``behind_bounded``: a lookbehind must have a longest match; ``folding``: see
    ``characters.in_either_case``.
    """

    title: str
    flags: str
    inline: str
    dot: Regex
    blanks: CharSet
    dollar: Regex
    line_start: Regex
    line_end: Regex
    escapes: Mapping[str, Regex]  # anchors that are escapes
    controls: Mapping[str, str]  # letter -> character
    folding: str
    names: tuple[str, ...] = ()  # the beginning of a named group
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
_NOT_NEWLINE = CharacterClass(~CharSet.of("\n"))
_AFTER_NEWLINE = Alternatives((START, behind(NEWLINE)))
_BEFORE_NEWLINE = Alternatives((END, ahead(NEWLINE)))

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
# Never at the end of the input, even of an empty one; and not between a return and a line feed.
_JAVA_LINE_START = Alternatives(
    (
        Concat((START, ahead(EVERY))),
        Concat((behind(chars("\n\x85\u2028\u2029")), ahead(EVERY))),
        Concat((behind(_CR), ahead(CharacterClass(~CharSet.of("\n"))))),
    )
)

ENGINES: Mapping[str, EngineSyntax] = {
    "javascript": EngineSyntax(
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
        folding="javascript",
        names=("(?<",),
        behind_bounded=False,
        quotes=False,
        close_first=False,
    ),
    "pcre": EngineSyntax(
        title="PCRE",
        flags="imsxADUu",
        inline="imsx",
        dot=_NOT_NEWLINE,
        blanks=BLANKS,
        dollar=BEFORE_LAST_NEWLINE,
        # Not after a line feed at the very end.
        line_start=Alternatives((START, Concat((behind(NEWLINE), ahead(EVERY))))),
        line_end=_BEFORE_NEWLINE,
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
        dot=_NOT_NEWLINE,
        blanks=BLANKS - CharSet.of("\v"),
        dollar=END,
        line_start=_AFTER_NEWLINE,
        line_end=_BEFORE_NEWLINE,
        escapes={"A": START, "z": END},
        controls={**_CONTROLS, "v": "\v", "a": "\a"},
        folding="unicode",
        names=("(?P<", "(?<"),
        looks=False,
        posix=True,
        max_count=1000,
    ),
}

# Java with its flag d: only a line feed ends a line.
UNIX_LINES: Mapping[str, Regex] = {
    "dot": _NOT_NEWLINE,
    "dollar": BEFORE_LAST_NEWLINE,
    "line_start": Concat((_AFTER_NEWLINE, ahead(EVERY))),
    "line_end": _BEFORE_NEWLINE,
}
