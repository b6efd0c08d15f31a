"""The command line: faces of the library, without knowledge of parsing.

``common`` holds what verbs share, ``reports`` what people and programs get to see, one format a file, and
``verbs`` one verb a file. Each of them imports only from those before it.
"""

from __future__ import annotations

import gc
import os

# Objects between two searches for garbage. What a run makes, it mostly keeps until it ends.
_OBJECTS_UNSEARCHED = 50_000

# Set where a shell asks for completions, or somebody for the script by which it does (click's name for it).
_ASKED = "_ABNFORGE_COMPLETE"


def main() -> None:
    """The ``abnforge`` command."""
    gc.set_threshold(_OBJECTS_UNSEARCHED)
    from abnforge.cli.app import cli

    if _ASKED in os.environ:
        from abnforge.cli.common.shells import register

        register()
    try:
        cli(prog_name="abnforge")
    finally:
        # All memory goes with the process, and Python need not search it first, which takes half a second
        # where much was explained.
        gc.freeze()
