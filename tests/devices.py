"""Devices and named pipes for tests, in temporary directories."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

posix = pytest.mark.skipif(os.name == "nt", reason="names of POSIX systems")


def null_device(path: Path) -> Path:
    """Create a null device like ``/dev/null`` at a path, or skip the test without the permission to do so."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_bytes(b"")
    except OSError:
        pytest.skip("no permission to make or to use a device")
    return path


def read_later(fifo: Path) -> Callable[[], bytes]:
    """Read a named pipe in a thread. The returned function waits for the bytes and returns them."""
    results: list[bytes] = []
    thread = threading.Thread(target=lambda: results.append(fifo.read_bytes()), daemon=True)
    thread.start()

    def result() -> bytes:
        thread.join(20)
        return b"".join(results)

    return result
