"""The command line: faces of the library, without knowledge of parsing.

``common`` holds what verbs share, ``reports`` what people and programs get to see, one format a file, and
``verbs`` one verb a file. Each of them imports only from those before it.
"""

from __future__ import annotations


def main() -> None:
    """The ``abnforge`` command."""
    from abnforge.cli.app import cli

    cli(prog_name="abnforge")
