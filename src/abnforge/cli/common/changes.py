"""Changes to a file of text: shown as a diff, or written."""

from __future__ import annotations

import errno
import re
from pathlib import Path

from abnforge.cli.common.messages import message
from abnforge.outputs import output_at, write_output

_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # lines end at LF alone, as everywhere here
_MARK = b"\xef\xbb\xbf"


def unified_diff(name: str, before: str, after: str) -> str:
    """The difference between two texts as ``patch`` and ``git apply`` take it. Cost: that of difflib."""
    import difflib  # who asks for no diff need not wait for it

    name = name.lstrip("/")
    parts = []
    for line in difflib.unified_diff(_LINE.findall(before), _LINE.findall(after), f"a/{name}", f"b/{name}"):
        parts.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(parts)


def replace_text(path: Path, text: str) -> None:
    """Write a text in the place of a file's, whole or not at all; a byte order mark and the file's mode stay.

    Raises OSError, for a read-only file, too.
    """
    if output_at(path).file is None:
        raise OSError(errno.EINVAL, str(message("file-not-regular")), str(path))
    with path.open("rb") as file:
        mark = _MARK if file.read(len(_MARK)) == _MARK else b""
    write_output(path, mark + text.encode("utf-8"))
