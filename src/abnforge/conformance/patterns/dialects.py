"""What engines differ in when they read a pattern, as data: JavaScript, PCRE, Java and RE2.

After ECMA-262 (15th edition, section 22.2 and annex B), pcre2pattern(3), the documentation of
java.util.regex.Pattern (17) and RE2's page on syntax. All of them are over code points here: PCRE with
PCRE2_UTF, JavaScript as with the flag ``u`` as far as surrogates go. Java is that of version 19 and later,
where a word boundary is about ASCII; before, it is about letters and digits of all scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abnforge.charset import CharSet
from abnforge.conformance.patterns.characters import BLANKS, UNICODE_BLANKS
from abnforge.conformance.patterns.tree import (
    BEFORE_LAST_NEWLINE,
    END,
    EVERY,
    NEWLINE,
    START,
    Char,
    Choice,
    Node,
    Run,
    ahead,
    behind,
    chars,
    not_behind,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one engine reads patterns.

    ``flags`` are the letters that may be given, ``inline`` those within a pattern. ``possessive``: there
    are possessive quantifiers and atomic groups (``cuts_turns``: see ``tree.possessive``); ``looks``:
    lookahead and lookbehind; ``behind_bounded``: what is behind has to have a longest match; ``folding``: see
    ``characters.in_either_case``.
    """

    title: str
    flags: str
    inline: str
    dot: Node
    blanks: CharSet
    dollar: Node
    line_start: Node
    line_end: Node
    escapes: Mapping[str, Node]  # anchors that are escapes
    controls: Mapping[str, str]  # letter -> character
    folding: str
    names: tuple[str, ...] = ()  # how the name of a group begins
    possessive: bool = False
    cuts_turns: bool = False
    looks: bool = True
    behind_bounded: bool = True
    quotes: bool = True  # \Q...\E
    posix: bool = False  # [[:alpha:]]
    max_count: int | None = None
    close_first: bool = True  # a "]" at the beginning of a set is a member
    loose_brace: bool = True  # a "{" that begins no count is a character


_CONTROLS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r"}
_NOT_NEWLINE = Char(~CharSet.of("\n"))
_AFTER_NEWLINE = Choice((START, behind(NEWLINE)))
_BEFORE_NEWLINE = Choice((END, ahead(NEWLINE)))

_JS_ENDS = CharSet.of("\n\r\u2028\u2029")
_JS_END = chars("\n\r\u2028\u2029")

_JAVA_ENDS = CharSet.of("\n\r\x85\u2028\u2029")
_CR, _LONE = chars("\r"), chars("\r\x85\u2028\u2029")
_JAVA_LAST = Choice(
    (
        END,
        ahead(_CR, NEWLINE, END),
        Run((not_behind(_CR), ahead(NEWLINE, END))),
        ahead(_LONE, END),
    )
)
_JAVA_LINE_END = Choice((END, ahead(_LONE), Run((not_behind(_CR), ahead(NEWLINE)))))
# Never at the end of the text, not even of an empty one; and not within a line feed behind a return.
_JAVA_LINE_START = Choice(
    (
        Run((START, ahead(EVERY))),
        Run((behind(chars("\n\x85\u2028\u2029")), ahead(EVERY))),
        Run((behind(_CR), ahead(Char(~CharSet.of("\n"))))),
    )
)

DIALECTS: Mapping[str, Dialect] = {
    "javascript": Dialect(
        title="JavaScript",
        flags="dgimsuy",
        inline="",
        dot=Char(~_JS_ENDS),
        blanks=UNICODE_BLANKS | CharSet.of("\n\v\f\r\u2028\u2029\ufeff"),
        dollar=END,
        line_start=Choice((START, behind(_JS_END))),
        line_end=Choice((END, ahead(_JS_END))),
        escapes={},
        controls={**_CONTROLS, "v": "\v"},
        folding="javascript",
        names=("(?<",),
        behind_bounded=False,
        quotes=False,
        close_first=False,
    ),
    "pcre": Dialect(
        title="PCRE",
        flags="imsxADUu",
        inline="imsx",
        dot=_NOT_NEWLINE,
        blanks=BLANKS,
        dollar=BEFORE_LAST_NEWLINE,
        # Not behind a line feed that is the last character.
        line_start=Choice((START, Run((behind(NEWLINE), ahead(EVERY))))),
        line_end=_BEFORE_NEWLINE,
        escapes={"A": START, "z": END, "Z": BEFORE_LAST_NEWLINE},
        controls={**_CONTROLS, "a": "\a", "e": "\x1b"},
        folding="unicode",
        names=("(?<", "(?P<", "(?'"),
        possessive=True,
        posix=True,
        max_count=65535,
    ),
    "java": Dialect(
        title="Java",
        flags="dimsx",
        inline="dimsx",
        dot=Char(~_JAVA_ENDS),
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
    "re2": Dialect(
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

# Java with its flag d: a line feed alone ends a line.
UNIX_LINES: Mapping[str, Node] = {
    "dot": _NOT_NEWLINE,
    "dollar": BEFORE_LAST_NEWLINE,
    "line_start": Run((_AFTER_NEWLINE, ahead(EVERY))),
    "line_end": _BEFORE_NEWLINE,
}
