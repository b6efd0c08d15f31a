"""click: options whose texts a rule derives."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

import abnforge
from abnforge.integrations.click import AbnfType


@click.command()
@click.argument("url", type=AbnfType("rfc3986:URI"))
@click.option("--port", type=AbnfType("rfc3986:port"), default=None)
def command(url: str, port: str | None) -> None:
    click.echo(f"{url} {port}")


def why(rule: str, text: str) -> str:
    """The message that abnforge has for a text."""
    rejection = abnforge.rule(f"rfc3986:{rule}").explain(text)
    assert rejection is not None
    return rejection.message_with_position


@pytest.mark.parametrize(
    ("arguments", "status", "output"),
    [
        (["HTTP://a/"], 0, "HTTP://a/ None\n"),
        (["a:", "--port", "80"], 0, "a: 80\n"),
        (["http://h:80x/"], 2, f"'URL': {why('URI', 'http://h:80x/')}\n"),
        (["a:", "--port", "x"], 2, f"'--port': {why('port', 'x')}\n"),
        (["--help"], 0, "--port PORT"),
    ],
)
def test_commands(arguments: list[str], status: int, output: str) -> None:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == status
    assert output in result.output


def test_a_wrong_rule_is_told_at_once() -> None:
    with pytest.raises(abnforge.UnknownNameError):
        AbnfType("rfc3986:UIR")
