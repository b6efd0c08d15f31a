"""Formatting is idempotent, and keeps the meaning and all comments. Examples show the layout."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import strategies as st

from abnforge.errors import GrammarError
from abnforge.grammar.formatter import MAX_WIDTH, MIN_WIDTH, format_abnf
from abnforge.grammar.parser import MAX_NESTING
from abnforge.grammar.printer import print_rulelist
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import Comment, RuleDefinition
from tests.grammar.test_printer import rulelists
from tests.law import each_row, law, one_in
from tests.places import ROOT
from tests.raising import raises
from tests.reference.random_grammars import KINDS, grammar

BUNDLED = sorted((ROOT / "grammars").glob("*.abnf"))
FOLDER = ROOT.parent / "shared" / "grammars"
SHARED = sorted(FOLDER.glob("*__*/*.?*")) if FOLDER.is_dir() else []

SPACES = [
    " ",
    " ",
    " ",
    "  ",
    "    ",
    "\t",
    "\n  ",
    "\n\t",
    " ; c\n  ",
    "\n      ;; d\n  ",
    ";\n ",
    "\n\n ",
    "\n; e\n ",
]


def content(text: str) -> tuple[str, list[RuleDefinition | Comment]]:
    """Return the notation, rules and comments of a source, without empty lines."""
    rulelist = read(text)
    return rulelist.dialect, [
        item for item in rulelist.items if isinstance(item, RuleDefinition) or item.text
    ]


def holds(text: str, width: int = 72, align: bool | None = None) -> None:
    """Check the laws of formatting for one source."""
    once = format_abnf(text, width, align=align)
    assert content(once) == content(text)
    assert format_abnf(once, width, align=align) == once


@pytest.mark.parametrize("width", [MIN_WIDTH, 40, 72, MAX_WIDTH])
@pytest.mark.parametrize("path", one_in(20, BUNDLED), ids=lambda path: path.name)
def test_bundled_grammars(path: Path, width: int) -> None:
    text = path.read_text("utf-8")
    holds(text, width)
    if width == 72:
        holds(text, align=True)
        holds(text, align=False)
    if not path.name.endswith(".mistakes.abnf"):
        lines = [line for line in format_abnf(text, width).split("\n") if ";" not in line]
        assert width < 72 or max(map(len, lines)) <= width


@pytest.mark.skipif(not SHARED, reason="no shared grammars beside the project")
@pytest.mark.parametrize("path", one_in(8, SHARED), ids=lambda path: path.name)
def test_grammars_of_other_projects(path: Path) -> None:
    text = path.read_bytes().decode("utf-8-sig", "replace")
    try:
        read(text)
    except GrammarError:
        with pytest.raises(GrammarError):
            format_abnf(text)
        return
    holds(text)


def test_there_are_grammars() -> None:
    assert BUNDLED
    assert not FOLDER.is_dir() or len(SHARED) == 97


@st.composite
def laid_out(draw: st.DrawFn) -> str:
    """Return a grammar with any spaces, line ends and comments between its tokens."""
    text = grammar(Random(draw(st.integers(0, 9999))), draw(st.sampled_from(KINDS)))
    space = st.sampled_from(SPACES)
    between = st.sampled_from(["", "", "\n", "; between\n", "\n\n\n", "  ; indented\n"])
    rules = []
    for line in text.splitlines():
        words = line.replace("( ", "(").split(" ") if draw(st.booleans()) else line.split(" ")
        rule = words[0] * draw(st.sampled_from([1, 1, 1, 3, 20]))
        for word in words[1:]:
            rule += draw(space) + word
        rules.append(draw(between) + rule + draw(st.sampled_from(["", "", " ; end", "\n   ; end"])))
    return "\n".join(rules) + draw(st.sampled_from(["", "\n", "\n\n"]))


@law(laid_out(), st.sampled_from([MIN_WIDTH, 33, 72]), st.sampled_from([None, True, False]), few=10, many=400)
def test_any_layout(text: str, width: int, align: bool | None) -> None:
    holds(text, width, align)
    windows = format_abnf(f"{text}\n".replace("\n", "\r\n"), width, align=align)
    assert windows == format_abnf(text, width, align=align).replace("\n", "\r\n")


@law(rulelists("abnf"), st.integers(MIN_WIDTH, 90), few=10, many=200)
def test_what_is_printed(model: object, width: int) -> None:
    holds(print_rulelist(model), width)  # type: ignore[arg-type]


TABLE = """\
IPv6 =                  6( h16 ":" )
     /             "::" 5( h16 ":" )
     / [     h16 ] "::" 4( h16 ":" )
     / [ *5( h16 ":" )      h16 ] ls32
     / [ *6( h16 ":" ) ]    h16
"""

# Subject, source, and the layout for 40 columns.
CASES = [
    ("spaces", "a=b/c   d\n", "a = b / c d\n"),
    ("tabs", "a\t=\tb\t\tc\n", "a = b c\n"),
    ("the last line's end", "a = b", "a = b\n"),
    ("nothing", "", ""),
    ("only blank lines", "\n\n\n", ""),
    ("only comments", "  ; x\n\n;y\n", "; x\n\n;y\n"),
    ("space at line ends", "a = b  \n; c  \n", "a = b\n; c\n"),
    ("blank lines", "\na = b\n\n\n\nc = d\n\n", "a = b\n\n\nc = d\n"),
    ("one blank line", "a = b\n\nc = d\n", "a = b\n\nc = d\n"),
    ("a grammar that is indented", "   a = b\n     / c\n   ; d\n", "a = b\n  / c\n; d\n"),
    ("CRLF", "a = b /\r\n c\r\n", "a = b\r\n  / c\r\n"),
    ("mostly LF", "a=b\r\nc=d\ne=f\n", "a = b\nc = d\ne = f\n"),
    ("numbers as written", "a = %xd.0a 01*2b %D13 0*c\n", "a = %xd.0a 01*2b %D13 0*c\n"),
    ("bars stay", 'a=b|c_d|<">\nc_d=e\n', 'a = b | c_d | <">\nc_d = e\n'),
    ("slash at a line's end", "a = b /\n    c\n", "a = b\n  / c\n"),
    ("slash under the sign", "a = b\n / c\n        / d\n", "a = b\n  / c\n  / d\n"),
    ("a sequence", "a = b\n c\n          d\n", "a = b\n    c\n    d\n"),
    ("incremental", "a =/ b\n / c\n", "a =/ b\n   / c\n"),
    ("a line end behind the sign", "a =\n  b / c\n", "a = b / c\n"),
    ("blank line inside", "a = b\n\n  / c\n", "a = b\n  / c\n"),
    ("in brackets", "a = b *( c /\n d\n  )\n", "a = b *( c\n       / d\n       )\n"),
    ("tight brackets", "a = *(b /\n c) [d]\n", "a = *(b\n     / c) [d]\n"),
    ("brackets as they are", "a = ( b) (c ) [ d ]\n", "a = ( b ) (c) [ d ]\n"),
    ("no alignment", "a = b\nlong = c\n", "a = b\nlong = c\n"),
    ("alignment kept", "a     = b\nlong  = c\nc  = d\n", "a     = b\nlong  = c\nc     = d\n"),
    ("a long name sticks out", "a  = b\nb  = c\nlonger = c\n", "a  = b\nb  = c\nlonger = c\n"),
    ("alone", "a     = b\n", "a = b\n"),
    ("aligned over blank lines", "a    = b\n\nlong = c\n", "a    = b\n\nlong = c\n"),
    ("two spaces", "a =  b /\n c\nd =  e\nf = g\n", "a =  b\n  /  c\nd =  e\nf =  g\n"),
    ("comments in a column", "a = b;c\nlong = d ;e\n", "a = b     ;c\nlong = d  ;e\n"),
    ("a column of the author", "a = b     ; c\ne = f g   ; h\n", "a = b     ; c\ne = f g   ; h\n"),
    (
        "no column where it does not fit",
        "a = b ; 0123456789 0123456789 01234\nlonger = d e f ; 0\n",
        "a = b  ; 0123456789 0123456789 01234\nlonger = d e f  ; 0\n",
    ),
    ("a comment that goes on", "a = b   ; c\n        ; d\n", "a = b   ; c\n        ; d\n"),
    ("a comment of its own", "a = b\n; c\n    ; d\n / e\n", "a = b\n  ; c\n    ; d\n  / e\n"),
    ("comments before a slash", "a = b / ; c\n d / ; e\n f\n", "a = b  ; c\n  / d  ; e\n  / f\n"),
    ("a comment behind a slash", "a = b\n / ; c\n d\n", "a = b\n  ; c\n  / d\n"),
    ("a comment before the sign", "a ; b\n = ; c\n d\n", "a    ; b\n  =  ; c\n    d\n"),
    ("in brackets, a comment", "a = (b ; c\n )\n", "a = (b  ; c\n    )\n"),
    ("structured", ';@ match "x"\na = b\n  ;@ except c\n', ';@ match "x"\na = b\n  ;@ except c\n'),
    ("an empty comment", ";\na = b ;\n", ";\na = b  ;\n"),
    ("a table", TABLE, TABLE),
    ("a table with a wider name", "bb   = x\n" + TABLE, "bb   = x\n" + TABLE),
    ("no table", "a = b    c\n  / d  e\n", "a = b c\n  / d e\n"),
    (
        "too wide: alternatives",
        "a = bbbbbbbbbb cccccccccc / dddddddddd / eeeeeeeeee\n",
        "a = bbbbbbbbbb cccccccccc\n  / dddddddddd\n  / eeeeeeeeee\n",
    ),
    (
        "too wide: single elements",
        "a = bbbbbbbbbb / cccccccccc / dddddddddd / eeeeeeeeee\n",
        "a = bbbbbbbbbb / cccccccccc / dddddddddd\n  / eeeeeeeeee\n",
    ),
    (
        "too wide: a sequence",
        "a = bbbbbbbbbb cccccccccc dddddddddd eeeeeeeeee\n",
        "a = bbbbbbbbbb cccccccccc dddddddddd\n    eeeeeeeeee\n",
    ),
    (
        "too wide: brackets",
        "a = b *( cccccccccc dd / eeeeeeeeee / ffffffffff )\n",
        "a = b\n    *( cccccccccc dd\n     / eeeeeeeeee\n     / ffffffffff )\n",
    ),
    ("too wide: one word", f"a = b {'c' * 40} d\n", f"a = b\n    {'c' * 40}\n    d\n"),
    ("too wide: a comment", f"a = b ; {'c' * 40}\n", f"a = b  ; {'c' * 40}\n"),
    (
        "a long name",
        f"{'n' * 36} = bbb ccc\n\n{'n' * 36} = b\n",
        f"{'n' * 36} =\n      bbb ccc\n\n{'n' * 36} = b\n",
    ),
]


@each_row(("text", "expected"), [case[1:] for case in CASES])
def test_layout(text: str, expected: str) -> None:
    assert format_abnf(text, 40) == expected
    holds(text, 40)


@each_row(
    ("align", "expected"),
    [
        (None, "a  = b\nbb = c\n\ndddd = e\nf = g\n"),
        (True, "a  = b\nbb = c\n\ndddd = e\nf    = g\n"),
        (False, "a = b\nbb = c\n\ndddd = e\nf = g\n"),
    ],
)
def test_alignment(align: bool | None, expected: str) -> None:
    text = "a  = b\nbb = c\n\ndddd = e\nf = g\n"
    assert format_abnf(text, align=align) == expected


def test_deepest_nesting() -> None:
    for brackets in ("( ", " )"), ("(", ")"):
        holds("a = " + brackets[0] * MAX_NESTING + "b / c" + brackets[1] * MAX_NESTING, MIN_WIDTH)


def test_a_long_rule_is_no_deep_recursion() -> None:
    holds("a = " + " / ".join(f"r{n} x" for n in range(1500)) + " ".join("y" for _ in range(1500)), 40)


@each_row("text", ["a = /\n", "a = (b\n", "= b\n", "a = b\r c = d\n", "\ufeffa = b\n"])
def test_malformed_grammars_are_rejected(text: str) -> None:
    with pytest.raises(GrammarError):
        format_abnf(text)


@each_row("width", [MIN_WIDTH - 1, MAX_WIDTH + 1, 0, -1])
def test_a_width_beyond_the_limits(width: int) -> None:
    with raises(ValueError, "width-out-of-range", least=20, most=10000):
        format_abnf("a = b\n", width)


@each_row("width", ["72", 72.0, True, None])
def test_a_width_that_is_no_number(width: object) -> None:
    with raises(TypeError, "argument-type", name="width"):
        format_abnf("a = b\n", width)  # type: ignore[arg-type]


@each_row("align", ["yes", 1, 0])
def test_an_alignment_that_is_none(align: object) -> None:
    with raises(TypeError, "argument-type", name="align"):
        format_abnf("a = b\n", align=align)  # type: ignore[arg-type]


def test_a_string_that_is_none() -> None:
    with raises(TypeError, "argument-bytes", name="text"):
        format_abnf(b"a = b\n")  # type: ignore[arg-type]


def test_a_column_of_comments_stays_if_one_is_too_long() -> None:
    text = (
        "a = %x41-5A         ; A-Z\n"
        "  / %x42-43         ; some\n"
        f"  / %x1000-2000     ; another {'word ' * 12}end\n"
    )
    formatted = format_abnf(text)
    assert {line.index(";") for line in formatted.splitlines()} == {20}
    assert format_abnf(formatted) == formatted
