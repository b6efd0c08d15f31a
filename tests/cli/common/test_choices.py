"""Choices that are made by the library when they are needed."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from abnforge.cli.common.choices import LateChoice


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def command(asked: list[str]) -> click.Command:
    def names() -> list[str]:
        asked.append("names")
        return ["one", "two"]

    @click.command()
    @click.option("--number", type=LateChoice(names))
    @click.option("--flag", is_flag=True)
    def command(number: str | None, flag: bool) -> None:
        click.echo(f"{number} {flag}")

    return command


def test_nobody_is_asked_without_need(command: click.Command, asked: list[str]) -> None:
    assert CliRunner().invoke(command, ["--flag"]).output == "None True\n"
    assert asked == []


def test_the_names_are_asked_for_once(command: click.Command, asked: list[str]) -> None:
    assert CliRunner().invoke(command, ["--number", "two"]).output == "two False\n"
    assert "'one', 'two'" in CliRunner().invoke(command, ["--number", "three"]).output
    assert "[one|two]" in CliRunner().invoke(command, ["--help"]).output
    assert asked == ["names"]
