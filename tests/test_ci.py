"""Checks of grammars in other repositories: the pre-commit hooks, and the GitHub workflow of docs/ci.md.

The tests do not use the network. They run hooks by entry and file names, as pre-commit does, and steps in a
shell that stops at the first failing command, as the runner does.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from tests.cli.command import run as command
from tests.places import ROOT

yaml = pytest.importorskip("yaml")

PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
WORKFLOW = (ROOT / "examples" / "grammar-check.yml").read_text("utf-8")
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

GOOD = """\
;@ match "80"
;@ no-match "x"
port = *DIGIT
"""
DOUBTFUL = 'port = *DIGIT / "" / "8"\n'
UNEVEN = "port=*DIGIT\n"

# A hook, a grammar, and the exit status.
RUNS = [
    ("abnforge-lint", GOOD, 0),
    ("abnforge-lint", UNEVEN, 0),
    ("abnforge-lint", DOUBTFUL, 1),
    ("abnforge-lint", "port = *DIGIT /\n", 1),
    ("abnforge-test", GOOD, 0),
    ("abnforge-test", GOOD.replace('"80"', '"8O"'), 1),
    ("abnforge-format", GOOD, 0),
    ("abnforge-format", UNEVEN, 1),
    ("abnforge-format", "port = *DIGIT (\n", 2),
]


@pytest.mark.parametrize(("hook", "text", "status"), RUNS)
def test_hooks(hook: str, text: str, status: int, tmp_path: Path) -> None:
    [result] = [each for each in HOOKS if each["id"] == hook]
    grammar = tmp_path / "own.abnf"
    grammar.write_text(text, "utf-8")
    program, *arguments = shlex.split(result["entry"])
    assert program == "abnforge"
    assert command(*arguments, *result.get("args", []), str(grammar)).exit_code == status
    assert grammar.read_text("utf-8") == text


def test_a_hook_that_formats(tmp_path: Path) -> None:
    """Without arguments, the hook fixes files, as its description says."""
    grammar = tmp_path / "own.abnf"
    grammar.write_text(UNEVEN, "utf-8")
    [result] = [each for each in HOOKS if "args" in each]
    assert command(*shlex.split(result["entry"])[1:], str(grammar)).exit_code == 0
    assert grammar.read_text("utf-8") == "port = *DIGIT\n"


def test_which_files_hooks_are_for() -> None:
    assert [hook["id"] for hook in HOOKS] == ["abnforge-lint", "abnforge-format", "abnforge-test"]
    for hook in HOOKS:
        assert {"id", "name", "entry", "language", "files"} <= hook.keys()
        assert hook["language"] == "python"
        for name, expected in (("a/b.abnf", True), ("a.mistakes.abnf", False), ("a.abnf.md", False)):
            result = re.search(hook["files"], name) and not re.search(hook["exclude"], name)
            assert bool(result) is expected


def test_the_page_shows_them() -> None:
    """The page shows the workflow in examples/ unchanged, and the hooks on the page exist."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    config, workflow = blocks
    assert workflow == WORKFLOW
    [repository] = yaml.safe_load(config)["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == [hook["id"] for hook in HOOKS]


STEPS = {
    step["name"]: step["run"]
    for step in yaml.safe_load(WORKFLOW)["jobs"]["grammar"]["steps"]
    if "name" in step
}
LINT, LAYOUT, EXAMPLES, COMPATIBLE = STEPS


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with a grammar on its base branch."""
    if which("git") is None or which("bash") is None:
        pytest.skip("git or bash is not installed")
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "grammar.abnf").write_text(GOOD, "utf-8")
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    for arguments in (
        ["init", "--quiet"],
        ["add", "grammar.abnf"],
        [*identity, "commit", "--quiet", "--message", "A grammar"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True, env=environment(tmp_path))
    return folder


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "GRAMMAR": yaml.safe_load(WORKFLOW)["jobs"]["grammar"]["env"]["GRAMMAR"],
        "GITHUB_BASE_REF": "main",
        "RUNNER_TEMP": str(folder / "temp"),
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def status(step: str, checkout: Path) -> tuple[int, str]:
    """Run a step, and return its exit status and output."""
    arguments = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]]
    done = subprocess.run(
        arguments, cwd=checkout, env=environment(checkout.parent), stdout=subprocess.PIPE, encoding="utf-8"
    )
    return done.returncode, done.stdout


def test_a_change_that_is_fine(checkout: Path) -> None:
    (checkout / "grammar.abnf").write_text(GOOD.replace("*DIGIT", '*( DIGIT / "_" )'), "utf-8")
    assert [status(step, checkout)[0] for step in STEPS] == [0, 0, 0, 0]


def test_changes_that_are_not(checkout: Path) -> None:
    grammar = checkout / "grammar.abnf"
    grammar.write_text(GOOD.replace("*DIGIT", "1*3DIGIT"), "utf-8")
    result, results = status(COMPATIBLE, checkout)
    assert result == 1
    assert results.startswith(
        "::error file=grammar.abnf,line=3,endLine=3,col=1,endColumn=4,title=broken%3A port::"
    )
    for step, text in ((LINT, DOUBTFUL), (LAYOUT, UNEVEN), (EXAMPLES, GOOD.replace('"x"', '"8"'))):
        grammar.write_text(text, "utf-8")
        assert status(step, checkout)[0] == 1, step


def test_a_grammar_that_is_new(checkout: Path) -> None:
    subprocess.run(["git", "rm", "--quiet", "--cached", "grammar.abnf"], cwd=checkout, check=True)
    for arguments in (
        ["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "None"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ):
        subprocess.run(["git", *arguments], cwd=checkout, check=True, env=environment(checkout.parent))
    assert status(COMPATIBLE, checkout) == (0, "")
