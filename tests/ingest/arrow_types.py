"""Build Arrow arrays of every type from plain values, and parse plain values from the JSON of rejects."""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tests.columns.expected import Tagged

I32 = [0, 1, -1, 2**31 - 1, -(2**31), -719_162, -719_163, -719_164, 2_932_896, 2_932_897, None]
I64 = [0, 1, -1, 2**63 - 1, -(2**63), 2**62, 86_400_000, -86_399_999, 1_000_000_007, None]
OCTETS = [b"", b"a", "é\u0000".encode(), b"\xff", b"\xed\xa0\x80" * 5, b'"\\\n', None]
REALS = [0.5, -0.0, float("inf"), float("-inf"), float("nan"), None]
WORDS = [b"a", b"b c", None]

UNITS = ("s", "ms", "us", "ns")
LEAVES: list[tuple[Any, list[Any]]] = [
    (pa.null(), [None, None]),
    (pa.bool_(), [True, False, None]),
    (pa.int8(), [127, -128, None]),
    *[(kind, [127, 0, None]) for kind in (pa.int16(), pa.int32(), pa.uint8(), pa.uint16(), pa.uint32())],
    (pa.uint64(), [2**64 - 1, 0, None]),
    (pa.int64(), I64),
    *[(kind, REALS) for kind in (pa.float16(), pa.float32(), pa.float64())],
    (pa.decimal32(9, 2), [Decimal("1.10"), Decimal("-9999999.99"), None]),
    (pa.decimal64(18, 0), [Decimal(10**18 - 1), None]),
    (pa.decimal128(5, -3), [Decimal("1E+3"), None]),
    (pa.decimal256(76, 76), [Decimal("-0." + "9" * 76), Decimal("0E-76"), None]),
    (pa.date32(), I32),
    (pa.date64(), I64),
    *[(pa.time32(unit), I32) for unit in UNITS[:2]],
    *[(pa.time64(unit), I64) for unit in UNITS[2:]],
    *[(pa.timestamp(unit, zone), I64) for unit in UNITS for zone in (None, "UTC", "Europe/Berlin")],
    (pa.timestamp("us", "Mars/Olympus"), I64),
    *[(pa.duration(unit), I64) for unit in UNITS],
    (pa.month_day_nano_interval(), [(1, -2, 3), (-(2**31), 2**31 - 1, -(2**63)), (0, 0, 0), None]),
    *[(kind, OCTETS) for kind in (pa.string(), pa.large_string(), pa.string_view())],
    *[(kind, OCTETS) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())],
    (pa.binary(2), [b"ab", b"\xff\xff", None]),
    (pa.binary(0), [b"", None]),
    (pa.uuid(), [b"\xff" * 16, bytes(range(16)), None]),
    (pa.bool8(), [1, 0, -5, None]),
    (pa.json_(), [b"{}", None]),
    (Tagged(pa.date32()), I32),
    (pa.opaque(pa.timestamp("ns"), "t", "v"), I64),
]

# Types that contain another type, and values that contain values of that type.
Wrapper = tuple[str, Callable[[Any], Any], Callable[[Sequence[Any]], list[Any]]]
NESTINGS: list[Wrapper] = [
    ("list", pa.list_, lambda raws: [list(raws), None, [], [raws[0], None]]),
    ("large_list", pa.large_list, lambda raws: [[], list(raws), None]),
    ("fixed_size_list", lambda kind: pa.list_(kind, 2), lambda raws: [[raws[0], raws[-1]], None, [None] * 2]),
    ("no elements", lambda kind: pa.list_(kind, 0), lambda raws: [[], None]),
    ("list_view", pa.list_view, lambda raws: [list(raws), None, []]),
    ("large_list_view", pa.large_list_view, lambda raws: [None, list(raws)]),
    (
        "struct",
        lambda kind: pa.struct([("a", kind), ("b", pa.int8())]),
        lambda raws: [*([raw, 1] for raw in raws), None, [None, None]],
    ),
    (
        "names that come twice",
        lambda kind: pa.struct([("a", kind), ("a", kind)]),
        lambda raws: [*([raw, raws[0]] for raw in raws), None],
    ),
    ("map", lambda kind: pa.map_(pa.string(), kind), lambda raws: [[(b"k", raw) for raw in raws], None, []]),
    (
        "map of keys",
        lambda kind: pa.map_(kind, pa.int8()),
        lambda raws: [[(raw, 1) for raw in raws if raw is not None] * 2, None],
    ),
    ("dictionary", lambda kind: pa.dictionary(pa.int8(), kind), lambda raws: [*raws, *raws]),
    ("runs", lambda kind: pa.run_end_encoded(pa.int16(), kind), list),
    ("sparse union", lambda kind: _union(pa.sparse_union, kind), lambda raws: _alternating(raws)),
    ("dense union", lambda kind: _union(pa.dense_union, kind), lambda raws: _alternating(raws)),
    ("extension", Tagged, list),
]


def _union(made: Callable[..., Any], kind: Any) -> Any:
    return made([pa.field("a", kind), pa.field("b", pa.string())], type_codes=[5, 3])


def _alternating(raws: Sequence[Any]) -> list[Any]:
    return [each for raw in raws for each in ((0, raw), (1, b"x"))]


def nests(name: str, kind: Any) -> bool:
    """Return whether Arrow supports nesting a type this way."""
    plain = not kind.num_fields and not isinstance(kind, pa.BaseExtensionType)
    special = pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind)
    if name == "dictionary":
        return plain and not special and not pa.types.is_null(kind)
    if name == "map of keys":
        return not pa.types.is_null(kind)
    return True


def build(kind: Any, raws: Sequence[Any]) -> Any:
    """Return an array of a type from plain values.

    Dates and times are stored numbers, binary values are bytes, structs are lists, and maps are lists of
    pairs. The number of its type comes with each union value.
    """
    test = pa.types
    there = [raw is not None for raw in raws]
    mask = pa.array([not each for each in there], pa.bool_())
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, build(kind.storage_type, raws))
    if test.is_dictionary(kind):
        places = [at if each else None for at, each in enumerate(there)]
        return pa.DictionaryArray.from_arrays(pa.array(places, kind.index_type), build(kind.value_type, raws))
    if test.is_run_end_encoded(kind):
        ends = pa.array(range(1, len(raws) + 1), kind.run_end_type)
        return pa.Array.from_buffers(kind, len(raws), [None], children=[ends, build(kind.value_type, raws)])
    if test.is_union(kind):
        return _build_union(kind, raws)
    if test.is_struct(kind):
        fields = [
            build(kind.field(at).type, [raw and raw[at] for raw in raws]) for at in range(kind.num_fields)
        ]
        return pa.StructArray.from_arrays(fields, fields=list(kind), mask=mask)
    if test.is_fixed_size_list(kind):
        elements = [each for raw in raws for each in ([None] * kind.list_size if raw is None else raw)]
        if not kind.list_size:  # from_arrays divides by the size
            return pa.Array.from_buffers(
                kind, len(raws), [pc.invert(mask).buffers()[1]], children=[build(kind.value_type, [])]
            )
        return pa.FixedSizeListArray.from_arrays(build(kind.value_type, elements), type=kind, mask=mask)
    if test.is_map(kind):
        pairs = [pair for raw in raws for pair in raw or ()]
        keys, items = (
            build(each, [pair[at] for pair in pairs])
            for at, each in enumerate((kind.key_type, kind.item_type))
        )
        return pa.MapArray.from_arrays(_offsets(raws, pa.int32()), keys, items, type=kind)
    if test.is_list(kind) or test.is_large_list(kind):
        elements = build(kind.value_type, [each for raw in raws for each in raw or ()])
        large = test.is_large_list(kind)
        result = pa.LargeListArray if large else pa.ListArray
        return result.from_arrays(_offsets(raws, pa.int64() if large else pa.int32()), elements, type=kind)
    if test.is_list_view(kind) or test.is_large_list_view(kind):
        large = test.is_large_list_view(kind)
        size = pa.int64() if large else pa.int32()
        elements = build(kind.value_type, [each for raw in raws for each in raw or ()])
        sizes = [len(raw or ()) for raw in raws]
        begins = list(accumulate(sizes, initial=0))[:-1]
        result = pa.LargeListViewArray if large else pa.ListViewArray
        return result.from_arrays(
            pa.array(begins, size), pa.array(sizes, size), elements, type=kind, mask=mask
        )
    if test.is_temporal(kind) and not test.is_interval(kind):
        return pa.array(raws, pa.int32() if kind.bit_width == 32 else pa.int64()).view(kind)
    octets = {
        pa.string(): pa.binary(),
        pa.large_string(): pa.large_binary(),
        pa.string_view(): pa.binary_view(),
    }
    return pa.array(raws, octets[kind]).view(kind) if kind in octets else pa.array(raws, kind)


def _offsets(raws: Sequence[Any], kind: Any) -> Any:
    ends = list(accumulate((len(raw or ()) for raw in raws), initial=0))
    return pa.array([None if raw is None else end for raw, end in zip([*raws, ()], ends, strict=True)], kind)


def _build_union(kind: Any, raws: Sequence[Any]) -> Any:
    raws = [raw or (0, None) for raw in raws]
    codes = pa.array([kind.type_codes[which] for which, _ in raws], pa.int8())
    kinds = [kind.field(at).type for at in range(kind.num_fields)]
    results = {"field_names": ["a", "b"], "type_codes": kind.type_codes}
    if kind.mode == "sparse":
        default = {at: next((raw for which, raw in raws if which == at), None) for at in range(len(kinds))}
        fields = [
            build(each, [raw if which == at else default[at] for which, raw in raws])
            for at, each in enumerate(kinds)
        ]
        return pa.UnionArray.from_sparse(codes, fields, **results)
    values: list[list[Any]] = [[] for _ in kinds]
    places = []
    for which, raw in raws:
        places.append(len(values[which]))
        values[which].append(raw)
    fields = [build(each, some) for each, some in zip(kinds, values, strict=True)]
    return pa.UnionArray.from_dense(codes, pa.array(places, pa.int32()), fields, **results)


def read(value: Any, kind: Any, raw: Any) -> Any:
    """Return the plain value, as passed to :func:`build`, of a JSON value.

    If the JSON does not show the type (unions), ``raw`` does.
    """
    test = pa.types
    if isinstance(kind, pa.UuidType):
        return None if value is None else uuid.UUID(value).bytes
    if isinstance(kind, pa.BaseExtensionType):
        return read(value, kind.storage_type, raw)
    if test.is_union(kind):
        if raw is None:
            return value
        return (raw[0], read(value, kind.field(raw[0]).type, raw[1]))
    if value is None:
        return None
    if test.is_dictionary(kind) or test.is_run_end_encoded(kind):
        return read(value, kind.value_type, raw)
    if test.is_struct(kind):
        names = [each.name for each in kind]
        pairs = list(value.items()) if isinstance(value, dict) else value
        assert [name for name, _ in pairs] == names
        return [read(each, kind.field(at).type, raw[at]) for at, (_, each) in enumerate(pairs)]
    if test.is_map(kind):
        return [
            (read(key, kind.key_type, old[0]), read(each, kind.item_type, old[1]))
            for (key, each), old in zip(value, raw, strict=True)
        ]
    if test.is_nested(kind):
        return [read(each, kind.value_type, old) for each, old in zip(value, raw, strict=True)]
    if test.is_floating(kind):
        return float(value)
    if test.is_decimal(kind):
        return Decimal(value)
    if isinstance(raw, bytes):
        return base64.b64decode(value["base64"], validate=True) if isinstance(value, dict) else value.encode()
    if test.is_interval(kind):
        result = re.fullmatch(r"P(-?\d+)M(-?\d+)DT(-?)(\d+)\.(\d{9})S", value)
        months, days, sign, *seconds = result.groups()
        return (int(months), int(days), int(sign + "".join(seconds)))
    if test.is_temporal(kind):
        return _count(value, kind)
    return value


_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_TIME = re.compile(r"(-?)(\d\d+):(\d\d):(\d\d)(?:\.(\d+))?")


def _count(text: str, kind: Any) -> int:
    """Return the stored number of a date, a time or a duration in text form."""
    test = pa.types
    digits = 3 if test.is_date64(kind) else 0 if test.is_date32(kind) else _DIGITS[kind.unit]
    if test.is_duration(kind):
        sign, seconds, fraction = re.fullmatch(r"(-?)PT(\d+)(?:\.(\d+))?S", text).groups()
        assert len(fraction or "") == digits
        return int(sign + seconds + (fraction or ""))
    if test.is_time(kind):
        return _clock(text, digits)
    if test.is_timestamp(kind):
        assert text.endswith("Z") == (kind.tz is not None)
    day, _, clock = text.removesuffix("Z").partition(" ")
    year, month, number = re.fullmatch(r"([+-]?\d{4,})-(\d\d)-(\d\d)", day).groups()
    assert (year[0] in "+-") == (not 0 <= int(year) <= 9999)
    cycles, rest = divmod(int(year), 400)
    days = date(rest + 400, int(month), int(number)).toordinal() + (cycles - 1) * 146_097
    days -= date(1970, 1, 1).toordinal()
    return (
        days if test.is_date32(kind) else days * 86_400 * 10**digits + (_clock(clock, digits) if clock else 0)
    )


def _clock(text: str, digits: int) -> int:
    sign, hours, minutes, seconds, fraction = _TIME.fullmatch(text).groups()
    assert len(fraction or "") == digits
    whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return int(sign + str(whole) + (fraction or ""))


def same(one: Any, other: Any) -> bool:
    """Return whether two plain values are the same. NaN equals itself, and 0.0 differs from -0.0."""
    return repr(one) == repr(other)


def all_types() -> list[tuple[str, Any, list[Any]]]:
    """Return every type, by itself and in every nesting."""
    results = [(str(kind), kind, raws) for kind, raws in LEAVES]
    for name, wrap, values in NESTINGS:
        for kind, raws in LEAVES:
            if nests(name, kind):
                results.append((f"{name} of {kind}", wrap(kind), values(raws)))
    return results
