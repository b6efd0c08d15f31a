"""Rows and cells of CSV, compared with a parser that reads each character."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge.ingest.sources import records as cutting
from abnforge.ingest.sources.records import CsvSplitter, Rows

PIECES = st.lists(
    st.sampled_from(["a", "bc", '"', '""', ",", "\n", "\r\n", "\r", '"x,y"', '"p\nq"', "é", ""]), max_size=14
)
ALL = 1 << 20


def by_hand(text: str, delimiter: str = ",") -> list[tuple[str, list[str | None] | None]]:
    """Return the rows of a CSV file with their cells (None if missing). Malformed rows do not have cells."""
    rows = []
    at = 0
    while at < len(text):
        end, cells = row_by_hand(text, at, delimiter)
        if cells is None:
            feed = text.find("\n", at)
            end = len(text) if feed < 0 else feed + 1
        rows.append((text[at:end], cells))
        at = end
    return rows


def row_by_hand(text: str, at: int, delimiter: str) -> tuple[int, list[str | None] | None]:
    cells: list[str | None] = []
    while True:
        if text[at : at + 1] == '"':
            at += 1
            cell = ""
            while True:
                if at == len(text):
                    return at, None
                if text[at] != '"':
                    cell += text[at]
                    at += 1
                elif text[at + 1 : at + 2] == '"':
                    cell += '"'
                    at += 2
                else:
                    at += 1
                    break
            cells.append(cell)
        else:
            begin = at
            while at < len(text) and text[at] not in (delimiter, "\n", '"'):
                at += 1
            if text[at : at + 1] == '"':
                return at, None
            cell = text[begin:at]
            if cell.endswith("\r") and text[at : at + 1] == "\n":
                cell = cell[:-1]
            cells.append(cell or None)
        if at == len(text):
            return at, cells
        if text[at] == delimiter:
            at += 1
        elif text[at] == "\n":
            return at + 1, cells
        elif text[at : at + 2] == "\r\n":
            return at + 2, cells
        else:
            return at, None


def rows_of(found: Rows) -> list[tuple[bytes, list[bytes | None] | None]]:
    """Return the same rows from the rows of a block."""
    counts = cutting.cell_counts(found)
    rows = []
    for row in range(len(found)):
        raw = found.block[int(found.begins[row]) : int(found.ends[row])]
        if row in found.broken:
            rows.append((raw, None))
            continue
        good = np.arange(len(found)) == row
        size = int(counts[row])
        cells: list[bytes | None] = []
        for expected in range(size):
            begins, ends, there = cutting.cells(found, size, expected, good)
            offsets, data = cutting.concatenate(found.block, begins, ends, found.dropped)
            cells.append(data[offsets[row] : offsets[row + 1]] if there[row] else None)
        rows.append((raw, cells))
    return rows


def as_octets(
    rows: list[tuple[str, list[str | None] | None]],
) -> list[tuple[bytes, list[bytes | None] | None]]:
    return [
        (raw.encode(), None if cells is None else [each if each is None else each.encode() for each in cells])
        for raw, cells in rows
    ]


EXAMPLES = [
    "",
    "a,b\n",
    "a,b",
    "\n",
    "a,\n,b\n,\n",
    '"a","b"\r\nc,d\r\n',
    '"a,b","c\nd"\n',
    '"","a"\n',
    '"a""b",""""\n',
    '"""a""",x\n',
    'a"b,c\nd,e\n',
    '"a"b,c\nd,e\n',
    '"a" ,c\nd,e\n',
    '"a\nb,c\nd,e\n',
    'a,"b\nc,d\n"e,f\n',
    'x\n"',
    '"',
    '""',
    "a\rb,c\r\nd\r",
    '"a"\r',
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_rows_and_cells(text: str) -> None:
    rows = CsvSplitter(",", ALL).rows(text.encode(), True)
    assert rows_of(rows) == as_octets(by_hand(text))


@given(PIECES.map("".join))
def test_rows_and_cells_of_any_text(text: str) -> None:
    rows = CsvSplitter(",", ALL).rows(text.encode(), True)
    assert rows_of(rows) == as_octets(by_hand(text))
    assert b"".join(raw for raw, _ in rows_of(rows)) == text.encode()


@given(PIECES.map("".join), st.integers(0, 30))
def test_a_block_that_ends_anywhere(text: str, cut: int) -> None:
    """The end of a block does not change the rows before it."""
    cutter = CsvSplitter(",", ALL)
    octets = text.encode()
    first = cutter.rows(octets[:cut], False)
    rest = cutter.rows(octets[first.behind :], True)
    assert rows_of(first) + rows_of(rest) == as_octets(by_hand(text))


def test_a_mark_that_is_never_closed_swallows_no_more_than_a_row_may_have() -> None:
    octets = b'a,"b\n' + b"c,d\n" * 100
    assert len(CsvSplitter(",", 1_000).rows(octets, False)) == 0  # the quote may be closed later
    rows = CsvSplitter(",", 100).rows(octets, False)
    assert len(rows) == 101
    assert {row: problem.code for row, problem in rows.broken.items()} == {0: "cell-unclosed"}


def test_tabs() -> None:
    rows = CsvSplitter("\t", ALL).rows(b'a,b\t"c\td"\n', True)
    assert rows_of(rows) == [(b'a,b\t"c\td"\n', [b"a,b", b"c\td"])]


@pytest.mark.parametrize(
    ("block", "final", "rows"),
    [
        (b"", True, []),
        (b"a\nb", True, [b"a\n", b"b"]),
        (b"a\nb", False, [b"a\n"]),
        (b"\n\r\n", False, [b"\n", b"\r\n"]),
    ],
)
def test_lines(block: bytes, final: bool, rows: list[bytes]) -> None:
    result = cutting.lines(block, final)
    assert [block[a:b] for a, b in zip(result.begins, result.ends, strict=True)] == rows
    ends = cutting.without_line_ends(result)
    plain = [block[a:b] for a, b in zip(result.begins, ends, strict=True)]
    assert plain == [row.removesuffix(b"\n").removesuffix(b"\r") for row in rows]
