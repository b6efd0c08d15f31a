"""Counts of instructions: each path works, slower paths fail, and another machine is skipped by name."""

from __future__ import annotations

import json
import shutil
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from tests.law import each_row
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import instructions
from instructions import PATHS, WARM, compare, main

TOOLS = all(map(shutil.which, ("valgrind", "setarch", "cc")))
RECORDED = json.loads(instructions.BASELINE.read_text("utf-8"))
PYARROW = ("columns", "split-batch")

# The counts before and after, and whether that is a regression.
COMPARISONS = [
    ({"a": 1000}, {"a": 1000}, False),
    ({"a": 1000}, {"a": 1049}, False),
    ({"a": 1000}, {"a": 1050}, True),
    ({"a": 1000}, {"a": 500}, False),
    ({"a": 1000, "b": 1000}, {"a": 500, "b": 1100}, True),
    ({"a": 1000}, {"a": 1000, "b": 1}, False),
    ({"a": 1000, "b": 1}, {"a": 1000}, False),
]


@each_row("name", PATHS)
def test_every_call_of_a_path_has_a_result(name: str) -> None:
    if name in PYARROW:
        pytest.importorskip("pyarrow")
    call = PATHS[name]()
    results = [call(number) for number in range(WARM + 1)]
    assert all(each is not None and each != [] for each in results)
    assert results[0] != results[WARM] or name not in ("components", "declared-mistake", "derived-mistake")


def test_recorded_paths() -> None:
    assert len(PATHS) == 10
    assert RECORDED["instructions"].keys() == PATHS.keys()


@each_row("old, new, worse", COMPARISONS)
def test_comparisons(old: dict[str, int], new: dict[str, int], worse: bool) -> None:
    lines, result = compare(old, new)
    assert result is worse
    assert [line.split()[0] for line in lines] == list(new)


@pytest.mark.skipif(not TOOLS, reason="there is no valgrind or no C compiler")
@each_row("required", [False, True])
@each_row("key", [*RECORDED["machine"], "a new key"])
def test_another_machine_is_skipped_by_name(
    key: str,
    required: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(instructions, "machine", lambda: RECORDED["machine"])
    baseline = tmp_path / "baseline.json"
    baseline.write_text(json.dumps(RECORDED | {"machine": RECORDED["machine"] | {key: "another"}}), "utf-8")
    assert main(["--baseline", str(baseline), *["--required"] * required]) == required
    [line] = capsys.readouterr().out.splitlines()
    assert key in line
    assert "another" in line


@pytest.mark.skipif(not TOOLS, reason="there is no valgrind or no C compiler")
def test_a_missing_baseline_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--baseline", str(tmp_path / "missing.json")])
    assert stop.value.code == 2
    assert "missing.json" in capsys.readouterr().err


@each_row("required, status", [([], 0), (["--required"], 1)])
def test_missing_programs_are_named(
    required: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(instructions, "which", lambda name: None)
    assert main(required) == status
    assert "valgrind" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(not TOOLS, reason="there is no valgrind or no C compiler")
@each_row("strings, status", [("40", 0), ("44", 1)])
def test_ten_percent_more_work_fails(
    strings: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy of the tool, with more work in a path, is compared with the counts of the tool."""
    pytest.importorskip("pyarrow")
    copy: Any = _copy(tmp_path / "instructions.py", "in 40 * URIS", f"in {strings} * URIS")
    baseline = tmp_path / "baseline.json"
    for module, arguments, expected in ((instructions, ["--update"], 0), (copy, [], status)):
        monkeypatch.setattr(module, "PATHS", {"verdict": module.verdict})
        assert module.main([*arguments, "--baseline", str(baseline)]) == expected


def _copy(path: Path, old: str, new: str) -> object:
    text = Path(instructions.__file__).read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    spec = spec_from_file_location("copy_of_instructions", path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
