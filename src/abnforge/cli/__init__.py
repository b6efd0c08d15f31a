"""The command line: faces of the library, without knowledge of parsing.

``app`` holds the group and the exit statuses, ``options`` what verbs share; ``inputs`` reads strings,
``judge`` has them judged, ``render`` and ``trees`` draw for a terminal, ``reports`` and ``reports_ci``
write the formats of ``check``. Every other module is one verb.
"""

from __future__ import annotations


def main() -> None:
    """The ``abnforge`` command."""
    from abnforge.cli.app import cli

    cli(prog_name="abnforge")
