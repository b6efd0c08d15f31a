"""Notes beside a report, where somebody may have meant a file for a string, or a string for a file.

They are about what was rejected, stand on standard error, and change no status.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click
from click.core import ParameterSource

from abnforge.cli.common.messages import message
from abnforge.cli.common.misuse import is_file
from abnforge.cli.common.output import note


def note_files(strings: Sequence[str]) -> None:
    """Of strings that were judged, and of which some were rejected: the first that is a file's name."""
    found = next(filter(is_file, strings), None)
    if found is not None:
        name = shlex.quote(found)
        note(message("file-as-string", path=found, name=name))


def note_grammars(ctx: click.Context, files: Sequence[str]) -> None:
    """Of files that were judged, and of which some were rejected: the first that looks like a grammar, where
    no grammar to judge by was named.
    """
    if ctx.get_parameter_source("grammar") is ParameterSource.COMMANDLINE:
        return
    found = next((each for each in files if each.lower().endswith(".abnf")), None)
    if found is not None:
        name = shlex.quote(found)
        note(message("grammar-as-input", path=found, name=name))
