"""Validation of rows: each distinct string is explained once, with a bounded cache and a budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abnforge
from abnforge.ingest import Column
from abnforge.ingest import validate as judging
from abnforge.ingest.batch import Position
from abnforge.ingest.sources import arrow as tables
from abnforge.ingest.sources.arrow import ArrowBatch
from abnforge.ingest.validate import Validator, Verdicts, ahead, processors, verdicts_of
from tests.ingest.jobs import PORT, URI, URLS, done, job, lines_of, outputs, table, told

pytest.importorskip("numpy")

BAD = [text for text in URLS if text is not None and not URI.matches(text)]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the number of strings that each call explains."""
    counted: list[int] = []
    explained = judging.explained

    def counting(rule: Any, texts: Any, suggest: bool) -> Any:
        counted.append(len(texts))
        return explained(rule, texts, suggest)

    monkeypatch.setattr(judging, "explained", counting)
    return counted


def validated(validator: Validator, texts: pa.Array) -> Verdicts:
    rows = pa.table({"url": texts})
    return validator.validate(ArrowBatch("rows", len(texts), Position(), 0, table=rows))


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())],
)
def test_strings_that_come_again_are_explained_once(kind: pa.DataType, asked: list[int]) -> None:
    validator = Validator([Column("url", URI)], False)
    texts = pa.array(["x:y", *BAD, None, *BAD], pa.string()).cast(kind)
    first = validated(validator, texts)
    again = validated(validator, texts)
    assert asked == [len(BAD)]
    assert first.reasons == again.reasons
    fresh = [
        validated(Validator([Column("url", URI)], False), texts.slice(at, 1)).reasons
        for at in range(len(texts))
    ]
    assert [first.reasons.get(at) for at in range(len(texts))] == [each.get(0) for each in fresh]


def test_columns_have_reasons_of_their_own(asked: list[int]) -> None:
    validator = Validator([Column("url", URI), Column("port", PORT)], False)
    rows = pa.table({"url": ["8x", "8x"], "port": ["8x", "80"]})
    message = validator.validate(ArrowBatch("rows", 2, Position(), 0, table=rows)).reasons
    assert [(each.column, each.rule) for each in message[0]] == [("url", "URI"), ("port", "port")]
    assert [each.column for each in message[1]] == ["url"]
    assert asked == [1, 1]


def test_memory_is_bounded(asked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "MOST_KEPT", 3)
    monkeypatch.setattr(judging, "LONGEST_KEPT", 10)
    validator = Validator([Column("url", URI)], False)
    short, long = pa.array(["a b", "c d"]), pa.array(["a b", "a b" * 4, "a b" * 4])
    for texts, new in ((short, [2]), (short, []), (long, [1]), (long, [1]), (pa.array(["e f", "g h"]), [2])):
        asked.clear()
        assert validated(validator, texts).rejected == len(texts)
        assert asked == new
    asked.clear()
    validated(validator, short)  # the cache exceeded three strings and was cleared
    assert asked == [2]


def test_files_do_not_depend_on_the_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With several threads, outputs are written while rows are read."""
    monkeypatch.setattr(tables, "LEAST_ROWS", 50)
    monkeypatch.setattr(tables, "BATCH_ROWS", 25)
    pq.write_table(table(40), tmp_path / "rows.parquet", row_group_size=70)
    columns = [Column("url", URI), Column("port", PORT)]
    results = []
    for jobs in (1, 2, 3):
        rejected = tmp_path / "rejected.parquet"
        task = job(tmp_path, tmp_path / "rows.parquet", columns=columns, rejects=rejected, jobs=jobs)
        done(task)
        results.append(outputs(task))
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("by", ["text", "argument"])
def test_rules_of_grammars_that_import(by: str, tmp_path: Path) -> None:
    """Reasons are cached by column, and therefore by rule."""
    wished = ";@ import rfc3986: port\n" if by == "text" else ""
    grammar = abnforge.loads(wished + 'x = "<" port ">"\n', imports=["rfc3986"] if by == "argument" else [])
    rows = pa.table({"x": ["<80>", "<a>", "<80>", "<a>"]})
    pq.write_table(rows, tmp_path / "rows.parquet")
    task = job(tmp_path, tmp_path / "rows.parquet", columns=[Column("x", grammar["x"])])
    done(task)
    code = grammar["x"].explain("<a>").code
    assert told(tmp_path / "rejected.jsonl") == [(1, [("x", code)]), (3, [("x", code)])]


def test_rows_that_exceed_the_budget(tmp_path: Path) -> None:
    """An exceeded budget is not a verdict, and does not end a job of a million rows."""
    budget = abnforge.Budget(steps=100, per_character=0)
    rule = abnforge.loads('r = "(" *( r "," ) r ")" / 1*"a"\n', budget=budget)["r"]
    deep = "(" * 20 + "a" * 20 + ")" * 19
    column = pa.array(["a", deep, None, "b"])
    verdicts, message = verdicts_of(rule, column)
    assert verdicts.to_pylist() == [True, False, None, False]
    assert [each[0] for each in message.values()] == ["limit-exceeded"]
    (tmp_path / "rows.txt").write_text(f"a\n{deep}\nb\n")
    done(task := job(tmp_path, tmp_path / "rows.txt", columns=[Column("x", rule)]))
    assert task.rejects is not None
    codes = [[each["code"] for each in row["_errors"]] for row in lines_of(task.rejects)]
    assert codes[0] == ["limit-exceeded"]
    assert len(codes) == 2
    (tmp_path / "rows.txt").write_text(f"b\na\n{deep}\nb\n{deep}\n{deep}\n" * 2)
    for samples in (0, 1, 3):  # all rejections are counted by code, not only the samples
        columns = [Column("x", rule)]
        task = job(tmp_path, tmp_path / "rows.txt", columns=columns, on_error="drop", samples=samples)
        result = done(task)
        assert (result.counts.undecided, result.counts.rejected) == (6, 10)


def test_there_is_a_processor() -> None:
    assert processors() >= 1


def test_the_next_item_is_computed_while_one_is_used() -> None:
    computed: list[int] = []
    second = Event()

    def items() -> Iterator[int]:
        for number in range(4):
            computed.append(number)
            if number == 1:
                second.set()
            if number == 3:
                raise ValueError(number)
            yield number

    used = ahead(items(), 2)
    assert next(used) == 0
    assert second.wait(60)
    assert computed == [0, 1]
    assert [next(used), next(used)] == [1, 2]
    with pytest.raises(ValueError, match="3"):
        next(used)
    assert list(used) == []
    assert [list(ahead(iter([1, 2]), threads)) for threads in (1, 2)] == [[1, 2], [1, 2]]


def test_a_caller_that_stops_early_does_not_wait_for_the_next_item() -> None:
    blocked = Event()

    def items() -> Iterator[int]:
        yield 0
        blocked.wait(60)

    used = ahead(items(), 2)
    assert next(used) == 0
    used.close()
    assert not blocked.is_set()
    blocked.set()
