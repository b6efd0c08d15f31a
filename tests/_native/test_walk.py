"""The example program in docs/kernel.md walks a table in C."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import abnforge
from abnforge.automata.tables import table_of
from tests.places import ROOT

KERNEL = ROOT / "src" / "abnforge" / "_native"


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_c_program_walks_a_table(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "kernel.md").read_text("utf-8")
    (example,) = re.findall(r"^```c\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "example.c").write_text(example, "utf-8")
    (tmp_path / "uri.table").write_bytes(table_of(abnforge.rule("rfc3986:URI").automaton))
    command = ["cc", "-Wall", "-Wextra", "-Werror", f"-I{KERNEL}", "example.c", str(KERNEL / "walk.c")]
    subprocess.run([*command, "-o", "example"], cwd=tmp_path, check=True, timeout=120)
    texts = ["http://example.com/" + 50 * "a", "a b", "", "urn:é"]
    result = subprocess.run(
        [str(tmp_path / "example"), *texts], cwd=tmp_path, capture_output=True, timeout=60
    )
    assert (result.returncode, result.stderr) == (0, b"")
    assert [line.split()[-1] for line in result.stdout.decode().splitlines()] == ["derived", "1", "0", "4"]
