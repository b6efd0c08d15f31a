"""Where the files of bundled grammars are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from abnforge.grammar.shipped import ResourcePath, bundled_names, generated


def test_a_place_is_what_its_path_is(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file.txt").write_bytes("é\r\n".encode())
    (tmp_path / "other").write_bytes(b"")
    for place, path in [
        (ResourcePath(str(tmp_path)), tmp_path),
        (ResourcePath(str(tmp_path)) / "folder", tmp_path / "folder"),
        (ResourcePath(str(tmp_path)).joinpath("folder", "file.txt"), tmp_path / "folder" / "file.txt"),
        (ResourcePath(str(tmp_path)) / "missing", tmp_path / "missing"),
    ]:
        assert (str(place), os.fspath(place), place.name) == (str(path), str(path), path.name)
        assert (place.is_dir(), place.is_file()) == (path.is_dir(), path.is_file())
    assert sorted(each.name for each in ResourcePath(str(tmp_path)).iterdir()) == ["folder", "other"]
    file = ResourcePath(str(tmp_path)) / "folder" / "file.txt"
    assert file.read_bytes() == "é\r\n".encode()
    assert file.read_text("utf-8") == "é\n"
    with file.open("rb") as opened:
        assert opened.read(2) == "é".encode()
    with pytest.raises(FileNotFoundError):
        (ResourcePath(str(tmp_path)) / "missing").read_bytes()


def test_the_generated_files_are_those_of_the_bundled_grammars() -> None:
    names = {each.name for each in generated().iterdir()}
    assert {f"{name}.outline.json" for name in bundled_names()} == {n for n in names if "outline" in n}
