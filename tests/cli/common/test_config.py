"""Options out of a TOML file have the kinds that they have on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from abnforge.cli.common.config import config_option
from tests.cli.command import run


@click.command()
@click.argument("sources", nargs=-1)
@click.option("--column", "columns", multiple=True)
@click.option("--accepted", type=click.Path(path_type=Path))
@click.option("--max-rejects")
@click.option("--nulls", type=click.Choice(["accept", "reject"]))
@click.option("-j", "--jobs", type=click.IntRange(1, 256))
@click.option("--resume", is_flag=True)
@click.option("--suggest/--no-suggest", default=False)
@click.option("--scheme", "schemes", metavar="NAME,NAME")
@config_option
def verb(**given: Any) -> None:
    click.echo(repr({name: value for name, value in sorted(given.items()) if value not in (None, (), False)}))


def answer(tmp_path: Path, text: str, *arguments: str) -> str:
    (tmp_path / "job.toml").write_text(text, "utf-8")
    return CliRunner().invoke(verb, ["--config", str(tmp_path / "job.toml"), *arguments]).output


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("jobs = 2", "{'jobs': 2}"),
        ("resume = true\nsuggest = true", "{'resume': True, 'suggest': True}"),
        ("resume = false", "{}"),
        ("max-rejects = 100", "{'max_rejects': '100'}"),
        ("max_rejects = '5%'", "{'max_rejects': '5%'}"),
        ("column = 'url'", "{'columns': ('url',)}"),
        ("column = ['url', 'sent']", "{'columns': ('url', 'sent')}"),
        ("source = 'a.csv'", "{'sources': ('a.csv',)}"),
        ("scheme = 'http,https'", "{'schemes': 'http,https'}"),
        ("scheme = ['http', 'https']", "{'schemes': 'http,https'}"),
        ("scheme = ['http']", "{'schemes': 'http'}"),
    ],
)
def test_values(tmp_path: Path, text: str, told: str) -> None:
    assert answer(tmp_path, text) == told + "\n"


def test_the_command_line_comes_first(tmp_path: Path) -> None:
    assert answer(tmp_path, "jobs = 2\nscheme = ['a', 'b']", "-j", "3", "--scheme", "c") == (
        "{'jobs': 3, 'schemes': 'c'}\n"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("jobs = true", "jobs is a whole number, not true or false"),
        ("jobs = '2'", "jobs is a whole number, not a text"),
        ("jobs = 2.0", "jobs is a whole number, not a fraction"),
        ("jobs = 0", "0 is not in the range 1<=x<=256"),
        ("resume = 'yes'", "resume is true or false, not a text"),
        ("resume = 1", "resume is true or false, not a number"),
        ("suggest = 'no'", "suggest is true or false, not a text"),
        ("accepted = true", "accepted is a text, not true or false"),
        ("accepted = ['a', 'b']", "accepted is one value, a text, not a list"),
        ("max-rejects = 2026-11-22", "max-rejects is a text, not a date or time"),
        ("nulls = 'never'", "'never' is not one of 'accept', 'reject'"),
        ("column = ['url', true]", "column is a text, not true or false"),
        ("scheme = ['http', 1979-05-27]", "scheme is a text, not a date or time"),
        ("scheme = ['http,https', 'ftp']", "'http,https' is written in one text, as on the command line"),
        ("[jobs]\nn = 1", "jobs is one value, a whole number, not a table"),
        ("job = 1", "there is no option 'job'; did you mean jobs?"),
        ("jobs = ", "Invalid value"),
    ],
)
def test_values_of_another_kind(tmp_path: Path, text: str, said: str) -> None:
    assert said in " ".join(answer(tmp_path, text).split())


def told(*arguments: str, status: int) -> str:
    result = run("ingest", *arguments)
    assert result.exit_code == status, result.output
    return str(result.stderr)


def test_options_of_a_verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")  # the verb is that of jobs over files
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("url\nhttp://a/\na b\nc d\n")

    Path("job.toml").write_text(
        'source = ["in.csv"]\ncolumn = "url"\naccepted = "good.csv"\n'
        'rejected = "bad.jsonl"\nmax-rejects = "1"\n'
    )
    assert "--max-rejects 1)" in told("--config", "job.toml", status=3)
    told("--config", "job.toml", "--max-rejects", "2", status=1)
    Path("job.toml").write_text("colunm = 1\n")
    assert "there is no option 'colunm'; did you mean column?" in told("--config", "job.toml", status=2)
    Path("job.toml").write_text("= 1\n")
    assert "job.toml" in told("--config", "job.toml", status=2)
    Path("job.toml").write_text('accepted = ["a", "b"]\n')
    assert "accepted is one value" in told("--config", "job.toml", status=2)
