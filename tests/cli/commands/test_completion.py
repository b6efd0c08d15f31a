"""``abnforge completion``: scripts for shells."""

from __future__ import annotations

from pathlib import Path

import pytest

from abnforge.cli.common.shells import SHELLS, script
from tests.cli.command import Seen, answers, fails, run


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("completion", shell).stdout == script(shell)
    monkeypatch.setenv("SHELL", f"/opt/bin/{shell}")
    assert run("completion").stdout == script(shell)


@pytest.mark.parametrize(("named", "told"), [("/bin/tcsh", "shell-unknown"), ("", "shell-unknown")])
def test_another_shell(named: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", named)
    answers(["completion"], 2, "", told)
    answers(["completion", "tcsh"], 2, "", "choice-unknown")


def test_installing_tells_what_it_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("abnforge.cli.common.installing._BASH_BEGINS", ".bashrc")
    told = run("completion", "bash", "--install").stdout
    seen(told.splitlines())
    assert (
        run("completion", "bash", "--install").stdout
        == f"{tmp_path}/.local/share/abnforge/completion.bash is already installed.\n"
    )


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "file"))
    result = run("completion", "fish", "--install")
    assert (result.exit_code, result.stdout) == (2, "")
    fails(result, "os-error-file")
