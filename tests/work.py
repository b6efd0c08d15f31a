"""Counted work: the same number on every machine, however busy it is."""

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
HANGS_SECONDS = 120  # a thousand times longer than the calls of ``finishes``


def steps(function: Callable[..., object], *arguments: object) -> int:
    """Return the number of lines of the package that a call runs, with repetitions.

    The call runs once before it is counted, so that work of the first use does not count. Work in C does not
    count (see :func:`finishes`). Takes about ten times as long as without counting.
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
    """Return the number of function calls of the package during a call, including the call itself.

    An AssertionError stops a call that makes more than ``most`` calls. Takes about twice as long as without
    counting.
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

    Use this for C code, with an input that would take hours with quadratic work. It only guards against
    hanging: a call that ends has passed, however long it took.
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
