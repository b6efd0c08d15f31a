"""A single list defines the fields of rejections in all structs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from abnforge import columns, uri
from abnforge.columns.fields import (
    ERROR,
    REASON,
    REJECTION,
    SOURCE,
    RowError,
    error_schema,
    fields_of,
    filled,
    struct_type,
    without,
)
from tests.raising import raises

NAMES = [
    "code",
    "family",
    "component",
    "rule",
    "offset",
    "start",
    "end",
    "found",
    "message",
    "section",
    "suggestion",
]


def test_structs_have_the_documented_fields_in_order() -> None:
    assert REASON.names == NAMES
    assert REJECTION.names == ["row", *NAMES]
    assert ERROR.names == ["column", *NAMES]
    assert {*RowError._fields, "family"} == {*ERROR.names, "text", "severity"}


def test_types_in_arrow_and_in_json_are_the_same() -> None:
    schema = error_schema()
    assert schema["required"] == list(schema["properties"]) == ERROR.names
    for field in ERROR:
        kinds = schema["properties"][field.name]["type"]
        assert ("integer" in kinds, "string" in kinds) == (
            pa.types.is_int64(field.type),
            field.type == "string",
        )


def test_one_schema_for_all_rejects() -> None:
    """``test_rejects_have_one_schema`` compares this schema with the JSON schema of ingest."""
    texts = pa.table({"url": ["a b", "a:b"]})
    _, rejects = columns.split("rfc3986:URI", texts, "url")
    assert rejects.schema.field("_errors").type == pa.list_(ERROR)
    assert rejects.schema.field("_source").type == SOURCE
    origin = dict.fromkeys(["source", "row", "line", "byte_offset", "id"]) | {"row": 0}
    assert rejects.column("_source").to_pylist() == [origin]
    result = rejects.column("_errors").to_pylist()[0][0]
    [row] = columns.rejections("rfc3986:URI", texts).to_pylist()
    assert result == {"column": "url", **{name: row[name] for name in NAMES}}
    assert (result["offset"], result["start"], result["end"], result["found"]) == (1, 0, 0, " ")
    assert (result["family"], result["component"]) == ("missing", "scheme")


def test_some_fields_in_any_order() -> None:
    assert struct_type("start", "code") == pa.struct([("start", pa.int64()), ("code", pa.string())])
    assert without(struct_type("start", "code"), "start") == struct_type("code")
    with pytest.raises(KeyError, match="colunm"):
        struct_type("colunm")


@pytest.mark.parametrize("size", [0, 2])
def test_omitted_fields_are_missing(size: int) -> None:
    codes = pa.array(["a", "b"][:size], pa.string())
    result = filled(REASON, size, {"code": codes})
    result.validate(full=True)
    assert result.type == REASON
    nothing: dict[str, object] = dict.fromkeys(NAMES)
    assert result.to_pylist() == [{**nothing, "code": code} for code in codes.to_pylist()]
    assert list(fields_of(result)) == NAMES


def test_rows_that_are_missing() -> None:
    kind = struct_type("code")
    result = filled(kind, 2, {"code": pa.array(["a", "b"])}, mask=pa.array([True, False]))
    assert result.to_pylist() == [None, {"code": "b"}]
    assert fields_of(result)["code"].to_pylist() == [None, "b"]


def test_a_field_that_there_is_not() -> None:
    with raises(ValueError, "field-unknown", fields=("colunm",), type="struct<code: string>"):
        filled(struct_type("code"), 0, {"colunm": pa.array([], pa.string())})


def test_every_way_to_a_rejection_gives_the_same_struct() -> None:
    """The C extension and the rule return the same struct, with and without a policy."""
    texts = pa.array(["a b", "http://h:80x/", "\u00e9"])
    policy = uri.policy(schemes=["http"]).rule("rfc3986:URI")
    for rule in ("rfc3986:URI", policy):
        for suggest in (False, True):
            assert columns.rejections(rule, texts, suggest=suggest).type == REJECTION
            assert columns.reasons(rule, texts, suggest=suggest).type == REASON
    assert columns.rejections("rfc3986:URI", texts.slice(0, 0)).type == REJECTION
    assert columns.reasons("rfc3986:URI", pa.nulls(2)).type == REASON
