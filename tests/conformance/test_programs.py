"""Programs under test, which get each string in a new process or as a line of input."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import abnforge
from abnforge.conformance import Command, Process, programs, run
from abnforge.conformance.judges import Answer, JudgeError
from tests.raising import raises

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
    assert command.is_slow


def test_statuses_and_what_is_said() -> None:
    assert Command(python("raise ValueError('so')")).ask("x") == Answer(False, "ValueError: so")
    assert Command(python("import sys; sys.exit(3)")).ask("x") == Answer(False, "exited with status 3")
    killed = Command(python("import os; os.kill(os.getpid(), 9)")).ask("x")
    assert killed == Answer(False, "ended by SIGKILL")
    late = Command(python("import time; time.sleep(60)"), seconds=0.3).ask("x")
    assert not late.yes
    assert "0.3 s" in (late.error or "")


def test_it_runs_in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_what_a_program_leaves_after_holds_nobody_up() -> None:
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
    ("message", "line"),
    [
        (NODE, "Error: Cannot find module '/tmp/check.js'"),
        (b"grep: a: unreadable\n", "grep: a: unreadable"),
        (b"Traceback (most recent call last):\n  File\nValueError: a\n", "ValueError: a"),
        (b'Exception in thread "main" a.B: c\n\tat a.main(a.java)\n', 'Exception in thread "main" a.B: c'),
        (b"panic: a\n\ngoroutine 1 [running]:\nexit status 2\n", "panic: a"),
    ],
)
def test_the_line_that_names_the_error(message: bytes, line: str) -> None:
    assert programs.describe_end(2, message) == f"exited with status 2: {line}"


PORT = abnforge.load("rfc3986")["port"]
JSON = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    text = asked["text"]
    if text == "die":
        sys.exit("told to")
    if text == "wait":
        import time; time.sleep(60)
    valid = text.isdigit() or not text
    print(json.dumps({"id": asked["id"], "valid": valid, "error": "no digit"}), flush=True)
"""


def test_a_script_that_is_missing() -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.py"):
        Command([sys.executable, "-S", "missing.py"]).check()
    Command([sys.executable, "-c", "", "missing.py"]).check()


def test_programs_that_are_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        Command(["./nothing-of-this-name"]).ask("x")
    with pytest.raises(FileNotFoundError), Process(["./nothing-of-this-name"]) as process:
        process.ask("x")


def test_lines_of_json() -> None:
    with Process(python(JSON), jobs=2) as process:
        texts = [str(number) for number in range(1_000)] + ["x", "\n", '"', "\ud800", "é"]
        results = list(process.answers(texts))
    assert results[:1_000] == [Answer(True)] * 1_000
    no = Answer(False, "no digit")
    assert results[1_000:] == [no, no, no, None, no]
    with raises(ValueError, "judge-closed"):
        process.ask("1")


def test_who_ends_or_hangs_has_said_no_and_is_started_again() -> None:
    died, late = "exited with status 1: told to", "did not answer within 2 s"
    with Process(python(JSON), seconds=2) as process:
        assert list(process.answers(["1", "die", "2", "wait", "3"])) == [
            Answer(True),
            Answer(False, died),
            Answer(True),
            Answer(False, late),
            Answer(True),
        ]


def test_who_never_answers_is_stopped() -> None:
    texts = [str(number) for number in range(50)]
    with (
        raises(OSError, "judge-lost", program=sys.executable, count=20),
        Process(python("import sys; sys.exit(3)")) as process,
    ):
        list(process.answers(texts))


@pytest.mark.parametrize("error_code", ["perhaps", "1", '{"id": 77, "valid": true}', '{"valid": "yes"}'])
def test_who_speaks_otherwise_is_reported(error_code: str) -> None:
    code = f"import sys\nfor line in sys.stdin: print({error_code!r}, flush=True)"
    with raises(OSError, "judge-answer"), Process(python(code)) as process:
        process.ask("x")


def test_a_suite_is_run() -> None:
    with Process(python(JSON)) as process:
        report = run(PORT, process)
    unasked = [each for each in report.suite if any("\ud800" <= char <= "\udfff" for char in each.text)]
    assert report.skipped == len(unasked) == len(report.suite) - report.tried > 0
    assert {each.text for each in report.deviations} >= {"\u0661"}  # isdigit accepts non-ASCII digits
    assert all(each.error is None for each in report.deviations)


def test_invalid_programs() -> None:
    with raises(TypeError, "argument-type", name="args", type="str"):
        Command("true")  # type: ignore[arg-type]
    with raises(ValueError, "argument-empty", name="args"):
        Command([])
    with raises(ValueError, "argument-value", name="seconds", value=0):
        Command(["true"], seconds=0)
    with raises(ValueError, "argument-value", name="jobs", value=0):
        Command(["true"], jobs=0)


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nprint('ready', flush=True)\nfor line in sys.stdin: print('true', flush=True)",
        "import sys\nfor line in sys.stdin: print('true', flush=True); print('true', flush=True)",
    ],
)
def test_lines_that_nobody_has_asked_for_are_reported(code: str) -> None:
    with pytest.raises(JudgeError) as caught, Process(python(code)) as process:
        list(process.answers([str(number) for number in range(500)]))
    assert caught.value.code in ("judge-extra-line", "judge-answer")


def test_an_answer_that_is_nested_deeply_is_none() -> None:
    code = "import sys\nfor line in sys.stdin: print('[' * 100_000, flush=True)"
    with (
        raises(OSError, "judge-answer", program=sys.executable),
        Process(python(code)) as process,
    ):
        process.ask("x")
