"""Lint of mistakes in a file next to a grammar, and in the grammar itself."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abnforge import lint
from tests.law import each_row
from tests.places import ROOT
from tests.raising import raises

GRAMMAR = 'host = name [ ":" port ]\nname = 1*ALPHA\nport = *DIGIT\n'

# mistakes, and the findings: name, line, column, witness
TEXTS = [
    (';@ of port; blame all; fix ""\nword = 1*ALPHA\n', []),
    (";@ of port; blame all\nword = 1*ALPHA\n", [("mistake-directive", 2, 1, None)]),
    (";@ of prt; blame all; fix none\nword = 1*ALPHA\n", [("undefined-rule", 2, 1, None)]),
    (";@ of port; blame all; fix none\nword = ALPHA ;\nname /\n", [("syntax-error", 3, 6, None)]),
    (';@ of port; blame all; fix "x"\nword = 1*ALPHA\n', [("mistake-fix", 2, 1, "x")]),
    (
        ';@ of port; blame all; fix ""\nword = 1*ALPHA\n;@ of port; blame all; fix "x"\none = ALPHA / "1"\n',
        [("mistake-fix", 4, 1, "x"), ("mistake-overlap", 4, 1, "1"), ("mistake-overlap", 4, 1, "a")],
    ),
]


@pytest.mark.parametrize(("mistakes", "expected"), TEXTS)
def test_a_file_next_to_its_grammar(
    mistakes: str, expected: list[tuple[str, int, int, str | None]], tmp_path: Path
) -> None:
    (tmp_path / "small.abnf").write_text(GRAMMAR, "utf-8")
    file = tmp_path / "small.mistakes.abnf"
    file.write_text(mistakes, "utf-8")
    findings = lint(file)
    assert [(each.name, each.line, each.column, each.witness) for each in findings] == expected
    assert {each.path for each in findings} <= {str(file)}


@each_row(("mistakes", "expected"), TEXTS)
def test_mistakes_in_the_text_of_their_grammar(
    mistakes: str, expected: list[tuple[str, int, int, str | None]]
) -> None:
    findings = lint(GRAMMAR + mistakes)
    assert [(each.name, each.line - 3, each.column, each.witness) for each in findings] == expected


def test_a_file_without_its_grammar_is_not_linted(tmp_path: Path) -> None:
    file = tmp_path / "small.mistakes.abnf"
    file.write_text(TEXTS[0][0], "utf-8")
    with raises(FileNotFoundError, "mistakes-grammar-unknown", file=str(tmp_path / "small.abnf")) as caught:
        lint(file)
    assert caught.value.filename == str(tmp_path / "small.abnf")


# mistakes files of bundled grammars, and the findings
ABOUT_URIS = [
    (';@ of port; blame all; fix ""\nword = 1*ALPHA\n', []),
    (';@ of prt; blame all; fix ""\nword = 1*ALPHA\n', ["undefined-rule"]),
    (';@ of port; blame all; fix "x"\nword = 1*ALPHA\n', ["mistake-fix"]),
]


@pytest.mark.parametrize(("text", "expected"), ABOUT_URIS)
def test_a_file_named_after_a_bundled_grammar(text: str, expected: list[str], tmp_path: Path) -> None:
    file = tmp_path / "rfc3986.mistakes.abnf"
    file.write_text(text, "utf-8")
    assert [each.name for each in lint(file)] == expected
    # A grammar next to the file takes precedence.
    (tmp_path / "rfc3986.abnf").write_text(GRAMMAR.replace("port", "prt"), "utf-8")
    assert [each.name for each in lint(file)] == (
        [] if expected == ["undefined-rule"] else ["undefined-rule"]
    )


def test_findings_have_their_line_of_the_file_that_they_are_in(tmp_path: Path) -> None:
    grammar, file = tmp_path / "small.abnf", tmp_path / "small.mistakes.abnf"
    grammar.write_text(GRAMMAR, "utf-8")
    file.write_text(";@ of prt; blame all; fix none\nword = 1*ALPHA\n", "utf-8")
    assert [(each.path, each.excerpt) for each in lint(file)] == [(str(file), "word = 1*ALPHA")]
    file.write_text(";@ of port; blame all\nword = 1*ALPHA\n", "utf-8")
    assert [(each.path, each.excerpt) for each in lint(file)] == [(str(file), "word = 1*ALPHA")]
    file.write_text(TEXTS[0][0], "utf-8")
    grammar.write_text(GRAMMAR + "path = pth\n", "utf-8")
    assert [(each.path, each.excerpt) for each in lint(file)] == [(str(grammar), "path = pth")]


def test_mistakes_of_bundled_grammars_are_inherited_without_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rfc3986.mistakes.abnf"
    head = ";@ adopt rfc3987\n;@ only {}\n\n"
    file.write_text(head.format("no-such") + ABOUT_URIS[0][0], "utf-8")
    first = lint(file)[0]
    assert (first.name, first.line) == ("mistake-directive", 1)


@pytest.mark.slow
def test_the_files_that_are_here(tmp_path: Path) -> None:
    for name in ("rfc3986.abnf", "rfc3986.mistakes.abnf"):
        shutil.copy(ROOT / "grammars" / name, tmp_path)
    assert {each.name for each in lint(tmp_path / "rfc3986.mistakes.abnf")} == {"mistake-overlap"}
