"""The script of completions put where a shell finds it, at home."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from abnforge.cli.common.shells import script
from abnforge.outputs import write_output

# What bash reads first in a terminal: those of macOS begin it as a login shell.
_BASH_BEGINS = ".bash_profile" if sys.platform == "darwin" else ".bashrc"


@dataclass(frozen=True, slots=True)
class Installed:
    """What was done: the files that were ``written``; none if all was there. ``path`` has the script, and
    ``start`` the line that reads it (None: the shell finds it).
    """

    path: Path
    start: Path | None
    written: tuple[Path, ...]


def install(shell: str, home: Path) -> Installed:
    """Write the script of a shell, and for bash and zsh a line into the file that they begin with.

    What is there already stays as it is. Raises OSError.
    """
    path = _folder("XDG_CONFIG_HOME", home / ".config") / "fish" / "completions" / "abnforge.fish"
    start = None
    if shell != "fish":
        path = _folder("XDG_DATA_HOME", home / ".local" / "share") / "abnforge" / f"completion.{shell}"
        start = home / _BASH_BEGINS if shell == "bash" else _folder("ZDOTDIR", home) / ".zshrc"
    written = []
    text = script(shell)
    if not path.is_file() or path.read_bytes() != text.encode():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_output(path, text.encode())
        written.append(path)
    if start is not None and _add_line(start, path):
        written.append(start)
    return Installed(path, start, tuple(written))


def _folder(variable: str, usual: Path) -> Path:
    """The folder that a variable names; relative ones mean nothing there (XDG Base Directory)."""
    given = os.environ.get(variable, "")
    return Path(given) if os.path.isabs(given) else usual


def _add_line(start: Path, path: Path) -> bool:
    """Whether the line had to be added. What the file holds is kept octet by octet, as is a link to it."""
    name = shlex.quote(str(path))
    line = f"[ -f {name} ] && . {name}  # completion of abnforge\n".encode()
    known = start.read_bytes() if start.exists() else b""
    if line.strip() in (each.strip() for each in known.splitlines()):
        return False
    start.parent.mkdir(parents=True, exist_ok=True)
    write_output(start, known + (b"" if known.endswith(b"\n") or not known else b"\n") + line)
    return True
