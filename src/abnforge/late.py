"""Imports that wait until something is asked: under one lock, so that a process can fork at any time.

Python holds a lock for every module that is being imported. A process that another thread forks meanwhile has
that lock, held by a thread that it has not, and waits for ever when it imports the module itself. So whatever
this package imports within a call is imported like this, and a fork waits until that is done::

    with importing:
        from abnforge.automaton.dfa import build

What is at the top of a module has been imported before anything of it can be called.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock  # of which threading makes its own: it takes long to import

importing = RLock()
"""Held by the thread that imports, and around each fork; by one thread more than once, since what is imported
may import more like this.
"""


def _hold() -> None:
    importing.acquire()
    # What is imported while this waits (by lark) asks for a call after this fork and had none before it:
    # logging would release a lock that was not taken, and Python print so. Where it had one, that came before
    # this one (what was registered last is called first), and has the lock.
    late = None if _early else sys.modules.get("logging")
    if late is None or getattr(late.__spec__, "_initializing", False):
        return
    lock = getattr(late, "_lock", None)
    if lock is not None and not lock._is_owned():
        lock.acquire()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold, after_in_parent=importing.release, after_in_child=importing.release)

_early = "logging" in sys.modules
