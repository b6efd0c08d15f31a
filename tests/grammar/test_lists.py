"""Lists, RFC 9110, section 5.6.1: what they derive, by its forms and by its examples."""

from __future__ import annotations

import re

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.grammar.binding import MAX_LISTS
from abnforge.grammar.printer import print_rulelist
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import LISTS
from tests.law import each_row, law
from tests.raising import raises


def rule(written: str, form: str = "recipient", more: str = "") -> abnforge.Rule:
    return abnforge.loads(f"x = {written}\ny = 1*ALPHA\n{more}", lists=form)["x"]


# RFC 9110, section 5.6.1.2: example-list = 1#example-list-elmt
@each_row("text", ["foo,bar", "foo ,bar,", "foo , ,bar,charlie", "foo,,bar", ",foo", " , foo"])
def test_what_a_recipient_reads(text: str) -> None:
    assert rule("1#y").matches(text)


@each_row("text", ["", ",", ",   ,", "foo bar", " foo", "foo "])
def test_what_no_list_of_one_is(text: str) -> None:
    assert not rule("1#y").matches(text)


@each_row(
    ("written", "sender"),
    [
        ("#y", '[ y *( OWS "," OWS y ) ]'),
        ("1#y", 'y *( OWS "," OWS y )'),
        ("1#1y", "y"),
        ("2#4y", 'y 1*3( OWS "," OWS y )'),
        ("#2y", '[ y *1( OWS "," OWS y ) ]'),
        ("3#y", 'y 2*( OWS "," OWS y )'),
        ("0#0y", '""'),
        ('1#( y / "1" )', '( y / "1" ) *( OWS "," OWS ( y / "1" ) )'),
        ("1#( 2#y )", '( y 1*( OWS "," OWS y ) ) *( OWS "," OWS ( y 1*( OWS "," OWS y ) ) )'),
    ],
)
def test_what_a_sender_writes(written: str, sender: str) -> None:
    ows = "OWS = *( SP / HTAB )\n"
    assert abnforge.compare(rule(written, "sender"), rule(sender, more=ows)).relation == "equal"


def test_any_number_by_a_recipient_is_the_form_of_the_rfc() -> None:
    """RFC 9110, section 5.6.1.2, which counts nothing."""
    form = rule('[ y ] *( OWS "," OWS [ y ] )', more="OWS = *( SP / HTAB )\n")
    assert abnforge.compare(rule("#y"), form).relation == "equal"


@law(st.integers(0, 3), st.integers(0, 4), st.text("ab ,", max_size=14), few=25, many=600)
def test_elements_are_counted_and_empty_ones_are_not(least: int, more: int, text: str) -> None:
    written = f"{least}#{least + more}y"
    parts = [part.strip(" ") for part in text.split(",")]
    good = all(re.fullmatch("[ab]*", part) for part in parts)
    outer = (text[:1] == " " and parts[0] != "") or (text[-1:] == " " and parts[-1] != "")
    blank = text != "" and not text.strip(" ")
    filled = [part for part in parts if part]
    expected = good and not outer and not blank and least <= len(filled) <= least + more
    assert rule(written).matches(text) == expected
    if "" not in parts:
        assert rule(written, "sender").matches(text) == expected


@pytest.mark.parametrize("form", LISTS)
def test_trees_have_no_rule_for_a_list(form: str) -> None:
    tree = rule("1#y", form).parse("a, b")
    assert {str(each.data) for each in tree.iter_subtrees()} == {"x", "y", "ows", "sp", "alpha"}


def test_a_grammar_has_its_own_white_space() -> None:
    assert rule("1#y", more='OWS = "_"\n').matches("a_,_b")
    assert not rule("1#y", more='OWS = "_"\n').matches("a,b")


def test_rfc_2616_has_lws() -> None:
    read_by = rule("1#y", more="LWS = [CRLF] 1*( SP / HTAB )\n")
    assert read_by.matches("a \r\n\t, b")
    assert not rule("1#y").matches("a \r\n\t, b")


def test_what_is_wrong_within_a_list_is_told_once() -> None:
    found = abnforge.lint('a = 1#( b / "x\\n" / %x61-7A / <what> )\n')
    assert [each.name for each in found if each.severity == "error"] == ["undefined-rule"]
    assert [each.edits for each in abnforge.lint("a = #[a-z]\n") if each.name == "undefined-rule"] == [
        (abnforge.Edit(5, 10, "%x61-7A"),)
    ]
    found = abnforge.lint('a = 1#( "x\\n" / <what> / b )\nb = "ab" / "ab"\n')
    names = [(each.name, each.line, each.column) for each in found]
    assert len(names) == len(set(names))


def test_printed_and_read_again() -> None:
    text = 'a = 1#b / #( b / "c" ) / 2#4"x" / 1#1b / #<b>\nb = ALPHA\n'
    assert print_rulelist(read(text)) == text
    assert read(print_rulelist(read(text))) == read(text)


def test_lists_in_lists_have_a_limit() -> None:
    written = "1#( " * (MAX_LISTS + 1) + "y" + " )" * (MAX_LISTS + 1)
    with raises(abnforge.LimitExceeded, "list-limit", limit=MAX_LISTS):
        rule(written)
    inner = "1#( " * MAX_LISTS + "y" + " )" * MAX_LISTS
    assert rule(inner).matches("a,b")


@pytest.mark.parametrize("lists", ["", "senders", None, 3])
def test_other_forms_are_refused(lists: object) -> None:
    code = "argument-choice" if isinstance(lists, str) else "argument-type"
    with raises((ValueError, TypeError), code, name="lists"):
        abnforge.loads('a = "b"\n', lists=lists)  # type: ignore[arg-type]
