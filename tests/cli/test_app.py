"""The top-level command: subcommands, help, version."""

from __future__ import annotations

import re
import shlex
import sys

import click
import pytest

from abnforge.cli.app import cli
from abnforge.cli.common.groups import CONTEXT
from abnforge.cli.common.misuse import called
from tests.cli.command import run
from tests.cli.command_tree import VERBS
from tests.law import each_row, one_in


def test_an_unknown_command_is_wrong_usage() -> None:
    assert run("chekc").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        (["chekc"], "command-unknown"),
        (["uri", "scna"], "command-unknown"),
        (["exercise", "chekc"], "command-unknown"),
    ],
)
def test_near_misses(arguments: list[str], near: str) -> None:
    assert run(*arguments, stdin="").code == near


@each_row(
    "verb",
    one_in(
        2,
        [
            *(list(words) for words in VERBS if words),
        ],
    ),
)
def test_help_has_examples(verb: list[str]) -> None:
    assert run(*verb, "-h").stdout == run(*verb, "--help").stdout
    assert "Examples:\n" in run(*verb, "-h").stdout


def test_commands_are_suggested_if_none_is_named() -> None:
    """A script without a command fails, but users see suggestions. Each suggested command exists."""
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    lines = result.stderr.splitlines()
    assert len(lines) < 20
    assert max(map(len, lines)) <= 100
    named = [re.split(r" {2,}", line.strip())[0] for line in lines if line.startswith("  abnforge ")]
    named += re.findall(r'"(abnforge [^"]*)"', result.stderr)
    assert len(named) >= 3
    for command in named:
        parsed(shlex.split(command)[1:])


def parsed(words: list[str]) -> None:
    """Parse a command line without running the command, and return its options and arguments."""
    path, verb = called(cli, words)
    assert path or words == ["--help"], words
    if path and not isinstance(verb, click.Group) and "--help" not in words:
        verb.make_context("abnforge", words[len(path) :], parent=click.Context(cli, **CONTEXT))


def test_version() -> None:
    """The version, the implementation and the Python are those of this process."""
    from abnforge import KERNEL, __version__

    implementation = "C extension" if KERNEL == "compiled" else "pure Python"
    python = f"{sys.implementation.name} {sys.version.split()[0]}"
    assert run("--version").stdout == f"abnforge {__version__} ({implementation}, {python})\n"
