"""The compiled kernel, where it was built and is not turned off (``ABNFORGE_KERNEL=python``)."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

# What it was built by may be in the environment still.
_wanted = os.environ.get("ABNFORGE_KERNEL", "")
if _wanted not in ("", "python", "required"):
    warnings.warn(
        f"ABNFORGE_KERNEL={_wanted!r} is not known: 'python' leaves the kernel out",
        RuntimeWarning,
        stacklevel=2,
    )

compiled: Any = None  # the module written in C; None where tables are walked in Python
# Tables are little-endian, and the kernel reads them as they lie in memory.
if _wanted != "python" and sys.byteorder == "little":
    try:
        import abnforge._native.binding as compiled
    except ImportError:  # it was not built here
        compiled = None

KERNEL = "python" if compiled is None else "compiled"
"""What walks tables: ``"compiled"``, or ``"python"``, which gives the same answers and takes longer."""
