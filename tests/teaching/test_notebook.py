"""HTML views of values in notebooks: complete, escaped, of limited size, without passwords."""

from __future__ import annotations

import pickle
import re
from base64 import b64decode
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge import conformance, uri
from abnforge.teaching import notebook
from abnforge.teaching.exercises import exercises
from abnforge.teaching.grading import grade
from abnforge.teaching.notebook import (
    MAX_DRAWN,
    MAX_LINES,
    PAGES,
    grammar_html,
    html_of,
    rule_html,
    source_html,
)
from abnforge.uri import rfc2396
from tests.law import one_in
from tests.raising import raises
from tests.teaching.html_output import read

HOSTILE = "<script>alert(1)</script>&\"'\x00\x1b\u202e</pre><img src=x onerror=y>"
ANY = abnforge.loads("a = *%x0-10FFFF\n")["a"]
NONE = abnforge.loads('a = "x" ; ' + HOSTILE[:25] + "\n")["a"]
DATE = abnforge.load("rfc3339")["full-date"]
PORT = abnforge.rule("rfc3986:port")


@cache
def values() -> dict[str, Any]:
    return {
        "grammar": DATE.grammar,
        "rule": DATE,
        "tree": notebook.tree(DATE, "2026-11-23"),
        "rejection": DATE.explain("2026-1-23"),
        "comparison": abnforge.compare(DATE, PORT),
        "report": conformance.run(PORT, lambda text: re.fullmatch(r"\d+", text) is not None),
        "passed": conformance.run(PORT, re.compile("[0-9]*"), "quick"),
        "coverage": conformance.coverage(DATE, ["2026-11-23"]),
        "finding": abnforge.lint('a = "x\n')[0],
        "exercise": exercises()[0],
        "grade": grade(exercises()[0], "x = 1\n"),
        "uri": uri.parse("http://me:secret@h:80/a?q"),
        "authority": uri.parse("http://me:secret@h:80/a?q").authority_parts,
        "rfc2396": rfc2396.parse("http://me:secret@h/a;b"),
        "combined": PORT - abnforge.rule("rfc3986:scheme"),
    }


def test_each_value_has_a_page() -> None:
    assert [name for name, value in values().items() if not read(value._repr_html_()).text.strip()] == []


def test_each_kind_of_page_was_tried() -> None:
    assert [kind for kind in PAGES if not any(isinstance(value, kind) for value in values().values())] == []
    assert html_of("a str") is None


def test_passwords_are_not_shown() -> None:
    assert [name for name, value in values().items() if "secret" in (value._repr_html_() or "")] == []


def test_no_text_becomes_markup() -> None:
    rejection = NONE.explain(HOSTILE)
    assert rejection is not None
    hostile = [
        notebook.tree(ANY, HOSTILE),
        notebook.tree(ANY, HOSTILE, full=True),
        rejection,
        NONE.grammar,
        NONE,
        abnforge.compare(ANY, NONE),
        conformance.run(NONE, lambda text: True, "quick"),
        conformance.coverage(ANY, [HOSTILE]),
        abnforge.loads('a = "<script>" / <b onload=x>\n', name="<i>")["a"],
        abnforge.lint(f"a = {HOSTILE!r}\n")[0],
        grade(exercises()[0], HOSTILE),
        uri.parse("http://h/'&amp;"),
    ]
    for value in hostile:
        assert "<script" not in (value._repr_html_() or "")
        read(value._repr_html_())


def test_pages_are_bounded() -> None:
    many = abnforge.loads("".join(f"r{i} = r{i + 1}\n" for i in range(1_000)) + 'r1000 = "x"\n')
    wide = abnforge.loads("w = " + " / ".join(f'"{i}"' for i in range(4_000)) + "\n")["w"]
    long = "x" * 20_000
    rejection = PORT.explain("1" * 9_000 + "a" + "1" * 9_000)
    values = [
        many,
        wide,
        wide.grammar,
        notebook.tree(abnforge.loads("a = *b\nb = %x0-7F\n")["a"], long, full=True),
        rejection,
        conformance.coverage(abnforge.rule("rfc3986:URI"), []),
        uri.parse(f"http://{long}/{long}"),
        NONE.explain(long),
    ]
    for value in values:
        html = value._repr_html_()  # type: ignore[union-attr]
        reader = read(html)
        assert len(html or "") < 300_000
        assert "more" in reader.text or "..." in reader.text


def test_bytes_are_marked_where_they_stand() -> None:
    rejection = PORT.explain("é1".encode())
    assert rejection is not None
    assert "é1" in read(rejection._repr_html_()).text


def test_a_budget_that_does_not_suffice_leaves_the_repr() -> None:
    grammar = abnforge.loads("a = 5a a\n", budget=abnforge.Budget(steps=1))
    for value in (grammar, grammar["a"]):
        html = value._repr_html_()
        assert html is None or read(html)


def test_values_travel_as_before() -> None:
    for name, value in values().items():
        if name not in ("report", "passed"):
            assert pickle.loads(pickle.dumps(value))._repr_html_() == value._repr_html_()


def test_diagrams_where_the_library_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("railroad")
    assert DATE.name in read(DATE._repr_html_()).alternatives[0]
    monkeypatch.setitem(__import__("sys").modules, "railroad", None)
    assert read(DATE._repr_html_()).alternatives == []


def test_an_exercise_does_not_give_the_answer_away() -> None:
    for exercise in exercises():
        hidden = [exercise.reference, *exercise.hints, *(each.abnf for each in exercise.misconceptions)]
        for shown in (repr(exercise), read(exercise._repr_html_()).text):
            assert [each for each in hidden if each.strip() in shown] == []


TEXT = 'a = "b;c" b ; "no string"\nb = %x41-5A / <p> ; end\n'


def test_the_text_is_all_there() -> None:
    assert read(source_html(TEXT)).text == TEXT
    assert source_html("") == ""


def test_what_it_is_made_of_is_distinguished() -> None:
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


def test_long_strings_are_cut() -> None:
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


LIST = abnforge.loads('list = item *( "," item )\nitem = 1*ALPHA\n')["list"]


def test_a_tree_is_text_too(snapshot: SnapshotAssertion) -> None:
    tree = notebook.tree(LIST, "ab,c")
    assert str(tree) == snapshot
    assert str(notebook.tree(LIST, "ab,c", full=True)).count("\n") == len(tree.nodes) - 1
    assert repr(tree) == f"Tree(rule={LIST!r}, text='ab,c', full=False)"


def test_rejected_strings_have_no_tree() -> None:
    with pytest.raises(abnforge.Rejected):
        notebook.tree(LIST, "a,")
    with raises(TypeError, "argument-type", name="rule"):
        notebook.tree("list", "a")  # type: ignore[arg-type]


def test_a_small_tree_has_a_picture(snapshot: SnapshotAssertion) -> None:
    tree = notebook.tree(LIST, "ab,c")
    html = tree._repr_html_() or ""
    assert read(html).alternatives == snapshot
    [data] = html.split("base64,")[1:]
    assert b64decode(data.partition('"')[0]).decode() == tree.svg()
    assert ElementTree.fromstring(tree.svg()).tag.endswith("svg")


def test_a_large_one_has_its_first_lines() -> None:
    tree = notebook.tree(LIST, "ab," * 2_000 + "c")
    reader = read(tree._repr_html_())
    assert len(str(tree).splitlines()) == 4_002 > MAX_DRAWN
    assert f"... {4_002 - MAX_LINES:,} more lines" in reader.text
    assert reader.alternatives == []


OBJECTS = [
    uri.parse("http://me:secret@[::1]:80/<b>".replace("<b>", "a") + "?q=http://u:secret@h#f"),
    uri.parse("../a?q", "relative-ref"),
    uri.parse("http://me:secret@h/").authority_parts,
    rfc2396.parse("http://me:secret@h/a;b"),
    rfc2396.parse("mailto:a@b"),
]


@pytest.mark.parametrize("value", OBJECTS, ids=str)
def test_components(value: Any) -> None:
    html = value._repr_html_()
    text = read(html).text
    assert "secret" not in html
    assert type(value).__name__ in text
    for name in ("scheme", "host", "path", "query"):
        if hasattr(value, name):
            part = getattr(value, name)
            assert (name + ("undefined" if part is None else "")) in text
