"""Options that verbs share: completion, and what they offer."""

from __future__ import annotations

import pytest

from abnforge.cli.app import cli
from abnforge.engine import ENGINES
from tests.cli.command import offered, run


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


@pytest.mark.parametrize("verb", ["explain", "parse"])
def test_arguments_that_are_files_are_completed(verb: str) -> None:
    from click.shell_completion import ShellComplete

    complete = ShellComplete(cli, {}, "abnforge", "_ABNFORGE_COMPLETE")
    assert complete.get_completions([verb], "a") == []
    [item] = complete.get_completions([verb, "--whole-file"], "a")
    assert (item.value, item.type) == ("a", "file")
    ends = complete.get_completions([verb, "--whole-file", "--newline"], "")
    assert [item.value for item in ends] == ["crlf", "lf", "keep"]


@pytest.mark.parametrize("verb", ["check", "explain", "parse"])
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--whole-file", "--null"), "--null cuts a file into strings, --whole-file does not: give one"),
        (("--whole-file", "--max-line-bytes", "9"), "with --whole-file, give --max-file-bytes"),
        (("--newline", "keep"), "--newline is for --whole-file"),
        (("--max-file-bytes", "9"), "--max-file-bytes is for --whole-file"),
        (("--whole-file", "-", "-"), "name it once"),
        (("--whole-file", "--newline", "cr"), "'cr' is not one of 'crlf', 'lf', 'keep'"),
    ],
)
def test_options_that_contradict_each_other(verb: str, arguments: tuple[str, ...], told: str) -> None:
    result = run(verb, *arguments, stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


@pytest.mark.parametrize("verb", ["check", "explain", "parse"])
def test_the_engines_offered_are_the_library_s(verb: str) -> None:
    assert offered("engine", verb) == list(ENGINES)
