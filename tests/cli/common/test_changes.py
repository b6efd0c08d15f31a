"""Files changed, and changes shown."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from abnforge.cli.common.changes import replace_text, unified_diff


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\n", "a\nc\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("a\nb", "a\nc"),
        ("a\x0cb\u2028c\n", "a\x0cb\u2028d\n"),
    ],
)
def test_git_applies_the_diff(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "x.abnf"
    path.write_bytes(before.encode())
    diff = unified_diff("x.abnf", before, after)
    (tmp_path / "x.diff").write_bytes(diff.encode())
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    try:
        subprocess.run(["git", "apply", "x.diff"], cwd=tmp_path, check=True, env=environment, timeout=60)
    except FileNotFoundError:
        pytest.skip("no git")
    assert path.read_bytes() == after.encode()


def test_no_difference_is_nothing() -> None:
    assert unified_diff("x", "a\n", "a\n") == ""


def test_a_path_from_the_root_is_shown_once() -> None:
    assert unified_diff("/tmp/x", "a\n", "b\n").startswith("--- a/tmp/x\n+++ b/tmp/x\n")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_is_replaced_whole(tmp_path: Path, mark: bytes) -> None:
    path, link = tmp_path / "x.abnf", tmp_path / "link"
    path.write_bytes(mark + b"old\r\n")
    path.chmod(0o640)
    link.symlink_to(path)
    replace_text(link, "new é\r\n")
    assert path.read_bytes() == mark + "new é\r\n".encode()
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "x.abnf"]


def test_a_file_that_cannot_be_replaced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.abnf"
    path.write_text("old\n")

    def refuse(source: str, target: Path) -> None:
        raise PermissionError("refused")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError):
        replace_text(path, "new\n")
    assert path.read_text() == "old\n"
    assert [each.name for each in tmp_path.iterdir()] == ["x.abnf"]
