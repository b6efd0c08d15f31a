"""Handle the signals and the memory of a job."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from abnforge.cli.common.messages import message

POOL = "ARROW_DEFAULT_MEMORY_POOL"  # Arrow's own variable


def choose_allocator() -> None:
    """Make Arrow allocate with jemalloc, unless the user chose another allocator.

    The default, mimalloc, uses 100 MB more. Arrow reads the variable when it is loaded. Its packages include
    jemalloc only for glibc.
    """
    glibc = "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", ())
    if glibc and "pyarrow" not in sys.modules:
        os.environ.setdefault(POOL, "jemalloc")


_WANTED = ("SIGINT", "SIGTERM", "SIGHUP")


class Stopping:
    """Records a signal that stops the job. A second signal ends the process immediately."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.say: Callable[[str], None] | None = None

    def __call__(self) -> bool:
        """Return whether a signal arrived, and report it once.

        The handler itself cannot report it: it may interrupt a write to standard error, and a nested write
        raises RuntimeError.
        """
        if self.signal is not None and self.say is not None:
            self.say(message("stopping", signal=signal.Signals(self.signal).name))
            self.say = None
        return self.signal is not None

    @contextmanager
    def listening(self) -> Iterator[Stopping]:
        """Let a signal end the job after the current batch.

        A signal that comes before the job is only recorded: an interrupted import cannot be repeated to write
        the reports. An ignored SIGHUP stays ignored, as nohup requires.
        """
        before: dict[int, Any] = {}

        def stop(number: int, frame: FrameType | None) -> None:
            self.signal = number
            signal.signal(number, before[number] or signal.SIG_DFL)

        try:
            for name in _WANTED:
                number = getattr(signal, name, None)  # Windows has no SIGHUP
                if number is not None and (
                    name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN
                ):
                    before[number] = signal.getsignal(number)
                    signal.signal(number, stop)
        except ValueError:  # only the main thread can handle signals
            before = {}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler or signal.SIG_DFL)
