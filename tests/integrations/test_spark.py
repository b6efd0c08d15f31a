"""DataFrames are split by rules on a real cluster that loses a worker."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import cluster
from tests.cluster import CONF, START, Cluster, wait_until, write_rows
from tests.places import ROOT

pa = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq  # noqa: E402

from abnforge import columns  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(cluster.missing() is not None, reason=str(cluster.missing())),
]

# Each driver is a separate process, since a process can have only one Spark session.
BEGIN = """
import json, sys
from pyspark.sql import SparkSession, functions as F
import abnforge
from abnforge.integrations import spark as rules

builder = SparkSession.builder.master(sys.argv[1])
for name, value in json.loads(sys.argv[2]).items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
"""

SPLIT = """
own = abnforge.loads('half = 1*DIGIT "." ("0" / "5")\\n')["half"]
rows = spark.read.parquet(sys.argv[3]).withColumn("text", F.col("n").cast("string"))
accepted, rejected = rules.split(rows, {"url": "rfc3986:URI", "text": own}, suggest=False)
accepted.write.parquet(sys.argv[4])
rejected.write.parquet(sys.argv[5])
marked = rules.with_rejections(rows, {"url": "rfc3986:URI"})
marked.where("_errors is not null").selectExpr("id", "_errors[0].code as code").write.parquet(sys.argv[6])
"""

TYPES = """
import datetime, decimal
schema = '''id int not null, url string, at timestamp, day date, map map<string, int>,
    number decimal(10, 2), list array<int>, octets binary,
    many struct<a: array<string>, b: double>, flag boolean, small tinyint'''
full = (1, "a:b", datetime.datetime(2026, 1, 1), datetime.date(2026, 1, 1), {"a": 1, "b": None},
        decimal.Decimal("1.10"), [1, None], bytearray(b"\\xff"), (["x"], 0.5), True, 3)
rows = spark.createDataFrame([full, (2, "a b") + (None,) * 9, (3,) + (None,) * 10], schema).coalesce(1)
accepted, rejected = rules.split(rows, {"url": "rfc3986:URI"})
marked = rules.with_rejections(rows, {"url": "rfc3986:URI", "octets": "rfc3986:URI"}, suggest=True)
assert accepted.schema == rows.schema, (accepted.schema, rows.schema)
assert rejected.drop("_source").schema == marked.schema
assert rejected.drop("_errors", "_source").schema == rows.schema
before = sorted(rows.collect(), key=lambda row: row.id)
assert accepted.collect() == [before[0], before[2]]
assert rejected.drop("_errors", "_source").collect() == [before[1]]
assert marked.drop("_errors").collect() == before
told = [[(each.column, each.code) for each in row._errors or []] for row in marked.collect()]
assert told == [[("octets", "not-utf-8")], [("url", "scheme-missing")], []], told
assert rows.limit(0).transform(lambda none: rules.split(none, {"url": "rfc3986:URI"})[0]).count() == 0

def refused(kind, *given):
    try:
        rules.split(*given)
    except kind as error:
        return error.code

assert refused(KeyError, rows, {"ulr": "rfc3986:URI"}) == "frame-column-unknown"
assert refused(TypeError, rows, {"id": "rfc3986:URI"}) == "frame-column-not-text"
assert refused(ValueError, marked, {"url": "rfc3986:URI"}) == "frame-column-reserved"
assert refused(TypeError, [], {"url": "rfc3986:URI"}) == "argument-type"
assert refused(TypeError, rows, "rfc3986:URI") == "argument-type"
assert refused(KeyError, rows, {"url": "rfc3986:URL"})
"""

SHIPPED = """
accepted, _ = (rules.ship(spark, sys.argv[3]), rules.split(spark.createDataFrame([("a:b",)], "url string"),
                                                            {"url": "rfc3986:URI"}))[1]
def where(batches):
    import abnforge, pyarrow
    for batch in batches:
        yield pyarrow.record_batch({"where": [abnforge.__file__]})
assert accepted.count() == 1
[[path]] = accepted.mapInArrow(where, "where string").collect()
assert ".zip/abnforge/" in path, path
"""

# The claims in docs/spark.md about patterns.
OVERFLOW = r"""
def found(size, pattern=None):
    rows = spark.createDataFrame([("http://a/" + "a" * size,)], "url string")
    if pattern is None:
        return rules.split(rows, {"url": "rfc3986:URI"})[0].count()
    return rows.where(F.col("url").rlike(pattern)).count()

assert found(1_000_000) == 1
assert found(100_000, abnforge.rule("rfc3986:URI").export("java")) == 1
newline = spark.createDataFrame([("http://a/\n",)], "url string")
assert newline.where(F.col("url").rlike("^http://a/$")).count() == 1
assert rules.split(newline, {"url": "rfc3986:URI"})[0].count() == 0
natural = r"\A[a-z]+:(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*\z"
assert found(100, natural) == 1
try:
    found(100_000, natural)
except Exception:
    pass
else:
    raise AssertionError("it was matched")
"""

# Values that Spark writes as CSV are read back from its files.
CSV = r"""
import random
from pathlib import Path
import pyarrow.parquet as pq
from abnforge import ingest

chance = random.Random(0)
any_text = abnforge.loads('any = *%x0-10FFFF\n')["any"]
values = [(n, "a" + "".join(chance.choices('\\\\\\"",\n\rNaé', k=n % 7)) + "z", n) for n in range(3000)]
rows = spark.createDataFrame(values, "n int, text string, m int").coalesce(1)
for quoted in (True, False):
    folder = Path(sys.argv[3]) / f"csv-{quoted}"
    rows.write.option("quoteAll", quoted).option("header", True).csv(str(folder))
    [file] = folder.glob("*.csv")
    valid = folder / "valid.parquet"
    csv = ingest.CsvOptions(escape="\\")
    assert ingest.split(file, {"text": any_text}, valid, folder / "rejects.jsonl", csv=csv).valid == 3000
    assert pq.read_table(valid)["text"].to_pylist() == [text for _, text, _ in values]
"""


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as result:
        yield result


def driver(spark: Cluster | None, script: str, *arguments: object, folder: Path = ROOT) -> Any:
    """Return a program with a Spark session, on a cluster or in local mode."""
    at = spark.url if spark else "local[1]"
    conf = CONF if spark else {"spark.ui.enabled": "false"}
    command = [sys.executable, "-c", BEGIN + script, at, json.dumps(conf), *map(str, arguments)]
    environment = cluster.environment(Path(str(arguments[0]) if arguments else "."))
    return subprocess.Popen(
        command,
        cwd=folder,
        env=spark.environment if spark else environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def ended(process: Any) -> None:
    result, _ = process.communicate(timeout=2 * START)
    assert process.returncode == 0, result


def test_a_worker_is_killed_and_every_row_is_there_once(spark: Cluster, tmp_path: Path) -> None:
    write_rows(tmp_path / "in")
    good, bad, codes = (tmp_path / name for name in ("good", "bad", "codes"))
    process = driver(spark, SPLIT, tmp_path / "in", good, bad, codes)
    tasks = good / "_temporary" / "0"
    wait_until(lambda: any(tasks.glob("task_*")) or process.poll() is not None, "the first task")
    assert process.poll() is None, process.stdout.read()
    spark.kill_worker()
    ended(process)
    spark.add_worker()

    rows = pq.read_table(tmp_path / "in")
    accepted, rejected = columns.split("rfc3986:URI", rows, "url")
    assert sorted(ids(good)) == accepted["id"].to_pylist()
    assert sorted(ids(bad)) == rejected["id"].to_pylist()
    expected = [(row["id"], row["_errors"][0]["code"]) for row in rejected.to_pylist()]
    result = pq.read_table(bad)
    codes_of = [row[0]["code"] for row in result["_errors"].to_pylist()]
    assert sorted(zip(result["id"].to_pylist(), codes_of, strict=True)) == expected
    assert sorted(map(tuple, (row.values() for row in pq.read_table(codes).to_pylist()))) == expected


def ids(folder: Path) -> list[int]:
    values: list[int] = pq.read_table(folder, columns=["id"])["id"].to_pylist()
    return values


def test_in_one_session(tmp_path: Path) -> None:
    """These tests share a session, since starting it takes longer than the tests. The last one ends it."""
    page = (ROOT / "docs" / "spark.md").read_text("utf-8")
    [example] = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    rows = {"url": ["a:b", "a b", None], "seen": ["2026-11-22T16:00:00Z", "soon", None]}
    pq.write_table(pa.table(rows), tmp_path / "pages.parquet")
    scripts = {"types": TYPES, "page": example, "csv": CSV, "shipped": SHIPPED, "overflow": OVERFLOW}
    script = "".join(f"{text}\nprint('PASSED {name}')\n" for name, text in scripts.items())
    process = driver(None, script, tmp_path, folder=tmp_path)
    result, _ = process.communicate(timeout=START)
    assert [name for name in scripts if f"PASSED {name}" not in result] == [], result
    assert re.search(r"\|\s*url\|scheme-missing\|\s*1\|", result)
    assert pq.read_table(tmp_path / "good").num_rows == 2
