"""Programs that are started for each string."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from abnforge.conformance import Command, programs
from abnforge.conformance.judges import Answer

ARGUMENT = "import sys; sys.exit(0 if sys.argv[-1].isdigit() else 1)"
INPUT = "import sys; sys.exit(0 if sys.stdin.buffer.read() == b'a\\n' else 1)"
PLACED = "import sys; sys.exit(0 if sys.argv[1:] == ['<x>', 'end'] else 1)"


def python(code: str, *args: str) -> list[str]:
    return [sys.executable, "-S", "-c", code, *args]


def test_commands() -> None:
    command = Command(python(ARGUMENT), jobs=2)
    assert [each and each.yes for each in command.answers(["1", "a", "", "\0", "\ud800", "22"])] == [
        True, False, False, None, None, True,
    ]  # fmt: skip
    assert Command(python(INPUT), stdin=True).ask("a\n") == Answer(True)
    assert Command(python(PLACED, "<{}>", "end")).ask("x") == Answer(True)
    assert command.dear


def test_statuses_and_what_is_said() -> None:
    assert Command(python("raise ValueError('so')")).ask("x") == Answer(False, "ValueError: so")
    assert Command(python("import sys; sys.exit(3)")).ask("x") == Answer(False, "exited with status 3")
    killed = Command(python("import os; os.kill(os.getpid(), 9)")).ask("x")
    assert killed == Answer(False, "ended by SIGKILL")
    late = Command(python("import time; time.sleep(60)"), seconds=0.3).ask("x")
    assert not late.yes
    assert "0.3 s" in (late.error or "")


def test_it_runs_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "check.py"
    script.write_text(
        "import os, sys, tempfile\n"
        "open('dropping', 'w').close()\n"
        "sys.exit(0 if os.listdir() == ['dropping'] and tempfile.gettempdir() == os.getcwd() else 1)\n"
    )
    assert Command([sys.executable, "-S", "check.py"]).ask("x") == Answer(True)
    assert os.listdir(tmp_path) == ["check.py"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_what_a_program_leaves_behind_holds_nobody_up() -> None:
    code = "import os, sys, time\nif not os.fork(): time.sleep(60)\nsys.exit(0)"
    assert Command(python(code), seconds=20).ask("x") == Answer(True)


NODE = b"""node:internal/modules/cjs/loader:1228
  throw err;
  ^

Error: Cannot find module '/tmp/check.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15) {
  code: 'MODULE_NOT_FOUND'
}

Node.js v20.20.2
"""


@pytest.mark.parametrize(
    ("said", "line"),
    [
        (NODE, "Error: Cannot find module '/tmp/check.js'"),
        (b"grep: a: unreadable\n", "grep: a: unreadable"),
        (b"Traceback (most recent call last):\n  File\nValueError: a\n", "ValueError: a"),
        (b'Exception in thread "main" a.B: c\n\tat a.main(a.java)\n', 'Exception in thread "main" a.B: c'),
        (b"panic: a\n\ngoroutine 1 [running]:\nexit status 2\n", "panic: a"),
    ],
)
def test_the_line_that_names_the_error(said: bytes, line: str) -> None:
    assert programs.ended(2, said) == f"exited with status 2: {line}"
