"""The printer: ``read(print_rulelist(m), dialect=m.dialect) == m``, and the layout."""

from __future__ import annotations

import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import strategies as st

from abnforge.grammar.lexer import section_of
from abnforge.grammar.parser import MAX_NESTING
from abnforge.grammar.printer import (
    MAX_HEAD,
    OutputLine,
    Style,
    Word,
    content_column,
    drawn,
    lay,
    print_alternation,
    print_element,
    print_rule,
    print_rulelist,
)
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Comment,
    Concatenation,
    Element,
    Group,
    NumVal,
    Option,
    ProseVal,
    Repetition,
    RuleDefinition,
    Rulelist,
    RuleName,
)
from tests.law import each_row, law, one_in
from tests.places import ROOT
from tests.raising import raises

GRAMMARS = sorted((ROOT / "grammars").glob("*.abnf"))
ASCII = "".join(map(chr, range(0x20, 0x7F)))


def names(extra: str = "") -> st.SearchStrategy[str]:
    tail = st.text(string.ascii_letters + string.digits + "-" + extra, max_size=6)
    return st.tuples(st.sampled_from(string.ascii_letters), tail).map("".join)


def is_prose(text: str) -> bool:
    """Return whether the parser keeps text as prose, and not as a name, a quote or a list of code points."""
    return not text.replace("-", "").replace("_", "").isalnum() and text != '"' and "US-ASCII" not in text


def num_vals() -> st.SearchStrategy[NumVal]:
    value = st.one_of(st.integers(0, 0x7F), st.integers(0, 0x10FFFF))
    base = st.sampled_from("bdx")
    ranges = st.tuples(value, value).map(sorted).map(tuple)
    return st.one_of(
        st.builds(NumVal, base, st.lists(value, min_size=1, max_size=4).map(tuple)),
        st.builds(NumVal, base, ranges, st.just(True)),
    )


def repetitions(elements: st.SearchStrategy[Element]) -> st.SearchStrategy[Repetition]:
    count = st.one_of(st.integers(0, 9), st.integers(0, 999_999_999))
    bounds = st.one_of(
        st.just((1, 1)),
        st.tuples(count, st.none()),
        st.tuples(count, count).map(sorted).map(tuple),
    )
    return st.builds(lambda element, limits: Repetition(element, *limits), elements, bounds)


def comment_texts() -> st.SearchStrategy[str]:
    return st.text(ASCII + "é\t", max_size=20).map(str.rstrip).filter(lambda text: section_of(text) is None)


def alternations(name: st.SearchStrategy[str]) -> st.SearchStrategy[Alternation]:
    leaves: st.SearchStrategy[Element] = st.one_of(
        st.builds(RuleName, name, st.booleans()),
        st.builds(
            CharVal, st.text(ASCII.replace('"', ""), max_size=8), st.sampled_from(["", "", "%s", "%i"])
        ),
        num_vals(),
        st.builds(ProseVal, st.text(ASCII.replace(">", ""), max_size=8).filter(is_prose)),
    )

    def of(elements: st.SearchStrategy[Element]) -> st.SearchStrategy[Alternation]:
        concatenations = st.builds(
            Concatenation,
            st.lists(repetitions(elements), min_size=1, max_size=3).map(tuple),
            st.lists(comment_texts(), max_size=2).map(tuple),
        )
        return st.builds(Alternation, st.lists(concatenations, min_size=1, max_size=3).map(tuple))

    def nest(elements: st.SearchStrategy[Element]) -> st.SearchStrategy[Element]:
        return st.one_of(st.builds(Group, of(elements)), st.builds(Option, of(elements)))

    return of(st.recursive(leaves, nest, max_leaves=8))


def rulelists(dialect: str) -> st.SearchStrategy[Rulelist]:
    name = names("_" if dialect == "rfc822" else "")
    long_name = name.map(lambda text: text * 8)
    rules = st.builds(RuleDefinition, st.one_of(name, name, long_name), alternations(name), st.booleans())
    comments = st.builds(Comment, st.one_of(comment_texts(), st.just(" ")))
    items = st.lists(st.one_of(rules, rules, comments), max_size=5).map(tuple)
    return st.builds(Rulelist, items, st.just(dialect))


@law(rulelists("abnf"), few=4, many=25)
def test_read_inverts_print(model: Rulelist) -> None:
    again = read(print_rulelist(model))
    assert again == model
    assert again.dialect == "abnf"


@law(rulelists("rfc822"), few=2, many=12)
def test_read_inverts_print_rfc822(model: Rulelist) -> None:
    assert read(print_rulelist(model), dialect="rfc822") == model


@law(alternations(names()), few=2, many=12)
def test_one_line_forms_read_back(alternation: Alternation) -> None:
    text = print_alternation(alternation)
    assert "\n" not in text
    assert print_alternation(read(f"r = {text}").rules[0].elements) == text


@pytest.mark.parametrize("path", one_in(4, GRAMMARS), ids=lambda path: path.name)
def test_grammar_files(path: Path) -> None:
    model = read(path.read_text("utf-8"), path.name)
    printed = print_rulelist(model)
    assert read(printed, dialect=model.dialect) == model
    assert print_rulelist(read(printed, dialect=model.dialect)) == printed


def test_grammar_files_exist() -> None:
    assert GRAMMARS


def test_deepest_nesting() -> None:
    text = "a = " + "( " * MAX_NESTING + "b" + " )" * MAX_NESTING
    assert print_rulelist(read(print_rulelist(read(text)))) == print_rulelist(read(text))


LAYOUT = [
    ("a=b/c", "a = b / c"),
    ("a=/b", "a =/ b"),
    ("a=1*1b 0*c *0d 2*2e 3*f *4g 0003h", "a = b *c 0d 2e 3*f *4g 3h"),
    ("a=%XFF-100 %D010 %B010.1 %x9", "a = %xFF-100 %d10 %b10.1 %x09"),
    (
        'a=(b/[c])<d> <e f> "g" %I"h" %S"i"'.replace(")<", ") <"),
        'a = ( b / [ c ] ) <d> <e f> "g" %i"h" %s"i"',
    ),
    ("a = b ; one", "a = b ; one"),
    ("a = b ; one\n / cc ; two", "a = b  ; one\n  / cc ; two"),
    ("a = (b ; in\n c) ; out\n / d", "a = ( b c ; in\n      )   ; out\n  / d"),
    (
        'hier-part = "//" authority path-abempty / path-absolute / path-rootless / path-empty',
        'hier-part = "//" authority path-abempty\n'
        "          / path-absolute\n"
        "          / path-rootless\n"
        "          / path-empty",
    ),
    (
        "digits = " + " / ".join(f'"{digit}"' for digit in range(15)),
        'digits = "0" / "1" / "2" / "3" / "4" / "5" / "6" / "7" / "8" / "9"\n'
        '       / "10" / "11" / "12" / "13" / "14"',
    ),
    (
        "a = " + " ".join(["element"] * 10),
        "a = " + " ".join(["element"] * 8) + "\n      element element",
    ),
    (
        "a = " + " ".join(["element"] * 8) + " ; a comment",
        "a = " + " ".join(["element"] * 8) + "\n    ; a comment",
    ),
]


@each_row(("text", "expected"), LAYOUT)
def test_layout(text: str, expected: str) -> None:
    rule = read(text).rules[0]
    assert print_rule(rule) == expected
    assert read(expected).rules[0] == rule


def test_rfc822_prints_as_abnf() -> None:
    model = read('a_b = "x" | <"> c_d\n')
    assert print_rulelist(model) == 'a_b = "x" / %x22 c_d\n'


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: print_element(CharVal('"')), "string-unwritable"),
        (lambda: print_element(CharVal("é")), "string-unwritable"),
        (lambda: print_element(ProseVal("a>b")), "prose-unwritable"),
        (lambda: print_rulelist(Rulelist((Comment("a\nb = c"),))), "comment-unwritable"),
    ],
)
def test_unprintable_nodes_are_rejected(build: Callable[[], str], code: str) -> None:
    with raises(ValueError, code):
        build()


def words(text: str) -> list[Word]:
    """Split text into tokens at spaces. A ``+`` before a token starts a new line."""
    kinds = {"(": "open", ")": "close", "/": "/", ";": ";"}
    results = []
    for piece in text.split():
        word = piece.lstrip("+")
        results.append(Word(word, kinds.get(word[0], "element"), broken=piece != word))
    return results


def code(lines: list[OutputLine]) -> list[str]:
    return [line.code for line in lines]


@each_row(
    ("text", "nested", "expected"),
    [
        ("a b", True, ["r = a b"]),
        ("a +b +/ c", True, ["r = a", "    b", "  / c"]),
        ("a +b +/ c", False, ["r = a", "      b", "  / c"]),
        ("a +( b +/ c +)", True, ["r = a", "    ( b", "    / c", "    )"]),
        ("a ( b +/ c +)", False, ["r = a ( b", "      / c", "      )"]),
        ("aaaaaa bbbbbb / cccccc", True, ["r = aaaaaa bbbbbb", "  / cccccc"]),
        ("aaaaaa / bbbbbb / cccccc", True, ["r = aaaaaa / bbbbbb", "  / cccccc"]),
        ("aaaaaa bbbbbb cccccc", True, ["r = aaaaaa bbbbbb", "    cccccc"]),
        ("aaaaaa bbbbbb cccccc", False, ["r = aaaaaa bbbbbb", "      cccccc"]),
        ("a ( bbbbbb ccccc / ddddd )", True, ["r = a", "    ( bbbbbb ccccc", "    / ddddd )"]),
        (f"a {'w' * 30} b", True, ["r = a", f"    {'w' * 30}", "    b"]),
        ("a b / " + " / ".join("ccccccccc"), True, ["r = a b / c / c / c", "  / c / c / c / c", "  / c / c"]),
    ],
)
def test_lines(text: str, nested: bool, expected: list[str]) -> None:
    assert code(lay("r =", words(text), Style(20, nested=nested))) == expected


def test_gaps_that_are_kept() -> None:
    value = words("aa bb +/ cc dd")
    value[1].gap = value[4].gap = 5
    lines = lay("r =", value, Style(10, kept=True))
    assert code(lines) == ["r = aa     bb", "  / cc     dd"]
    assert [line.marks for line in lines] == [[(4, 1), (11, 5)], [(2, 0), (4, 1), (11, 5)]]


def test_below_a_long_head() -> None:
    head = "n" * (MAX_HEAD - 2) + " ="
    assert content_column(head) == 6
    assert code(lay(head, words("a / b"), Style(50))) == [f"{head} a / b"]
    assert code(lay(head, words("a +/ b"), Style(50))) == [head, "      a", "    / b"]
    assert content_column(head[1:]) == MAX_HEAD


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (14, ["a         ;one", "bbbb      ;two", "c", "dddddddd  ;3", "e         ;4", "", "; own"]),
        (13, ["a     ;one", "bbbb  ;two", "c", "dddddddd  ;3", "e         ;4", "", "; own"]),
        (11, ["a     ;one", "bbbb  ;two", "c", "dddddddd  ;3", "e  ;4", "", "; own"]),
        (9, ["a  ;one", "bbbb  ;two", "c", "dddddddd  ;3", "e  ;4", "", "; own"]),
    ],
)
def test_columns_of_comments(width: int, expected: list[str]) -> None:
    """Comments share a column if all fit, or else those of a rule, or of adjacent lines, or none."""
    first = [OutputLine("a", Word(";one", ";")), OutputLine("bbbb", Word(";two", ";", 1)), OutputLine("c")]
    second = [OutputLine("dddddddd", Word(";3", ";")), OutputLine("e", Word(";4", ";", 1)), OutputLine("")]
    assert drawn([first, second, [OutputLine("; own")]], 2, width) == expected


def test_a_comment_that_goes_on() -> None:
    more = OutputLine("", Word(";more", ";", follows=True), 7)
    assert drawn([[OutputLine("a", Word(";one", ";")), more, OutputLine("", Word(";x", ";"), 3)]], 2, 72) == [
        "a  ;one",
        "   ;more",
        "   ;x",
    ]
