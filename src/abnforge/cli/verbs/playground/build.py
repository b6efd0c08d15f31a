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
    help="Use the packages in this node_modules directory instead of npm.",
)
def build(folder: Path, modules: Path | None) -> None:
    """Build the playground in DIR: a page, Python for browsers (Pyodide) and the installed abnforge.

    Any static file server can serve DIR, and the page loads nothing from other hosts. "abnforge serve DIR"
    serves it on this computer; the file _headers lists the headers that another server should send. DIR must
    be new, empty, or contain a playground, which is replaced. Requires abnforge[railroad] and Node.js 18 or
    later with npm, which downloads about 10 MB at pinned versions with checked hashes.

    \b
    Examples:
      abnforge playground build public
      abnforge serve public

    Exit status: 0 built, 2 usage error or missing program.
    """
    made = built(folder, modules)
    size, small = made.size / 1e6, made.compressed / 1e6
    write(f"{folder}: {len(made.files)} files, {size:.1f} MB, {small:.1f} MB compressed\n")
    tell(f"to open it, run: abnforge serve {folder}")
