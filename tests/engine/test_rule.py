"""Rules: names, arguments, strings in chunks, and several derivations."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator

import pytest

import abnforge
from tests.law import each_row
from tests.raising import raises


@pytest.mark.parametrize("bad", [None, 1, ["http://a/"], iter("a:b"), {"a:b"}])
@pytest.mark.parametrize("verb", ["matches", "parse", "explain", "check"])
@pytest.mark.parametrize(
    "rule", [abnforge.load("rfc3986")["URI"], abnforge.loads('r = "(" r ")" / "x"\n')["r"]]
)
def test_only_a_string_is_matched(bad: object, verb: str, rule: abnforge.Rule) -> None:
    if verb == "matches" and isinstance(bad, list | type(iter(""))):
        pytest.skip("a text in pieces")
    with raises(TypeError, "argument-type", name="text", type=type(bad).__name__):
        getattr(rule, verb)(bad)


def test_check_says_why() -> None:
    rule = abnforge.load("rfc3986")["URI"]
    rule.check("http://a/")
    with pytest.raises(abnforge.Rejected) as caught:
        rule.check("http://a b/")
    assert caught.value.rejection == rule.explain("http://a b/")


def test_prose_is_rejected_by_name_when_it_is_matched() -> None:
    grammar = abnforge.loads('a = b "x"\nb = <something in words>\nc = "y"\n')
    assert grammar["c"].matches("y")
    for call in (grammar["a"].matches, grammar["a"].parse, grammar["a"].explain, grammar["b"].matches):
        with raises(abnforge.GrammarError, "prose-val", text="something in words") as caught:
            call("x")
        assert (caught.value.code, caught.value.rule, caught.value.line) == ("prose-val", "b", 2)


def test_no_prose_is_met_where_it_is_repeated_zero_times() -> None:
    assert abnforge.load("rfc3986")["path-empty"].matches("")


def test_unknown_names_come_with_near_misses() -> None:
    grammar = abnforge.load("rfc3986")
    with raises(KeyError, "rule-name-unknown"):
        grammar["URI-refrence"]
    with raises(KeyError, "grammar-unknown", grammar="rfc3968", near=("rfc3986", "rfc3987", "rfc2396")):
        abnforge.load("rfc3968")
    near = ("rfc3986:URI", "rfc2396bis-07:URI", "rfc3261:URI")
    with raises(KeyError, "grammar-unknown", grammar="URI", near=near):
        abnforge.rule("URI")
    with raises(ValueError, "argument-choice", name="engine", value="regex"):
        grammar["URI"].matches("", engine="regex")
    with raises(ValueError, "rule-recursive", rule="s"):
        abnforge.loads('s = "(" s ")" / "x"\n')["s"].matches("x", engine="automaton")


def test_rule_names_match_without_regard_to_case() -> None:
    grammar = abnforge.load("rfc3986")
    assert grammar["uri-REFERENCE"] is grammar["URI-reference"]
    assert grammar["uri"].name == "URI"


GRAMMAR = abnforge.loads("""
plain = 1*DIGIT *( "," 1*DIGIT )
nested = "[" [ nested *( "," nested ) ] "]" / 1*DIGIT
sum = sum "+" sum / 1*DIGIT
list = list list / "x" / ""
own = own / "x"
""")


@each_row("rule", ["plain", "nested"])
@each_row(
    ("pieces", "valid"),
    [(["1", "2"], True), (("1", "", "2"), True), ([], False), ([""], False), (["1", "x"], False)],
)
def test_pieces(rule: str, pieces: list[str], valid: bool) -> None:
    assert GRAMMAR[rule].matches(pieces) is valid
    assert GRAMMAR[rule].matches(iter(pieces)) is valid
    assert GRAMMAR[rule].matches(pieces, engine="general") is valid


def test_a_file_is_read_line_by_line() -> None:
    assert GRAMMAR["plain"].matches(io.StringIO("1,2,3"))
    assert not GRAMMAR["plain"].matches(io.StringIO("1,2\n3"))


def test_no_piece_is_asked_for_after_the_mistake() -> None:
    calls: list[str] = []

    def pieces() -> Iterator[str]:
        for piece in ("[1,", "x", "2]"):
            calls.append(piece)
            yield piece

    assert not GRAMMAR["nested"].matches(pieces())
    assert calls == ["[1,", "x"]


def test_pieces_are_strings() -> None:
    with raises(TypeError, "argument-type", type="int"):
        GRAMMAR["nested"].matches(["[", 1])  # type: ignore[list-item]
    with raises(TypeError, "argument-type", name="text", type="set"):
        GRAMMAR["nested"].matches({"[", "]"})
    for engine in ("lark", "automaton"):
        with raises(ValueError, "engine-general"):
            GRAMMAR["plain"].matches(["1"], engine=engine)


@each_row(
    ("rule", "text", "count"),
    [
        ("sum", "1", 1),
        ("sum", "1+2+3", 2),
        ("sum", "1+2+3+4+5", 14),
        ("sum", "1+", 0),
        ("own", "x", math.inf),
        ("list", "x", math.inf),
        ("nested", "[1,[2]]", 1),
        ("plain", "1,2", 1),
    ],
)
def test_derivations_are_counted(rule: str, text: str, count: float) -> None:
    assert GRAMMAR[rule].count_derivations(text) == count
    assert GRAMMAR[rule].count_derivations(text.encode()) == count
    if count < 20:
        assert len(list(GRAMMAR[rule].derivations(text, None))) == count


def test_derivations_come_in_order_and_one_by_one() -> None:
    rule = GRAMMAR["sum"]
    trees = rule.derivations("1+2+3")
    first = next(trees)
    assert first == rule.parse("1+2+3")
    assert [len(str(tree)) for tree in trees] == [len(str(first))]
    assert len(list(rule.derivations("1+2+3+4+5", 3))) == 3
    assert list(rule.derivations("1+2", 0)) == []
    with raises(ValueError, "argument-value", name="limit", value=-1):
        rule.derivations("1", -1)
    with raises(ValueError, "engine-general", operation="derivations", engine="lark"):
        rule.derivations("1", engine="lark")


def test_derivations_that_nobody_finishes_keep_no_readers() -> None:
    rule = GRAMMAR["sum"]
    for _ in range(3):
        next(rule.derivations("1+2+3"))
    assert rule.matches("1+2")


def test_derivations_print_without_being_made() -> None:
    trees = abnforge.loads('a = "x" [ a ] / "x" a\n')["a"].derivations("xxx", 2)
    assert "a of <string>" in repr(trees)
    assert "at most 2" in repr(trees)
    assert (len(list(trees)), next(trees, None)) == (2, None)
