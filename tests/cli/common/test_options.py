"""Options that verbs share: completion, and what they offer."""

from __future__ import annotations

import pytest

from abnforge.cli.app import cli
from abnforge.engine import ENGINES
from tests.cli.command import offered


def test_completion() -> None:
    from click.shell_completion import ShellComplete

    complete = ShellComplete(cli, {}, "abnforge", "_ABNFORGE_COMPLETE")
    grammars = [item.value for item in complete.get_completions(["check", "--grammar"], "rfc39")]
    assert "rfc3986" in grammars
    rules = [item.value for item in complete.get_completions(["check", "-g", "rfc2396", "--rule"], "abs")]
    assert rules == ["absoluteURI", "abs-path"]
    assert complete.get_completions(["check", "-g", "no-such", "--rule"], "a") == []
    shown = [item.value for item in complete.get_completions(["grammar", "show"], "IPv4")]
    assert shown == ["IPv4address"]


@pytest.mark.parametrize("verb", ["check", "explain", "parse"])
def test_the_engines_offered_are_the_library_s(verb: str) -> None:
    assert offered("engine", verb) == list(ENGINES)
