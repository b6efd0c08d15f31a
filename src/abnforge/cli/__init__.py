"""The command line: commands, their options and their output; the library does the rest.

``common`` has what commands share, ``output`` the formats of reports, and ``commands`` a module per command.
Each imports only from those before it.
"""

from __future__ import annotations

import gc

# Objects between two garbage collections. Most objects are used until the end of a run.
_OBJECTS_UNSEARCHED = 50_000


def main() -> None:
    """The ``abnforge`` command."""
    gc.set_threshold(_OBJECTS_UNSEARCHED)
    from abnforge.cli.app import cli

    try:
        cli(prog_name="abnforge")
    finally:
        # All memory goes with the process, and Python need not search it first, which takes half a second
        # where much was explained.
        gc.freeze()
