"""Reasons of texts that come again are found out once, and no more of them are kept than is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq

import abnforge
from abnforge.ingest import Column
from abnforge.ingest import validate as judging
from abnforge.ingest.batch import Position
from abnforge.ingest.sources import arrow as tables
from abnforge.ingest.sources.arrow import ArrowBatch
from abnforge.ingest.validate import Validator, Verdicts
from tests.ingest.jobs import PORT, URI, URLS, done, job, outputs, table, told

BAD = [text for text in URLS if text is not None and not URI.matches(text)]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts are explained, each time."""
    counted: list[int] = []
    explained = judging.explained

    def counting(rule: Any, texts: Any, suggest: bool) -> Any:
        counted.append(len(texts))
        return explained(rule, texts, suggest)

    monkeypatch.setattr(judging, "explained", counting)
    return counted


def judged(validator: Validator, texts: pa.Array) -> Verdicts:
    rows = pa.table({"url": texts})
    return validator.validate(ArrowBatch("rows", len(texts), Position(), 0, table=rows))


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())],
)
def test_texts_that_come_again_are_explained_once(kind: pa.DataType, asked: list[int]) -> None:
    validator = Validator([Column("url", URI)], False)
    texts = pa.array(["x:y", *BAD, None, *BAD], pa.string()).cast(kind)
    first = judged(validator, texts)
    again = judged(validator, texts)
    assert asked == [len(BAD)]
    assert first.reasons == again.reasons
    fresh = [
        judged(Validator([Column("url", URI)], False), texts.slice(at, 1)).reasons for at in range(len(texts))
    ]
    assert [first.reasons.get(at) for at in range(len(texts))] == [each.get(0) for each in fresh]


def test_columns_have_reasons_of_their_own(asked: list[int]) -> None:
    validator = Validator([Column("url", URI), Column("port", PORT)], False)
    rows = pa.table({"url": ["8x", "8x"], "port": ["8x", "80"]})
    told = validator.validate(ArrowBatch("rows", 2, Position(), 0, table=rows)).reasons
    assert [(each.column, each.rule) for each in told[0]] == [("url", "URI"), ("port", "port")]
    assert [each.column for each in told[1]] == ["url"]
    assert asked == [1, 1]


def test_what_is_kept_is_bounded(asked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "MOST_KEPT", 3)
    monkeypatch.setattr(judging, "LONGEST_KEPT", 10)
    validator = Validator([Column("url", URI)], False)
    short, long = pa.array(["a b", "c d"]), pa.array(["a b", "a b" * 4, "a b" * 4])
    for texts, new in ((short, [2]), (short, []), (long, [1]), (long, [1]), (pa.array(["e f", "g h"]), [2])):
        asked.clear()
        assert judged(validator, texts).rejected == len(texts)
        assert asked == new
    asked.clear()
    judged(validator, short)  # more than three were kept, and none is
    assert asked == [2]


def test_files_do_not_depend_on_the_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With several, files are put together while rows are read."""
    monkeypatch.setattr(tables, "LEAST_ROWS", 50)
    monkeypatch.setattr(tables, "BATCH_ROWS", 25)
    pq.write_table(table(40), tmp_path / "rows.parquet", row_group_size=70)
    columns = [Column("url", URI), Column("port", PORT)]
    found = []
    for jobs in (1, 2, 3):
        rejected = tmp_path / "rejected.parquet"
        task = job(tmp_path, tmp_path / "rows.parquet", columns=columns, rejects=rejected, jobs=jobs)
        done(task)
        found.append(outputs(task))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("by", ["text", "argument"])
def test_rules_of_grammars_that_import(by: str, tmp_path: Path) -> None:
    """Reasons are kept by column, and so by rule."""
    wished = ";@ import rfc3986: port\n" if by == "text" else ""
    grammar = abnforge.loads(wished + 'x = "<" port ">"\n', imports=["rfc3986"] if by == "argument" else [])
    rows = pa.table({"x": ["<80>", "<a>", "<80>", "<a>"]})
    pq.write_table(rows, tmp_path / "rows.parquet")
    task = job(tmp_path, tmp_path / "rows.parquet", columns=[Column("x", grammar["x"])])
    done(task)
    code = grammar["x"].explain("<a>").code
    assert told(tmp_path / "rejected.jsonl") == [(1, [("x", code)]), (3, [("x", code)])]
