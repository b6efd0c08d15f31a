"""The implementation that a command line names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from abnforge.cli.commands.conform import implementation
from abnforge.cli.common.errors import UsageError
from tests.raising import raises

PLAIN = {
    "pattern": None,
    "dialect": "python",
    "how": "search",
    "flags": "",
    "rule": None,
    "raises": False,
    "protocol": "exit",
    "stdin": False,
    "seconds": 5.0,
    "jobs": 1,
}


def test_a_function_in_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_this_folder.py").write_text("class Checks:\n    ok = staticmethod(str.isdigit)\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    with implementation((), function="of_this_folder:Checks.ok", **PLAIN) as (judge, name):  # type: ignore[arg-type]
        assert judge("1")
        assert not judge("x")
    assert name == "of_this_folder:Checks.ok"
    assert sys.path == before


def test_a_program_is_called_as_a_shell_would() -> None:
    with implementation(("echo", "a b"), function=None, **PLAIN) as (judge, name):  # type: ignore[arg-type]
        assert name == "echo 'a b'"
        assert judge("x")


def test_one_is_named() -> None:
    with (
        raises(UsageError, "implementation-missing"),
        implementation(("true",), function="a:b", **PLAIN),  # type: ignore[arg-type]
    ):
        raise AssertionError
