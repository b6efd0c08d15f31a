"""``grammar language-server``: it is started by editors; tests/integrations has a session with it."""

from __future__ import annotations

import sys

import pytest

from tests.cli.command import run


def test_help_says_what_it_needs() -> None:
    result = run("grammar", "language-server", "--help")
    assert result.exit_code == 0
    assert "abnforge[language-server]" in result.stdout


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "abnforge.integrations.language_server", None)
    result = run("grammar", "language-server")
    assert result.exit_code == 2
    assert "pip install 'abnforge[language-server]'" in result.stderr
