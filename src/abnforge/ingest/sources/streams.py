"""Read a source of text as decompressed UTF-8 bytes, from any offset."""

from __future__ import annotations

import bz2
import codecs
import gzip
import os
import re
import sys
import zlib
from typing import Any

import pyarrow as pa

from abnforge.ingest import storage
from abnforge.ingest.messages import ConflictError, JobError, message
from abnforge.ingest.sources.discovery import STDIN, SourceFile

CHUNK = 1 << 20

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# The first bytes of compressed files. UTF-8 cannot start with the bytes of gzip or zstd, and is unlikely to
# start with the bytes of bzip2.
_PACKED = ((b"\x1f\x8b\x08", "gzip"), (b"BZh91AY&SY", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd"))


# pyarrow's errors about the bytes of a compressed object; its other errors are about the access.
_DAMAGED = re.compile("Truncated compressed stream|ZSTD")


class Stream:
    """One source as UTF-8 bytes without a byte order mark.

    Bytes that are invalid in the source's encoding are kept; they are also invalid in UTF-8. Offsets count
    the converted bytes. ``mark`` is the size of the byte order mark.
    """

    def __init__(self, source: SourceFile, encoding: str | None) -> None:
        self.source = source
        self.mark = 0
        self._raw = _opened(source)
        self._size = storage.READ_BYTES if storage.is_uri(source.path) else CHUNK
        self._decoder: Any = None
        self._encoding = encoding
        if encoding is not None:
            self._decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
        self._head: bytes | None = None  # the first bytes, already searched for a mark
        self._behind = b""  # bytes read beyond the requested offset
        self._begun = False
        self._ended = False

    def read(self) -> bytes:
        """Return about :data:`CHUNK` bytes; an empty string at the end."""
        if self._head is None:
            self._head = self._first()
            if self._head:
                return self._head
        return self._next()

    def _next(self) -> bytes:
        if self._behind:
            data, self._behind = self._behind, b""
            return data
        while not self._ended:
            try:
                data = self._raw.read(self._size)
            except (EOFError, zlib.error, gzip.BadGzipFile, pa.ArrowInvalid) as error:
                raise self._undecompressable(str(error)) from None
            except OSError as error:
                if error.errno is not None:
                    raise OSError(error.errno, error.strerror or str(error), self.source.shown) from None
                if self.source.is_local or _DAMAGED.search(str(error)):
                    raise self._undecompressable(str(error)) from None
                problem = message("storage-failed", path=self.source.shown, reason=str(error))
                raise JobError(problem) from None
            if not data:
                if not self._begun and self._is_empty_archive():
                    raise self._undecompressable("the file is empty")
                self._ended = True
            self._begun = True
            if self._decoder is not None:
                data = self._as_utf8(data)
            if data:
                return bytes(data)
        return b""

    def _is_empty_archive(self) -> bool:
        """Return whether the source is a compressed file without any byte, which no compressor writes."""
        path = self.source.path
        if self.source.format.compression is None or not self.source.is_file:
            return False
        return (not self.source.is_local or os.path.isfile(path)) and storage.size_of(path) == 0

    def _undecompressable(self, reason: str) -> JobError:
        compression = self.source.format.compression
        return JobError(
            message(
                "source-undecompressable", source=self.source.shown, compression=compression, reason=reason
            )
        )

    def _as_utf8(self, data: bytes) -> bytes:
        """Convert bytes to UTF-8; empty input marks the end.

        An invalid byte is kept. Raises JobError for other faults, such as half of a UTF-16 surrogate pair,
        which cannot be part of a row.
        """
        try:
            text: str = self._decoder.decode(data, not data)
        except UnicodeError as error:
            raise JobError(
                message(
                    "source-undecodable",
                    source=self.source.shown,
                    encoding=self._encoding,
                    reason=str(error),
                )
            ) from None
        return text.encode("utf-8", "surrogateescape")

    def _first(self) -> bytes:
        head = b""
        while len(head) < 3 and (more := self._next()):
            head += more
        if head.startswith(_BOM):
            self.mark = len(_BOM)
            return head[self.mark :]
        for mark, name in _WIDE_BOMS:
            if head.startswith(mark):
                raise JobError(
                    message("source-utf16", source=self.source.shown, parameter="encoding", encoding=name)
                )
        for mark, packed in _PACKED:
            if self._decoder is None and head.startswith(mark):
                is_unnamed = self.source.path == STDIN
                raise JobError(
                    message(
                        "source-compressed" if is_unnamed else "source-compressed-unnamed",
                        source=self.source.shown,
                        compression=packed,
                    )
                )
        return head

    def skip(self, offset: int) -> None:
        """Skip to an offset. In an uncompressed UTF-8 file, no bytes are read for this."""
        if not offset:
            return
        is_seekable = self.source.path != STDIN and self.source.format.compression is None
        if is_seekable and self._decoder is None:
            self._head = self._first()  # sets the size of the mark
            self._raw.seek(offset + self.mark)
            return
        left = offset
        while left:
            data = self.read()
            if not data:
                raise ConflictError(message("source-shorter", source=self.source.shown, parameter="resume"))
            if len(data) > left:
                self._behind = data[left:]
                return
            left -= len(data)

    def close(self) -> None:
        if self.source.path != STDIN:
            self._raw.close()


def _opened(source: SourceFile) -> Any:
    packed = source.format.compression
    if source.path == STDIN:
        if sys.stdin is None:
            raise JobError(message("stdin-closed"))
        return sys.stdin.buffer
    remote = storage.is_uri(source.path)
    file: Any = storage.open_stream(source.path) if remote and packed else source.path
    if packed == "gzip":
        return gzip.open(file, "rb")
    if packed == "bz2":
        return bz2.open(file, "rb")
    if packed == "zstd":
        return pa.CompressedInputStream(file if remote else pa.OSFile(file, "rb"), "zstd")
    return storage.open_file(source.path) if remote else open(source.path, "rb", buffering=0)


def encoded(rows: bytes, encoding: str | None, first: bool) -> bytes:
    """Encode rows in the source's encoding; if ``first``, with the byte order mark if required."""
    if encoding is None:
        return rows
    if not first and encoding in _MARKED:
        encoding = _MARKED[encoding]
    return rows.decode("utf-8", "surrogateescape").encode(encoding, "surrogateescape")


_MARKED = {name: f"{name}-{'le' if sys.byteorder == 'little' else 'be'}" for name in ("utf-16", "utf-32")}


def check_encoding(encoding: str | None) -> str | None:
    """Return the encoding; None for UTF-8. Raises JobError for an encoding that Python does not support."""
    if encoding is None:
        return None
    try:
        info = codecs.lookup(encoding)
    except LookupError:
        raise JobError(message("encoding-unknown", encoding=encoding)) from None
    try:
        if not info._is_text_encoding or info.incrementaldecoder is None:
            raise UnicodeError
        info.incrementaldecoder("surrogateescape").decode(b"", True)
    except UnicodeError:
        raise JobError(message("encoding-not-text", encoding=encoding)) from None
    return None if info.name in ("utf-8", "utf-8-sig") else info.name
