"""Fixes: the fixed string, its edits, and its verdict."""

from __future__ import annotations

import abnforge
from abnforge.charset import CharSet
from abnforge.explain.fixes import Fixer, look_alike, pieces
from abnforge.explain.reading import Interpreter
from abnforge.rejection import Edit
from tests.explain.random_mistakes import bind_to
from tests.law import each_row

RULES = """
list = item *( "," item )
item = *( ALPHA / "%" 2HEXDIG ) / quoted
quoted = "'" *( ALPHA / SP ) "'"
"""
OK = 'ok = *( ALPHA / pct )\npct = "%" 2HEXDIG\nletter = ALPHA\n'
# Directives and bodies of mistakes, input, fixed input, edits.
FIXES = [
    # Parts in the order of the input.
    (';@ of item; blame all; fix word\nm = word "!"\nword = 1*ALPHA\n', "a,b!,c", "a,b,c", [(3, 4, "")]),
    (
        ';@ of item; blame all; fix "x" word %x79\nm = word "!"\nword = 1*ALPHA\n',
        "b!",
        "xby",
        [(0, 0, "x"), (1, 2, "y")],
    ),
    (
        ';@ of item; blame all; fix two one\nm = one "-" two\none = 1*ALPHA\ntwo = 1*ALPHA\n',
        "a-b",
        "ba",
        [(0, 2, ""), (3, 3, "a")],
    ),
    (
        ';@ of item; blame all; fix word word.2\nm = word "-" word [ word ]\nword = ALPHA\n',
        "a-b",
        "ab",
        [(1, 2, "")],
    ),
    (
        ';@ of item; blame all; fix word.2 "z"\nm = "-" word [ word ]\nword = ALPHA\n',
        "-b",
        "z",
        [(0, 2, "z")],
    ),
    (';@ of list ","; blame all; fix ","\nm = ";"\n', "a;b;c", "a,b,c", [(1, 2, ","), (3, 4, ",")]),
    (';@ of list ","; blame all; fix ","\nm = 2"."\n', "a..b", "a,b", [(1, 3, ",")]),
    # maps
    (
        f";@ of item; blame all; fix encode(all, letter)\nm = ok gap ok\ngap = 1*SP\n{OK}",
        "a b%20",
        "a%20b%20",
        [(1, 2, "%20")],
    ),
    (
        f";@ of item; blame all; fix drop(all, letter)\nm = ok gap ok\ngap = 1*SP\n{OK}",
        "a  b",
        "ab",
        [(1, 3, "")],
    ),
    (
        f";@ of item; blame all; fix drop(gap, letter) ok\nm = gap ok\ngap = 1*( SP / ALPHA ) SP\n{OK}",
        "x yb z",
        "xybz",
        None,
    ),
    (
        f";@ of item; blame all; fix like(all, letter)\nm = ok wide ok\nwide = %xFF41-FF5A\n{OK}",
        "a\uff42c",
        "abc",
        [(1, 2, "b")],
    ),
    (
        ";@ of quoted; blame all; fix decode(all, ok)\n"
        'm = "\'" *( ALPHA / "%" 2HEXDIG ) "\'"\n'
        "ok = ALPHA / SP\n",
        "'a%20b'",
        "'a b'",
        [(2, 5, " ")],
    ),
    # substitutions
    (
        ';@ of quoted; blame all; fix subst(dq, "\'")\nm = dq *ALPHA dq\ndq = DQUOTE\n',
        '"a"',
        "'a'",
        [(0, 1, "'"), (2, 3, "'")],
    ),
    (
        ';@ of item; blame all; fix subst(dash, "", dot, "x")\n'
        "m = *( ALPHA / dash / dot )\n"
        'dash = "-"\n'
        'dot = "."\n',
        "a-b.c",
        "abxc",
        [(1, 2, ""), (3, 4, "x")],
    ),
    # Mistakes before and after a rule.
    (';@ before *; blame all; fix ""\nm = 1*SP\n', "  a", "a", [(0, 2, "")]),
    (';@ after item; blame all; fix ""\nm = 1*SP\n', "a ,b ", "a,b", [(1, 2, ""), (4, 5, "")]),
    (';@ before quoted; blame all; fix "x"\nm = 1*SP\n', " ''", "x''", [(0, 1, "x")]),
    # nested
    (
        ";@ of item; inner quoted; blame all; fix quoted\n"
        'm = "(" quoted ")"\n'
        ';@ of quoted; blame all; fix "\'" word "\'"\n'
        "n = dq word dq\n"
        "dq = DQUOTE\n"
        "word = *ALPHA\n",
        '("a")',
        "'a'",
        [(0, 2, "'"), (3, 5, "'")],
    ),
    (
        ';@ of list; inner item; blame all; fix subst(open, "", close, "")\n'
        'm = open item *( "," item ) close\n'
        'open = "["\n'
        'close = "]"\n'
        ";@ of item; blame all; fix word\n"
        'n = word "!"\n'
        "word = 1*ALPHA\n",
        "[a!,b,c!]",
        "a,b,c",
        [(0, 1, ""), (2, 3, ""), (7, 9, "")],
    ),
    (
        ";@ of item; inner quoted; blame all; fix drop(quoted, letter)\n"
        'm = "(" quoted ")"\n'
        ';@ of quoted; blame all; fix "\'" word "\'"\n'
        "n = dq word dq\n"
        "dq = DQUOTE\n"
        "word = *ALPHA\n"
        "letter = ALPHA\n",
        '("a")',
        "a",
        [(0, 5, "a")],
    ),
    (
        ';@ of quoted; inner item; blame all; fix "\'" drop(all, letter) "\'"\n'
        "m = dq item dq\ndq = DQUOTE\n"
        ';@ of item; blame all; fix word\nn = word "!!"\n'
        "word = 1*ALPHA\nletter = ALPHA\n",
        '"ab!!"',
        "'ab'",
        None,
    ),
    # The result does not have edits.
    (";@ of item; blame all; fix none\nm = 1*DIGIT\n", "1", None, None),
    (';@ of item; blame all; fix "x"; unwanted\nm = 1*DIGIT\n', "1", None, None),
    (';@ of item; blame all; fix "x"\nm = 1*DIGIT\n', "!", None, None),
    (';@ of item; blame all; fix "x"\nm = 1*DIGIT\n', "a", "a", []),
]


@each_row(("mistakes", "text", "expected", "edits"), FIXES)
def test_fixes(
    mistakes: str, text: str, expected: str | None, edits: list[tuple[int, int, str]] | None
) -> None:
    result = bind_to(RULES, mistakes)
    fixed = Fixer(result).fix(Interpreter(result, "list").interpret(text))
    assert (fixed and fixed.text) == expected
    if fixed is not None:
        assert applied(text, fixed.edits) == fixed.text
    if edits is not None:
        assert fixed is not None
        assert [(each.start, each.end, each.text) for each in fixed.edits] == edits


def applied(text: str, edits: tuple[Edit, ...]) -> str:
    """Apply edits to a string, and check that they are ordered and do not overlap."""
    at, parts = 0, []
    for edit in edits:
        assert at <= edit.start <= edit.end <= len(text)
        assert text[edit.start : edit.end] != edit.text
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def test_nothing_is_in_the_place_of_a_surrogate() -> None:
    result = bind_to(
        't = *( %x61-7A / "%" 2HEXDIG )',
        ";@ of t; blame all; fix encode(all, kept)\nm = *( kept / %x80-10FFFF )\nkept = %x61-7A\n",
    )
    reader = Interpreter(result, "t")
    assert Fixer(result).fix(reader.interpret("a\u00e9")) == ("a%C3%A9", (Edit(1, 2, "%C3%A9"),))
    assert Fixer(result).fix(reader.interpret("a\u00e9\ud800")) is None


def test_what_is_unwanted_is_known() -> None:
    result = bind_to(RULES, ';@ of item; blame all; fix "x"; unwanted\nm = 1*DIGIT\n')
    reading = Interpreter(result, "list").interpret("1,a,2")
    fixed = Fixer(result).fix(reading, include_unwanted=True)
    assert fixed is not None
    assert fixed.text == "x,a,x"


ODD = ';@ withhold\nodd-a = *ALPHA ( "x" / "," ) *odd-rest\nodd-rest = ALPHA\n;@ withhold\nodd-b = "zz"\n'


# Input, and the suggestion or None.
@each_row(("text", "expected"), [("a1", "a"), ("z1z", "zz"), ("z1", "z"), ("ax1", "ax"), ("a1,b", "a,b")])
def test_strings_of_withheld_rules_are_not_offered(text: str, expected: str) -> None:
    result = bind_to(
        RULES, f";@ of item; blame all; fix drop(all, ok)\nm = 1*( ok / DIGIT )\nok = ALPHA\n{ODD}"
    )
    odd = abnforge.loads('odd = *ALPHA ( "x" / "," ) *ALPHA / "zz"')["odd"]
    reading = Interpreter(result, "list").interpret(text)
    fixed, offered = Fixer(result).fix(reading, include_unwanted=True), Fixer(result).fix(reading)
    assert fixed is not None
    assert fixed.text == expected
    assert offered == (None if odd.matches(expected) else fixed)


WORD = CharSet.from_ranges([(0x30, 0x39), (0x61, 0x7A)])
# Map, input, set, result.
MAPS = [
    ("encode", "a b", WORD, "a%20b"),
    ("encode", "é€\U0001f600", WORD, "%C3%A9%E2%82%AC%F0%9F%98%80"),
    ("encode", "%41%4", WORD, "%41%254"),
    ("encode", "%%41%", WORD, "%25%41%25"),
    ("encode", "%zz%C3%A9", WORD, "%25zz%C3%A9"),
    ("encode", "\ud800", WORD, "%ED%A0%80"),
    ("encode", "%z%41", WORD | CharSet.of("%"), "%25z%41"),
    ("like", "½", WORD, "½"),
    ("drop", "a b\tc%", WORD, "abc"),
    ("like", "ａ１é", WORD, "a1é"),
    ("like", "ﬁ", WORD, "fi"),
    ("like", "a–b", WORD | CharSet.of("-"), "a-b"),
    ("like", "a–b", WORD, "a–b"),
    ("like", "৪\uff19٠", WORD, "490"),
    ("like", "৪²", CharSet.of("49"), "4²"),
    ("decode", "%61%2F%C3%A9%6", None, "a/%C3%A9%6"),
    ("decode", "%61%2F%%41", WORD, "a%2F%%41"),
    ("decode", "%2541", None, "%41"),
    ("idna", "münchen.de", WORD | CharSet.of(".-"), "xn--mnchen-3ya.de"),
    ("idna", "www.例え。jp", WORD | CharSet.of(".-"), "www.xn--r8jz45g.jp"),
    ("idna", "straße.de", WORD | CharSet.of(".-"), "stra%C3%9Fe.de"),
    ("idna", "a..é", WORD | CharSet.of(".-"), "a..xn--9ca"),
    ("idna", "é。a", WORD, "%C3%A9%E3%80%82a"),
    ("idna", "\ud800.a%20\U0001f600", WORD | CharSet.of("."), "%ED%A0%80.a%20%F0%9F%98%80"),
    ("idna", "\u2100" * 20, WORD, "%E2%84%80" * 20),
    ("unescape", r"caf\u00e9%u00E9", WORD, "caf%C3%A9%C3%A9"),
    ("unescape", r"\uD83D\uDE00%ud83d%ude00", WORD, "%F0%9F%98%80%F0%9F%98%80"),
    ("unescape", r"\ud83d\u0061", WORD, "%ED%A0%BDa"),
    ("unescape", r"\x61\"\u0025%41%4", WORD, "a%22%25%41%254"),
]


@each_row(("how", "text", "charset", "expected"), MAPS)
def test_maps(how: str, text: str, charset: CharSet | None, expected: str) -> None:
    results = list(pieces(how, f"<{text}>", 1, 1 + len(text), charset))
    assert "".join(piece for piece, _, _ in results) == expected
    # The pieces cover the string without gaps.
    ends = [1, *(end for _, _, end in results)]
    assert [start for _, start, _ in results] == ends[:-1]
    assert ends[-1] == 1 + len(text)


def test_a_slot_is_mapped_by_itself() -> None:
    """A triplet in a slot does not include characters after the slot."""
    assert list(pieces("encode", "%41", 0, 2, WORD)) == [("%25", 0, 1), ("4", 1, 2)]


@each_row(
    ("char", "alike"),
    [
        ("\u0664", "4"),
        ("\u09ea", "4"),
        ("\U0001d7d8", "0"),
        ("\u2163", "IV"),
        ("\u2010", "-"),
        ("\u2212", "-"),
        ("\u2018", "'"),
        ("\u2032", "'"),
        ("\u201c", '"'),
        ("\u2033", '"'),
        ("\u2044", "/"),
        ("\u29f8", "/"),
        ("\u2236", ":"),
        ("\ua789", ":"),
        ("\u3002", "."),
        ("\uff0e", "."),
        ("\u2217", "*"),
        ("x", "x"),
    ],
)
def test_look_alikes(char: str, alike: str) -> None:
    assert look_alike(char) == alike
