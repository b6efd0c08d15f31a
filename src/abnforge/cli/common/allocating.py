"""By what Arrow allocates columns: what parts of a job have let go of goes back to the system."""

from __future__ import annotations

import os
import sys

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
