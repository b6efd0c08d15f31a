"""Grammars and rules: their text with what it is made of told apart."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.teaching.notebook.pages import grammar_html, rule_html, source_html
from tests.law import one_in
from tests.teaching.notebook.looking import read

TEXT = 'a = "b;c" b ; "no string"\nb = %x41-5A / <p> ; end\n'


def test_the_text_is_all_there() -> None:
    assert read(source_html(TEXT)).text == TEXT
    assert source_html("") == ""


def test_what_it_is_made_of_is_told_apart() -> None:
    html = source_html(TEXT)
    spans = [piece.partition("</span>")[0].partition(">") for piece in html.split("<span ")[1:]]
    assert [(style.partition(":")[0], text) for style, _, text in spans] == [
        ('style="font-weight', "a"),
        ('style="background', "&quot;b;c&quot;"),
        ('style="font-style', "; &quot;no string&quot;"),
        ('style="font-weight', "b"),
        ('style="background', "%x41-5A"),
        ('style="background', "&lt;p&gt;"),
        ('style="font-style', "; end"),
    ]


def test_long_texts_are_cut() -> None:
    assert "... 801 more lines" in read(source_html("a = b\n" * 1_000)).text
    assert read(source_html("; " + "x" * 1_000)).text.endswith(" ...")


@pytest.mark.parametrize("name", one_in(4, abnforge.grammar_names()))
def test_bundled_grammars(name: str) -> None:
    grammar = abnforge.load(name)
    assert name in read(grammar_html(grammar)).text
    assert grammar.start.name in read(rule_html(grammar.start)).text


@pytest.mark.parametrize(("text", "count"), [('a = "b"\n', "1 rule"), ('a = b\nb = "c"\n', "2 rules")])
def test_rules_are_counted(text: str, count: str) -> None:
    grammar = abnforge.loads(text)
    assert repr(grammar) == f"<Grammar <string>: {count}>"
    assert f"{count};" in read(grammar_html(grammar)).text
