"""What callers give as a column, and where its texts lie."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from abnforge._kernel.loaded import compiled
from abnforge.engine.loading import rule as rule_named
from abnforge.engine.rule import Rule

OFFSETS_32, OFFSETS_64, VIEWS = 4, 8, 16

Array = Any  # of pyarrow, which has no types that a checker could read


class Layout(NamedTuple):
    """How a type of texts is laid out, and whether its texts are octets."""

    number: int
    octets: bool


_LAYOUTS = {
    pa.string(): Layout(OFFSETS_32, False),
    pa.large_string(): Layout(OFFSETS_64, False),
    pa.string_view(): Layout(VIEWS, False),
    pa.binary(): Layout(OFFSETS_32, True),
    pa.large_binary(): Layout(OFFSETS_64, True),
    pa.binary_view(): Layout(VIEWS, True),
}


def rule_argument(rule: object, default: str = "") -> Rule:
    """A rule, given as such or by name: ``GRAMMAR:RULE``; with a default grammar a rule's name alone will do.

    Raises UnknownName for one that does not exist, TypeError for what names none.
    """
    if isinstance(rule, Rule):
        return rule
    if not isinstance(rule, str):
        raise TypeError(f"rule is a Rule, or a str such as 'rfc3986:URI', not {type(rule).__name__}")
    return rule_named(f"{default}:{rule}" if default and ":" not in rule else rule)


def column_argument(array: object) -> tuple[list[Array], bool]:
    """The chunks of a column, and whether it came in chunks.

    Raises TypeError for what is no column of texts.
    """
    if isinstance(array, pa.Array):
        chunks, chunked = [array], False
    elif isinstance(array, pa.ChunkedArray):
        chunks, chunked = array.chunks, True
    elif hasattr(array, "__arrow_c_stream__"):
        return column_argument(pa.chunked_array(array))
    elif hasattr(array, "__arrow_c_array__") or _is_numpy(array):
        chunks, chunked = [pa.array(array)], False
    else:
        raise TypeError(
            f"array is an Arrow array, or has the Arrow PyCapsule interface, not {type(array).__name__}; "
            "pyarrow.array() makes one of a list"
        )
    kind = array.type if isinstance(array, pa.ChunkedArray) else chunks[0].type
    if layout_of(kind) is None and not pa.types.is_null(kind):
        raise TypeError(f"array is a column of str or bytes, not of {kind}")
    return chunks, chunked


def _is_numpy(array: object) -> bool:
    return type(array).__module__ == "numpy" and hasattr(array, "__array_interface__")


def layout_of(kind: Any) -> Layout | None:
    """How texts of a type are laid out, those of a dictionary's values included; None for other types."""
    if pa.types.is_dictionary(kind):
        return layout_of(kind.value_type)
    return _LAYOUTS.get(kind)


def in_chunks(chunks: Iterable[Array], chunked: bool, kind: Any) -> Array:
    """Answers as the column came: in chunks or not."""
    made = list(chunks)
    return pa.chunked_array(made, type=kind) if chunked else made[0]


def kernel_column(array: Array) -> Any:
    """An array as the kernel reads it, over the array's own buffers."""
    layout = _LAYOUTS[array.type]
    valid, places, *data = array.buffers()
    if layout.number != VIEWS:
        data = data or [None]
    if places is None or (places.size == 0 and layout.number != VIEWS):
        places = None if layout.number == VIEWS else bytes(layout.number * (array.offset + len(array) + 1))
    return compiled.Column(layout.number, array.offset, len(array), valid, places, tuple(data), layout.octets)


def bits_of_presence(array: Array) -> Any:
    """A bit for each text that is there, from the first row on; None where all are."""
    return None if array.null_count == 0 else pc.is_valid(array).buffers()[1]


def room_for_bits(size: int) -> Any:
    """A buffer for so many bits, whatever it holds: memory of pyarrow's, which is not cleared for nothing."""
    return pa.allocate_buffer(-(-size // 8))
