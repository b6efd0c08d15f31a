"""Column names on the command line and in Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.engine.grammar import Grammar
from abnforge.ingest import Column, JobError
from abnforge.ingest.batch import ANY_ELEMENT, column, unique_names
from tests.ingest.jobs import done, job
from tests.law import law
from tests.raising import raises

pytest.importorskip("numpy")
import pyarrow as pa
import pyarrow.parquet as pq

ASKED: list[str | None] = []


def load(name: str | None) -> Grammar:
    ASKED.append(name)
    return abnforge.load("rfc3986" if name is None or name.startswith("abnf:") else name)


NAMED = [
    ("url", "url", None, "URI"),
    ("url:port", "url", None, "port"),
    ("sent:rfc3339:date-time", "sent", "rfc3339", "date-time"),
    (r"a\:b", "a:b", None, "URI"),
    (r"a\:b:port", "a:b", None, "port"),
    (r"a\.b:port", r"a\.b", None, "port"),
    ("x:abnf:rfc9110:host", "x", "abnf:rfc9110", "host"),
    ("a b.c[]:URI-reference", "a b.c[]", None, "URI-reference"),
    ("é", "é", None, "URI"),
]


@pytest.mark.parametrize(("text", "name", "grammar", "rule"), NAMED)
def test_names(text: str, name: str, grammar: str | None, rule: str) -> None:
    ASKED.clear()
    result = column(text, load)
    assert (result.name, result.rule.name, ASKED) == (name, rule, [grammar])
    assert len(result.sha256) == 64


WRONG = [
    ("", "column-unnamed"),
    (":URI", "column-unnamed"),
    ("url:", "column-rule-missing"),
    ("url::URI", "column-rule-missing"),
    ("url:rfc3339", "column-rule-grammar"),
]


@pytest.mark.parametrize(("text", "code"), WRONG)
def test_unknown_columns(text: str, code: str) -> None:
    with raises(JobError, code):
        column(text, load)


def test_rules_that_there_are_not() -> None:
    for text in ("url:hots", "url:rfc3986:hots"):
        with raises(abnforge.UnknownNameError, "rule-name-unknown", near=("host",)):
            column(text, load)


@pytest.mark.parametrize(
    "rule", ["~URI", "URI.at_most(9)", "URI & rfc2396:absoluteURI", "rfc3986:URI - host"]
)
def test_rules_as_sets_are_reported_what_to_write_instead(rule: str) -> None:
    with raises(JobError, "column-rule-set"):
        column(f"url:{rule}", load)


STEPS = [
    ("a", ("a",), "a"),
    ("a.b", ("a", "b"), "a.b"),
    ("a[]", ("a", ANY_ELEMENT), "a[]"),
    ("a[].b", ("a", ANY_ELEMENT, "b"), "a[].b"),
    ("a[][].b[]", ("a", ANY_ELEMENT, ANY_ELEMENT, "b", ANY_ELEMENT), "a[][].b[]"),
    (r"a\.b", ("a.b",), "a.b"),
    (r"a\[].b", ("a[]", "b"), "a[].b"),
    ("a[0]", ("a[0]",), "a[0]"),
    ("a.", ("a", ""), "a."),
]


@pytest.mark.parametrize(("name", "steps", "plain"), STEPS)
def test_steps(name: str, steps: tuple[str, ...], plain: str) -> None:
    result = Column(name, abnforge.load("rfc3986")["URI"])
    assert (result.steps, result.plain, result.listed) == (steps, plain, ANY_ELEMENT in steps)


@law(st.lists(st.sampled_from(["x", "x_1", "x_2", "x_3", "x_2_3", "y"]), max_size=8), few=200, many=5_000)
def test_keys_are_unique(names: list[str]) -> None:
    """A key is the name of its column, unless an earlier column has this name."""
    keys = unique_names(names)
    assert len(set(keys)) == len(keys) == len(names)
    for at, (key, name) in enumerate(zip(keys, names, strict=True)):
        assert (key == name) is (name not in names[:at])
        assert key.startswith(name)


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_repeated_columns_in_json(tmp_path: Path, kind: str) -> None:
    """Readers of JSON would drop all but one of the values."""
    rows = pa.table([["a:b", "c d"], ["1", "2"], ["3", "4"]], names=["url", "x", "x"])
    path = tmp_path / f"rows.{kind}"
    if kind == "csv":
        path.write_text("url,x,x\na:b,1,3\nc d,2,4\n")
    elif kind == "parquet":
        pq.write_table(rows, path)
    else:
        with pa.ipc.new_file(path, rows.schema) as writer:
            writer.write(rows)
    task = job(tmp_path, path, valid=tmp_path / "good.jsonl")
    done(task)
    assert json.loads(task.valid.read_text()) == {"url": "a:b", "x": "1", "x_2": "3"}
    reject = json.loads(task.rejects.read_text())
    assert {"url": "c d", "x": "2", "x_2": "4"}.items() <= reject.items()
