"""The targets of fuzzing: each input in ``fuzz/seeds`` passes, and fails with a planted fault."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from tests.places import ROOT

sys.path.insert(0, str(ROOT / "fuzz"))

import run
import targets

COLUMNS = ("csv", "jsonl")  # these targets require pyarrow and numpy

# target -> module, attribute, and a replacement that breaks it.
PLANTED = {
    "reader": ("abnforge.grammar.printer", "print_rulelist", lambda model: "a = b\n"),
    "engines": ("abnforge.engine.rule", "Rule.matches", lambda self, text, engine="auto": True),
    "uri": ("abnforge.uri", "is_valid", lambda text, rule="URI": False),
    "csv": ("abnforge.ingest.sources.csv", "CsvBatch.cells", lambda self, row: [None, None]),
    "jsonl": ("abnforge.ingest.sources.jsonl", "parse_line", lambda line: {}),
}


def files(name: str) -> list[Path]:
    return sorted((ROOT / "fuzz" / "seeds" / name).iterdir())


@pytest.fixture
def whole_blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the size of blocks, which the targets of columns reduce."""
    if request.getfixturevalue("name") in COLUMNS:
        pytest.importorskip("pyarrow")
        pytest.importorskip("numpy")
        text = import_module("abnforge.ingest.sources.text")
        monkeypatch.setattr(text, "BLOCK", text.BLOCK)


@pytest.mark.usefixtures("whole_blocks")
@pytest.mark.parametrize("name", targets.TARGETS)
def test_inputs(name: str) -> None:
    check = targets.TARGETS[name].check()
    for path in files(name):
        check(path.read_bytes())


@pytest.mark.usefixtures("whole_blocks")
@pytest.mark.parametrize("name", targets.TARGETS)
def test_a_planted_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, attribute, replacement = PLANTED[name]
    check = targets.TARGETS[name].check()
    owner = import_module(module)
    *classes, function = attribute.split(".")
    for each in classes:
        owner = getattr(owner, each)
    monkeypatch.setattr(owner, function, replacement)
    assert any(fails(check, path.read_bytes()) for path in files(name))


def fails(check: Callable[[bytes], None], data: bytes) -> bool:
    try:
        check(data)
    except Exception:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in targets.TARGETS if targets.TARGETS[name].files])
def test_other_inputs(name: str) -> None:
    check = targets.TARGETS[name].check()
    for path in targets.seeds(name):
        check(path.read_bytes()[: targets.TARGETS[name].size])


@pytest.mark.slow
def test_targets_run_with_atheris(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("atheris")
    assert run.main(["engines", "--seconds", "5", "--directory", str(tmp_path)]) == 0
    name, _, executions, coverage, *_ = capsys.readouterr().out.splitlines()[-1].split()
    assert name == "engines"
    assert min(int(executions.replace(",", "")), int(coverage.replace(",", ""))) > 0


def test_every_target_is_listed() -> None:
    command = [sys.executable, str(ROOT / "fuzz" / "targets.py")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(targets.TARGETS)
    for line in lines:
        _, dictionary, *inputs = line.split()
        assert (ROOT / "fuzz" / "dictionaries" / f"{dictionary}.dict").is_file()
        assert all(Path(path).is_file() for path in inputs)
        assert inputs


def test_a_target_without_its_compiler_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """It is skipped only if no target is named."""
    started: list[str] = []
    monkeypatch.setattr(run, "command", lambda name, *_: started.append(name))
    arguments = ["--directory", str(tmp_path), "--compiler", "missing-compiler"]
    assert run.main(arguments) == 2
    assert "kernel" in capsys.readouterr().out
    assert run.main([*arguments, "kernel"]) == 2
    assert capsys.readouterr().out == ""
    assert started == [run.NAMES[0], "kernel"]
