"""The compiled kernel, where it was built and is not turned off (``ABNFORGE_KERNEL=python``)."""

from __future__ import annotations

import os
from typing import Any

compiled: Any = None  # the module written in C; None where tables are walked in Python
if os.environ.get("ABNFORGE_KERNEL", "") != "python":
    try:
        import abnforge._kernel.binding as compiled
    except ImportError:  # it was not built here
        compiled = None

KERNEL = "python" if compiled is None else "compiled"
