"""Mistakes of one grammar taken over by another."""

from __future__ import annotations

import copy
import pickle

import pytest

import abnforge
from abnforge.errors import GrammarError
from abnforge.explain.bind import bind_mistakes
from abnforge.explain.mistakes import Adoption, Mistakes
from abnforge.explain.mistakes_file import read_mistakes, with_inherited
from abnforge.explain.reading import Interpreter
from tests.law import each_row
from tests.raising import raises

OTHERS = """
;@ of port; blame junk.2 junk; fix digits encode(junk, ok) subst(junk, "x"); about host; inner digits
;@ say "a {host} or {{port}} has no {junk}"
;@ example port "a" -> "1"; near host "b"
port-junk = digits junk [ host junk ]
digits = *DIGIT
junk = 1*odd
odd = ALPHA
ok = "x" / odd
;@ before * port; blame all; fix ""; code blank
blank-before = 1*gap
gap = SP
"""

FILE = """
; a file
;@ adopt other
;@ without blank-before
;@ as port haven host Wirt

;@ of haven; blame all; fix none
haven-empty = ""
"""


def find(name: str) -> Mistakes | None:
    return read_mistakes(OTHERS) if name == "other" else None


def test_what_is_taken_over_is_about_the_rules_of_the_other_names() -> None:
    own = read_mistakes(FILE)
    assert own.adopts == (Adoption("other", ("blank-before",), (), (("port", "haven"), ("host", "Wirt"))),)
    made = with_inherited(own, find)
    assert [mistake.code for mistake in made.mistakes] == ["haven-empty", "port-junk"]
    assert [mistake.order for mistake in made.mistakes] == [0, 1]
    assert [rule.name for rule in made.helpers] == ["digits", "junk", "odd", "ok"]
    by_hand = (
        OTHERS.replace("of port", "of haven").replace("about host", "about Wirt").replace("{host}", "{wirt}")
    )
    by_hand = by_hand.replace("[ host", "[ Wirt").replace("example port", "example haven")
    (taken,) = read_mistakes(by_hand.replace("near host", "near Wirt")).mistakes[:1]
    adopted = made.mistakes[1]
    assert (adopted.targets, adopted.blame, adopted.fix, adopted.about, adopted.inner, adopted.say) == (
        (taken.targets, taken.blame, taken.fix, taken.about, taken.inner, taken.say)
    )
    assert (adopted.examples, adopted.near) == (taken.examples, taken.near)


def test_it_is_read_by_the_other_grammar() -> None:
    grammar = abnforge.loads('ort = Wirt ":" haven\nWirt = *ALPHA\nhaven = *DIGIT\n')
    made = bind_mistakes(with_inherited(read_mistakes(FILE), find), grammar.compilation.bound)
    assert Interpreter(made, "ort").interpret("a:1x").codes == ("port-junk",)


def test_some_alone_are_taken_over() -> None:
    made = with_inherited(read_mistakes(";@ adopt other; only blank-before\n\nx = SP\n"), find)
    assert [mistake.code for mistake in made.mistakes] == ["blank"]
    assert [rule.name for rule in made.helpers] == ["x", "gap"]


def test_an_example_that_is_none_here_is_left_out() -> None:
    (written,) = (each.examples for each in read_mistakes(OTHERS).mistakes if each.code == "port-junk")
    file = FILE.replace(";@ as", f';@ without-example "{written[0].wrong}"\n;@ as')
    adopted = with_inherited(read_mistakes(file), find).mistakes[1]
    assert [each.wrong for each in adopted.examples] == [each.wrong for each in written[1:]]


def test_nothing_is_taken_over_unasked() -> None:
    own = read_mistakes(OTHERS)
    assert own.adopts == ()
    assert with_inherited(own, find) is own


# The head of a file, and the code of the message; None for errors of other packages.
ERRORS = [
    (";@ adopt another", "adopted-grammar-unknown"),
    (';@ adopt other; without-example "8"', "adopted-example-unknown"),
    (";@ adopt other; without blank-befor", "adopted-mistake-unknown"),
    (";@ adopt other; only blank", "adopted-mistake-unknown"),
    (";@ without blank-before", "directive-without-adopt"),
    (";@ adopt other; adopt other", "directive-misplaced"),
    (";@ adopt other; cost 2", "directive-misplaced"),
    (";@ adopt other; as port", None),
    (";@ adopt", None),
    (";@ adopt other\nx = y", "directive-of-file"),
]


@each_row(("head", "code"), ERRORS)
def test_errors(head: str, code: str | None) -> None:
    with pytest.raises(GrammarError) as raised:
        with_inherited(read_mistakes(f"{head}\n\ny = SP\n"), find)
    assert raised.value.code == "mistake-directive"
    assert code is None or getattr(raised.value.message, "code", None) == code


def test_close_names_are_suggested() -> None:
    with raises(GrammarError, "adopted-mistake-unknown", near=["blank-before"]):
        with_inherited(read_mistakes(";@ adopt other; without blank-befor\n\ny = SP\n"), find)


@pytest.mark.slow
def test_users_take_over_what_is_shipped() -> None:
    text = ";@ adopt rfc3986\n;@ without scp-address\n\n"
    grammar = abnforge.loads(abnforge.load("rfc3986").source.text, mistakes=text)
    assert "space-in-path" in grammar.codes
    assert "scp-address" not in grammar.codes


def test_what_is_taken_over_travels() -> None:
    made = read_mistakes(FILE)
    for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert again == made


def test_what_is_taken_over_is_not_complete() -> None:
    """The file says that of its own grammar; who takes over says it again."""
    complete = read_mistakes(";@ complete\n\n" + OTHERS)
    for head, said in (("", False), (";@ complete\n\n", True)):
        made = with_inherited(read_mistakes(f"{head};@ adopt other\n\n"), lambda _: complete)
        assert (made.complete, len(made.mistakes)) == (said, len(complete.mistakes))
