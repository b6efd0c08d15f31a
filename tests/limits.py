"""Limits of time and memory for a call, so that a call that does not end is a failure."""

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

# The limit is in processor time, so that a busy machine causes no failure. A process in C code cannot handle
# signals: it is killed after CLOCK times that number of seconds plus CLOCK_MORE.
CLOCK, CLOCK_MORE = 10, 60


class Overdue(BaseException):
    """A call takes too long. It is not an Exception, so that no handler of the call catches it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise :class:`Overdue` if a block takes longer, on systems with a timer."""
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
    """Return the result of a function that runs in a separate process with a memory limit.

    Raises Overdue if the process had to be killed, MemoryError if it ended without a result. Systems without
    fork run the function in this process.
    """
    if not hasattr(os, "fork"):
        return function()
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # The child has no engine threads, and needs none.
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
    """Run the function in the child; does not return."""
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
