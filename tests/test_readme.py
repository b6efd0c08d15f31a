"""The README's examples do what it says."""

from __future__ import annotations

import doctest
import re
import shlex

import pytest
from click.testing import CliRunner

import abnforge
from abnforge.cli.app import cli
from tests.places import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found, f"no {language} in the README"
    return found


@pytest.mark.parametrize("block", blocks("pycon"))
def test_python(block: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    output: list[str] = []
    results = doctest.DocTestRunner().run(test, out=output.append)
    assert results.attempted
    assert not results.failed, "".join(output)


def commands() -> list[tuple[str, str]]:
    """Each command of the console examples, and the output shown below it."""
    return [
        (command, output)
        for block in blocks("console")
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


@pytest.mark.parametrize(("command", "output"), commands())
def test_commands(command: str, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    program, *arguments = shlex.split(command)
    assert program == "abnforge"
    result = CliRunner().invoke(cli, arguments, prog_name=program)
    assert result.stdout == output
    assert all(f"`{line}`" in README for line in result.stderr.splitlines())


def test_first_commands() -> None:
    """CI runs the same: what the README installs, its example, its tests."""
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    for block in blocks("sh"):
        environment, install, run = block.strip().split(" && ")
        assert environment == "python3 -m venv .venv"
        assert install.startswith(".venv/bin/pip install -q ")
        assert run.startswith(".venv/bin/")
        assert f" {run.removeprefix('.venv/bin/')}\n" in script.replace(" || status=$?", "")


def test_every_bundled_grammar_is_named() -> None:
    named = re.findall(r"^\| `([^`]+)` \|.*\| `([^`]+)` \|$", README, re.MULTILINE)
    assert sorted(name for name, _ in named) == abnforge.grammar_names()
    for name, rule in named:
        assert abnforge.load(name)[rule].name == rule


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).is_file(), target
