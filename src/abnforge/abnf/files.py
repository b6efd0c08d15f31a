"""Grammar files: bytes to text, and no further."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from abnforge.abnf.messages import message
from abnforge.errors import GrammarError
from abnforge.source import Source, Span

# A grammar file is some kilobytes; the largest in an RFC has some tens. What is larger is no grammar.
MAX_GRAMMAR_BYTES = 4 * 1024 * 1024


def read_file(path: Path) -> str:
    """A grammar file's text without a byte order mark.

    Raises OSError, and GrammarError for a file that is too large or not UTF-8.
    """
    with path.open("rb") as file:
        return decoded(file, str(path))


def decoded(file: IO[bytes], name: str) -> str:
    """The text of a file that is open, which messages call by a name. Raises as :func:`read_file`."""
    return grammar_text(file.read(MAX_GRAMMAR_BYTES + 1), name)


def grammar_text(data: bytes, name: str) -> str:
    """The text of a grammar's bytes without a byte order mark; ``name`` stands for them in errors.

    Raises GrammarError for what is too large or not UTF-8.
    """
    if len(data) > MAX_GRAMMAR_BYTES:
        raise GrammarError(
            message("file-limit", limit=MAX_GRAMMAR_BYTES),
            code="file-too-large",
            path=name,
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode(errors="replace")
        source = Source(before, name)
        raise GrammarError(
            message("file-encoding", offset=error.start, byte=f"0x{data[error.start]:02X}"),
            source=source,
            span=Span(len(before), len(before)),
        ) from None
