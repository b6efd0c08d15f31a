"""The rows of a CSV file by a state machine (RFC 4180), and their cells by the csv module."""

from __future__ import annotations

import csv
from collections.abc import Iterator

START, PLAIN, QUOTED, CLOSED, WRONG = range(5)  # the states within a cell


def rows(data: bytes, delimiter: bytes = b",", escape: bytes = b"") -> Iterator[tuple[bytes, bool]]:
    """Yield each row with its line ending, and whether it consists of cells.

    In quoted cells, a quote, escape character or line feed after the escape character is part of the value. A
    row with a quote at a wrong place ends at its first line feed, even if the line feed is quoted.
    """
    begin = 0
    while begin < len(data):
        end, state = begin, START
        while end < len(data):
            byte = data[end : end + 1]
            end += 1
            if state == QUOTED and byte == escape:
                end += data[end : end + 1] in (b'"', escape)
            elif state == QUOTED:
                state = CLOSED if byte == b'"' else QUOTED
            elif byte == b"\n":
                break
            elif state == CLOSED and data[end - 1 : end + 1] == b"\r\n":
                pass
            elif byte == delimiter:
                state = START
            elif state == CLOSED:
                state = QUOTED if byte == b'"' else WRONG
            elif byte == b'"':
                state = QUOTED if state == START else WRONG
            else:
                state = PLAIN
            if state == WRONG:
                break
        if state in (QUOTED, WRONG):
            end = data.find(b"\n", begin) + 1 or len(data)
        yield data[begin:end], state not in (QUOTED, WRONG)
        begin = end


def cells(row: bytes, delimiter: str = ",") -> list[str]:
    """Return the cells of a row; none if it is not UTF-8. Other carriage returns than in CRLF are text."""
    data = row.removesuffix(b"\n").removesuffix(b"\r") if row.endswith(b"\n") else row
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return []
    stand_in = next(char for char in map(chr, range(0xE000, 0xF900)) if char not in text)
    read = csv.reader([text.replace("\r", stand_in)], delimiter=delimiter, strict=True)
    return [cell.replace(stand_in, "\r") for row in read for cell in row] or [""]
