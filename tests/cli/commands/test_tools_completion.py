"""``abnforge completion``: scripts for shells, and their completions."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from abnforge.cli.commands.tools import SHELLS
from tests.cli.command import answers, run


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = run("completion", shell).stdout
    assert f"_ABNFORGE_COMPLETE={shell}_complete" in script
    monkeypatch.setenv("SHELL", f"/opt/bin/{shell}")
    assert run("completion").stdout == script


@pytest.mark.parametrize("name", ["/bin/tcsh", ""])
def test_another_shell(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", name)
    answers(["completion"], 2, "", "shell-unknown")
    answers(["completion", "tcsh"], 2, "", "choice-unknown")


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("exer", ["plain,exercise"]),
        ("check --grammar rfc398", ["plain,rfc3986", "plain,rfc3987"]),
        ("show IPv4", ["plain,IPv4address"]),
        ("check --format=jun", ["plain,junit"]),
        ("nowhere x", []),
    ],
)
def test_completions_for_bash(line: str, completions: list[str]) -> None:
    words = ["abnforge", *line.split()]
    environment = {
        "_ABNFORGE_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "abnforge"], env=os.environ | environment, capture_output=True, text=True
    )
    assert (done.stdout.split(), done.stderr) == (completions, "")
