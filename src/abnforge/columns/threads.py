"""Parts of a column, judged side by side: the kernel holds no lock of Python's meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import pyarrow as pa

from abnforge._arguments import instance_argument, wrong_value

# Rows that are worth handing to another thread: fewer are judged sooner than that takes.
ROWS = 1 << 15

_lock = Lock()
_pools: dict[int, ThreadPoolExecutor] = {}


def threads_argument(threads: object) -> int:
    """A number of threads; None is as many as pyarrow takes. Raises TypeError, ValueError."""
    if threads is None:
        return int(pa.cpu_count())
    instance_argument(threads, "threads", int, "an int or None")
    assert isinstance(threads, int)
    if threads < 1:
        raise wrong_value("threads", "at least 1", threads)
    return min(threads, 64)


def in_parts(rows: int, threads: int, judge: Callable[[int, int], None]) -> None:
    """Call ``judge(from, to)`` for parts of the rows, each from a multiple of 64 on. Raises what it does."""
    parts = min(threads, rows // ROWS)
    if parts <= 1:
        judge(0, rows)
        return
    size = -(-rows // parts // 64) * 64
    waiting = [
        _pool(threads).submit(judge, begin, min(begin + size, rows)) for begin in range(size, rows, size)
    ]
    try:
        judge(0, size)
    finally:
        for each in waiting:
            each.exception()
    for each in waiting:
        each.result()


def _pool(threads: int) -> ThreadPoolExecutor:
    with _lock:
        if threads not in _pools:
            _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="abnforge")
        return _pools[threads]


def _forget() -> None:
    global _lock
    _lock = Lock()
    _pools.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # the threads stayed behind
