"""Arrow uses an allocator that returns memory to the system, unless the environment names another one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numpy")
import pyarrow as pa

from abnforge.cli.common.process import POOL, choose_allocator

SCRIPT = """\
import sys
from abnforge.cli import main
sys.argv[1:] = ["split", "rows.txt", "-c", "x", "-o", "out.txt", "--on-error", "drop"]
try:
    main()
except SystemExit:
    pass
import pyarrow
print(pyarrow.default_memory_pool().backend_name)
"""


@pytest.mark.parametrize(("chosen", "used"), [(None, "jemalloc"), ("system", "system")])
def test_the_command(tmp_path: Path, chosen: str | None, used: str) -> None:
    if used not in pa.supported_memory_backends() or "CS_GNU_LIBC_VERSION" not in os.confstr_names:
        pytest.skip(f"this pyarrow has no {used}")
    (tmp_path / "rows.txt").write_text("a:b\n")
    env = {name: value for name, value in os.environ.items() if name != POOL}
    env |= {} if chosen is None else {POOL: chosen}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [used], done.stderr


def test_a_process_that_has_loaded_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process keeps its allocator, and its child processes do not inherit it."""
    monkeypatch.delenv(POOL, raising=False)
    choose_allocator()
    assert POOL not in os.environ
