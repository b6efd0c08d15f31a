"""Values of Arrow as JSON, octets and all."""

from __future__ import annotations

import base64
import json
import math
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any

import pyarrow as pa

from abnforge.columns.arrays import texts_of
from abnforge.columns.selecting import taken


@lru_cache(maxsize=1 << 14)
def quoted(text: str) -> str:
    """A text as JSON. Many come again and again: names of rules, messages."""
    return str(encode_basestring(text))


def octets(data: bytes) -> Any:
    """Octets as a text where they are one in UTF-8, else as ``{"base64": ...}``."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def plain(value: Any) -> Any:
    """A value of Python, out of an Arrow array, as what JSON has; what it lacks is written as text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return octets(value)
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def texts(array: Any) -> list[str]:
    """Each value of an array as a text of JSON."""
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return texts(array.storage)
    if pa.types.is_integer(kind):
        return ["null" if each is None else str(each) for each in array.to_pylist()]
    if kind in (pa.string(), pa.large_string(), pa.string_view()):
        return [
            "null" if each is None else dumps(each if isinstance(each, str) else octets(each))
            for each in texts_of(array)
        ]
    if pa.types.is_dictionary(kind):
        return texts(taken(array.dictionary, array.indices))
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind) or pa.types.is_time64(kind):
        array = array.cast(pa.string())  # Python has no nanoseconds
    return [dumps(plain(each)) for each in array.to_pylist()]


def dumps(value: Any) -> str:
    """A value as JSON in UTF-8, without spaces."""
    return str(encode_basestring(value)) if isinstance(value, str) else _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Number(str):
    """A number as it is written: 1.10 is not 1.1, and 20 digits stay 20."""

    __slots__ = ()


_AS_WRITTEN = json.JSONDecoder(parse_int=Number, parse_float=Number)


def as_written(text: str) -> Any:
    """A value of JSON with its numbers as they are written."""
    return _AS_WRITTEN.decode(text)


def written(value: Any) -> str:
    """A value of :func:`as_written`, or of :func:`plain`, as JSON."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{dumps(key)}:{written(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return dumps(value)
