"""``abnforge completion``: what makes a shell complete verbs, options, grammars, rules and files."""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePath

import click

from abnforge.cli.common.groups import command
from abnforge.cli.common.messages import message
from abnforge.cli.common.output import is_terminal, note, write
from abnforge.cli.common.shells import SHELLS
from abnforge.cli.common.usage import UsageError
from abnforge.text import escape


@command(short_help="Generate shell completion scripts.")
@click.argument("shell", type=click.Choice(list(SHELLS)), required=False, metavar="[bash|zsh|fish]")
@click.option("--install", "installing", is_flag=True, help="Install the script for the shell.")
def completion(shell: str | None, installing: bool) -> None:
    """Print a completion script for bash, zsh or fish.

    Without an argument, the shell is that of SHELL. With --install, write the script into the home directory
    and, for bash and zsh, add a line to ~/.bashrc or ~/.zshrc; report every changed file.

    \b
    Examples:
      abnforge completion bash --install
      abnforge completion zsh > ~/.abnforge.zsh
      abnforge completion fish | source
    """
    chosen = shell or _usual_shell()
    if installing:
        _install(chosen)
        return
    from abnforge.cli.common.shells import script

    write(script(chosen))
    if is_terminal(sys.stdout):
        note(message("script-shown", shell=chosen))


def _usual_shell() -> str:
    name = PurePath(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        raise UsageError(message("shell-unknown", shells=tuple(SHELLS)))
    return name


def _install(shell: str) -> None:
    from abnforge.cli.common.installing import install

    try:
        home = Path.home()
    except RuntimeError:
        raise UsageError(message("home-missing")) from None
    done = install(shell, home)
    for path in done.written:
        what = "added a line to" if path == done.start else "wrote"
        write(f"{what} {escape(str(path))}\n")
    if done.written:
        write(f"New shells complete abnforge. For this shell, run: exec {shell}\n")
    else:
        write(f"{escape(str(done.path))} is already installed.\n")
