"""The command as a process: pipes, descriptors, signals, bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from tests.cli.command import heed_interrupts

COMMAND = [sys.executable, "-m", "abnforge"]

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and signals as POSIX has them")


def run(*arguments: str | bytes, stdin: bytes = b"", **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=stdin, capture_output=True, timeout=60, **options)  # type: ignore[call-overload,no-any-return]


def test_a_closed_pipe_is_silent() -> None:
    with subprocess.Popen(
        [*COMMAND, "check", "--quiet", "--no-suggest"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(b" \n" * 2000)
        process.stdin.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


@pytest.mark.parametrize("options", [(), ("--resume",)])
def test_a_pipe_that_closes_publishes_nothing(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Only a job that resumes keeps its state: the reader can be a program that failed, instead of head."""
    pytest.importorskip("numpy")
    (tmp_path / "in.csv").write_text("url\n" + f"a:{'b' * 1_000}\na b\n" * 5_000)
    split = [*COMMAND, "split", "in.csv", "-c", "url", "--valid", "-", "--rejects", "bad.jsonl", *options]
    with subprocess.Popen(split, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(1)
        process.stdout.close()
        assert process.wait(60) == 141
        assert len(process.stderr.read().splitlines()) == 1
    assert set(os.listdir(tmp_path)) == {"in.csv", *([".bad.jsonl.abnforge-job"] if options else [])}
    result = subprocess.run([*split, "--resume"], cwd=tmp_path, capture_output=True, timeout=60)
    assert result.returncode == 1
    assert len(result.stdout.splitlines()) == 5_001
    assert set(os.listdir(tmp_path)) == {"in.csv", "bad.jsonl"}


@pytest.mark.parametrize(
    "option", ["--metrics", "--job-name", "--null-value", "--header", "--id", "--column"]
)
def test_an_argument_that_is_not_utf8(tmp_path: Path, option: str) -> None:
    pytest.importorskip("numpy")
    (tmp_path / "in.csv").write_text("url\n")
    result = run("split", "in.csv", "-c", "url", "--on-error", "drop", option, b"\xff", cwd=tmp_path)
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1)
    assert os.listdir(tmp_path) == ["in.csv"]


@pytest.mark.parametrize("descriptor", [0, 1])
def test_a_closed_descriptor_is_a_message(descriptor: int) -> None:
    result = run("check", stdin=b" \n", preexec_fn=lambda: os.close(descriptor))
    assert result.returncode == 2
    assert b"closed" in result.stderr
    assert b"Traceback" not in result.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_a_message() -> None:
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [*COMMAND, "check"], input=b" \n", stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert result.returncode == 2
    assert b"No space left" in result.stderr
    assert b"Traceback" not in result.stderr


def test_interrupt_is_a_status() -> None:
    with subprocess.Popen(
        [*COMMAND, "check"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(
            b" \n" * 5000
        )  # more than the output buffers can hold, so the process is still running
        process.stdin.flush()
        process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert b"Traceback" not in errors


def test_strings_with_every_byte() -> None:
    lines = b"http://h/\xff\n" + b"http://h/" + b"a" * 1_000_000 + b"\n" + b"a" * 1_048_577 + b"\r\nx:\0\n"
    result = run("check", stdin=lines)
    assert result.returncode == 1
    heads = [line for line in result.stdout.split(b"\n") if line.startswith(b"<stdin>")]
    assert [head.split(b":")[1] for head in heads] == [b"1", b"3", b"4"]
    assert b"byte 0xFF at byte offset 9" in heads[0]
    assert b" [line-too-long]" in heads[1]


def test_null_separated() -> None:
    result = run("check", "--null", "--rule", "URI-reference", stdin=b"a\0b\nc\0")
    assert result.stdout.startswith(b"<stdin>:2:2: ")


def test_arguments_of_other_bytes_are_rejected() -> None:
    result = run("explain", b"http://\xff/")
    assert result.returncode == 2
    assert b"byte 0xFF at offset 7" in result.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_output_encoding_will_do(encoding: str) -> None:
    result = run("explain", "http://€é", env={**os.environ, "PYTHONIOENCODING": encoding})
    assert result.returncode == 1
    assert result.stderr == b""
    expected = "    http://€é".encode(encoding, "backslashreplace")
    assert expected in result.stdout.splitlines()


@pytest.mark.parametrize(("no_color", "colored"), [(None, True), ("1", False)])
def test_color_on_a_terminal_only(no_color: str | None, colored: bool) -> None:
    pty = pytest.importorskip("pty")
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"}
    if no_color:
        environment["NO_COLOR"] = no_color
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "explain", "a b"], stdin=subprocess.DEVNULL, stdout=child, stderr=child, env=environment
    )
    os.close(child)
    shown = b""
    while True:
        try:
            piece = os.read(parent, 1000)
        except OSError:  # Linux reports a closed pipe this way
            break
        if not piece:
            break
        shown += piece
    os.close(parent)
    assert process.wait(60) == 1
    assert (b"\x1b[" in shown) is colored
    assert b"\x1b[" not in run("explain", "a b").stdout


def test_lines_are_validated_as_they_arrive() -> None:
    """A slow producer gets a verdict after each flush, and not only at the end."""
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "abnforge", "check", "--quiet"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"a b\n")
        process.stdin.flush()
        overdue = Timer(60, process.kill)  # ensures that the test ends
        overdue.start()
        assert process.stdout.readline().startswith(b"<stdin>:1:")
        overdue.cancel()
        process.stdin.close()
        process.stdout.read()


def test_scripts_for_shells_by_a_variable() -> None:
    """Every program that uses click reads such a variable."""
    for shell in ("bash", "zsh", "fish"):
        asked = run(env={**os.environ, "_ABNFORGE_COMPLETE": f"{shell}_source"})
        assert (asked.returncode, asked.stderr) == (0, b"")
        assert asked.stdout == run("completion", shell).stdout


def test_start_up_imports_nothing_heavy() -> None:
    script = (
        "import sys; from abnforge.cli.app import cli\n"
        "try: cli(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'lark', 'abnf', 'abnforge.uri'} & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=60)
    assert result.stderr.strip() == b"[]"
