"""``abnforge server`` is started by editors. tests/integrations tests a session."""

from __future__ import annotations

import sys

import pytest

from tests.cli.command import Seen, fails, run


def test_help_says_what_it_needs(seen: Seen) -> None:
    result = run("server", "--help")
    assert result.exit_code == 0
    seen(result.stdout)


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("abnforge.integrations.language_server", raising=False)
    monkeypatch.setitem(sys.modules, "abnforge.integrations.language_server", None)
    result = run("server")
    assert result.exit_code == 2
    fails(result, "extra-missing", package="abnforge.integrations.language_server", extra="server")
