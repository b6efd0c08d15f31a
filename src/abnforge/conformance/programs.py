"""A program that is started for each string, and what programs have in common."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

from abnforge._arguments import empty, names_argument, wrong_value
from abnforge.conformance.judges import Answer, Judge, JudgeError
from abnforge.conformance.messages import message

SECONDS = 10.0
"""How long an answer may take, unless it is told."""

MAX_LOST = 20
"""Questions in a row that are not answered before a program is given up."""

_TAIL = 4_000  # octets of what a program says, of which the last line is told

_ERROR = re.compile(r"(?:[\w.$]*(?:Error|Exception)\b|panic: |thread '[^']*' panicked)")

PLACE = "{}"
"""The argument that the string takes the place of."""


class Program(Judge):
    """What programs have in common: what is run, where, and how many at once.

    A program runs in an empty folder that is removed afterwards, unless ``here`` is true; arguments that name
    files or folders then are made absolute, so that they are found. ``seconds`` is how long an answer may
    take. Raises ValueError for no arguments, or numbers below what makes sense.
    """

    def __init__(
        self, args: Sequence[str], *, seconds: float = SECONDS, jobs: int = 1, here: bool = False
    ) -> None:
        if not names_argument(args, "args", "strings"):
            raise empty("args")
        if not seconds > 0:
            raise wrong_value("seconds", "greater than 0", seconds)
        if jobs < 1:
            raise wrong_value("jobs", "at least 1", jobs)
        self.seconds = seconds
        self._jobs = jobs
        self._here = here
        self.args = list(args) if here else [_absolute(each) for each in args]

    def start(self, args: Sequence[str], folder: str, **streams: Any) -> subprocess.Popen[bytes]:
        """Start it in a folder."""
        environment = dict(os.environ)
        if not self._here:
            environment |= dict.fromkeys(("TMPDIR", "TMP", "TEMP"), folder)
        return subprocess.Popen(
            args,
            cwd=None if self._here else folder,
            env=environment,
            start_new_session=True,  # so that what it starts ends with it
            **streams,
        )

    def in_order(self, work: Any, items: Sequence[Any]) -> Iterator[Any]:
        """What becomes of items, in their order, so many at once as there are jobs."""
        if self._jobs == 1:
            yield from map(work, items)
            return
        with ThreadPoolExecutor(self._jobs) as pool:
            step = 50 * self._jobs  # not all at once: whoever asks may have enough of the answers
            for start in range(0, len(items), step):
                yield from pool.map(work, items[start : start + step])


class Command(Program):
    """A program that is started for each string, and says yes by ending with status 0.

    The string is its last argument, or takes the place of ``{}`` in the arguments; with ``stdin`` it is what
    the program reads, as UTF-8. Any other status is no; other ones than 1, a signal, and no end within
    ``seconds`` are kept as errors. A NUL cannot be an argument, and a lone surrogate is no UTF-8: these are
    not asked.
    """

    dear = True

    def __init__(
        self,
        args: Sequence[str],
        *,
        stdin: bool = False,
        seconds: float = SECONDS,
        jobs: int = 1,
        here: bool = False,
    ) -> None:
        super().__init__(args, seconds=seconds, jobs=jobs, here=here)
        self._stdin = stdin

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """An answer a string. Raises OSError for a program that cannot be started or never answers."""
        lost = 0
        for answer in self.in_order(self._one, texts):
            lost = lost + 1 if answer is not None and answer.error == self._late else 0
            if lost >= MAX_LOST:
                raise JudgeError(message("judge-lost", program=self.args[0], count=lost, reason=self._late))
            yield answer

    @property
    def _late(self) -> str:
        return f"did not end within {self.seconds:g} s"

    def _one(self, text: str) -> Answer | None:
        try:
            octets = text.encode()
        except UnicodeEncodeError:
            return None
        if not self._stdin and "\0" in text:
            return None
        with (
            TemporaryDirectory(prefix="abnforge-", ignore_cleanup_errors=True) as folder,
            TemporaryFile() as given,
            TemporaryFile() as errors,
        ):
            # Files, not pipes: these are held open by what a program has started and left.
            given.write(octets if self._stdin else b"")
            given.seek(0)
            try:
                process = self.start(
                    self.args if self._stdin else _put(self.args, text),
                    folder,
                    stdin=given,
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
            said = _tail(errors)
        if process.returncode in (0, 1):
            return Answer(process.returncode == 0, _error_line(said) if process.returncode else None)
        return Answer(False, ended(process.returncode, said))


def _absolute(argument: str) -> str:
    try:
        return str(Path(argument).absolute()) if argument and Path(argument).exists() else argument
    except OSError:  # too long for a name, such as a program that is passed as an argument
        return argument


def _put(args: Sequence[str], text: str) -> list[str]:
    return (
        [each.replace(PLACE, text) for each in args] if any(PLACE in each for each in args) else [*args, text]
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a program, and what it has started."""
    if sys.platform == "win32":
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def ended(status: int, said: bytes) -> str:
    """How a program ended, and what it said last."""
    how = f"exited with status {status}"
    if status < 0:
        try:
            how = f"ended by {signal.Signals(-status).name}"
        except ValueError:
            how = f"ended by signal {-status}"
    line = _error_line(said)
    return f"{how}: {line}" if line else how


def _tail(file: IO[bytes]) -> bytes:
    file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
    return file.read()


def _error_line(said: bytes) -> str | None:
    """Return the last line of standard error that names an error, or else the last line: Node and Java write
    more lines after the error.
    """
    lines = said.decode(errors="replace").strip().splitlines()
    named = [line for line in lines if _ERROR.match(line)]
    return (named or lines)[-1].strip()[:200] if lines else None
