"""A kind of cases: how one is drawn, and the laws that it is held against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from fuzzing.questions import Questions


@dataclass(frozen=True, slots=True)
class Kind:
    """``draw`` makes a case of a random source, ``check`` asks about it and raises ``BrokenError``.

    ``isolated``: its cases are judged in processes of their own, which have a limit of memory.
    """

    name: str
    about: str
    draw: Callable[[Random], Any]
    check: Callable[[Any, Questions], None]
    isolated: bool = False
