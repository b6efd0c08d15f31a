"""Convert Arrow values to JSON, including dates and times that Python cannot represent."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

import pyarrow as pa

from abnforge.columns.arrays import run_numbers, take, texts_of


@lru_cache(maxsize=1 << 14)
def dump_string(text: str) -> str:
    """Return a string as JSON. The cache helps because rule names and messages recur."""
    return str(encode_basestring(text))


def bytes_value(data: bytes) -> Any:
    """Return bytes as a string if they are valid UTF-8, else as ``{"base64": ...}``."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def values(array: Any) -> list[Any]:
    """Return the values of an Arrow array of any type as JSON values.

    docs/rejects.md specifies how each type is written. Dates are not converted by pandas or by Python's
    ``datetime``, which ends in the year 9999 and lacks nanoseconds.
    """
    kind = array.type
    if isinstance(kind, pa.UuidType):
        return [each and str(each) for each in array.to_pylist()]
    if isinstance(kind, pa.BaseExtensionType):
        return values(array.storage)
    for tests, spelled in _SPELLED:
        if any(test(kind) for test in tests):
            return spelled(array)
    return list(array.to_pylist())  # booleans, integers, null


def _texts(array: Any) -> list[Any]:
    return [bytes_value(each) if isinstance(each, bytes) else each for each in texts_of(array)]


def _each(spell: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """Return a function that spells each value of an array."""
    return lambda array: [None if each is None else spell(each) for each in array.to_pylist()]


def _counted(spell: Callable[[int, Any], str]) -> Callable[[Any], list[Any]]:
    """Return a function that spells each date or time of an array, from its count and the type."""
    return lambda array: [None if each is None else spell(each, array.type) for each in _counts(array)]


def _counts(array: Any) -> list[int | None]:
    """Return the integers that represent dates and times."""
    size = array.type.bit_width
    return list(array.view(pa.int32() if size == 32 else pa.int64()).to_pylist())


def _milliseconds(count: int, kind: Any) -> str:
    """Return a date that is stored in milliseconds; a value that is not a whole day includes its time."""
    whole = DAY * PER_SECOND["ms"]
    return instant(count, "ms") if count % whole else day(count // whole)


def _rows(array: Any, *children: Any) -> list[Any]:
    """Return the elements of each list, or pairs of them; pyarrow cannot flatten every type of list."""
    kind, size = array.type, len(array)
    if pa.types.is_fixed_size_list(kind):
        begins = [(array.offset + at) * kind.list_size for at in range(size)]
        ends = [begin + kind.list_size for begin in begins]
    elif pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        begins = array.offsets.to_pylist()
        ends = [begin + count for begin, count in zip(begins, array.sizes.to_pylist(), strict=True)]
    else:
        begins = array.offsets.to_pylist()
        ends = begins[1:]
    valid = array.is_valid().to_pylist()
    rows = [(a, b) if there else (0, 0) for a, b, there in zip(begins, ends, valid, strict=False)]
    first = min((a for a, b in rows if a < b), default=0)
    last = max((b for a, b in rows if a < b), default=0)
    [elements, *more] = (values(each.slice(first, last - first)) for each in children)
    if more:
        elements = [list(pair) for pair in zip(elements, *more, strict=True)]
    return [
        elements[a - first : b - first] if there else None for (a, b), there in zip(rows, valid, strict=True)
    ]


def _structs(array: Any) -> list[Any]:
    names = [field.name for field in array.type]
    fields = [values(array.field(at)) for at in range(len(names))]
    make = dict if len({*names}) == len(names) else lambda pairs: [list(pair) for pair in pairs]
    return [
        make((name, field[row]) for name, field in zip(names, fields, strict=True)) if there else None
        for row, there in enumerate(array.is_valid().to_pylist())
    ]


def _unions(array: Any) -> list[Any]:
    kind, size = array.type, len(array)
    _, codes, *places = array.buffers()[: 2 + (kind.mode == "dense")]
    which = pa.Array.from_buffers(pa.int8(), size, [None, codes], offset=array.offset).to_pylist()
    at = range(size)
    if places:
        at = pa.Array.from_buffers(pa.int32(), size, [None, *places], offset=array.offset).to_pylist()
    fields = {code: values(array.field(number)) for number, code in enumerate(kind.type_codes)}
    return [fields[code][place] for code, place in zip(which, at, strict=True)]


def _runs(array: Any) -> list[Any]:
    run_values = values(array.values)
    return [run_values[at] for at in run_numbers(array).to_pylist()]


_BY_TYPE: dict[str, Callable[[Any], list[Any]]] = {
    "string large_string string_view": _texts,
    "binary large_binary binary_view fixed_size_binary": _each(bytes_value),
    "floating": _each(lambda number: number if math.isfinite(number) else str(number)),
    "decimal": _each(str),
    "date32": _counted(lambda count, kind: day(count)),
    "date64": _counted(_milliseconds),
    "time": _counted(lambda count, kind: clock(count, kind.unit)),
    "timestamp": _counted(lambda count, kind: instant(count, kind.unit) + ("" if kind.tz is None else "Z")),
    "duration": _counted(lambda count, kind: duration(count, kind.unit)),
    "interval": _each(lambda counts: interval(*counts)),
    # Maps are lists of pairs, because a key can have any type and can occur twice.
    "map": lambda array: _rows(array, array.keys, array.items),
    "struct": _structs,
    "list large_list fixed_size_list list_view large_list_view": lambda array: _rows(array, array.values),
    "union": _unions,
    "dictionary": lambda array: values(take(array.dictionary, array.indices)),
    "run_end_encoded": _runs,
}
_SPELLED = [
    ([getattr(pa.types, f"is_{name}") for name in names.split()], spelled)
    for names, spelled in _BY_TYPE.items()
]


def texts(array: Any) -> list[str]:
    """Return each value of an array as JSON."""
    if pa.types.is_integer(array.type):
        return ["null" if each is None else str(each) for each in array.to_pylist()]
    return list(map(dumps, values(array)))


def dumps(value: Any) -> str:
    """Return a value as JSON without spaces."""
    if isinstance(value, str):
        return str(encode_basestring(value))
    return "null" if value is None else _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Number(str):
    """A JSON number in its original spelling, so that 1.10 differs from 1.1, and 20 digits are kept."""

    __slots__ = ()


EXACT_DECODER = json.JSONDecoder(parse_int=Number, parse_float=Number)


def loads_exact(text: str) -> Any:
    """Parse JSON with numbers as :class:`Number`."""
    return EXACT_DECODER.decode(text)


def dumps_exact(value: Any) -> str:
    """Return a value of :func:`loads_exact` as JSON."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{dumps(key)}:{dumps_exact(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps_exact, value)) + "]"
    return dumps(value)


PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
DAY = 86_400  # seconds

_EPOCH = date(1970, 1, 1)
_CYCLE = 146_097  # days in 400 years, after which the calendar repeats


def day(number: int) -> str:
    """Return the date that is this number of days after 1970-01-01, in the proleptic Gregorian calendar.

    A year outside of 0 to 9999 has a sign (ISO 8601, expanded representation).
    """
    cycles, rest = divmod(number, _CYCLE)
    date_in_cycle = _EPOCH + timedelta(rest)
    year = date_in_cycle.year + 400 * cycles
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}"
    return shown + date_in_cycle.isoformat()[4:]


def clock(count: int, unit: str) -> str:
    """Return a time of day; a count beyond one day has 24 or more hours, a negative one a minus sign."""
    seconds, fraction = _seconds(abs(count), unit)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{'-' if count < 0 else ''}{hour:02d}:{minute:02d}:{second:02d}{fraction}"


def instant(count: int, unit: str) -> str:
    """Return a date and time."""
    number, rest = divmod(count, DAY * PER_SECOND[unit])
    return f"{day(number)} {clock(rest, unit)}"


def duration(count: int, unit: str) -> str:
    """Return a duration in ISO 8601 notation, in seconds."""
    seconds, fraction = _seconds(abs(count), unit)
    return f"{'-' if count < 0 else ''}PT{seconds}{fraction}S"


def interval(months: int, days: int, nanoseconds: int) -> str:
    """Return an interval in ISO 8601 notation; each of its three counts has its own sign."""
    seconds, fraction = _seconds(abs(nanoseconds), "ns")
    return f"P{months}M{days}DT{'-' if nanoseconds < 0 else ''}{seconds}{fraction}S"


def _seconds(count: int, unit: str) -> tuple[int, str]:
    """Split a count of a unit into whole seconds and the digits of the fraction."""
    per = PER_SECOND[unit]
    seconds, rest = divmod(count, per)
    return seconds, f".{rest:0{len(str(per)) - 1}d}" if per > 1 else ""
