"""Work measured by counting, which gives the same number on every machine, however busy."""

from __future__ import annotations

import math
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import abnforge

PACKAGE = str(Path(abnforge.__file__).parent)
HANGS_SECONDS = 120  # about a thousand times longer than the calls that ``finishes`` checks


def steps(function: Callable[..., object], *arguments: object) -> int:
    """Return the number of lines of the package that a call executes, including repetitions.

    The call runs once before its lines are counted, to exclude the work of a first use. Work in C is not
    counted (see :func:`finishes`). Counting takes about ten times as long as the call.
    """
    function(*arguments)
    count = 0

    def line(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    _traced(lambda frame: line, function, *arguments)
    return count


def calls(function: Callable[..., object], *arguments: object, most: float = math.inf) -> int:
    """Return the number of calls of functions of the package during a call, including the call itself.

    An AssertionError stops a call that makes more than ``most`` calls. Counting takes about twice as long as
    the call.
    """
    count = 0

    def enter(frame: FrameType) -> None:
        nonlocal count
        count += 1
        assert count <= most, f"more than {most} calls"

    _traced(enter, function, *arguments)
    return count


def finishes(function: Callable[..., object], *arguments: object) -> bool:
    """Return whether a call ends.

    Use this for C code, with an input that would take hours in quadratic time. The function only detects a
    call that hangs: every call that ends passes, however long it takes.
    """
    if not hasattr(signal, "setitimer"):
        function(*arguments)
        return True

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, HANGS_SECONDS)
    try:
        function(*arguments)
    except TimeoutError:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return True


def _traced(enter: Callable[[FrameType], Any], function: Callable[..., object], *arguments: object) -> None:
    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        return enter(frame) if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
