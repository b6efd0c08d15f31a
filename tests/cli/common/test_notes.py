"""Notes where a file may have been meant for a string, or a string for a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import Seen, run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("links.txt").write_text("a b\n", "utf-8")
    Path("own.abnf").write_text("start = 1*ALPHA\n", "utf-8")


@pytest.mark.parametrize("verb", ["explain", "parse"])
def test_a_string_that_is_a_file(verb: str, seen: Seen) -> None:
    result = run(verb, "http://h/", "links.txt")
    assert result.exit_code == 1
    seen(result.stderr)
    for arguments in (["other.txt"], ["--rule", "relative-ref", "links.txt"], ["--whole-file", "links.txt"]):
        assert "note: " not in run(verb, *arguments).stderr


def test_a_grammar_judged_as_uris(seen: Seen) -> None:
    seen(run("check", "own.abnf").stderr)
    for arguments in (["links.txt"], ["--grammar", "rfc3986", "own.abnf"], ["-"]):
        assert "note: " not in run("check", *arguments, stdin="a b\n").stderr
