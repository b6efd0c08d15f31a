"""Positions in strings, drawings with carets, citations, and similar names."""

from __future__ import annotations

import difflib
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import abnforge
from abnforge.errors import GrammarError, described
from abnforge.text import (
    COLUMNS,
    LINES_AFTER,
    LINES_BEFORE,
    MAX_NEAR_MISS_LENGTH,
    Source,
    Span,
    citation,
    draw,
    draw_line,
    escape,
    excerpt,
    in_quotes,
    near_misses,
    position,
    several_lines,
    show_char,
    specification,
    where,
    width,
    within,
)
from tests.law import each_row, law

# Input, start, end, displayed line, line of carets below.
LINES = [
    ("abc", 1, 2, "abc", " ^"),
    ("abc", 1, 3, "abc", " ^^"),
    ("abc", 3, 3, "abc", "   ^"),
    ("", 0, 0, "", "^"),
    # Escapes are as wide as their text.
    ("\tab", 1, 2, "\\tab", "  ^"),
    ("a\tb", 1, 2, "a\\tb", " ^^"),
    ("\x1b[b", 2, 3, "\\x1b[b", "     ^"),
    ("a\u202eb", 2, 3, "a\\u202eb", "       ^"),
    # Wide characters: two columns each.
    ("漢字x", 2, 3, "漢字x", "    ^"),
    ("漢字x", 1, 2, "漢字x", "  ^^"),
    ("ｆx", 1, 2, "ｆx", "  ^"),
    ("한x", 1, 2, "한x", "  ^"),
    ("a😀x", 2, 3, "a😀x", "   ^"),
    ("a😀x", 1, 2, "a😀x", " ^^"),
    # A combining character does not have its own column and is underlined with the character before it.
    ("e\u0301x", 2, 3, "e\u0301x", " ^"),
    ("e\u0301x", 1, 2, "e\u0301x", "^"),
    ("e\u0301x", 0, 1, "e\u0301x", "^"),
    ("漢\u0301x", 1, 2, "漢\u0301x", "^^"),
    ("a\u20ddx", 2, 3, "a\u20ddx", " ^"),
    ("\u0e01\u0e31x", 2, 3, "\u0e01\u0e31x", " ^"),  # combining class 0, but without its own column
    ("\u1112\u1161\u11abx", 3, 4, "\u1112\u1161\u11abx", "  ^"),  # a syllable of three code points
    # A combining character at the start or after an escape is shown as an escape.
    ("\u0301x", 1, 2, "\\u0301x", "      ^"),
    ("\n\u0301x", 1, 2, "\\n\\u0301x", "  ^^^^^^"),
    # Invisible characters are shown as escapes.
    ("a\u200db", 2, 3, "a\\u200db", "       ^"),
    ("❤\ufe0fb", 2, 3, "❤\\ufe0fb", "       ^"),
    ("a\u3164b", 1, 2, "a\\u3164b", " ^^^^^^"),
    # A sequence that terminals draw as either one or two emoji is shown as two.
    ("👍🏽b", 2, 3, "👍\\U0001f3fdb", " " * 12 + "^"),
    ("🇩🇪b", 1, 2, "\\U0001f1e9\\U0001f1eab", " " * 10 + "^" * 10),
    ("👩\u200d🚀b", 2, 3, "👩\\u200d🚀b", " " * 8 + "^^"),
]


@each_row(("text", "start", "end", "line", "carets"), LINES)
def test_carets_stand_below(text: str, start: int, end: int, line: str, carets: str) -> None:
    assert draw(text, start, end) == (line, carets)


@each_row(
    ("text", "start", "line", "carets"),
    [
        ("a" * 100, 0, "a" * 70 + "...", "^"),
        ("a" * 60 + "b" * 60, 60, "..." + "a" * 46 + "b" * 24 + "...", " " * 49 + "^"),
        ("a" * 99 + "b", 99, "..." + "a" * 69 + "b", " " * 72 + "^"),
        ("漢" * 99 + "b", 99, "..." + "漢" * 34 + "b", " " * 71 + "^"),
        ("e\u0301" * 99 + "b", 198, "..." + "e\u0301" * 38 + "b", " " * 41 + "^"),
    ],
)
def test_a_long_line_is_cut_to_a_window(text: str, start: int, line: str, carets: str) -> None:
    assert draw(text, start) == (line, carets)


TEXTS = st.text(
    st.sampled_from("ab \t\n漢ｆ한😀é\u0301\u0e31\u200d\ufe0f\u1112\u1161\u11ab\u202e"), max_size=90
)


@law(TEXTS, st.integers(0, 90), st.integers(0, 5), few=25, many=3_000)
def test_a_drawing_fits_and_points_at_its_span(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    line, carets = draw(text, start, start + length)
    assert width(line) <= COLUMNS
    assert len(carets.strip()) >= 1
    assert set(carets.lstrip(" ")) == {"^"}
    assert len(carets) <= max(width(line), 0) + 1
    if start < len(text):
        # The blamed character, or the base character of a combining one, is at the column of the carets.
        columns = len(carets) - len(carets.lstrip(" "))
        behind = next(n for n in range(len(line) + 1) if width(line[:n]) == columns)
        shown = escape(text[start])
        base = line[behind]
        assert line[behind:].lstrip("\u0301\u0e31\u1161\u11ab").startswith(shown) or (
            base in text[:start]
            and escape("a" + text[start]) == "a" + text[start]
            and width(text[start]) == 0
        )


# Text, start, end, drawing.
PAGES = [
    ("one line\n", 8, 9, ["one line\\n", "        ^^"]),
    ("a\nbc\nd", 3, 4, ["1 | a", "2 | bc", "     ^", "3 | d"]),
    ("ab\nc", 1, 1, ["1 | ab", "     ^", "2 | c"]),
    ("a\nbc", 4, 4, ["1 | a", "2 | bc", "      ^"]),
    ("a\nb\n", 4, 4, ["1 | a", "2 | b", "3 | ", "    ^"]),
    # Two lines before the marked line, one line after it.
    ("a\nb\nc\nde\nf\ng", 7, 8, ["2 | b", "3 | c", "4 | de", "     ^", "5 | f"]),
    ("\n\n\na", 3, 4, ["2 | ", "3 | ", "4 | a", "    ^"]),
    ("a\r\nb\r\nc\r\n", 6, 7, ["1 | a", "2 | b", "3 | c", "    ^"]),
    # A blamed line end is visible.
    ("a\nb\nc", 3, 4, ["1 | a", "2 | b\\n", "     ^^", "3 | c"]),
    ("a\r\nb\r\nc", 4, 6, ["1 | a", "2 | b\\r\\n", "     ^^^^", "3 | c"]),
    ("a\r\nb\r\nc", 0, 1, ["1 | a", "    ^", "2 | b"]),
    # If a span covers several lines, only the first line is underlined.
    ("a\nbcd\ne", 3, 7, ["1 | a", "2 | bcd\\n", "     ^^^^", "3 | e"]),
    # Tabs, wide and combining characters.
    ("x\n\t漢e\u0301!\ny", 6, 7, ["1 | x", "2 | \\t漢e\u0301!", "         ^", "3 | y"]),
    # Line numbers are padded to equal width.
    ("\n" * 8 + "ab\nc", 9, 10, [" 7 | ", " 8 | ", " 9 | ab", "      ^", "10 | c"]),
    # Only LF ends a line.
    ("a\u2028b\x85c\nd", 2, 3, ["1 | a\\u2028b\\x85c", "           ^", "2 | d"]),
]


@each_row(("text", "start", "end", "lines"), PAGES)
def test_the_line_of_a_string_and_those_next_to_it(text: str, start: int, end: int, lines: list[str]) -> None:
    result = excerpt(text, start, end)
    assert list(result.lines) == lines
    assert set(result.lines[result.carets].strip()) == {"^"}


def test_every_line_of_an_excerpt_is_cut() -> None:
    result = excerpt("\n".join(["x" * 500] * 10 + ["x" * 250 + "y" + "x" * 250, "x"]), 501 * 10 + 250)
    assert [width(line) <= COLUMNS for line in result.lines] == [True] * 5
    assert [line[:5] for line in result.lines] == [" 9 | ", "10 | ", "11 | ", "     ", "12 | "]
    assert result.lines[2].startswith("11 | ...")
    assert result.lines[result.carets].index("^") == result.lines[2].index("y")


LINED = st.text(st.sampled_from("ab\n\n漢"), max_size=40)


@law(LINED, st.integers(0, 40), few=40, many=2_000)
def test_an_excerpt_shows_the_lines_of_the_text(text: str, start: int) -> None:
    """The lines before and after the underlined one are shown unchanged, with their numbers."""
    start = min(start, len(text))
    result = excerpt(text, start, start)
    if not several_lines(text):
        assert tuple(result) == (draw(text, start), 1)
        return
    lines = text.split("\n") if not text.endswith("\n") or start == len(text) else text.split("\n")[:-1]
    number = text.count("\n", 0, start) + 1
    numbers = range(max(1, number - LINES_BEFORE), min(len(lines), number + LINES_AFTER) + 1)
    shown = [line for index, line in enumerate(result.lines) if index != result.carets]
    assert [int(line.partition(" | ")[0]) for line in shown] == list(numbers)
    assert [line.partition(" | ")[2] for line in shown] == [lines[n - 1] for n in numbers]


@each_row(
    ("text", "offset", "number", "line"),
    [("", 0, 1, ""), ("ab\ncd\r\n", 4, 2, "cd"), ("ab\ncd\r\n", 7, 3, ""), ("\n\tx", 2, 2, "\\tx")],
)
def test_the_line_of_an_offset(text: str, offset: int, number: int, line: str) -> None:
    assert draw_line(text, offset) == (number, line)


@each_row(
    ("char", "shown"),
    [
        ("a", '"a"'),
        ("é", '"é" (U+00E9 LATIN SMALL LETTER E WITH ACUTE)'),
        ("\u0301", "U+0301 COMBINING ACUTE ACCENT"),
        ("\u0e31", "U+0E31 THAI CHARACTER MAI HAN-AKAT"),
        ("\ufe0f", "U+FE0F VARIATION SELECTOR-16"),
        ("\t", "U+0009 TAB"),
    ],
)
def test_a_character_is_named(char: str, shown: str) -> None:
    assert show_char(char) == shown


def test_what_is_drawn_onto_another_character_has_no_column() -> None:
    """This applies to two general categories: non-spacing and enclosing marks.

    The tables above contain other combining characters.
    """
    marks = [chr(code) for code in range(0x3000) if unicodedata.category(chr(code)) in ("Mn", "Me")]
    assert len(marks) > 500
    assert {width("a" + mark) for mark in marks} == {1}


@pytest.mark.parametrize(
    ("line", "start", "end", "drawing"),
    [
        ("a =\t%x41 ; 漢字\n", 4, 8, ["    a =\\t%x41 ; 漢字", "         ^^^^"]),
        ('a = "漢字" b\n', 9, 10, ['    a = "漢字" b', " " * 15 + "^"]),
    ],
)
def test_grammar_lines(line: str, start: int, end: int, drawing: list[str]) -> None:
    source = Source('first = "x"\n' + line, "g.abnf")
    error = GrammarError("wrong", source=source, span=Span(12 + start, 12 + end))
    assert error.describe().split("\n")[1:] == drawing


def test_carets_stand_below_the_escapes_of_what_an_encoding_lacks() -> None:
    assert draw("\xe9\u6f22e\u0301 b", 4, encoding="ascii") == (r"\xe9\u6f22e\u0301 b", " " * 17 + "^")
    assert draw("\xe9\u6f22e\u0301 b", 4, encoding="cp1252") == ("\xe9" + r"\u6f22e\u0301 b", " " * 14 + "^")
    assert draw("\xe9 b", 1, encoding="none-such") == (r"\xe9 b", "    ^")
    assert draw("\xe9" * 90 + "b", 90, encoding="ascii", columns=20) == (r"...\xe9\xe9\xe9b", " " * 15 + "^")
    assert excerpt("\xe9\n\xe9 b", 3, encoding="ascii").lines == (r"1 | \xe9", r"2 | \xe9 b", " " * 8 + "^")
    source = Source('a = "\xe9" b\n', "g.abnf")
    error = GrammarError("wrong", source=source, span=Span(8, 9), related=[(Span(5, 6), "here")])
    assert described(error).split("\n")[1:3] == ['    a = "\xe9" b', " " * 12 + "^"]
    lines = described(error, "ascii").split("\n")
    assert lines[1:3] == [r'    a = "\xe9" b', " " * 15 + "^"]
    assert lines[4:] == [r'    a = "\xe9" b', " " * 9 + "^" * 4]


def test_a_text_in_quotes_can_be_told_from_them() -> None:
    shown = {"a": '"a"', "": '""', '"': "'\"'", 'say "a"': "'say \"a\"'", "it's": '"it\'s"', "'\"": '"\'""'}
    assert {text: in_quotes(text) for text in shown} == shown


@each_row(
    ("text", "several"),
    [
        ("", False),
        ("a", False),
        ("a\n", False),
        ("\n", False),
        ("\n\n", True),
        ("a\nb", True),
        ("a\rb", False),
    ],
)
def test_a_text_of_several_lines_goes_on_behind_the_first(text: str, several: bool) -> None:
    assert several_lines(text) is several


@law(st.text("ab\n\r\u2028", max_size=12), few=40, many=2_000)
def test_a_position_is_what_the_lines_before_it_make(text: str) -> None:
    for offset in range(len(text) + 1):
        before = text[:offset].split("\n")
        assert position(text, offset) == (len(before), len(before[-1]) + 1)
        assert Source(text).position(offset) == position(text, offset)


def test_an_offset_in_words() -> None:
    assert where("abc", 2) == "offset 2"
    assert where("abc\n", 4) == "offset 4"
    assert where("abc\nd", 4) == "line 2, column 1"


@each_row(
    ("grammar", "expected"),
    [("rfc3986", "RFC 3986"), ("abnf:rfc9110", "RFC 9110"), ("rfc2396bis-07", "rfc2396bis-07"), ("my", "my")],
)
def test_specification(grammar: str, expected: str) -> None:
    assert specification(grammar) == expected


@each_row(
    ("grammar", "section", "cited"),
    [
        ("rfc3986", "3.2.2", "RFC 3986, section 3.2.2"),
        ("rfc6874", "RFC 3986, section 3.2.2", "RFC 3986, section 3.2.2"),
        ("rfc3986", "RFC 5234, appendix B.1", "RFC 5234, appendix B.1"),
        ("my", "2", "my, section 2"),
    ],
)
def test_citation(grammar: str, section: str, cited: str) -> None:
    assert citation(grammar, section) == cited
    assert within(grammar, cited) == section


def test_rules_inherited_cite_the_section_that_their_own_grammar_gives() -> None:
    cited = 0
    elsewhere = set()
    for grammar in map(abnforge.load, abnforge.grammar_names()):
        for rule in grammar.rules.values():
            match = re.fullmatch(r"RFC (\d+), (?:section|appendix) (.*)", rule.section or "")
            if match is None:
                continue
            if (name := f"rfc{match[1]}") in abnforge.grammar_names():
                assert abnforge.load(name)[rule.name.removesuffix(f"-{name}")].section == match[2]
                cited += 1
            else:
                elsewhere.add((rule.name, name))
    assert cited > 100
    # Specifications that are not bundled.
    assert {name for _, name in elsewhere} == {"rfc1034", "rfc2616", "rfc2806", "rfc3629"}


@each_row(
    ("grammar", "rule", "text", "section"),
    [
        ("rfc6874", "URI", "http://h:x/", "RFC 3986, section 3.2.3"),
        ("rfc6874", "ZoneID", "", "2"),
        ("rfc6874", "IP-literal", "[fe80::1%25", "2"),  # the rule differs from the one in RFC 3986
        ("rfc3987", "IRI", "http://h:x/", "RFC 3986, section 3.2.3"),
        ("rfc3986", "ALPHA", "1", "RFC 5234, appendix B.1"),
        ("rfc5234", "ALPHA", "1", "B.1"),
    ],
)
def test_a_rejection_cites_the_section_of_the_rule(grammar: str, rule: str, text: str, section: str) -> None:
    rejection = abnforge.load(grammar)[rule].explain(text)
    assert rejection is not None
    assert rejection.section == section


def test_near_misses_of_hostile_names() -> None:
    long = "x" * (MAX_NEAR_MISS_LENGTH + 1)
    assert near_misses(long, [long]) == []
    assert near_misses("x", [long, "X"]) == ["X"]


def test_two_characters_the_other_way_round_come_first() -> None:
    assert near_misses("lnit", ["list", "lint", "unit"])[0] == "lint"
    assert near_misses("Hots", ["hotel", "hosts", "HOST"], 0.6)[0] == "HOST"
    assert near_misses("abab", ["baba", "abba"], 0.5) == ["abba", "baba"]


def test_names_with_a_version_are_near() -> None:
    assert near_misses("toml", ["toms", "toml-1.0.0", "toml-1.1.0"]) == ["toml-1.0.0", "toml-1.1.0"]
    assert near_misses("URL", ["URI", "host"]) == ["URI"]


NAMES = st.text("abc", max_size=6)


@given(NAMES, st.lists(NAMES, max_size=3, unique=True), st.sampled_from([0.0, 0.5, 0.7, 0.8, 1.0]))
def test_they_are_those_that_difflib_finds(name: str, known: list[str], likeness: float) -> None:
    least = min(likeness, 0.66) if len(name) <= 3 else likeness
    assert sorted(near_misses(name, known, likeness)) == sorted(
        difflib.get_close_matches(name, known, 3, least)
    )


def test_names_with_too_few_characters_in_common_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abnforge.text.difflib", None)  # any use of it raises an error
    assert near_misses("match", ["import", "reject"], 0.8) == []
    with pytest.raises(AttributeError):
        near_misses("improt", ["import"], 0.8)


@each_row(
    ("text", "shown"),
    [("\\\n", "\\\\\\n"), ("\\n", "\\n"), ("\\é", "\\é"), ("\\\u200b", "\\\\\\u200b"), ("é\n", "é\\n")],
)
def test_backslashes_differ_from_escapes(text: str, shown: str) -> None:
    assert escape(text) == shown
