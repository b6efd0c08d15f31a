"""``columns.components`` returns the components of ``uri.parse``, or their offsets."""

from __future__ import annotations

import struct
from importlib import import_module
from typing import Any

import pyarrow as pa
import pytest

import abnforge
from abnforge import columns, uri
from abnforge.uri import rfc2396
from tests.columns.expected import PARTS, TEXTS, TYPES, URI, broken, layouts, octets_in, wanted_parts
from tests.law import one_in
from tests.raising import raises

pytestmark = pytest.mark.usefixtures("implementation")
components = import_module("abnforge.columns.components")

RECURSIVE = abnforge.loads('a = "(" a ")" / b\nb = 1*"x"\n', name="nested")["a"]


@pytest.mark.parametrize("layout", one_in(3, layouts([])))
def test_strings(layout: str) -> None:
    array = layouts(TEXTS)[layout]
    octets = octets_in(array.type)
    expected = wanted_parts(TEXTS, octets)
    for start in (0, 9):
        result = columns.components("URI-reference", array.slice(start))
        result.validate(full=True)
        assert result.to_pylist() == expected[start:]
        view = pa.binary_view() if octets else pa.string_view()
        assert [(field.name, field.type) for field in result.type] == [(name, view) for name in PARTS]


@pytest.mark.parametrize("layout", layouts([]))
def test_places(layout: str) -> None:
    """Slicing the string at the offsets yields each component."""
    array = layouts(TEXTS)[layout]
    for start in (0, 3):
        result = columns.components("URI-reference", array.slice(start), as_offsets=True)
        result.validate(full=True)
        octets = octets_in(array.type)
        for text, row, want in zip(
            TEXTS[start:], result.to_pylist(), wanted_parts(TEXTS[start:], octets), strict=True
        ):
            assert (row is None) is (want is None)
            if row is not None:
                assert text is not None
                read = text.encode() if octets else text
                cut = {name: each and read[each["start"] : each["end"]] for name, each in row.items()}
                assert cut == want


def test_missing_rows_have_missing_fields() -> None:
    """For an invalid string, each field is also missing, for callers that read only the fields."""
    result = columns.components("URI-reference", pa.array(["http://u@h:1/p?q#f", "a b", None]))
    for name in PARTS:
        assert result.field(name).is_valid().to_pylist() == [True, False, False]
    assert result.is_valid().to_pylist() == [True, False, False]


def test_views_are_into_the_strings() -> None:
    """Strings are not copied: the result refers to the input buffer."""
    array = pa.array(["http://example.com/a/path/longer/than/twelve?and=a+query+as+well"])
    octets = array.buffers()[-1]
    if components.compiled is not None:
        result = columns.components("URI-reference", array).field("path").buffers()[-1]
        assert (result.address, result.size) == (octets.address, octets.size)


@pytest.mark.parametrize("rule", ["URI", "URI-reference", "absolute-URI", "relative-ref"])
def test_rules_by_their_names_alone(rule: str) -> None:
    values = columns.components(rule, pa.array(TEXTS)).to_pylist()
    assert values == columns.components(f"rfc3986:{rule}", pa.array(TEXTS)).to_pylist()
    expected = [text is not None and uri.is_valid(text, rule) for text in TEXTS]
    assert [row is not None for row in values] == expected


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.large_binary()])
def test_any_rule_by_names(kind: Any) -> None:
    texts = ["2026-11-22T16:00:00Z", "2026-11-22T16:00:00.25+01:30", "2026-11-22", None]
    array = pa.array(texts).cast(kind)
    names = ["full-date", "TIME-secfrac", "time-numoffset"]
    result = columns.components("rfc3339:date-time", array, names=names)
    result.validate(full=True)
    rows = [("2026-11-22", None, None), ("2026-11-22", ".25", "+01:30")]
    if octets_in(kind):
        rows = [tuple(each and each.encode() for each in row) for row in rows]  # type: ignore[misc]
    assert result.to_pylist() == [*(dict(zip(names, row, strict=True)) for row in rows), None, None]


def test_rfc_2396_by_names() -> None:
    grammar = abnforge.load("rfc2396")
    texts = ["http://u@h:80/a;b?q", "http://[::1]/", "mailto:a@b", None]
    result = columns.components(grammar["URI-reference"], pa.array(texts), names=["host", "port", "query"])
    expected = [
        None if text is None or not rfc2396.is_valid(text, "URI-reference") else rfc2396.parse(text)
        for text in texts
    ]
    assert [row and row["host"] for row in result.to_pylist()] == [each and each.host for each in expected]


def test_a_rule_that_recurses() -> None:
    array = pa.array(["((x))", "(x", None, "xx"])
    result = columns.components(RECURSIVE, array, names=["b"])
    result.validate(full=True)
    assert result.to_pylist() == [{"b": "x"}, None, None, {"b": "xx"}]
    result = columns.components(RECURSIVE, array, as_offsets=True, names=["b"])
    assert result.to_pylist()[0] == {"b": {"start": 2, "end": 3}}


@pytest.mark.parametrize("kind", TYPES)
def test_bytes_that_are_not_utf_8(kind: str) -> None:
    array = broken(TYPES[kind])
    result = columns.components("URI-reference", array)
    assert result.is_valid().to_pylist() == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("arguments", "error", "code"),
    [
        (("rfc3339:date-time",), ValueError, "components-names"),
        (("host",), ValueError, "components-names"),
        (("nothing",), abnforge.UnknownNameError, "rule-name-unknown"),
        ((7,), TypeError, "argument-type"),
        ((URI, False, ["nothing"]), abnforge.UnknownNameError, "rule-name-unknown"),
        ((URI, False, "host"), TypeError, "argument-type"),
        ((URI, False, []), ValueError, "argument-empty"),
        ((URI, False, ["host", "HOST"]), ValueError, "components-twice"),
    ],
)
def test_wrong_arguments(arguments: Any, error: type[Exception], code: str) -> None:
    rule, as_offsets, names = (*arguments, False, None)[:3] if len(arguments) == 1 else arguments
    with raises(error, code):
        columns.components(rule, pa.array(["a:b"]), as_offsets, names=names)


def test_layouts_of_nothing() -> None:
    assert struct.calcsize("i") == 4  # offsets are int32
    for array in layouts([]).values():
        assert columns.components("URI-reference", array).to_pylist() == []
        assert columns.components("URI-reference", array, as_offsets=True).to_pylist() == []


@pytest.mark.parametrize("kind", one_in(2, ["string_view", "binary"]))
@pytest.mark.parametrize("longest", [12, 2000])
def test_rules_that_narrow_others(kind: str, longest: int) -> None:
    """The components are those of the restricted rule, for long and short strings."""
    rule, octets = uri.policy(schemes=["http", "a"], max_length=longest).rule(URI), octets_in(TYPES[kind])
    texts = [text and text.encode() if octets else text for text in [*TEXTS, "a:" + 2000 * "b"]]
    array = pa.array(texts, TYPES[kind])
    good = [text is not None and rule.matches(text) for text in texts]
    for as_offsets in (False, True):
        result = columns.components(rule, array, as_offsets)
        result.validate(full=True)
        plain = columns.components(URI, array, as_offsets).to_pylist()
        assert result.to_pylist() == [
            each if is_good else None for each, is_good in zip(plain, good, strict=True)
        ]
        some = columns.components(rule, array.slice(3), as_offsets, names=["host", "scheme"])
        assert some.to_pylist() == [
            each and {"host": each["host"], "scheme": each["scheme"]} for each in result.to_pylist()[3:]
        ]


def test_a_union_has_parts_of_its_own_by_name() -> None:
    rule = URI.at_most(5) | abnforge.rule("rfc3986:relative-ref")
    result = columns.components(rule, pa.array(["a:b", "//h", "a:bcdefg"]), names=["scheme", "host"])
    assert result.to_pylist() == [{"scheme": "a", "host": None}, {"scheme": None, "host": "h"}, None]
    with raises(ValueError, "components-names", grammar="rfc3986"):
        columns.components(rule, pa.array(["a:b"]))


SUFFIXES = uri.SuffixList(["com", "co.uk"])
QUERIES = [
    *(None, "a b", "urn:x", "http://h/?", "http://a.b.co.uk?&&", "http://[::1]/?a=1&&b&=c&d=%41+=b#f"),
    *("http://www.example.com/?q=%FF", "http://www.example.com/?q=%C3%A9", "x://a.b?a=1&a=2"),
]


def derived(text: str | None, decode: bool) -> dict[str, Any] | None:
    """Return the derived components by ``uri.parse``."""
    if text is None or not uri.is_valid(text):
        return None
    parsed = uri.parse(text)
    try:
        pairs = uri.query_parameters(parsed.query, decode=decode)
    except ValueError:
        pairs = None
    return {
        "query_parameters": None if parsed.query is None or pairs is None else list(pairs),
        "registrable_domain": parsed.host and SUFFIXES.registrable_domain(parsed.host),
    }


@pytest.mark.parametrize("layout", one_in(3, layouts([])))
@pytest.mark.parametrize("value", ["exact", "decoded"])
def test_parameters_and_domains(layout: str, value: str) -> None:
    array = layouts(QUERIES)[layout]
    for start in (0, 4):
        result = columns.components("URI", array.slice(start), query_parameters=value, suffixes=SUFFIXES)
        result.validate(full=True)
        expected = [derived(text, value == "decoded") for text in QUERIES[start:]]
        found = [row and {name: row[name] for name in list(row)[-2:]} for row in result.to_pylist()]
        assert found == expected


@pytest.mark.parametrize(
    ("options", "error", "code"),
    [
        ({"query_parameters": "all"}, ValueError, "argument-choice"),
        ({"query_parameters": True}, TypeError, "argument-type"),
        ({"suffixes": ["com"]}, TypeError, "argument-type"),
        ({"suffixes": SUFFIXES, "as_offsets": True}, ValueError, "components-derived"),
        ({"query_parameters": "exact", "names": ["host"]}, ValueError, "components-derived"),
    ],
)
def test_invalid_derived_components(options: dict[str, Any], error: type[Exception], code: str) -> None:
    with raises(error, code):
        columns.components("URI", pa.array(["a:b"]), **options)
