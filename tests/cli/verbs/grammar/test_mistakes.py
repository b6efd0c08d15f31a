"""``abnforge grammar mistakes``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import Seen, answers, run
from tests.explain.endpoints import ENDPOINT


def test_lists(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "endpoint.abnf"
    path.write_text(ENDPOINT)
    seen(run("grammar", "mistakes", str(path)).stdout.splitlines()[0])
    plain = json.loads(run("grammar", "mistakes", str(path), "--format", "json").stdout)
    assert [each["code"] for each in plain] == ["port-junk", "space-in-host", "space-in-label"]
    assert "\n## port-junk\n" in run("grammar", "mistakes", str(path), "-f", "markdown").stdout
    assert "  as ABNF:\n" in run("grammar", "mistakes", "-v", str(path)).stdout


def test_a_file_beside_the_grammar_and_one_more(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "word.abnf"
    path.write_text("word = 1*ALPHA\n")
    (tmp_path / "word.mistakes.abnf").write_text(";@ of word; blame all; fix none\ndigits = 1*DIGIT\n")
    (tmp_path / "own.abnf").write_text(";@ of word; blame all; fix none\ndashes = 1*%x2D\n")
    seen(run("grammar", "mistakes", str(path)).stdout)
    codes = run("grammar", "mistakes", str(path), "--mistakes", str(tmp_path / "own.abnf")).stdout
    assert [line.split(":")[0] for line in codes.splitlines()] == ["dashes", "digits"]
    checked = run("check", "-g", str(path), "--format", "jsonl", stdin="12\n").stdout
    assert json.loads(checked)["code"] == "digits"


def test_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.abnf"
    path.write_text(";@ of prot; blame all; fix none\nw = 1*ALPHA\n")
    result = run("grammar", "mistakes", "--mistakes", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {path}:2:1: ")
    answers(["grammar", "mistakes", "--mistakes", str(tmp_path / "os-error-file")], 2, "", "os-error-file")
