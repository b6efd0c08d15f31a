"""``;@ except`` removes strings from a rule, in every engine."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import abnforge
from tests.law import each_row, law, one_in
from tests.raising import raises
from tests.reference.random_grammars import grammar, short_texts

NAMES = """
;@ except keyword
name = ALPHA *( ALPHA / DIGIT )
keyword = "if" / "else" / "for" / "elsewhere"
call = name [ "(" [ call *( "," call ) ] ")" ]
"""
WORDS = (
    "if",
    "iff",
    "i",
    "IF",
    "else",
    "elsewhere",
    "elsewheres",
    "else1",
    "f",
    "for",
    "fo",
    "x",
    "",
    "9",
    "if9",
)
KEYWORDS = {"if", "else", "for", "elsewhere"}


@pytest.mark.parametrize("word", one_in(3, WORDS))
@pytest.mark.parametrize("engine", ["auto", "automaton", "lark"])
def test_names_without_keywords(word: str, engine: str) -> None:
    result = abnforge.loads(NAMES)
    valid = word.isalnum() and word[0].isalpha() and word.lower() not in KEYWORDS
    assert result["name"].matches(word, engine=engine) is valid


@each_row("word", one_in(3, WORDS))
def test_where_others_use_them(word: str) -> None:
    result = abnforge.loads(NAMES)
    valid = result["name"].matches(word)
    for engine in ("auto", "lark"):
        assert result["call"].matches(f"f(x,{word}(y))", engine=engine) is valid


def test_what_is_excepted_is_named(snapshot: SnapshotAssertion) -> None:
    for rule, text, place in (("name", "else", (0, 4)), ("call", "f(a,If)", (4, 6))):
        rejection = abnforge.loads(NAMES)[rule].explain(text)
        assert rejection
        first = rejection.hypotheses[0]
        assert (first.code, first.offset, first.end) == ("keyword-as-name", *place)
        assert first.message == snapshot(name=rule)


def test_trees_patterns_and_sets() -> None:
    result = abnforge.loads(NAMES)
    name = result["name"]
    [leaf] = name.parse("iffy").children
    assert str(leaf) == "iffy"
    assert name.regular
    plain = abnforge.loads(NAMES.replace(";@ except keyword", "; all of them"))
    assert abnforge.compare(name, plain["name"] - plain["keyword"]).relation == "equal"
    assert name.pattern
    assert name.definition == plain["name"].definition


@law(st.integers(0, 10**6), few=15, many=150)
def test_as_sets_say(seed: int) -> None:
    left, right = grammar(Random(seed), "regular").replace("r", "x"), grammar(Random(seed + 1), "regular")
    other = abnforge.loads(left + right)
    try:
        result = abnforge.loads(f";@ except r0\n{left}{right}", budget=abnforge.Budget(steps=100_000))
    except abnforge.LimitExceeded:
        return
    for each in short_texts(4):
        valid = other["x0"].matches(each) and not other["r0"].matches(each)
        assert result["x0"].matches(each) is valid, each


def test_several_and_one_after_another() -> None:
    result = abnforge.loads(
        'a = 1*ALPHA ;@ except b, c\n;@ except d\nb = 2ALPHA\nc = 3ALPHA\nd = "no"\n'
        'e = *"x" y / "y"\n    ;@ except a\ny = "z"\n'
    )
    assert [text for text in ("x", "xy", "no", "xyz", "wxyz") if result["a"].matches(text)] == [
        "x",
        "no",
        "wxyz",
    ]
    assert [text for text in ("z", "y", "xz", "xxz", "xxxz") if result["e"].matches(text)] == ["xz", "xxz"]


def test_nothing_can_be_left() -> None:
    result = abnforge.loads(';@ except b\na = "x"\nb = 1*ALPHA\nc = a / "9"\n')
    assert not result["a"].matches("x")
    assert result["c"].matches("9")
    assert not result["c"].matches("x")


def test_imports_bring_exceptions() -> None:
    other = abnforge.loads(NAMES, name="names")
    result = abnforge.loads('list = name *( " " name )\nkeyword = 1*DIGIT\n', imports=[other])
    assert result["list"].matches("iff x")
    assert not result["list"].matches("if x")


# A grammar, code, line and column, and the code of the message.
WRONG = [
    (';@ except nope\na = "x"\n', "undefined-rule", (1, 11), None),
    (';@ except a\na = "x"\n', "except-directive", (1, 11), "difference-cyclic"),
    (
        ';@ except b\na = "x"\nb = [ c ]\nc = a\n',
        "except-directive",
        (1, 11),
        "difference-cyclic",
    ),
    (
        ';@ except b\na = 1*ALPHA\nb = "(" [ b ] ")"\n',
        "except-directive",
        (1, 11),
        "difference-not-regular",
    ),
    (';@ except b\na = "(" [ a ] ")"\nb = "x"\n', "except-directive", (1, 11), "difference-cyclic"),
    (";@ except b\na = 1*ALPHA\nb = <words>\n", "except-directive", (1, 11), "difference-prose"),
    (
        ";@ except b\na = 1*ALPHA c\nb = DIGIT\nc = <words>\n",
        "except-directive",
        (1, 11),
        "difference-prose",
    ),
    (
        ';@ except\na = "x"\n',
        "except-directive",
        (1, 10),
        None,
    ),
    (';@ except b c\na = "x"\nb = "y"\nc = "z"\n', "except-directive", (1, 13), None),
    (';@ except b; match "x"\na = "x"\nb = "y"\n', "except-directive", (1, 14), None),
    ('a = "x"\n\n;@ except a\n', "except-directive", (3, 1), None),
]


@each_row(("text", "code", "place", "detail"), WRONG)
def test_unsupported_exceptions(text: str, code: str, place: tuple[int, int], detail: str | None) -> None:
    with pytest.raises(abnforge.GrammarError) as info:
        abnforge.loads(text)
    assert (info.value.code, (info.value.line, info.value.column)) == (code, place)
    if detail is not None:
        assert info.value.message.code == detail
    results = [finding for finding in abnforge.lint(text) if finding.name == code]
    assert [(each.line, each.column) for each in results] == [place]


@pytest.mark.slow
def test_exceptions_that_exceed_a_limit() -> None:
    text = ';@ except b\na = *( "a" / "b" ) "a" 9( "a" / "b" )\nb = "x"\n'
    with raises(abnforge.LimitExceeded, "limit-steps", operation="difference a", limit=1200000):
        abnforge.loads(text)


def test_lint_knows_that_an_excepted_rule_is_used() -> None:
    assert "unused-rule" not in {finding.name for finding in abnforge.lint(NAMES)}
    assert "unused-rule" not in {finding.name for finding in abnforge.lint(NAMES, starts=["call"])}


@each_row("count", [1, 10, 40])
def test_many_words_are_no_trouble(count: int) -> None:
    words = [f"w{number:03b}x" for number in range(count)]
    listed = " / ".join(f'"{word}"' for word in words)
    result = abnforge.loads(f";@ except word\nname = 1*( ALPHA / DIGIT )\nword = {listed}\n")
    assert not any(result["name"].matches(word) for word in words)
    assert result["name"].matches("w000y")


def test_extensions_of_an_imported_rule_keep_its_exceptions() -> None:
    other = abnforge.loads(';@ except k\na = 1*( "a" / "b" )\nk = "ab"\n', name="other")
    for more in ("", ";@ except m\n"):
        result = abnforge.loads(f's = a\n{more}a =/ "(("\nm = "ba"\n', imports=[other])
        assert [text for text in ("a", "ab", "((", "ba") if result["s"].matches(text)] == [
            text for text in ("a", "((", "ba") if not (more and text == "ba")
        ]
