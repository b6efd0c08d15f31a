"""Manual pages: one for each verb, as roff shows them to the letter."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_help import ALL
from tests.cli.tree import VERBS
from tests.law import each_row, one_in
from tools.man_pages import escaped, main, pages

PAGES = pages("2026-11-23")


def test_every_verb_has_its_page() -> None:
    assert set(PAGES) == {f"{'-'.join(('abnforge', *words))}.1" for words in VERBS}


@each_row("name", one_in(3, PAGES))
def test_sections(name: str) -> None:
    heads = re.findall(r"^\.SH (.*)$", PAGES[name], re.MULTILINE)
    assert heads[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
    assert heads[-1] == "SEE ALSO"
    assert {"OPTIONS", "EXAMPLES"} <= set(heads)
    assert len(set(heads)) == len(heads)


@each_row("name", one_in(3, PAGES))
def test_lines_are_text_or_requests_of_ours(name: str) -> None:
    """No line of help is taken for a request."""
    assert PAGES[name].isascii()
    requests = {line.split(" ")[0] for line in PAGES[name].splitlines() if line.startswith((".", "'"))}
    assert requests <= {".TH", ".SH", ".B", ".BR", ".TP", ".PP", ".nf", ".fi"}


@each_row(
    ("text", "shown"),
    [
        ("-x", "\\-x"),
        (".x", "\\&.x"),
        ("'x'", "\\(aqx\\(aq"),
        ("a\\b", "a\\eb"),
        ("^`~", "\\(ha\\(ga\\(ti"),
        ("é", "\\[u00E9]"),
    ],
)
def test_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_the_same_sources_make_the_same_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795392000")
    assert main([str(tmp_path / "made")]) == 0
    made = {path.name: path.read_text("ascii") for path in (tmp_path / "made").iterdir()}
    assert made == pages("2026-11-23")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["a", "b"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert "python tools/man_pages.py DIR" in capsys.readouterr().err


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("man")
    for name, text in PAGES.items():
        (path / name).write_text(text, "ascii")
    return path


CHECKERS = {"mandoc": ["-Tlint", "-Wwarning"], "groff": ["-man", "-ww", "-Tutf8", "-z"]}


@pytest.mark.parametrize("checker", CHECKERS)
def test_nothing_to_warn_of(checker: str, folder: Path) -> None:
    if shutil.which(checker) is None:
        pytest.skip(f"{checker} is not there")
    result = subprocess.run(
        [checker, *CHECKERS[checker], *sorted(PAGES)], cwd=folder, capture_output=True, text=True, timeout=100
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not there")
def test_examples_are_shown_to_the_letter(folder: Path) -> None:
    """Someone will copy them."""
    for words, verb in VERBS.items():
        name = f"{'-'.join(('abnforge', *words))}.1"
        result = subprocess.run(
            ["mandoc", "-Tascii", "-Owidth=200", name],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=100,
        )
        shown = re.sub(".\b", "", result.stdout)
        assert [line for own, line in ALL if own == words and line not in shown] == [], verb
