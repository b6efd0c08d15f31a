"""``abnforge playground``: serve or build the playground."""

from __future__ import annotations

import sys
from codecs import BOM_UTF8
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import print_stderr, write

if TYPE_CHECKING:
    from abnforge.teaching.playground.building import Built

PORT = 8765


@command(short_help="Serve the playground on this computer, or build it.")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    default=PORT,
    show_default=True,
    help="Localhost port; 0 for any free port.",
)
@option("--open", "open_", is_flag=True, help="Open the page in a browser.")
@option(
    "--build",
    "target",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Build the playground as a static site in this directory, and exit.",
    excludes="DIR or --port or --open",
)
@option(
    "--modules",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use the packages in this node_modules directory instead of npm.",
    needs="--build",
)
@option(
    "--wheel",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use the C extension in this wheel for Pyodide.",
    needs="--build",
)
@option(
    "--exercises",
    "own",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Use the exercises of this TOML file instead of the built-in ones.",
    excludes="DIR",
)
@option(
    "--lessons",
    metavar="URL",
    default="",
    help="Link each exercise to its lesson; URL is the page 'ABNF in eight lessons'.",
    excludes="DIR",
)
@click.pass_context
def playground(
    ctx: click.Context,
    folder: Path | None,
    port: int,
    open_: bool,
    target: Path | None,
    modules: Path | None,
    wheel: Path | None,
    own: Path | None,
    lessons: str,
) -> None:
    """Serve the playground on localhost until interrupted (Ctrl-C).

    DIR is a built playground; without DIR, build one per version in the cache directory. Other computers
    cannot connect, and the page loads nothing from the network.

    With --build, write a page, Python for browsers (Pyodide) and the installed abnforge to a directory that
    is new, empty or a playground, which is replaced. Any static file server can serve it; the file _headers
    lists the headers to send. Requires abnforge[railroad] and Node.js 18 or later with npm, which downloads
    about 10 MB at pinned versions with checked hashes.

    \b
    Examples:
      abnforge playground --open
      abnforge playground --build public
      abnforge playground public --port 8000
      abnforge playground --exercises exercises.toml --build course

    Exit status: 0 interrupted or built; 2 usage error, port in use, no playground in DIR, or missing program.
    """
    tasks = None if own is None else _tasks(own)
    if target is not None:
        _write(target, modules, wheel, tasks, lessons)
        return
    _serve(ctx, folder or _own(tasks, lessons), port, open_)


def _serve(ctx: click.Context, folder: Path, port: int, is_opened: bool) -> None:
    from abnforge.teaching.playground.building import MARK, address, server

    if not (folder / MARK).is_file():
        raise UsageError(message("playground-missing", path=str(folder)))
    try:
        running = server(folder, port)
    except OSError as error:
        raise UsageError(message("port-unavailable", port=port, reason=error.strerror)) from None
    write(f"{address(running)}\n")
    sys.stdout.flush()  # the reader of a pipe waits for the address
    print_stderr("serving the playground on this computer; press Ctrl-C to stop")
    if is_opened:
        click.launch(address(running))
    with running:
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            ctx.exit(0)


def _tasks(own: Path) -> bytes:
    """Return a file of exercises. Raises UsageError for invalid exercises."""
    from abnforge.cli.common.exercises import exercises

    exercises(own)
    return own.read_bytes().removeprefix(BOM_UTF8)


def _own(tasks: bytes | None, lessons: str) -> Path:
    """Return the playground of this version in the cache directory; build it if it is missing."""
    from abnforge import __version__
    from abnforge.engine.cache import user_folders
    from abnforge.teaching.playground.building import MARK

    own = (tasks or b"") + lessons.encode()
    suffix = f"-{sha256(own).hexdigest()[:16]}" if own else ""
    folder = user_folders()[0] / f"playground-{__version__}{suffix}"
    return folder if (folder / MARK).is_file() else _built(folder, None, None, tasks, lessons).folder


def _write(
    folder: Path, modules: Path | None, wheel: Path | None, exercises: bytes | None, lessons: str
) -> None:
    built = _built(folder, modules, wheel, exercises, lessons)
    size, small = built.size / 1e6, built.compressed / 1e6
    write(f"{folder}: {len(built.files)} files, {size:.1f} MB, {small:.1f} MB compressed\n")
    print_stderr(f"to open it, run: abnforge playground {folder}")


def _built(
    folder: Path, modules: Path | None, wheel: Path | None, exercises: bytes | None, lessons: str
) -> Built:
    from abnforge.teaching.playground.building import BuildError, build, refuse

    try:
        refuse(folder)
        source = "npm" if modules is None else str(modules)
        print_stderr(f"building the playground in {folder}, with packages from {source} ...")
        return build(folder, modules=modules, wheel=wheel, exercises=exercises, lessons=lessons)
    except BuildError as error:
        for note in getattr(error, "__notes__", ()):
            print_stderr(note)
        raise UsageError(error.message) from None
    except ModuleNotFoundError as error:
        raise UsageError(error.msg) from None
