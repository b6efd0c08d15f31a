"""The command as a whole: its verbs, their help, its version."""

from __future__ import annotations

import pytest

from abnforge.cli.app import cli
from abnforge.cli.verbs.exercise import exercise
from abnforge.cli.verbs.grammar import grammar
from tests.cli.command import run


def test_an_unknown_verb_is_wrong_usage() -> None:
    assert run("chekc").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["chekc"], "check"),
        (["grammar", "shwo"], "show"),
        (["exercise", "chekc"], "check"),
    ],
)
def test_near_misses(arguments: list[str], near: str) -> None:
    assert near in run(*arguments, stdin="").stderr


@pytest.mark.parametrize(
    "verb",
    [
        *([verb] for verb in cli.verbs),
        *(["grammar", verb] for verb in grammar.verbs),
        *(["exercise", verb] for verb in exercise.verbs),
    ],
)
def test_help_has_examples(verb: list[str]) -> None:
    assert run(*verb, "-h").stdout == run(*verb, "--help").stdout
    assert "Examples:\n" in run(*verb, "-h").stdout


def test_version() -> None:
    from abnforge import __version__

    assert run("--version").stdout == f"abnforge {__version__}\n"
