"""``abnforge completion``: the script that lets a shell complete commands, options, grammars and rules."""

from __future__ import annotations

import os
import sys
from pathlib import PurePath

import click

from abnforge.cli.common.errors import UsageError
from abnforge.cli.common.groups import command
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import is_terminal, note, write

# Shells, and the command that enables completion in each.
SHELLS = {
    "bash": """echo 'eval "$(abnforge completion bash)"' >> ~/.bashrc""",
    "zsh": """echo 'eval "$(abnforge completion zsh)"' >> ~/.zshrc""",
    "fish": "abnforge completion fish > ~/.config/fish/completions/abnforge.fish",
}


@command(short_help="Print a shell completion script.")
@click.argument("shell", type=click.Choice(list(SHELLS)), required=False, metavar="[bash|zsh|fish]")
def completion(shell: str | None) -> None:
    """Print a completion script for bash, zsh or fish. Without an argument, use the shell of SHELL.

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
