"""``abnforge uri compare``: equivalent URIs, errors, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import Result

from abnforge.uri import rfc2396
from abnforge.uri.rfc3986.equivalence import LEVELS
from abnforge.uri.rfc_differences import EDITIONS
from tests.cli.command import Seen, answers, fails, offered, run
from tests.law import each_row
from tests.reference.examples import BASE

STATUSES = [
    (["uri", "compare", "a b", "c"], 2, "", "uri-invalid"),
    (["uri", "compare", "--base", "x", "c", "c"], 2, "", "base-relative"),
    (["uri", "compare", "http://a", "HTTP://a:80/"], 0, "after normalization", ""),
    (["uri", "compare", "--level", "syntax", "http://a", "http://a:80/"], 1, "different at level syntax", ""),
    (["uri", "compare", "--no-fragment", "http://a/#b", "http://a/"], 0, "6.2.1", ""),
    (["uri", "compare", "--base", BASE, "../g", "/b/g"], 0, "6.2.1", ""),
]


@each_row(("arguments", "status", "output", "complaint"), STATUSES)
def test_exit_status(arguments: list[str], status: int, output: str, complaint: str) -> None:
    answers(arguments, status, output, complaint)


def test_json() -> None:
    data = json.loads(run("uri", "compare", "--format", "json", "http://a/?", "http://a/").stdout)
    assert data["differences"] == [{"component": "query", "left": "", "right": None}]


def test_compare_shows_no_password() -> None:
    result = run("uri", "compare", "http://u:secret@a/", "http://u:other@a/")
    assert "secret" not in result.output
    assert result.exit_code == 1


def test_the_levels_offered_are_the_library_s_without_the_one_that_needs_a_function() -> None:
    assert [level for level in LEVELS if level != "protocol"] == offered("level", "uri", "compare")


def test_the_editions_offered_are_the_library_s() -> None:
    assert offered("between", "uri", "compare") == list(EDITIONS)


def between(*arguments: str, stdin: str | None = None) -> Result:
    return run("uri", "compare", "--between", "rfc2396", "rfc3986", *arguments, stdin=stdin)


def test_between(seen: Seen) -> None:
    reasons = [rfc2396.explain(text, "URI-reference") for text in ("?y", "http://[::1]/")]
    assert all(reasons)
    _first, _second = (reason.message for reason in reasons if reason)
    result = between("--base", BASE, "?y", "http://[::1]/", "a")
    seen(result.stdout)
    seen(result.stderr)
    assert result.exit_code == 1


def test_between_reads_files(tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.write_bytes(b"mailto:a?b\n\xff\nfile:///\n")
    result = between("--file", str(links), "--format", "json")
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["changes"] == [
        {"aspect": "path", "old": "a?b", "new": "a"},
        {"aspect": "query", "old": None, "new": "b"},
    ]
    assert "links:2: byte 0xFF" in result.stderr
    assert result.exit_code == 1
    assert between("--file", str(links), "a").exit_code == 2
    assert between("--file", "no-such-file").exit_code == 2
    assert between(stdin="a\nfile:///\n").exit_code == 0


def test_between_shows_no_password() -> None:
    result = between("--base", BASE, "http://u:secret@a_b/", "//u:sec|ret@a_b/", "//u:secret@[::1]/")
    assert "a_b" in result.stdout
    assert "u:***@[::1]" in result.stdout
    assert "sec" not in result.output


def test_the_ladder_takes_two() -> None:
    result = run("uri", "compare", "a")
    assert result.exit_code == 2
    fails(result, "uris-required")
