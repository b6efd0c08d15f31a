"""Inputs of lint: strings, files, grammars, ``;@ allow``, examples, and the notation of RFC 2396."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge import lint
from abnforge.grammar.source_map import apply
from tests.law import each_row
from tests.raising import raises


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "x.abnf"
    path.write_bytes(b"a = *( *DIGIT )\n")
    [finding] = abnforge.lint(path)
    assert (finding.path, finding.line, finding.excerpt) == (str(path), 1, "a = *( *DIGIT )")
    assert abnforge.lint(abnforge.load(path)) == [finding]
    path.write_bytes(b"a = \xff\n")
    assert [(f.name, f.line, f.column) for f in abnforge.lint(path)] == [("syntax-error", 1, 5)]
    path.write_bytes(b"a = DIGIT ;" + b" " * (4 << 20))
    assert [(f.name, f.line) for f in abnforge.lint(path)] == [("file-too-large", 0)]
    with pytest.raises(FileNotFoundError):
        abnforge.lint(tmp_path / "missing.abnf")
    with raises(TypeError, "argument-type", name="source"):
        abnforge.lint(b"a = DIGIT\n")  # type: ignore[arg-type]


def test_several_errors_are_findings_in_the_order_of_the_text() -> None:
    findings = lint('a = c\nb = "x" /\nd = %x9-1\n')
    assert [(f.name, f.line) for f in findings] == [
        ("undefined-rule", 1),
        ("syntax-error", 2),
        ("empty-range", 3),
    ]


def test_an_empty_string_is_one_finding() -> None:
    assert [f.name for f in lint("")] == ["syntax-error"]


@pytest.mark.parametrize("text", [';@ except a\na = "x" |\n', 'b = "y"\n;@ except b\na = "x" /\n'])
def test_a_comment_of_a_malformed_rule_is_no_finding(text: str) -> None:
    assert "except-directive" not in {finding.name for finding in abnforge.lint(text)}


ACCEPTED = [
    "; abnforge: allow nullable-loop (on purpose)\na = *( *DIGIT )\n",
    "; Section 1\n; abnforge: allow ambiguous, NULLABLE-LOOP (on purpose)\n; more\na = *( *DIGIT ) [DIGIT]\n",
    "a = *( *DIGIT ) ; abnforge: allow nullable-loop (on purpose)\n",
    "a = *( *DIGIT )\n    ; abnforge: allow nullable-loop (on purpose)\nb = a\n",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    findings = lint(text)
    assert {(f.accepted, f.counts) for f in findings} == {("on purpose", False)}


NOT_ACCEPTED = [
    ("; abnforge: allow nullable-loop (on purpose)\n\na = *( *DIGIT )\n", "useless-allow-misplaced"),
    ("; abnforge: allow nullable-loop\na = *( *DIGIT )\n", "useless-allow-unexplained"),
    ("; abnforge: allow nullable-loop ()\na = *( *DIGIT )\n", "useless-allow-unexplained"),
    ("; abnforge: allow (on purpose)\na = *( *DIGIT )\n", "useless-allow-nameless"),
    ('; abnforge: allow nullable-loop (on purpose)\nb = "."\na = *( *DIGIT ) b\n', "useless-allow"),
    ('a = *( *DIGIT )\nb = a "." ; abnforge: allow nullable-loop (on purpose)\n', "useless-allow"),
    ('a = *( *DIGIT )\nb = a "; abnforge: allow nullable-loop (on purpose)"\n', None),
]


@each_row(("text", "code"), NOT_ACCEPTED)
def test_not_accepted(text: str, code: str | None) -> None:
    findings = lint(text)
    assert [f.accepted for f in findings if f.name == "nullable-loop"] == [None]
    assert [f.message.code for f in findings if f.name == "useless-allow"] == ([code] if code else [])


CASES = [
    (';@ match "80"\nport = *DIGIT\n', []),
    (';@ match "x"\nport = *DIGIT\n', []),  # reported by ``abnforge test``
    ("port = *DIGIT ;@ no-match 80\n", [(1, 27, 29)]),
    (';@ match "80"\n\nport = *DIGIT\n\n;@ mtach "81"\n', [(1, 1, 14), (5, 1, 14)]),
    (';@ macth "80"\nport = *DIGIT\n', [(1, 4, 9)]),
    (";@ allow unused-rule (why)\n;@ import rfc3986: host\nport = DIGIT host\n", []),
]


@each_row(("text", "places"), CASES)
def test_findings(text: str, places: list[tuple[int, int, int]]) -> None:
    findings = abnforge.lint(text)
    assert {each.name for each in findings} <= {"example-directive"}
    assert [(each.line, each.column, each.end_column) for each in findings] == places
    assert all(each.severity == "error" and each.excerpt for each in findings)


def test_next_to_mistakes_and_in_their_files(tmp_path: Path) -> None:
    text = (
        'port = *DIGIT ;@ match "80"\n\n'
        ';@ match "x"\n;@ of port; blame all; fix none; say "letters"\nword = 1*ALPHA\n'
    )
    [result] = abnforge.lint(text)
    assert (result.name, result.line) == ("example-directive", 3)
    assert (result.message.code, result.message.data) == ("example-of-mistake", {"name": "word"})
    path = tmp_path / "p.abnf"
    path.write_text(text)
    assert [each.name for each in abnforge.lint(path)] == ["example-directive"]


NAMES = {"bar-notation", "underscore-name"}
# source; name, line and column of each finding; the source after all edits
FOUND = [
    ('a = "x" | "y" | "z"\n', [("bar-notation", 1, 9)], 'a = "x" / "y" / "z"\n'),
    ("a_b = DIGIT\nc = a_b <a_b>\n", [("underscore-name", 1, 1)], "a-b = DIGIT\nc = a-b <a-b>\n"),
    (
        'a = b_c | "|" ; |\nb_c = 1*DIGIT\n',
        [("bar-notation", 1, 9), ("underscore-name", 1, 5)],
        'a = b-c / "|" ; |\nb-c = 1*DIGIT\n',
    ),
    (
        'a = "x"b | <"> | <US-ASCII coded characters 00-1F and 7F hexadecimal>\nb = DIGIT\n',
        [("bar-notation", 1, 10)],
        'a = "x" b / %x22 / ( %x00-1F / %x7F )\nb = DIGIT\n',
    ),
    ("a_b = DIGIT / a-b\na-b = ALPHA\n", [("underscore-name", 1, 1)], None),  # the name already exists
]


@each_row(("text", "places", "fixed"), FOUND)
def test_found(text: str, places: list[tuple[str, int, int]], fixed: str | None) -> None:
    findings = [finding for finding in lint(text) if finding.name in NAMES]
    assert sorted((f.name, f.line, f.column) for f in findings) == sorted(places)
    edits = {edit for finding in findings for edit in finding.edits}
    assert (apply(text, edits) if edits else None) == fixed
    assert all(abnforge.loads(apply(text, finding.edits)) for finding in findings)
    if fixed is not None:
        before, after = abnforge.loads(text), abnforge.loads(fixed, dialect="abnf")
        for rule in before.own_rules:
            assert abnforge.compare(rule, after[rule.name.replace("_", "-")]).relation == "equal"


@each_row("text", [text for text, *_ in FOUND])
def test_not_where_the_text_is_said_to_be_meant_so(text: str) -> None:
    assert not NAMES & {finding.name for finding in lint(text, dialect="rfc822")}
    assert not NAMES & {finding.name for finding in abnforge.loads(text, dialect="rfc822").lint()}
    assert NAMES & {finding.name for finding in abnforge.loads(text).lint()}


def test_next_to_errors_too() -> None:
    names = [finding.name for finding in lint("a = b | ( c\n")]
    assert names == ["bar-notation", "syntax-error"]


@each_row("text", ['a = "|" ; |\n', "a = <x|y>\n", 'a = "x_y" ; a_b = c\n'])
def test_not_found(text: str) -> None:
    assert not NAMES & {finding.name for finding in lint(text)}


def test_other_dialects_are_rejected() -> None:
    with raises(ValueError, "argument-choice", name="dialect", value="bnf"):
        lint("a = DIGIT\n", dialect="bnf")
