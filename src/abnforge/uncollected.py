"""Making many objects that all stay, without looking for garbage among them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

# From so many characters of a grammar on: below, the collector hardly runs.
LARGE = 100_000


@contextmanager
def uncollected(size: int, large: int = LARGE) -> Iterator[None]:
    """For a grammar of ``size`` characters: the cyclic collector rests while it is read or compiled, if it is
    a large one.

    It would go through everything made so far again and again, which for a list of 100,000 words takes longer
    than the work itself. What is not part of a cycle is freed as ever. Whoever disabled it finds it so.
    """
    rest = size >= large and gc.isenabled()
    if rest:
        gc.disable()
    try:
        yield
    finally:
        if rest:
            gc.enable()
