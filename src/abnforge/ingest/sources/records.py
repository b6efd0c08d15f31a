"""Split blocks of text into rows, and leave an incomplete last row to the next block.

A row is a line, but in CSV a line ending between quotes is part of its cell (RFC 4180). Most blocks are
regular: every quote opens a cell at its start, closes it at its end, or is part of a pair that represents one
quote. Then a character is quoted exactly if the number of quotes before it is odd, so counting quotes is
enough to find all rows and cells. Other blocks are parsed cell by cell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from abnforge.ingest.messages import message

LF, CR, QUOTE = 10, 13, 34
_SPARSE = 16  # a block with more bytes for each byte of the slices is not read as a whole

Offsets = Any  # a numpy array of offsets in a block


@dataclass
class Rows:
    """The rows of a block.

    ``begins`` and ``ends`` include line endings; ``behind`` is the end of the last row. ``broken`` has the
    errors of rows that cannot be split into cells. With ``gaps``, skipped lines are between rows. For CSV,
    ``cuts`` has the offsets of all delimiters between cells. ``dropped`` has the offsets of bytes that are
    not part of values: one of two quotes, and escape characters. ``quote`` is the byte of quotes, or -1.
    """

    block: bytes
    begins: Offsets
    ends: Offsets
    behind: int
    broken: dict[int, str] = field(default_factory=dict)
    gaps: bool = False
    cuts: Offsets = None
    dropped: Offsets = None
    quote: int = QUOTE

    def __len__(self) -> int:
        return len(self.begins)


def octets_of(block: bytes) -> Any:
    return np.frombuffer(block, np.uint8)


def lines(block: bytes, final: bool) -> Rows:
    """Split a block into lines."""
    ends = np.flatnonzero(octets_of(block) == LF) + 1
    return _between(block, ends, final)


def without_skipped(rows: Rows, usual: str, skipped: re.Pattern[bytes]) -> Rows:
    """Return the lines that a pattern does not match. Lines that begin with a ``usual`` byte never match."""
    mask = np.isin(octets_of(rows.block)[rows.begins], [*usual.encode()])
    for row in np.flatnonzero(~mask).tolist():
        mask[row] = not skipped.fullmatch(rows.block, int(rows.begins[row]), int(rows.ends[row]))
    if mask.all():
        return rows
    return Rows(rows.block, rows.begins[mask], rows.ends[mask], rows.behind, gaps=True)


def _between(block: bytes, ends: Offsets, final: bool) -> Rows:
    if final and len(block) and (not len(ends) or ends[-1] != len(block)):
        ends = np.append(ends, len(block))
    begins = np.zeros(len(ends), np.int64)
    begins[1:] = ends[:-1]
    return Rows(block, begins, ends, int(ends[-1]) if len(ends) else 0)


_SHIELDED = (
    0x80  # replaces an escaped byte while rows are split: not ASCII, so it is neither quote nor delimiter
)


class CsvSplitter:
    """Splits CSV into rows and cells.

    ``quote``, ``escape`` and ``comment`` are characters; "" means that files do not use any. In quoted cells,
    an escape character takes the meaning from the quote, escape character or line feed after it. If cells are
    never quoted, it takes the meaning from the escape character, delimiter or line feed after it. A line that
    begins with the comment character is skipped.
    """

    def __init__(
        self, delimiter: str, most: int, quote: str = '"', escape: str = "", comment: str = ""
    ) -> None:
        self._delimiter = ord(delimiter)
        self._most = most
        self._quote, self._escape, self._comment = (
            ord(each) if each else -1 for each in (quote, escape, comment)
        )
        mark, q, e = (re.escape(each.encode()) for each in (delimiter, quote, escape))
        cell, unclosed = rb"[^\n%b]*+" % mark, rb"(?!)"
        if quote:
            pair = rb"%b%b" % (q, q) + (rb"|%b[%b%b\n]" % (e, q, e) if escape else b"")
            quoted = rb"%b(?:[^%b%b]++|%b%b)*+" % (q, q, e, pair, b"|" + e if escape else b"")
            self._pair = re.compile(pair)
            cell = rb"(?:%b%b|[^%b\n%b]*+)" % (quoted, q, q, mark)
            unclosed = rb"(?:%b%b)*+%b\Z" % (cell, mark, quoted)
        cells = rb"%b(?:%b%b)*+" % (cell, mark, cell)
        self._last = re.compile(cells + rb"(?:\r?\n|\Z)")
        self._row = re.compile(cells + rb"\r?(?:\n|\Z)")  # the next block may begin with the LF of a CRLF
        self._cell = re.compile(rb"(%b)(?:(%b)|\r?\n|\Z)" % (cell, mark))
        self._unclosed = re.compile(unclosed)

    def rows(self, block: bytes, final: bool) -> Rows:
        """Return the rows of a block. The last row of the ``final`` block may lack its line ending."""
        shielded, escapes = block, np.zeros(0, np.int64)
        if self._escape >= 0 and self._escape in block:
            shielded, escapes = self._shielded(block)
        rows = self._at_once(shielded, final, block, escapes)
        if rows is not None:
            return rows
        if self._quote >= 0:  # the pattern of quoted cells has escapes
            shielded, escapes = block, escapes[:0]
        return self._one_by_one(shielded, final, block, escapes)

    def _shielded(self, block: bytes) -> tuple[bytes, Offsets]:
        """Return a block without the special bytes that are escaped, and the offsets of their escapes."""
        data = octets_of(block)
        escapes = np.flatnonzero(data[:-1] == self._escape)
        if len(escapes):
            begins = np.r_[True, np.diff(escapes) != 1]  # of runs; each second one of a run is escaped
            index = np.arange(len(escapes))
            escapes = escapes[(index - index[begins][np.cumsum(begins) - 1]) & 1 == 0]
        special = self._delimiter if self._quote < 0 else self._quote
        escapes = escapes[np.isin(data[escapes + 1], (self._escape, special, LF))]
        shielded = data.copy()
        # A line feed outside of quotes is not escaped, and in quotes it does not end a row.
        hidden = escapes if self._quote < 0 else escapes[data[escapes + 1] != LF]
        shielded[hidden + 1] = _SHIELDED
        return shielded.tobytes(), escapes

    def _at_once(self, block: bytes, final: bool, raw: bytes, escapes: Offsets) -> Rows | None:
        """Return the rows of ``raw``, whose escaped bytes are shielded in ``block``; None if it is irregular.

        A first escape character outside of quotes is outside for a parser of cells, too.
        """
        data = octets_of(block)
        quotes = np.flatnonzero(data == self._quote) if self._quote >= 0 else np.zeros(0, np.int64)
        feeds = np.flatnonzero(data == LF)
        if self._comment >= 0:
            comments = np.flatnonzero(data == self._comment)
            if ((comments == 0) | (data[comments - 1] == LF)).any():
                return None
        cuts = np.flatnonzero(data == self._delimiter)
        doubled = quotes[:0]
        if len(quotes):
            if not self._regular(data, quotes, final):
                return None
            feeds = feeds[np.searchsorted(quotes, feeds) & 1 == 0]
            cuts = cuts[np.searchsorted(quotes, cuts) & 1 == 0]
            pairs = np.flatnonzero(np.diff(quotes) == 1)
            doubled = quotes[pairs[pairs & 1 == 1] + 1]  # the second of two quotes reopens the cell
        if self._quote >= 0 and len(escapes):
            is_quoted = np.searchsorted(quotes, escapes) & 1 == 1
            if (octets_of(raw)[escapes[~is_quoted] + 1] == self._quote).any():
                return None
            escapes = escapes[is_quoted]
        rows = _between(block, feeds + 1, final)
        rows.block = raw
        rows.cuts, rows.dropped, rows.quote = cuts, np.union1d(doubled, escapes), self._quote
        # An opening quote may lack its closing quote.
        return rows if len(block) - rows.behind <= self._most else None

    def _regular(self, data: Any, quotes: Offsets, final: bool) -> bool:
        """Return whether each quote opens a cell at its start, closes it at its end, or is part of a pair."""
        last = len(data) - 1
        opening, closing = quotes[::2], quotes[1::2]
        before = data[opening - 1]  # for offset 0, ``before`` is the last byte
        good = (before == self._delimiter) | (before == LF) | (opening == 0)
        good[1:] |= opening[1:] == closing[: len(opening) - 1] + 1
        if not good.all():
            return False
        if final and len(opening) > len(closing):
            return False
        after = data[np.minimum(closing + 1, last)]
        good = (after == self._delimiter) | (after == LF) | (after == self._quote) | (closing == last)
        good |= (after == CR) & (data[np.minimum(closing + 2, last)] == LF) & (closing + 2 <= last)
        if not final:  # the next block begins with the byte that decides
            good |= (after == CR) & (closing + 1 == last)
        # A quote that closes a cell and a quote that directly reopens it form an escaped quote.
        return bool(good.all())

    def _one_by_one(self, block: bytes, final: bool, raw: bytes, escapes: Offsets) -> Rows:
        begins: list[int] = []
        ends: list[int] = []
        broken: dict[int, str] = {}
        cuts: list[int] = []
        doubled: list[int] = []
        at = 0
        row = self._last if final else self._row
        gaps = False
        while at < len(block):
            if block[at] == self._comment:
                end = raw.find(b"\n", at) + 1 or (len(block) if final else 0)
                if not end:
                    break
                at, gaps = end, True
                continue
            match = row.match(block, at)
            if match is not None and (final or block[match.end() - 1] == LF):
                end = match.end()
                self._cells(block, at, cuts, doubled)
            elif match is not None and len(block) - at <= self._most:
                break  # the incomplete row is valid so far
            else:
                feed = block.find(b"\n", at) + 1
                open_cell = self._unclosed.match(block, at) is not None
                if not final and (not feed or (open_cell and len(block) - at <= self._most)):
                    break  # the next block may close the cell
                end = feed or len(block)
                broken[len(begins)] = message("cell-unclosed" if open_cell else "cell-quote-inside")
            begins.append(at)
            ends.append(end)
            at = end
        rows = Rows(raw, np.array(begins, np.int64), np.array(ends, np.int64), at, broken, gaps=gaps)
        rows.cuts, rows.dropped = np.array(cuts, np.int64), np.union1d(np.array(doubled, np.int64), escapes)
        rows.quote = self._quote
        return rows

    def _cells(self, block: bytes, at: int, cuts: list[int], doubled: list[int]) -> None:
        while True:
            match = self._cell.match(block, at)
            assert match is not None
            begin, end = match.span(1)
            if end > begin and block[begin] == self._quote:
                doubled += (pair.start() for pair in self._pair.finditer(block, begin + 1, end - 1))
            if match[2] is None:
                return
            cuts.append(end)
            at = match.end()


def cells(rows: Rows, columns: int, column: int, usable: Any) -> tuple[Offsets, Offsets, Any]:
    """Return the bounds of the cells of one column without quotes, and which cells are not null.

    An unquoted empty cell is null. ``usable`` is true for rows with ``columns`` cells.
    """
    data = octets_of(rows.block)
    begins, ends = raw_cells(rows, columns, column, usable)
    there = ends > begins
    quoted = there & (data[np.minimum(begins, len(data) - 1)] == rows.quote) if len(data) else there
    return begins + quoted, ends - quoted, there


def raw_cells(rows: Rows, columns: int, column: int, usable: Any) -> tuple[Offsets, Offsets]:
    """Return the bounds of the cells of one column, with their quotes."""
    first = np.searchsorted(rows.cuts, rows.begins)
    padded = np.append(rows.cuts, 0)
    size = len(rows.cuts)
    begins = rows.begins.copy()
    if column:
        begins = padded[np.minimum(first + column - 1, size)] + 1
    ends = without_line_ends(rows)
    if column < columns - 1:
        ends = padded[np.minimum(first + column, size)].copy()
    return np.where(usable, begins, 0), np.where(usable, ends, 0)


def cell_counts(rows: Rows) -> Any:
    """Return the number of cells of each row."""
    return np.searchsorted(rows.cuts, rows.ends) - np.searchsorted(rows.cuts, rows.begins) + 1


def without_line_ends(rows: Rows) -> Offsets:
    """Return the end of each row without LF or CRLF."""
    if not len(rows.block):
        return rows.ends
    data = octets_of(rows.block)
    ends = rows.ends - ((rows.ends > rows.begins) & (data[rows.ends - 1] == LF))
    had = ends < rows.ends
    return ends - (had & (ends > rows.begins) & (data[ends - 1] == CR))


def is_utf8(data: bytes | memoryview) -> bool:
    """Return whether bytes are UTF-8. Arrow decides faster than Python, which creates a string."""
    offsets = pa.py_buffer(np.array([0, len(data)], np.int64))
    return is_text(pa.Array.from_buffers(pa.large_string(), 1, [None, offsets, pa.py_buffer(data)]))


def is_text(strings: Any) -> bool:
    """Return whether all strings of an Arrow array are UTF-8."""
    try:
        strings.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def concatenate(
    block: bytes, begins: Offsets, ends: Offsets, dropped: Offsets = None
) -> tuple[Offsets, bytes]:
    """Concatenate slices of a block, which are sorted and disjoint. Return their offsets and their bytes.

    Bytes at the offsets ``dropped`` are omitted.
    """
    data = octets_of(block)
    there = ends > begins
    sizes = np.where(there, ends - begins, 0)
    offsets = np.zeros(len(begins) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    if len(data) > _SPARSE * offsets[-1]:
        which = np.repeat(begins - offsets[:-1], sizes) + np.arange(offsets[-1])
    else:
        marks = np.zeros(len(data) + 1, np.int8)
        marks[begins[there]] += 1
        marks[ends[there]] -= 1
        which = np.cumsum(marks[:-1], dtype=np.int8).view(np.bool_)
    if dropped is not None and len(dropped):
        if which.dtype == np.bool_:
            which[dropped] = False
        else:
            is_kept = np.ones(len(data), np.bool_)
            is_kept[dropped] = False
            which = which[is_kept[which]]
        lost = np.searchsorted(dropped, ends) - np.searchsorted(dropped, begins)
        np.cumsum(sizes - np.where(there, lost, 0), out=offsets[1:])
    return offsets, data[which].tobytes()
