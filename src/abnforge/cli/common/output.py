"""Write results, messages and progress; detect colors.

Only results go to standard output. A reader that closes the pipe early does not cause an error.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import click

from abnforge.catalog import CodedError, Message
from abnforge.cli.common.messages import message
from abnforge.outputs import STDOUT, output_at, write_output, writing
from abnforge.text import UTF8, ByteText, escape, width

Write = Callable[[str], None]


class StreamError(CodedError, OSError):
    """A standard stream that cannot be used."""


MIN_COLUMNS = 20  # minimum width of wrapped text


def write(text: str) -> None:
    """Write to standard output; characters that its encoding lacks become backslash escapes."""
    stream = sys.stdout
    if stream is None:
        raise StreamError(message("stream-closed", stream="standard output"))
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def write_file(text: str) -> None:
    """Write a file's contents to standard output in UTF-8, even if the terminal's encoding differs.

    A ByteText is written as its bytes. On a terminal, it behaves like ``write``.
    """
    stream = sys.stdout
    buffer = getattr(stream, "buffer", None)
    if buffer is not None and isinstance(text, ByteText):
        stream.flush()
        buffer.write(bytes(text))
        return
    if buffer is None or is_terminal(stream) or codecs.lookup(stream.encoding).name == "utf-8":
        write(text)
        return
    stream.flush()
    buffer.write(text.encode("utf-8"))


class OutputPath(click.Path):
    """A path to write to, as an option's type: an unsuitable path is an error before the command starts."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        try:
            output_at(path)
        except OSError as error:
            self.fail(f"{path}: {error.strerror}", param, ctx)
        return path


def write_result(path: Path | None, pieces: Iterable[str]) -> None:
    """Write to a file, or to standard output for None and "-", with LF line endings on all platforms."""
    if path is None or str(path) == STDOUT:
        for piece in pieces:
            write_file(piece)
        return
    with writing(path) as stream:
        for piece in pieces:
            stream.write(bytes(piece) if isinstance(piece, ByteText) else piece.encode())


def print_stderr(text: str, wraps: bool = True) -> None:
    """Write a line or lines to standard error; characters that its encoding lacks become backslash escapes.

    At a terminal, lines are wrapped, unless programs read them (``wraps`` is False). Click's echo would write
    UTF-8 if the encoding is ASCII.
    """
    stream = sys.stderr
    if stream is not None:
        encoding = stream.encoding or "utf-8"
        if wraps:
            text = "\n".join(replace(PLAIN, columns=columns(0, stream)).wrap_all(text))
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()


def stderr_style() -> Style:
    """Return the style for standard error."""
    return Style.plain(sys.stderr)


def print_error(message: str) -> None:
    """Write one line about an error to standard error."""
    _tell_as("error", message)


def print_error_lines(text: str) -> None:
    """Write an error that is already escaped to standard error."""
    print_stderr(f"{_prefix('error')} {text}")


def file_problem(error: OSError, path: str = "", hints: tuple[Message, ...] = ()) -> Message:
    """Return the message about a file that cannot be used; ``hints`` follow if it does not exist."""
    path = path or str(error.filename or "")
    reason = error.strerror or str(error)
    if not path:
        is_unnamed = isinstance(error, FileNotFoundError)
        return message("file-unnamed") if is_unnamed else message("os-error", reason=reason)
    if isinstance(error, FileNotFoundError):
        return message("file-missing", path=path, hints=hints)
    if isinstance(error, IsADirectoryError):
        return message("file-is-directory", path=path)
    return message("os-error-file", path=path, reason=reason)


def warn(message: str) -> None:
    """Write one line about a possible mistake to standard error."""
    _tell_as("warning", message)


def note(message: str) -> None:
    """Write one line of advice to standard error."""
    _tell_as("note", message)


def _tell_as(kind: str, message: str) -> None:
    print_stderr(f"{_prefix(kind)} {escape(without_passwords(message))}")


def _prefix(kind: str) -> str:
    """Return the start of a message: red for an error, yellow for a warning, faint for a note."""
    return replace(PLAIN, color=_has_color(sys.stderr)).severity(kind)(f"{kind}:")


def _has_color(stream: IO[str] | None) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal(stream) and not is_dumb() and reads_escapes())


def without_passwords(message: str) -> str:
    """Remove passwords of URIs from a message, because messages end up in logs."""
    if "@" not in message and "%40" not in message:
        return message  # the import takes longer than writing the message
    from abnforge.uri.common.password import without_password

    return without_password(message)


def dumps(value: Any) -> str:
    """Return JSON in printable ASCII, which is safe on a terminal."""
    return json.dumps(value).replace("\x7f", "\\u007f")


def is_terminal(stream: IO[str] | None) -> bool:
    """Return whether a stream is a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def columns(most: int, stream: IO[str] | None = None) -> int:
    """Return the width for wrapped text: the terminal's, if the stream is one, and at most ``most``.

    0 means any width. The default stream is standard output.
    """
    if not is_terminal(stream or sys.stdout):
        return most
    terminal = max(shutil.get_terminal_size().columns, MIN_COLUMNS)
    return min(most or terminal, terminal)


def aligned(rows: Iterable[Sequence[str]], *, numbers: bool = False) -> Iterator[str]:
    """Yield the lines of a table. Columns are aligned left; with ``numbers``, all but the first right."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for first, *others in cells:
        shown = [
            cell.rjust(width) if numbers else cell.ljust(width)
            for cell, width in zip(others, widths[1:], strict=True)
        ]
        yield "  ".join([first.ljust(widths[0]), *shown]).rstrip()


def _draws_boxes(stream: IO[str] | None) -> bool:
    encoding = getattr(stream, "encoding", None) or "ascii"
    if encoding.lower() in ("utf-8", "utf8"):
        return True
    from abnforge.teaching.pictures.drawing import BOXES

    return BOXES.encoded_by(encoding)


def is_dumb() -> bool:
    """Return whether the terminal cannot move its cursor, as in some editors."""
    return os.environ.get("TERM") == "dumb"


def reads_escapes() -> bool:
    """Return whether the terminal interprets escape sequences; on Windows, enable them."""
    if sys.platform != "win32":
        return True
    import ctypes

    standard_output, reading_escapes = -11, 0x4
    console = ctypes.windll.kernel32
    handle, mode = console.GetStdHandle(standard_output), ctypes.c_ulong()
    succeeded = console.GetConsoleMode(handle, ctypes.byref(mode))
    return bool(succeeded and console.SetConsoleMode(handle, mode.value | reading_escapes))


@dataclass(frozen=True, slots=True)
class Style:
    """Colors, and ASCII instead of box-drawing characters. Neither is needed to understand the output.

    ``encoding`` is the encoding of the output; characters that it lacks become escapes, which are wider.
    ``columns`` is the width of a terminal, or 0. The only styles are red, green, bold and dim, which are
    legible on light and dark backgrounds.
    """

    color: bool = False
    ascii: bool = False
    encoding: str = UTF8
    columns: int = 0

    @classmethod
    def detect(cls) -> Style:
        """Return the style of standard output.

        Colors are used on a terminal that is not dumb; NO_COLOR (https://no-color.org) disables and
        FORCE_COLOR (https://force-color.org) enables them. Drawings use ASCII if the encoding lacks
        box-drawing characters.
        """
        return replace(cls.plain(sys.stdout), color=_has_color(sys.stdout), columns=columns(0))

    def wrap_all(self, text: str) -> list[str]:
        """Return the lines of a string, split to fit the terminal; continued lines are indented."""
        if not self.columns:
            return [text]
        lines = text.split("\n")
        return [each for line in lines for each in self.wrap(line, 0, len(line) - len(line.lstrip(" ")) + 2)]

    def wrap(self, line: str, before: int = 0, indent: int = 0) -> list[str]:
        """Return a line in pieces that fit the terminal, if each word fits.

        ``before`` is the width of the label before each piece; every piece except the first has an
        ``indent``.
        """
        room, indent = self.columns - before, min(indent, self.columns // 2)
        if not self.columns or width(click.unstyle(line)) <= room:
            return [line]
        pieces = [""]
        for word in re.findall(" *[^ ]+", line):
            if pieces[-1].strip() and width(click.unstyle(pieces[-1] + word)) > room:
                pieces.append(" " * indent + word.lstrip(" "))
            else:
                pieces[-1] += word
        return pieces

    @classmethod
    def plain(cls, stream: IO[str] | None) -> Style:
        """Return a style without colors for the encoding of a stream."""
        return cls(False, not _draws_boxes(stream), getattr(stream, "encoding", None) or "ascii")

    def error(self, text: str) -> str:
        return self._apply(text, fg="red", bold=True)

    def warning(self, text: str) -> str:
        return self._apply(text, fg="yellow", bold=True)

    def severity(self, name: str) -> Callable[[str], str]:
        """Return the way to color a severity: errors are red, warnings yellow, notes faint."""
        paints = {"warning": self.warning, "info": self.faint, "note": self.faint, "accepted": self.faint}
        return paints.get(name, self.error)

    def good(self, text: str) -> str:
        return self._apply(text, fg="green", bold=True)

    def strong(self, text: str) -> str:
        return self._apply(text, bold=True)

    def faint(self, text: str) -> str:
        return self._apply(text, dim=True)

    def _apply(self, text: str, **attributes: Any) -> str:
        return click.style(text, **attributes) if self.color and text else text


PLAIN = Style()


_LINE = re.compile(r"[^\n]*\n|[^\n]+")  # lines end at LF only
_MARK = b"\xef\xbb\xbf"


def unified_diff(name: str, before: str, after: str) -> str:
    """Return a diff for ``patch`` and ``git apply``. Cost: the same as for difflib."""
    import difflib  # other commands do not need this import

    name = name.lstrip("/")
    parts = []
    for line in difflib.unified_diff(_LINE.findall(before), _LINE.findall(after), f"a/{name}", f"b/{name}"):
        parts.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(parts)


def replace_text(path: Path, text: str) -> None:
    """Replace a file's text in one step; keep its byte order mark and mode. Raises OSError."""
    if output_at(path).file is None:
        raise OSError(errno.EINVAL, str(message("file-not-regular")), str(path))
    with path.open("rb") as file:
        mark = _MARK if file.read(len(_MARK)) == _MARK else b""
    write_output(path, mark + text.encode("utf-8"))


FIRST_SECONDS = 1.0  # shorter runs need no progress
NEXT_SECONDS = 0.2
ERASE_LINE = "\x1b[K"


class ProgressLine:
    """A progress line on standard error, redrawn in place; disabled without a terminal that can erase.

    ``unit`` is the counted noun. ``typed`` input at the same terminal would mix with the line.
    """

    def __init__(self, unit: str = "line", typed: bool = False) -> None:
        self._unit = unit
        self.enabled = is_terminal(sys.stderr) and not is_dumb() and not typed
        self._results_too = is_terminal(sys.stdout)
        self._next = time.monotonic() + FIRST_SECONDS
        self._drawn = False

    def update(
        self, units: int, counted: int, done: int, total: int | None, what: str = "rejected", more: str = ""
    ) -> None:
        """Draw the progress after a line or file, at most a few times per second.

        ``what`` names the counted units, and ``more`` is appended.
        """
        if not self.enabled or (now := time.monotonic()) < self._next:
            return
        self._next = now + NEXT_SECONDS
        share = f"{min(100, done * 100 // total):3d} %  " if total else ""
        self._echo(f"{share}{units:,} {self._unit}{'s' * (units != 1)}, {counted:,} {what}{more}")
        self._drawn = True

    def state(self, text: str) -> None:
        """Draw the current work of a command that does not count units at the moment."""
        if self.enabled:
            self._echo(f"{text} ...")
            self._drawn = True

    def make_room(self) -> None:
        """Clear the line before a result is written to the same terminal."""
        if self._results_too:
            self.clear()

    def clear(self) -> None:
        """Clear the line before other output to standard error, and at the end."""
        if self._drawn:
            self._echo("")
            self._drawn = False

    def _echo(self, text: str) -> None:
        # Without color=True click would remove the escape.
        click.echo(f"\r{ERASE_LINE}{text}", nl=False, err=True, color=True)
