"""Time and memory limits for calls: a call that does not end fails its test."""

from __future__ import annotations

import os
import pickle
import select
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

# Limits are in processor time, so that tests do not fail on a busy machine. A process in C code does not
# handle signals. It is killed when CLOCK times the limit plus CLOCK_MORE seconds have passed.
CLOCK, CLOCK_MORE = 10, 60


class Overdue(BaseException):
    """A call takes too long. Not an Exception, so that the called code does not catch it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise :class:`Overdue` if a block exceeds a processor time. Does nothing on systems without a timer."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise Overdue

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def isolated(function: Callable[[], Any], seconds: float, octets: int) -> Any:
    """Run a function in a separate process with a memory limit and return its result.

    Raises Overdue if the process had to be killed, and MemoryError if it ended without a result. On systems
    without fork, the function runs in this process.
    """
    if not hasattr(os, "fork"):
        return function()
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # The child does not inherit other threads, and does not need them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        os.close(reader)
        _answer(function, octets, writer)
    os.close(writer)
    data = b""
    with os.fdopen(reader, "rb") as stream:
        if select.select([stream], [], [], CLOCK * seconds + CLOCK_MORE)[0]:
            data = stream.read()
        else:
            os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if data:
        return pickle.loads(data)
    if os.waitstatus_to_exitcode(status) == -signal.SIGKILL:
        raise Overdue
    raise MemoryError(f"the process ended with status {os.waitstatus_to_exitcode(status)}")


def _answer(function: Callable[[], Any], octets: int, writer: int) -> None:
    """Run the function in the child process, send its result, and exit."""
    try:
        limit_memory(octets)
        data = pickle.dumps(function())
        with os.fdopen(writer, "wb") as stream:
            stream.write(data)
    finally:
        os._exit(1)


def limit_memory(octets: int) -> None:
    """Limit the address space of this process to its current size plus ``octets``, on Linux."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError):
        return
    limit = pages * resource.getpagesize() + octets
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
