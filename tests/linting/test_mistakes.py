"""Lint of mistakes: in a file beside a grammar, and in a grammar's own text."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from abnforge import lint
from tests.places import ROOT

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


@pytest.mark.parametrize(("mistakes", "wanted"), TEXTS)
def test_a_file_beside_its_grammar(
    mistakes: str, wanted: list[tuple[str, int, int, str | None]], tmp_path: Path
) -> None:
    (tmp_path / "small.abnf").write_text(GRAMMAR, "utf-8")
    file = tmp_path / "small.mistakes.abnf"
    file.write_text(mistakes, "utf-8")
    found = lint(file)
    assert [(each.name, each.line, each.column, each.witness) for each in found] == wanted
    assert {each.path for each in found} <= {str(file)}


@pytest.mark.parametrize(("mistakes", "wanted"), TEXTS)
def test_mistakes_in_the_text_of_their_grammar(
    mistakes: str, wanted: list[tuple[str, int, int, str | None]]
) -> None:
    found = lint(GRAMMAR + mistakes)
    assert [(each.name, each.line - 3, each.column, each.witness) for each in found] == wanted


def test_a_file_without_its_grammar_is_not_linted(tmp_path: Path) -> None:
    file = tmp_path / "small.mistakes.abnf"
    file.write_text(TEXTS[0][0], "utf-8")
    with pytest.raises(FileNotFoundError):
        lint(file)


@pytest.mark.slow
def test_the_files_that_are_here(tmp_path: Path) -> None:
    for name in ("rfc3986.abnf", "rfc3986.mistakes.abnf"):
        shutil.copy(ROOT / "grammars" / name, tmp_path)
    assert {each.name for each in lint(tmp_path / "rfc3986.mistakes.abnf")} == {"mistake-overlap"}
