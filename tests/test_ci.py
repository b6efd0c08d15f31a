"""Checks of grammars in other repositories: the pre-commit hooks, and the GitHub action of docs/ci.md.

The tests do not use the network. They run hooks by entry and file names, as pre-commit does. They run the
steps of the action in a shell that stops at the first failing command, as the runner does. They skip its
installation.
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
    [step] = [
        step for step in yaml.safe_load(WORKFLOW)["jobs"]["grammar"]["steps"] if "abnforge" in step["uses"]
    ]
    assert step["with"].keys() <= ACTION["inputs"].keys()
    [repository] = yaml.safe_load(config)["repos"]
    assert [hook["id"] for hook in repository["hooks"]] == [hook["id"] for hook in HOOKS]


ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = [step for step in ACTION["runs"]["steps"] if step.get("name", "Install") != "Install"]
LINT, LAYOUT, EXAMPLES, COMPATIBLE, DOCUMENTS, STRINGS = (step["name"] for step in STEPS)
INPUT = re.compile(r"inputs\.([a-z-]+)")

DRAFT = """\
# A draft

~~~ abnf
line = 1*ALPHA CRLF
~~~

~~~ line
abc
~~~
"""
FILES = {"grammar.abnf": GOOD, "other.abnf": GOOD, "draft-a.md": DRAFT, "ports.txt": "80\n\n"}
INPUTS = {
    "grammars": "*.abnf",
    "documents": "draft-*.md",
    "examples": "line=line\n",
    "newline": "crlf",
    "strings": "ports.txt",
    "grammar": "grammar.abnf",
}

# Files that differ from FILES; the steps that fail; the start of each annotation.
CHANGES: list[tuple[dict[str, str], list[str], list[str]]] = [
    ({}, [], []),
    (
        {"grammar.abnf": GOOD.replace("*DIGIT", '*( DIGIT / "_" )')},
        [],
        ["notice file=grammar.abnf,line=3,endLine=3,col=1,endColumn=4,title=compatible%3A port"],
    ),
    (
        {"grammar.abnf": GOOD.replace("*DIGIT", "1*3DIGIT")},
        [COMPATIBLE, STRINGS],
        [
            "error file=grammar.abnf,line=3,endLine=3,col=1,endColumn=4,title=broken%3A port",
            "error file=ports.txt,line=2",
        ],
    ),
    (
        {"other.abnf": GOOD.replace("*DIGIT", "*DIGIT ; of a host").replace(" =", "=")},
        [LAYOUT],
        ["error file=other.abnf,title=layout"],
    ),
    (
        {"other.abnf": GOOD.replace('"x"', '"8"')},
        [EXAMPLES],
        ['error file=other.abnf,line=2,endLine=2,col=13,endColumn=15,title=port%3A no-match "8"'],
    ),
    (
        {"draft-a.md": DRAFT.replace("abc", "ab1")},
        [DOCUMENTS],
        ['error file=draft-a.md,line=8,endLine=8,col=3,title=line%3A match "ab1"'],
    ),
    (
        {"draft-a.md": DRAFT.replace("1*ALPHA", "1*( ALPHA / %x41 )")},
        [LINT],
        ["warning file=draft-a.md,line=4,endLine=4,col=20,endColumn=23,title=ABNF013 shadowed-alternative"],
    ),
    ({"ports.txt": "80\n8O\n"}, [STRINGS], ["error file=ports.txt,line=2,col=2"]),
]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with FILES on its base branch."""
    if which("git") is None or which("bash") is None:
        pytest.skip("git or bash is not installed")
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    git(folder, "init", "--quiet")
    commit(folder, ".")
    programs = tmp_path / "temp" / "abnforge" / "bin"
    programs.mkdir(parents=True)
    (programs / "abnforge").symlink_to(Path(sys.executable).parent / "abnforge")
    return folder


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, env=environment(folder.parent))


def commit(folder: Path, name: str) -> None:
    """Commit a file, and let the base branch be the commit."""
    git(folder, "add", "--all", name)
    git(folder, "commit", "--quiet", "--message", "Files")
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "GITHUB_BASE_REF": "main",
        "RUNNER_TEMP": str(folder / "temp"),
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def failures(checkout: Path, **inputs: str) -> tuple[list[str], list[str]]:
    """Run the steps whose conditions hold; return the names of failed steps, and all annotations."""
    values = {name: each["default"] for name, each in ACTION["inputs"].items()} | inputs
    failed, output = [], ""
    for step in STEPS:
        condition = (
            step["if"].strip("${} \n").replace("!cancelled() && steps.install.outcome == 'success' && ", "")
        )
        condition = INPUT.sub(
            lambda found: repr(values[found[1]]), condition.replace("github.base_ref", "'main'")
        )
        if not eval(condition.replace("&&", "and").replace("||", "or"), {}):
            continue
        variables = {
            name: INPUT.sub(lambda found: values[found[1]], text.strip("${} "))
            for name, text in step["env"].items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=checkout,
            env={**environment(checkout.parent), **variables},
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        output += done.stdout
        if done.returncode:
            failed.append(step["name"])
    return failed, re.findall(r"^::(.*)::.*$", output, re.MULTILINE)


@pytest.mark.parametrize(("texts", "steps", "annotations"), CHANGES)
def test_the_action(texts: dict[str, str], steps: list[str], annotations: list[str], checkout: Path) -> None:
    for name, text in texts.items():
        (checkout / name).write_text(text, "utf-8")
    failed, lines = failures(checkout, **INPUTS)
    assert failed == steps
    assert len(lines) == len(annotations)
    for line, expected in zip(lines, annotations, strict=True):
        assert line.startswith(expected)


def test_a_grammar_that_is_new(checkout: Path) -> None:
    (checkout / "grammar.abnf").rename(checkout.parent / "grammar.abnf")
    commit(checkout, ".")
    (checkout / "grammar.abnf").write_text(GOOD.replace("*DIGIT", "1*3DIGIT"), "utf-8")
    assert failures(checkout, grammars="*.abnf") == ([], [])


def test_files_that_do_not_exist(checkout: Path) -> None:
    assert failures(checkout, grammars="none-*.abnf")[0] == [LINT, LAYOUT, EXAMPLES]
    assert failures(checkout) == ([], [])


def test_inputs_reach_the_shell_as_variables() -> None:
    """Each input is used, and scripts contain no expression, whose value the shell would run."""
    used = set(INPUT.findall(str(ACTION["runs"])))
    assert used == ACTION["inputs"].keys()
    assert [step["name"] for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")] == []
