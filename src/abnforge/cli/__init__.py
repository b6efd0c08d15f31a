"""The command line: commands, their options and their output. The library does all other work.

``common`` has the code that commands share, ``output`` the formats of reports, and ``commands`` one module
per command. Each package imports only from those before it in this list.
"""

from __future__ import annotations

import gc

# Number of new objects between two garbage collections. Most objects live until the end of a run.
_OBJECTS_UNSEARCHED = 50_000


def main() -> None:
    """Run the ``abnforge`` command."""
    gc.set_threshold(_OBJECTS_UNSEARCHED)
    from abnforge.cli.app import cli

    try:
        cli(prog_name="abnforge")
    finally:
        # Skip the garbage collection at exit: it can take half a second, and the operating system frees
        # memory.
        gc.freeze()
