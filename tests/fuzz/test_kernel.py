"""The walks of the C extension agree and read only their input. The fuzzer finds a planted fault."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

sys.path.insert(0, str(ROOT / "fuzz"))

import build_kernel

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")

PLANTED = {
    "a block reaches beyond what may be read": (
        "walk.c",
        "if (LIKELY(text->high - p >= 32)) {",
        "if (LIKELY(text->high - p >= 31)) {",
    ),
    "the last octets are taken for those behind them": (
        "walk.c",
        ">> (16 - (end - p)) |",
        ">> (15 - (end - p)) |",
    ),
    "nobody looks whether a state loops on its set": (
        "walk.c",
        "if (held && entry_of(t, state, t->class_of[octet]) != state)",
        "if (held && !t->states)",
    ),
    "what was remembered is of another text": (
        "columns.c",
        "if (LIKELY(slot->octets == octets &&",
        "if (LIKELY((uint32_t)slot->octets == (uint32_t)octets &&",
    ),
    "a component may end before it begins": (
        "references.c",
        "if (begin != at + front || end < begin) return 0;",
        "if (begin != at + front) return 0;",
    ),
    "a removed segment leaves its slash": (
        "references.c",
        "while (output > path && *--output != '/');",
        "while (output > path && output[-1] != '/') output--;",
    ),
    "a triplet is read beyond the end": (
        "references.c",
        "end - triplet > 2 ?",
        "end - triplet > 1 ?",
    ),
    "a list of moves that grew is read where it was": (
        "weighted.c",
        "            entries = w->entries.items;\n",
        "",
    ),
    "classes of characters that lead elsewhere share a move": (
        "weighted.c",
        "same->bits[part] &= bits[part] ^ other;",
        "same->bits[part] &= bits[part] | other;",
    ),
    "a state is in a set twice": (
        "weighted.c",
        "if (*met != w->now) members[once++]",
        "members[once++]",
    ),
    "what can be left out cannot, and the other way round": (
        "follow.c",
        "(task->three && !put(p, at->weight, rest, at->way))",
        "(!task->three && !put(p, at->weight, rest, at->way))",
    ),
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    program = build_kernel.compiled("cc", folder)
    if isinstance(program, str):
        pytest.skip(f"this compiler has no sanitizers: {program[:200]}")
    build_kernel.write_tables(folder)
    return program


def run(program: Path | str, executions: int) -> subprocess.CompletedProcess[str]:
    command = [str(program), str(executions), "1"]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


@pytest.mark.slow
def test_nothing_is_found(compiled: Path) -> None:
    result = run(compiled, 500_000)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("executions\n")


@pytest.mark.slow
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(fault: str, tmp_path: Path, compiled: Path) -> None:
    file, right, wrong = PLANTED[fault]
    sources = []
    for source in build_kernel.SOURCES:
        text = source.read_text("utf-8")
        if source.name == file:
            assert text.count(right) == 1
            text = text.replace(right, wrong)
        sources.append(tmp_path / source.name)
        sources[-1].write_text(text, "utf-8")
    for header in (*build_kernel.KERNEL.glob("*.h"), *build_kernel.FUZZ.glob("*.h")):
        shutil.copy(header, tmp_path)
    program = build_kernel.compiled("cc", tmp_path, sources=sources)
    assert isinstance(program, Path), program
    shutil.copy(compiled.with_suffix(".tables"), tmp_path)
    result = run(program, 300_000)
    assert result.returncode != 0
