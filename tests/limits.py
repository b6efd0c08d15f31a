"""Limits of time and memory around one call, so that a call that does not end is a failure like others."""

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

# Seconds count what the processor works, so that a busy machine makes no finding. A process that does not end
# itself, as in C where no signal is looked at, is stopped by the clock, after so many times as long and a
# minute more.
CLOCK, CLOCK_MORE = 10, 60


class Overdue(BaseException):
    """A question took too long. Not an Exception: no handler on the way may take it for its own."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise :class:`Overdue` in what takes more of the processor; without effect where there is no timer."""
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
    """What a function returns in a process of its own, which may take so many octets more than this one.

    The function stops itself in time and raises nothing; Overdue is raised when it had to be stopped from
    outside, MemoryError when its process ended in another way. Where processes do not fork it runs in this
    one.
    """
    if not hasattr(os, "fork"):
        return function()
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # An engine's threads are not there in the child, which asks the project alone and needs none of them.
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
    """The child's part: it never comes back."""
    try:
        limit_memory(octets)
        data = pickle.dumps(function())
        with os.fdopen(writer, "wb") as stream:
            stream.write(data)
    finally:
        os._exit(1)


def limit_memory(octets: int) -> None:
    """Let this process take so many octets of address space more than it has; where the system can."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except (ImportError, OSError):
        return
    limit = pages * resource.getpagesize() + octets
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
