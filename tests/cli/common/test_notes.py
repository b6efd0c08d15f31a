"""Notes where a file may have been meant for a string, or a string for a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("links.txt").write_text("a b\n", "utf-8")
    Path("own.abnf").write_text("start = 1*ALPHA\n", "utf-8")


@pytest.mark.parametrize("verb", ["explain", "parse"])
def test_a_string_that_is_a_file(verb: str) -> None:
    told = (
        "abnforge: links.txt was judged as a string, and is a file; to judge its lines: "
        "abnforge check links.txt"
    )
    result = run(verb, "http://h/", "links.txt")
    assert result.exit_code == 1
    assert told in result.stderr.splitlines()
    for arguments in (["other.txt"], ["--rule", "relative-ref", "links.txt"], ["--whole-file", "links.txt"]):
        assert "is a file;" not in run(verb, *arguments).stderr


def test_a_grammar_judged_as_uris() -> None:
    told = "own.abnf looks like a grammar, and its lines were judged as URIs"
    assert told in run("check", "own.abnf").stderr
    for arguments in (["links.txt"], ["--grammar", "rfc3986", "own.abnf"], ["-"]):
        assert "looks like a grammar" not in run("check", *arguments, stdin="a b\n").stderr
