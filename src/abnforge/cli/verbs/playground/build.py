"""``abnforge playground build``: the playground as a folder of files."""

from __future__ import annotations

from pathlib import Path

import click

from abnforge.cli.common.output import tell, write
from abnforge.cli.common.playground import built


@click.command(short_help="Build the playground as a static site.")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--modules",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder node_modules that has what is needed, instead of asking npm.",
)
def build(folder: Path, modules: Path | None) -> None:
    """Write the playground into DIR: a page, Python for browsers (Pyodide) and abnforge as it is installed.

    The folder needs no other host, and works wherever files are served. "abnforge serve DIR" serves it on
    this computer; a file _headers has the headers that another host should send. DIR is made, or must be
    empty or hold a playground, which is replaced. Building needs Node.js 18 or later with npm, which loads
    about 10 MB at pinned versions whose hashes are checked, and abnforge[railroad].

    \b
    Examples:
      abnforge playground build public
      abnforge serve public

    Exit status: 0 built, 2 wrong usage, or something is missing.
    """
    made = built(folder, modules)
    size, small = made.size / 1e6, made.compressed / 1e6
    write(f"{folder}: {len(made.files)} files, {size:.1f} MB, {small:.1f} MB when compressed\n")
    tell(f"see it: abnforge serve {folder}")
