"""``abnforge serve``: the playground on this computer."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from abnforge.cli.common.messages import message
from abnforge.cli.common.output import tell, write
from abnforge.cli.common.playground import built
from abnforge.cli.common.usage import UsageError

PORT = 8765


@click.command(short_help="Serve the playground on this computer.")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    default=PORT,
    show_default=True,
    help="Localhost port; 0 for any free port.",
)
@click.option("--open", "open_", is_flag=True, help="Also open the page in a browser.")
@click.pass_context
def serve(ctx: click.Context, folder: Path | None, port: int, open_: bool) -> None:
    """Serve a built playground on localhost until interrupted (Ctrl-C).

    Without DIR, build the playground once per version in the cache directory. Other computers cannot connect,
    and the page loads nothing from the network.

    \b
    Examples:
      abnforge serve
      abnforge serve public --port 8000 --open

    Exit status: 0 interrupted; 2 usage error, port in use, or no playground in DIR.
    """
    from abnforge.teaching.playground.building import MARK
    from abnforge.teaching.playground.serving import address, server

    folder = folder or _own()
    if not (folder / MARK).is_file():
        raise UsageError(message("playground-missing", path=str(folder)))
    try:
        made = server(folder, port)
    except OSError as error:
        raise UsageError(message("port-unavailable", port=port, reason=error.strerror)) from None
    write(f"{address(made)}\n")
    sys.stdout.flush()  # whoever started this by a pipe waits for the address
    tell("serving the playground on this computer; press Ctrl-C to stop")
    if open_:
        click.launch(address(made))
    with made:
        try:
            made.serve_forever()
        except KeyboardInterrupt:
            ctx.exit(0)


def _own() -> Path:
    """The playground of this version in the folder of caches, built if it is not there yet."""
    from abnforge import __version__
    from abnforge.engine.cache import user_folders
    from abnforge.teaching.playground.building import MARK

    folder = user_folders()[0] / f"playground-{__version__}"
    return folder if (folder / MARK).is_file() else built(folder).folder
