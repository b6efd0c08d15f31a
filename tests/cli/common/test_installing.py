"""The script of completions, put where a shell finds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from abnforge.cli.common import installing
from abnforge.cli.common.installing import install
from abnforge.cli.common.shells import SHELLS, script


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(installing, "_BASH_BEGINS", ".bashrc")


@pytest.mark.parametrize("shell", SHELLS)
def test_once_is_enough(shell: str, tmp_path: Path) -> None:
    first = install(shell, tmp_path)
    assert first.path.read_text("utf-8") == script(shell)
    assert first.written == (first.path, first.start)[: len(first.written)]
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert set(before) == set(first.written)
    assert install(shell, tmp_path).written == ()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_where(tmp_path: Path) -> None:
    assert install("bash", tmp_path).start == tmp_path / ".bashrc"
    assert install("zsh", tmp_path).start == tmp_path / ".zshrc"
    fish = install("fish", tmp_path)
    assert fish.start is None
    assert fish.path == tmp_path / ".config/fish/completions/abnforge.fish"


def test_where_on_a_mac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "_BASH_BEGINS", ".bash_profile")
    assert install("bash", tmp_path).written[1] == tmp_path / ".bash_profile"


def test_where_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("ZDOTDIR", str(tmp_path / "zsh"))
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    zsh = install("zsh", tmp_path)
    assert zsh.path == tmp_path / "data/abnforge/completion.zsh"
    assert zsh.start == tmp_path / "zsh/.zshrc"
    assert install("fish", tmp_path).path.is_relative_to(tmp_path / ".config")


@pytest.mark.parametrize("before", [b"", b"alias l=ls\n", b"alias l=ls", b"\xff\r\n"])
def test_what_the_file_holds_stays(before: bytes, tmp_path: Path) -> None:
    start = tmp_path / ".bashrc"
    start.write_bytes(before)
    path = install("bash", tmp_path).path
    line = f"[ -f {path} ] && . {path}  # completion of abnforge\n".encode()
    assert start.read_bytes() == before + (b"" if before[-1:] in (b"", b"\n") else b"\n") + line


def test_an_old_script_is_renewed_and_a_link_is_one_still(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles"
    real.write_text("", "utf-8")
    (tmp_path / ".bashrc").symlink_to(real)
    path = install("bash", tmp_path).path
    path.write_text("old", "utf-8")
    assert install("bash", tmp_path).written == (path,)
    assert path.read_text("utf-8") == script("bash")
    assert (tmp_path / ".bashrc").is_symlink()
    assert b"completion of abnforge" in real.read_bytes()


def test_a_home_with_a_blank(tmp_path: Path) -> None:
    home = tmp_path / "a b"
    home.mkdir()
    path = install("bash", home).path
    assert f"[ -f '{path}' ]" in (home / ".bashrc").read_text("utf-8")
