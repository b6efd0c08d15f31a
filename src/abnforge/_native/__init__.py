"""The C extension: it reads tables and strings, and returns verdicts, offsets and places. See docs/kernel.md.

Read first: ``walk.h`` (tables and their walks), ``columns.h`` (columns of Apache Arrow), ``follow.h`` and
``weighted.h`` (weighted automata for explanations), ``references.h`` (RFC 3986, sections 5 and 6). These are
plain C11. The files that include ``binding.h`` make Python objects of them. No file here knows a grammar.

``compiled`` is None if the extension is not built, or turned off by ``ABNFORGE_KERNEL=python``. Everything
that it does is also written in Python, with the same results.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

# The build reads the variable, too, so it may still be set to one of the values for builds.
_requested = os.environ.get("ABNFORGE_KERNEL", "")
if _requested not in ("", "python", "required"):
    warnings.warn(
        f"unknown value ABNFORGE_KERNEL={_requested!r}; use 'python' to turn off the C extension",
        RuntimeWarning,
        stacklevel=2,
    )

compiled: Any = None  # the module that is written in C, or None
# Tables are little-endian, and the extension reads them without conversion.
if _requested != "python" and sys.byteorder == "little":
    try:
        import abnforge._native.binding as compiled
    except ImportError:  # it is not built here
        compiled = None

KERNEL = "python" if compiled is None else "compiled"
"""The code that reads tables: ``"compiled"``, or ``"python"``, which is slower and has the same results."""
