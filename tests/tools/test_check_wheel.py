"""The check of wheels reports builds that differ, large wheels, and a wrong or missing SBOM."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.law import each_row
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import check_wheel

METADATA = (
    "Name: x\nVersion: 1\nRequires-Dist: lark<2,>=1\n"
    "Requires-Dist: numpy; extra == 'all'\nRequires-Dist: abnf\n"
)
SBOM: dict[str, Any] = {
    "metadata": {"component": {"name": "x", "version": "1"}},
    "components": [{"name": "abnf"}, {"name": "lark"}],
}
OTHER_VERSION = {"metadata": {"component": {"name": "x", "version": "2"}}}

# The SBOM of a wheel, and the words of the problem.
SBOMS = [
    (SBOM, None),
    (None, "SBOM"),
    (SBOM | OTHER_VERSION, "metadata"),
    (SBOM | {"components": [{"name": "abnf"}]}, "metadata"),
    (SBOM | {"components": [*SBOM["components"], {"name": "numpy"}]}, "metadata"),
]


def write(folder: Path, sbom: dict[str, Any] | None = SBOM) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "x-1-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        archive.writestr("x-1.dist-info/METADATA", METADATA)
        if sbom is not None:
            archive.writestr("x-1.dist-info/sboms/x.cdx.json", json.dumps(sbom))
    return path


@each_row("sbom, word", SBOMS)
def test_the_sbom_describes_the_metadata(
    sbom: dict[str, Any] | None, word: str | None, tmp_path: Path
) -> None:
    lines = check_wheel.problems(write(tmp_path, sbom))
    assert [word in line for line in lines if word] == [True] * (word is not None)
    assert bool(lines) == (word is not None)


def test_a_large_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path)
    size = path.stat().st_size
    monkeypatch.setattr(check_wheel, "MAX_BYTES", size)
    assert check_wheel.problems(path) == []
    monkeypatch.setattr(check_wheel, "MAX_BYTES", size - 1)
    assert len(check_wheel.problems(path)) == 1


def test_builds_are_equal(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    path, other = write(first), write(second)
    other.write_bytes(path.read_bytes())
    assert check_wheel.differences(first, second) == []
    (first / "x-1.tar.gz").write_bytes(b"a")
    assert len(check_wheel.differences(first, second)) == 1
    (second / "x-1.tar.gz").write_bytes(b"b")
    assert len(check_wheel.differences(first, second)) == 1
    other.write_bytes(b"")
    assert len(check_wheel.differences(first, second)) == 2


def test_a_build_without_a_wheel_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_wheel.main([str(tmp_path), str(tmp_path)]) == 1
    assert str(tmp_path) in capsys.readouterr().out
