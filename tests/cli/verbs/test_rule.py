"""``abnforge rule``: codes of rejections and of findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import answers, run
from tests.mistakes.endpoints import ENDPOINT


@pytest.fixture
def endpoint(tmp_path: Path) -> str:
    path = tmp_path / "endpoint.abnf"
    path.write_text(ENDPOINT)
    return str(path)


def test_a_code_of_a_rejection(endpoint: str) -> None:
    text = run("rule", "--grammar", endpoint, "port-junk").stdout
    assert text.startswith("port-junk\n  a port has digits only, and no <junk>\n")
    [plain] = json.loads(run("rule", "-g", endpoint, "--format", "json", "PORT-JUNK").stdout)
    assert plain["code"] == "port-junk"
    assert "cannot be read" in run("rule", "unreadable-port").stdout


def test_a_code_of_a_finding() -> None:
    assert run("rule", "abnf012").stdout == run("grammar", "lint", "--explain", "ABNF012").stdout


def test_codes_that_there_are_not(endpoint: str) -> None:
    said = "endpoint has no code 'port-jnuk' ('abnforge grammar mistakes endpoint' lists them); did you mean "
    answers(["rule", "-g", endpoint, "port-jnuk"], 2, "", said + "port-junk?\n")
    answers(["rule", "-g", endpoint, "ABNF999"], 2, "", "endpoint has no code 'ABNF999'")
    answers(["rule"], 2, "", "Missing argument 'CODE...'")


def test_mistakes_of_a_file(endpoint: str, tmp_path: Path) -> None:
    more = tmp_path / "more.abnf"
    more.write_text(';@ of port; blame all; fix none; say "this is a star"\nstar = "*"\n')
    assert "this is a star" in run("rule", "-g", endpoint, "--mistakes", str(more), "star").stdout
