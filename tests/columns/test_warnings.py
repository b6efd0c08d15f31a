"""``columns.warnings`` returns the findings of ``uri.security`` about the valid strings of a column."""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abnforge
from abnforge import columns, uri
from abnforge.columns.fields import WARNING, WARNINGS, without
from abnforge.engine import cache
from abnforge.errors import UnknownNameError
from abnforge.uri.rfc3986.schemes import WELL_KNOWN_PORTS
from abnforge.uri.security import SECURITY_CODES
from tests.columns.expected import TEXTS, URI, layouts, octets_in
from tests.law import each_row
from tests.places import SHARED
from tests.raising import raises
from tests.uri.test_security import PARTS, SUSPICIOUS, TABLE

pytestmark = pytest.mark.usefixtures("implementation")

module: Any = importlib.import_module("abnforge.columns.warnings")
REFERENCE = URI.grammar["URI-reference"]
PORTS = {**WELL_KNOWN_PORTS, "http": (80, 81), "other": (7,)}

Ports = Mapping[str, Collection[int]]


def found(
    texts: Iterable[str | None],
    rule: abnforge.Rule = REFERENCE,
    codes: Collection[str] = tuple(SECURITY_CODES),
    ports: Ports = WELL_KNOWN_PORTS,
) -> list[tuple[Any, ...]]:
    """Return the findings of ``uri.security`` about each valid string."""
    return [
        (row, each.code, each.severity.value, each.section, each.start, each.end, each.message)
        for row, text in enumerate(texts)
        if text is not None and rule.matches(text)
        for each in uri.security(text, ports)
        if each.code in codes
    ]


def told(array: Any, rule: abnforge.Rule = REFERENCE, **options: Any) -> list[tuple[Any, ...]]:
    result = columns.warnings(rule, array, **options)
    result.validate(full=True)
    assert result.type == WARNINGS
    names = ("row", "code", "severity", "section", "start", "end", "message")
    return [tuple(each[name] for name in names) for each in result.to_pylist()]


EXAMPLES: list[str | None] = [
    *TEXTS,
    *(text for text, _ in TABLE),
    *(text for text, _, _ in SUSPICIOUS),
    "//" + "h" * 256 + "/",
    "//" + "h" * 255 + "/",
    "http://a:81/",
    "http://a:0080/",
    "http://a:0081",
    "other://a:7?b",
    "ftp://a:80#",
]


@pytest.mark.parametrize("layout", layouts([]))
def test_every_layout(layout: str) -> None:
    array = layouts(TEXTS)[layout]
    texts = [each.decode() if isinstance(each, bytes) else each for each in TEXTS]
    assert told(array) == found(texts)
    assert octets_in(array.type) or array.type != pa.binary()


def test_every_finding() -> None:
    assert {code for _, code, *_ in found(EXAMPLES)} == SECURITY_CODES.keys()
    assert told(pa.array(EXAMPLES)) == found(EXAMPLES)
    assert told(pa.array(EXAMPLES), ports=PORTS) == found(EXAMPLES, ports=PORTS)
    assert told(pa.array(EXAMPLES), ports={}) == found(EXAMPLES, ports={})


@pytest.mark.parametrize("code", SECURITY_CODES)
def test_one_code(code: str) -> None:
    assert told(pa.array(EXAMPLES), select=code) == found(EXAMPLES, codes=[code]) != []


@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=8).map("".join), max_size=8))
def test_law(texts: list[str]) -> None:
    assert told(pa.array(texts, pa.string())) == found(texts)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([text for text in EXAMPLES if text]), st.integers(0), st.sampled_from(PARTS)
        )
    )
)
def test_law_of_changed_examples(changes: list[tuple[str, int, str]]) -> None:
    texts = [
        text[: place % (len(text) + 1)] + part + text[place % (len(text) + 1) :]
        for text, place, part in changes
    ]
    assert told(pa.array(texts, pa.string())) == found(texts)


def test_corpus() -> None:
    """The findings are those of ``uri.security``, for real references and for suspected ones."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared")
    lines = (SHARED / "corpus" / "real-uris.txt").read_text("utf-8", "replace").splitlines()
    texts = random.Random(1).sample(lines, 5_000)
    suspected = (SHARED / "cases" / "valid_but_suspected.jsonl").read_text("utf-8").splitlines()
    texts += [json.loads(line)["input"] for line in suspected]
    assert told(pa.array(texts)) == found(texts) != []


def test_chunks_and_threads() -> None:
    array = pa.chunked_array([EXAMPLES, [], [None, *EXAMPLES]])
    expected = found([*EXAMPLES, None, *EXAMPLES])
    assert told(array) == told(array, threads=3) == expected
    assert told(pa.nulls(3)) == []


def test_fields() -> None:
    [row] = columns.warnings("rfc3986:URI", pa.array(["a:b", "https://https://a/"])).to_pylist()
    assert row == {
        "row": 1,
        "code": "scheme-twice",
        "family": "repetition",
        "component": "host",
        "rule": "URI",
        "offset": 8,
        "start": 8,
        "end": 15,
        "found": None,
        "message": row["message"],
        "section": "3.2.2",
        "suggestion": None,
        "severity": "warning",
    }
    assert list(row) == ["row", *without(WARNING, "column").names]


def test_rules() -> None:
    web = uri.policy(schemes=["https"]).rule(URI)
    assert told(pa.array(["http:/a", "https:/a"]), web) == found([None, "https:/a"])
    assert told(pa.array(["http:/a", "/a//"]), URI.grammar["relative-ref"]) == []


@each_row("rule", [URI | REFERENCE, ~URI, URI.grammar["host"], abnforge.rule("rfc3987:IRI")])
def test_other_rules(rule: abnforge.Rule) -> None:
    with raises(ValueError, "warnings-rule"):
        columns.warnings(rule, pa.array(["a"]))


def test_unknown_code() -> None:
    with pytest.raises(UnknownNameError) as error:
        columns.warnings(URI, pa.array(["a"]), ["scheme-twise"])
    assert error.value.data["near"] == ("scheme-twice",)


CACHED = ("scheme-twice", "slashes-missing")


def test_tables_are_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later processes read the tables from the cache, and ignore an entry that was changed."""
    if module.compiled is None:
        pytest.skip("only the C extension walks tables")
    store = cache.CacheStore(cache.Cache(tmp_path, bytes(32)))
    monkeypatch.setattr(module, "user_store", lambda: store)
    built: list[Any] = []
    build = module.automaton.build
    monkeypatch.setattr(module.automaton, "build", lambda *each: built.append(each) or build(*each))

    def warned(**options: bool) -> tuple[Any, int]:
        built.clear()
        module._tables.cache_clear()
        module._table.cache_clear()
        return told(
            pa.array(["https://https://a", "http:", "http://a/b"]), URI, select=CACHED, **options
        ), len(built)

    expected, count = warned(cache=False)
    assert expected
    assert list(tmp_path.iterdir()) == []
    assert warned() == (expected, count)
    entries = list(tmp_path.iterdir())
    assert entries
    assert warned() == (expected, count - len(entries))
    assert warned(cache=False) == (expected, count)
    for entry in entries:
        entry.write_bytes(entry.read_bytes()[:-1])
    assert warned() == (expected, count)
