"""For how long Arrow keeps memory that parts of a job have let go of."""

from __future__ import annotations

import pyarrow as pa

_DECAY = 10_000  # milliseconds


def keep_memory_a_while() -> None:
    """Where Arrow allocates by jemalloc: the next part takes what the one before had. By the usual second,
    memory goes back to the system between parts that take long, which costs a fifth of a job's time.
    """
    if pa.default_memory_pool().backend_name == "jemalloc":
        pa.jemalloc_set_decay_ms(_DECAY)
