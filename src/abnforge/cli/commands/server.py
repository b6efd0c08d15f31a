"""``abnforge server``: ABNF in editors."""

from __future__ import annotations

import os
import sys

import click

from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message


@command(short_help="Start the ABNF language server (LSP).")
@option(
    "--tcp",
    "port",
    type=click.IntRange(min=0, max=65535),
    help="Listen on this localhost port; 0 for any.  [default: standard input and output]",
)
def server(port: int | None) -> None:
    """Start a Language Server Protocol server for ABNF. Requires abnforge[server].

    Use it in editors for diagnostics, quick fixes, hover, definitions, references, rename, completion and
    formatting.

    \b
    Examples:
      abnforge server
      abnforge server --tcp 2087
    """
    try:
        from abnforge.integrations import language_server
    except ModuleNotFoundError as error:
        raise UsageError(message("extra-missing", package=error.name, extra="server")) from None
    made = language_server.server()
    if port is None:
        # the server closes its output at the end, and the command's own must stay open
        made.start_io(stdout=os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    else:
        made.start_tcp("127.0.0.1", port)
    click.get_current_context().exit(made.exit_status)
