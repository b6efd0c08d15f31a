"""The C extension, which walks tables over strings for verdicts, offsets and places. See docs/kernel.md.

Read first: ``walk.h`` (tables, and their walks over strings and columns of Apache Arrow), ``follow.h`` and
``weighted.h`` (weighted automata for explanations), ``references.h`` (RFC 3986, sections 5 and 6). These are
plain C11. The files that include ``binding.h`` wrap them in Python objects. No file here depends on a
grammar.

``compiled`` is None if the extension is not built, or is turned off by ``ABNFORGE_KERNEL=python``. All of its
functions have Python equivalents with the same results.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

# The build also reads this variable, so it can still have one of the values for builds.
_requested = os.environ.get("ABNFORGE_KERNEL", "")
if _requested not in ("", "python", "required"):
    warnings.warn(
        f"unknown value ABNFORGE_KERNEL={_requested!r}; use 'python' to turn off the C extension",
        RuntimeWarning,
        stacklevel=2,
    )

compiled: Any = None  # the extension module, or None
# Tables are little-endian, and the extension reads them without conversion.
if _requested != "python" and sys.byteorder == "little":
    try:
        import abnforge._native.binding as compiled
    except ImportError:  # the extension is not built
        compiled = None

KERNEL = "python" if compiled is None else "compiled"
"""The code that walks tables: ``"compiled"``, or ``"python"``, which is slower with the same results."""
