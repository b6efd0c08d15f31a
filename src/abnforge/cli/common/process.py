"""Signals and memory of a job."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.messages import message

if TYPE_CHECKING:
    from abnforge.cli.common.ingesting import ProgressLog


POOL = "ARROW_DEFAULT_MEMORY_POOL"  # Arrow's own


def choose_allocator() -> None:
    """Have Arrow allocate by jemalloc, unless somebody chose another. The usual one, mimalloc, keeps a
    hundred megabytes more.

    Arrow looks when it is loaded, so it must not be by then; where its packages have no jemalloc, that is
    where the system's C library is not glibc, all stays as it is.
    """
    glibc = "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", ())
    if glibc and "pyarrow" not in sys.modules:
        os.environ.setdefault(POOL, "jemalloc")


_WANTED = ("SIGINT", "SIGTERM", "SIGHUP")


class Stopping:
    """Whether the job was asked to stop, and by which signal. The second time it dies at once."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self.teller: ProgressLog | None = None

    def __call__(self) -> bool:
        return self.signal is not None

    @contextmanager
    def listening(self) -> Iterator[Stopping]:
        """While this lasts, a signal ends the job behind the part that is being read.

        A signal that comes before there is a job is only noted: an import that ends in the middle cannot be
        repeated to write the reports. SIGHUP that is ignored stays ignored, as nohup wants it.
        """
        before: dict[int, Any] = {}

        def stop(number: int, frame: FrameType | None) -> None:
            self.signal = number
            signal.signal(number, before[number] or signal.SIG_DFL)
            if self.teller is not None:
                sys.stderr.write("\n" if self.teller.progress.enabled else "")
                name = signal.Signals(number).name
                self.teller.say(message("stopping", signal=name))

        try:
            for name in _WANTED:
                number = getattr(signal, name, None)  # Windows has no SIGHUP
                if number is not None and (
                    name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN
                ):
                    before[number] = signal.getsignal(number)
                    signal.signal(number, stop)
        except ValueError:  # not the main thread: nobody will send one
            before = {}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler or signal.SIG_DFL)
