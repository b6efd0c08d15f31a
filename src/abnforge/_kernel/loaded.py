"""The compiled kernel, where it was built and is not turned off (``ABNFORGE_KERNEL=python``)."""

from __future__ import annotations

import os
import sys
from typing import Any

compiled: Any = None  # the module written in C; None where tables are walked in Python
# Tables are little-endian, and the kernel reads them as they lie in memory.
if os.environ.get("ABNFORGE_KERNEL", "") != "python" and sys.byteorder == "little":
    try:
        import abnforge._kernel.binding as compiled
    except ImportError:  # it was not built here
        compiled = None

KERNEL = "python" if compiled is None else "compiled"
