"""Options from a TOML file have the same types as on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from abnforge.cli.common.config import PROJECT_OPTIONS
from abnforge.cli.common.misuse import misuse
from abnforge.cli.common.options import GRAMMAR_OPTIONS, config_option
from tests.cli.command import Ran, fails, run


@click.command()
@click.argument("sources", nargs=-1)
@click.option("--column", "columns", multiple=True)
@click.option("--valid", type=click.Path(path_type=Path))
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
    ("text", "message"),
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
def test_values(tmp_path: Path, text: str, message: str) -> None:
    assert answer(tmp_path, text) == message + "\n"


def test_the_command_line_comes_first(tmp_path: Path) -> None:
    assert answer(tmp_path, "jobs = 2\nscheme = ['a', 'b']", "-j", "3", "--scheme", "c") == (
        "{'jobs': 3, 'schemes': 'c'}\n"
    )


@pytest.mark.parametrize(
    ("text", "code", "data"),
    [
        ("jobs = true", "config-choice", {"kind": "true or false", "expected": "a whole number"}),
        ("jobs = '2'", "config-choice", {"kind": "a string"}),
        ("jobs = 2.0", "config-choice", {"kind": "a fraction"}),
        ("jobs = 0", "option-number", {"option": "--jobs"}),
        ("resume = 'yes'", "config-choice", {"expected": "true or false"}),
        ("resume = 1", "config-choice", {"kind": "a number"}),
        ("suggest = 'no'", "config-choice", {"name": "suggest"}),
        ("valid = true", "config-choice", {"expected": "a string"}),
        ("valid = ['a', 'b']", "config-choice", {"expected": "one string", "kind": "a list"}),
        ("max-rejects = 2026-11-22", "config-choice", {"kind": "a date or time"}),
        ("nulls = 'never'", "choice-unknown", {"option": "--nulls", "choices": ("accept", "reject")}),
        ("column = ['url', true]", "config-choice", {"name": "column"}),
        ("scheme = ['http', 1979-05-27]", "config-choice", {"name": "scheme"}),
        ("scheme = ['http,https', 'ftp']", "config-list-item", {"value": "http,https"}),
        ("[jobs]\nn = 1", "config-choice", {"expected": "one whole number", "kind": "a table"}),
        ("job = 1", "config-option-unknown", {"name": "job", "near": ("jobs",)}),
        ("jobs = ", "config-unreadable", {}),
    ],
)
def test_values_of_another_kind(tmp_path: Path, text: str, code: str, data: dict[str, object]) -> None:
    (tmp_path / "job.toml").write_text(text, "utf-8")
    with pytest.raises(click.UsageError) as caught:
        verb.main(["--config", str(tmp_path / "job.toml")], standalone_mode=False)
    error = misuse(caught.value)
    assert error.code == code
    assert {name: error.data[name] for name in data} == data


def told(*arguments: str, status: int) -> Ran:
    result = run("split", *arguments)
    assert result.exit_code == status, result.output
    return result


def test_options_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")  # ``split`` runs jobs over files
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("url\nhttp://a/\na b\nc d\n")

    Path("job.toml").write_text(
        'source = ["in.csv"]\ncolumn = "url"\nvalid = "good.csv"\nrejects = "bad.jsonl"\nmax-rejects = "1"\n'
    )
    told("--config", "job.toml", status=3)
    told("--config", "job.toml", "--max-rejects", "2", status=1)
    Path("job.toml").write_text("colunm = 1\n")
    fails(told("--config", "job.toml", status=2), "config-option-unknown", name="colunm", near=("column",))
    Path("job.toml").write_text("= 1\n")
    fails(told("--config", "job.toml", status=2), "config-unreadable", path="job.toml")
    Path("job.toml").write_text('valid = ["a", "b"]\n')
    fails(told("--config", "job.toml", status=2), "config-choice", name="valid", kind="a list")


PROJECT = """\
grammar = "list.abnf"
rule = "items"
define = 'word = 1*ALPHA'
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "list.abnf").write_text('items = word *( "," word )\n')
    (tmp_path / "abnforge.toml").write_text(PROJECT)
    (tmp_path / "texts").mkdir()
    monkeypatch.chdir(tmp_path / "texts")
    return tmp_path


def test_a_project_sets_grammar_options(project: Path) -> None:
    """A configuration file applies to the directories below it. Options of other commands are ignored."""
    assert run("check", "-q", stdin="a,b\n").exit_code == 0
    assert run("check", "-q", stdin="a,\n").exit_code == 1
    assert run("show", "items").exit_code == 0
    assert run("diff", "rfc3986:port", "rfc2396:port").code != "config-option-unknown"


def test_options_win_and_another_grammar_has_its_own_rules(project: Path) -> None:
    assert run("check", "-q", "--rule", "word", stdin="a,b\n").exit_code == 1
    assert run("check", "-q", "--grammar", "rfc3986", stdin="http://h/\n").exit_code == 0


def test_a_section_of_pyproject(project: Path) -> None:
    (project / "abnforge.toml").unlink()
    (project / "pyproject.toml").write_text("[tool.abnforge]\n" + PROJECT)
    assert run("check", "-q", stdin="a,b\n").exit_code == 0
    (project / "texts" / "pyproject.toml").write_text('[tool.other]\ngrammar = "x"\n')
    assert run("check", "-q", stdin="a,b\n").exit_code == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('gramar = "list.abnf"', "config-option-unknown"),
        ("format = 'json'", "config-option-unknown"),
        ("grammar = 1 2", "config-unreadable"),
        ("allow-undefined = 'yes'", "config-choice"),
        ("lists = 'both'", "choice-unknown"),
    ],
)
def test_a_wrong_project_file_is_an_error(text: str, code: str, project: Path) -> None:
    (project / "abnforge.toml").write_text(text)
    fails(run("check", stdin="a\n"), code)


def test_a_project_may_set_every_grammar_option() -> None:
    assert set(PROJECT_OPTIONS) == GRAMMAR_OPTIONS.keys()
