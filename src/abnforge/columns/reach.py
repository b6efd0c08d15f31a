"""Columns of more text than a view reaches: 2 GiB into a buffer, and places of 32 bits in a text."""

from __future__ import annotations

from bisect import bisect_right

import pyarrow as pa
import pyarrow.compute as pc

from abnforge.catalog import ArgumentError
from abnforge.columns.arrays import Array, bits_of_presence
from abnforge.columns.messages import message

REACH = 2**31 - 1  # octets
_LARGE = (pa.large_string(), pa.large_binary())


def refuse_longer(array: Array) -> None:
    """Raises ValueError for an array with a text of more than ``REACH`` octets. Costs nothing for most."""
    if not _is_far(array):
        return
    lengths = pc.binary_length(array)
    longest = pc.max(lengths).as_py() or 0
    if longest > REACH:
        row = pc.index(lengths, longest).as_py()
        raise ArgumentError(message("column-string-too-long", row=row, length=longest, most=REACH))


def within_reach(array: Array) -> list[Array]:
    """The rows of an array in parts whose octets are reached from the first on. Offsets alone are copied."""
    if not _is_far(array):
        return [array]
    _, places, data = array.buffers()
    offsets = pa.Array.from_buffers(pa.int64(), len(array) + 1, [None, places], offset=array.offset)
    parts, row = [], 0
    while row < len(array):
        begin = offsets[row].as_py()
        end = bisect_right(range(len(offsets)), begin + REACH, row, key=lambda at: offsets[at].as_py()) - 1
        rows = array.slice(row, end - row)
        near = pc.subtract(offsets.slice(row, end - row + 1), begin)
        octets = data.slice(begin, offsets[end].as_py() - begin)
        given = [bits_of_presence(rows), near.buffers()[1], octets]
        parts.append(pa.Array.from_buffers(array.type, end - row, given))
        row = end
    return parts or [array.slice(0, 0)]


def _is_far(array: Array) -> bool:
    if array.type not in _LARGE:
        return False
    data = array.buffers()[2]
    return data is not None and data.size > REACH
