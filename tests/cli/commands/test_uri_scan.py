"""``abnforge uri scan``: positions, formats, exit statuses."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.cli.command import Seen
from tests.cli.command import run as command

run = partial(command, "uri", "scan")

TEXT = """\
First <http://a/b-
  c>, then http://u:secret@h/x|y.

\u2028 (mailto:a@b)
"""


def test_text(seen: Seen) -> None:
    result = run(stdin=TEXT)
    seen(result.stdout)
    assert result.stderr == "3 URIs found\n"
    assert result.exit_code == 0


def test_uris_can_be_checked() -> None:
    assert (
        run("--format", "uris", "-q", stdin=TEXT).output == "http://a/b-c\nhttp://u:secret@h/x\nmailto:a@b\n"
    )


def test_json_lines() -> None:
    first, second, third = map(json.loads, run("--format", "jsonl", stdin=TEXT).stdout.splitlines())
    assert first == {
        "source": "<stdin>",
        "line": 1,
        "column": 8,
        "uri": "http://a/b-c",
        "wrapper": "angle-brackets",
        "prefix": False,
        "joined": True,
        "cut": False,
        "pieces": [{"line": 1, "column": 8, "end_column": 19}, {"line": 2, "column": 3, "end_column": 4}],
        "hyphens": [{"line": 1, "column": 18}],
        "without_hyphens": "http://a/bc",
    }
    assert (second["cut"], second["wrapper"], third["without_hyphens"]) == (True, "plain", None)


@pytest.mark.parametrize("report_format", ["text", "uris", "jsonl"])
def test_passwords_are_masked_on_request(report_format: str) -> None:
    output = run("--mask-passwords", "--format", report_format, stdin=TEXT).output
    assert "secret" not in output
    assert "u:******@h" in output


def test_schemes() -> None:
    assert run("-q", stdin="a:b C:d").output == ""
    assert run("-q", "--add-scheme", "c", stdin="a:b C:d").output == "<stdin>:1:5: C:d\n"
    assert run("-q", "--any-scheme", stdin="a:b C:d").output == "<stdin>:1:1: a:b\n<stdin>:1:5: C:d\n"


def test_lines_that_are_no_text_are_named_and_the_others_scanned(seen: Seen) -> None:
    result = run("--max-bytes", "20", stdin=b"<http://a/\n\xff\nb> http://c/\n" + b"x" * 21)
    assert result.stdout == "<stdin>:1:2: http://a/\n<stdin>:3:4: http://c/\n"
    seen(result.stderr)
    seen(result.stderr)
    assert result.exit_code == 1


def test_files(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("<http://a/\n")
    two.write_bytes(b"\r\nb> <http://b/\r\nc>")
    result = run(str(one), "no-such-file", str(two))
    assert [line.split(" ")[1] for line in result.stdout.splitlines()] == ["http://a/", "http://b/c"]
    assert result.exit_code == 2


def test_a_long_text_is_scanned_in_blocks(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    monkeypatch.setattr(sys.modules["abnforge.uri.scan"], "MAX_BLOCK_CHARS", 10)
    result = run("-q", stdin="<http://a/\nb>\n<http://c/\nd>\n")
    seen(result.stdout)
