"""``abnforge server`` and ``abnforge completion``: support editors and shells."""

from __future__ import annotations

import os
import sys
from pathlib import PurePath

import click

from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.groups import command, option
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import is_terminal, note, write


@command(short_help="Start the ABNF language server (LSP).")
@option(
    "--tcp",
    "port",
    type=click.IntRange(min=0, max=65535),
    guesses=("--port",),
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
    language = language_server.server()
    if port is None:
        # The server closes its output at the end, but standard output must stay open.
        language.start_io(stdout=os.fdopen(os.dup(sys.stdout.fileno()), "wb"))
    else:
        language.start_tcp("127.0.0.1", port)
    click.get_current_context().exit(language.exit_status)


# shells, each with the command that enables completion
SHELLS = {
    "bash": """echo 'eval "$(abnforge completion bash)"' >> ~/.bashrc""",
    "zsh": """echo 'eval "$(abnforge completion zsh)"' >> ~/.zshrc""",
    "fish": "abnforge completion fish > ~/.config/fish/completions/abnforge.fish",
}


@command(short_help="Print a shell completion script.")
@click.argument("shell", type=click.Choice(list(SHELLS)), required=False, metavar="[bash|zsh|fish]")
def completion(shell: str | None) -> None:
    """Print a completion script for bash, zsh or fish. Without an argument, use the shell in $SHELL.

    \b
    Examples:
      abnforge completion bash > ~/.abnforge.bash
      abnforge completion zsh > ~/.abnforge.zsh
      abnforge completion fish | source
    """
    from click.shell_completion import get_completion_class

    chosen = shell or PurePath(os.environ.get("SHELL", "")).name
    if chosen not in SHELLS:
        raise UsageError(message("shell-unknown", shells=tuple(SHELLS)))
    completer = get_completion_class(chosen)
    assert completer is not None
    root = click.get_current_context().find_root().command
    write(completer(root, {}, "abnforge", "_ABNFORGE_COMPLETE").source())
    if is_terminal(sys.stdout):
        note(message("script-shown", command=SHELLS[chosen]))
