"""Programs as implementations: started for each string (``Command``), or once (``Process``)."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Thread
from time import sleep
from typing import IO, Any

from abnforge._arguments import empty, names_argument, wrong_value
from abnforge.catalog import ArgumentError
from abnforge.conformance.judges import Answer, Judge, JudgeError
from abnforge.conformance.messages import message

SECONDS = 10.0  # the default timeout of a string
MAX_LOST = 20  # the number of consecutive strings without a result after which the test ends

_TAIL = 4_000  # number of bytes at the end of the output, whose last line is reported

_ERROR = re.compile(r"(?:[\w.$]*(?:Error|Exception)\b|panic: |thread '[^']*' panicked)")

PLACE = "{}"  # the argument that the string replaces


class ProgramJudge(Judge):
    """Base of programs: their arguments, working directory and number of processes.

    A program runs in an empty directory that is removed afterwards, so paths in its arguments become
    absolute. ``seconds`` is the timeout of a string. Raises ValueError for empty arguments, or if a number is
    too small.
    """

    def __init__(self, args: Sequence[str], *, seconds: float = SECONDS, jobs: int = 1) -> None:
        if not names_argument(args, "args", "strings"):
            raise empty("args")
        if not seconds > 0:
            raise wrong_value("seconds", "greater than 0", seconds)
        if jobs < 1:
            raise wrong_value("jobs", "at least 1", jobs)
        self.seconds = seconds
        self._jobs = jobs
        self.args = [_absolute(each) for each in args]

    def start(self, args: Sequence[str], folder: str, **streams: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            args,
            cwd=folder,
            env={**os.environ, **dict.fromkeys(("TMPDIR", "TMP", "TEMP"), folder)},
            start_new_session=True,  # child processes end with the program
            **streams,
        )

    def in_order(self, work: Any, items: Sequence[Any]) -> Iterator[Any]:
        """Yield the results of items in order, with one item per job at a time."""
        if self._jobs == 1:
            yield from map(work, items)
            return
        with ThreadPoolExecutor(self._jobs) as pool:
            step = 50 * self._jobs  # the caller may stop early
            for start in range(0, len(items), step):
                yield from pool.map(work, items[start : start + step])


class Command(ProgramJudge):
    """A program that is started for each string, and accepts the string by exiting with status 0.

    The string is its last argument, or replaces ``{}`` in the arguments; with ``stdin`` it is the input, as
    UTF-8. For a grammar of bytes, it is passed unchanged. Any other status is a rejection; statuses other
    than 1, signals and timeouts are kept as errors. A NUL cannot be in an argument, and UTF-8 cannot encode a
    lone surrogate: such strings are skipped.
    """

    is_slow = True

    def __init__(
        self, args: Sequence[str], *, stdin: bool = False, seconds: float = SECONDS, jobs: int = 1
    ) -> None:
        super().__init__(args, seconds=seconds, jobs=jobs)
        self._stdin = stdin

    def check(self) -> None:
        """Raise OSError if the program cannot start or reports that its script is missing."""
        script = next((each for each in self.args[1:] if not each.startswith("-")), "")
        answer = self._one("")
        is_named = answer is not None and script in (answer.error or "")
        if is_named and Path(script).suffix and not Path(script).exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), script)

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """Yield a result for each string. Raises OSError if the program cannot start or always times out."""
        lost = 0
        for answer in self.in_order(self._one, texts):
            lost = lost + 1 if answer is not None and answer.error == self._late else 0
            if lost >= MAX_LOST:
                raise JudgeError(message("judge-lost", program=self.args[0], count=lost, reason=self._late))
            yield answer

    @property
    def _late(self) -> str:
        return f"did not end within {self.seconds:g} s"

    def _one(self, text: str | bytes) -> Answer | None:
        try:
            octets = text if isinstance(text, bytes) else text.encode()
        except UnicodeEncodeError:
            return None
        text = os.fsdecode(text) if isinstance(text, bytes) else text
        if not self._stdin and "\0" in text:
            return None
        with (
            TemporaryDirectory(prefix="abnforge-", ignore_cleanup_errors=True) as folder,
            TemporaryFile() as standard_input,
            TemporaryFile() as errors,
        ):
            # Use files, since child processes could keep pipes open.
            standard_input.write(octets if self._stdin else b"")
            standard_input.seek(0)
            try:
                process = self.start(
                    self.args if self._stdin else _put(self.args, text),
                    folder,
                    stdin=standard_input,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                )
            except OSError as error:
                if error.errno == errno.E2BIG:
                    return None
                raise
            try:
                process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                kill(process)
                process.wait()
                return Answer(False, self._late)
            kill(process)
            output = _tail(errors)
        if process.returncode in (0, 1):
            return Answer(process.returncode == 0, _error_line(output) if process.returncode else None)
        return Answer(False, describe_end(process.returncode, output))


def _absolute(argument: str) -> str:
    try:
        return str(Path(argument).absolute()) if argument and Path(argument).exists() else argument
    except OSError:  # the argument is too long for a file name, for example a program
        return argument


def _put(args: Sequence[str], text: str) -> list[str]:
    return (
        [each.replace(PLACE, text) for each in args] if any(PLACE in each for each in args) else [*args, text]
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and its child processes."""
    if sys.platform == "win32":
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def describe_end(status: int, output: bytes) -> str:
    """Return how a program ended, and its last message."""
    how = f"exited with status {status}"
    if status < 0:
        try:
            how = f"ended by {signal.Signals(-status).name}"
        except ValueError:
            how = f"ended by signal {-status}"
    line = _error_line(output)
    return f"{how}: {line}" if line else how


def _tail(file: IO[bytes]) -> bytes:
    file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
    return file.read()


def _error_line(output: bytes) -> str | None:
    """Return the last line that names an error, or the last one: Node and Java write more lines after it."""
    lines = output.decode(errors="replace").strip().splitlines()
    named = [line for line in lines if _ERROR.match(line)]
    return (named or lines)[-1].strip()[:200] if lines else None


# A program that is started once and reads a line per string.

# Limits of the strings that are written before results are read: their number and bytes must fit into pipes
# (64 KiB), so that neither side waits for the other.
_CHUNK = 200
_CHUNK_OCTETS = 16_000
_EXPECTED = '{"valid": true} or {"valid": false}'
_SILENCE = 0.02  # seconds to wait for unrequested lines


class Process(ProgramJudge):
    """A program that is started once (``jobs`` times); use it in a ``with`` statement.

    It reads ``{"id": 1, "text": "..."}`` and writes ``{"valid": true}``, one line of JSON per string, in the
    same order, and flushes each line. ``"id"`` and ``"error"`` are optional. Lone surrogates are skipped. A
    string of bytes is in ``"base64"`` instead of ``"text"``.

    A program that ends, or writes no line within ``seconds``, rejects the string, and is started again.
    """

    def __init__(self, args: Sequence[str], *, seconds: float = SECONDS, jobs: int = 1) -> None:
        super().__init__(args, seconds=seconds, jobs=jobs)
        self._idle: SimpleQueue[_Peer] = SimpleQueue()
        self._peers: list[_Peer] = []
        self._closed = False

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the programs. Afterwards, no strings can be tested."""
        self._closed = True
        while self._peers:
            self._peers.pop().end()

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """Yield a result for each string.

        Raises OSError for a program that cannot start, breaks the protocol or is lost repeatedly; ValueError
        after ``close``.
        """
        if self._closed:
            raise ArgumentError(message("judge-closed"))
        while len(self._peers) < self._jobs:
            peer = _Peer(self)
            self._peers.append(peer)
            self._idle.put(peer)
        for answers in self.in_order(self._chunk, list(_chunks(texts))):
            yield from answers
        if len(texts) > 1:  # unrequested lines of a single string appear with the next one
            for peer in self._peers:
                peer.finished()

    def _chunk(self, texts: list[str]) -> list[Answer | None]:
        peer = self._idle.get()
        try:
            return peer.ask(texts)
        finally:
            self._idle.put(peer)


class _Peer:
    """One running program, with a thread for its results, because pipes lack timeouts on some platforms."""

    def __init__(self, program: Process) -> None:
        self._program = program
        self._number = 0
        self._lost = 0
        self._answered = False
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, texts: Sequence[str]) -> list[Answer | None]:
        results: list[Answer | None] = [None] * len(texts)
        lines: list[tuple[int, int, bytes]] = []
        for place, text in enumerate(texts):
            if (line := self._line(text)) is not None:
                lines.append((place, self._number, line))
        while lines:
            if self._process is None:
                self._begin()
            self._refuse_more()
            self._write(b"".join([line for _, _, line in lines]))
            for done, (place, number, _) in enumerate(lines):
                answer = self._read(number)
                if answer is None:  # the program is lost; test the strings after this one again
                    results[place] = Answer(False, self._given_up())
                    lines = lines[done + 1 :]
                    break
                self._lost = 0
                self._answered = True
                results[place] = answer
            else:
                break
        return results

    def finished(self) -> None:
        """Check that no unrequested line follows the last string."""
        if self._process is not None:
            sleep(_SILENCE)
            self._refuse_more()

    def _refuse_more(self) -> None:
        """Raise OSError for unrequested lines, which would be results of other strings."""
        if self._process is None or self._process.poll() is not None or self._answers.empty():
            return
        line = self._answers.get()
        if line is None:
            self._answers.put(None)
            return
        self.end()
        text = line.decode(errors="replace").strip()[:80]
        raise JudgeError(message("judge-extra-line", program=self._program.args[0], line=text))

    def _line(self, text: str | bytes) -> bytes | None:
        if isinstance(text, bytes):
            self._number += 1
            return json.dumps({"id": self._number, "base64": b64encode(text).decode()}).encode() + b"\n"
        try:
            text.encode()
        except UnicodeEncodeError:
            return None
        self._number += 1
        return json.dumps({"id": self._number, "text": text}).encode() + b"\n"

    def _begin(self) -> None:
        self._folder = TemporaryDirectory(prefix="abnforge-", ignore_cleanup_errors=True)
        self._said: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed by end
        try:
            self._process = self._program.start(
                self._program.args,
                self._folder.name,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
            )
        except OSError:
            self._said.close()
            self._folder.cleanup()
            raise
        self._answers: SimpleQueue[bytes | None] = SimpleQueue()
        Thread(target=_forward, args=(self._process.stdout, self._answers), daemon=True).start()

    def _write(self, octets: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError):  # the program has ended, which ``_read`` reports
            self._process.stdin.write(octets)
            self._process.stdin.flush()

    def _read(self, number: int) -> Answer | None:
        """Return a verdict; if there is none, return None and set ``_why`` to the reason."""
        try:
            line = self._answers.get(timeout=self._program.seconds)
        except Empty:
            hint = "" if self._answered else "; flush each line"
            self._why = f"did not answer within {self._program.seconds:g} s{hint}"
            return None
        if line is None:
            assert self._process is not None
            self._process.wait()
            self._said.seek(0)
            self._why = describe_end(self._process.returncode, self._said.read())
            return None
        return self._answer(line, number)

    def _answer(self, line: bytes, number: int) -> Answer:
        text = line.decode(errors="replace").strip()
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, Mapping) and value.get("id", number) == number:
            valid, error = value.get("valid"), value.get("error")
            if isinstance(valid, bool):
                return Answer(valid, None if error is None or valid else str(error))
        elif isinstance(value, bool):
            return Answer(value)
        self.end()
        raise JudgeError(
            message("judge-answer", program=self._program.args[0], line=text[:80], expected=_EXPECTED)
        )

    def _given_up(self) -> str:
        self.end()
        self._lost += 1
        if self._lost >= MAX_LOST:
            program = self._program.args[0]
            raise JudgeError(message("judge-lost", program=program, count=self._lost, reason=self._why))
        return self._why

    def end(self) -> None:
        """Stop the program, if it runs."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        kill(process)
        process.wait()
        for stream in (process.stdin, self._said):
            with suppress(OSError):  # the pipe is broken
                stream.close()
        self._folder.cleanup()


def _forward(stream: IO[bytes], answers: SimpleQueue[bytes | None]) -> None:
    with stream:
        for line in stream:
            answers.put(line)
    answers.put(None)


def _chunks(texts: Sequence[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    octets = 0
    for text in texts:
        size = 6 * len(text) + 40  # upper bound: every character as a JSON escape
        if chunk and (octets + size > _CHUNK_OCTETS or len(chunk) >= _CHUNK):
            yield chunk
            chunk, octets = [], 0
        chunk.append(text)
        octets += size
    if chunk:
        yield chunk
