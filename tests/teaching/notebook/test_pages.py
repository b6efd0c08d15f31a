"""Every value that has a page: it says what it has to, safely, and not without bound."""

from __future__ import annotations

import pickle
import re
from functools import cache
from typing import Any

import pytest

import abnforge
from abnforge import conformance, uri
from abnforge.teaching import notebook
from abnforge.teaching.exercises.exercise import exercises
from abnforge.teaching.exercises.grading import grade
from abnforge.teaching.notebook.pages import PAGES, html_of
from abnforge.uri import rfc2396
from tests.teaching.notebook.looking import read

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


def test_octets_are_marked_where_they_stand() -> None:
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
