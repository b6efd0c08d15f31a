"""``abnforge split`` compared with hand-written jobs in polars and DuckDB with an exported pattern."""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from abnforge import Rule
from abnforge._lazy import importing
from benchmark.measure import Process, run_interleaved
from benchmark.report import Section, Target, duration

SHARE = 0.08  # share of rejected rows
DISTINCT = 8_000  # distinct rejected strings: from the corpus, and edited valid strings
ROW_GROUP = 1 << 18

FORMATS = {"parquet": "Parquet", "csv": "CSV", "jsonl": "JSON Lines"}
DROP, POLARS_DROP = "split --on-error drop, Parquet", "polars, rejects dropped, Parquet"

# A hand-written job without explanations, for comparison. DuckDB reads the source twice.
POLARS = """\
import sys
import polars as pl
source, pattern, valid, rejects = sys.argv[1:]
kind = source.rpartition(".")[2].replace("jsonl", "ndjson")
rows = getattr(pl, f"scan_{kind}")(source)
is_valid = pl.col("url").str.contains(open(pattern, encoding="utf-8").read())
outputs = [getattr(rows.filter(is_valid), f"sink_{kind}")(valid, lazy=True)]
if rejects != "-":
    outputs.append(getattr(rows.filter(~is_valid), f"sink_{kind}")(rejects, lazy=True))
pl.collect_all(outputs)
"""
DUCKDB = """\
import sys
import duckdb
source, pattern, valid, rejects = sys.argv[1:]
text = open(pattern, encoding="utf-8").read().replace("'", "''")
kind = {"parquet": "parquet", "csv": "csv, header", "jsonl": "json"}[source.rpartition(".")[2]]
for path, condition in (valid, ""), (rejects, "not"):
    rows = f"select * from '{source}' where {condition} regexp_full_match(url, '{text}')"
    duckdb.execute(f"copy ({rows}) to '{path}' (format {kind})")
"""
BY_HAND: dict[str, tuple[Callable[[Rule], str], str]] = {
    "polars": (lambda rule: rule.export("rust"), POLARS),
    "DuckDB": (lambda rule: rule.export("re2", anchored=False), DUCKDB),
}


def ingestion(rule: Rule, strings: Sequence[str], rows: int, rounds: int) -> Section:
    """Measure jobs that split a table with four columns, in each format."""
    try:
        with importing:
            import duckdb  # noqa: F401
            import polars  # noqa: F401
            import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        return Section("Split", ("job",), [], [f"Skipped: {error}."])
    with TemporaryDirectory() as name:
        folder = Path(name)
        for peer, (pattern, script) in BY_HAND.items():
            (folder / peer).write_text(pattern(rule), encoding="utf-8", newline="")
            (folder / f"by_{peer.lower()}.py").write_text(script, encoding="utf-8")
        valid = [text for text in strings if rule.matches(text)]
        bad = rejects(rule, valid, [text for text in strings if not rule.matches(text)])
        for kind in FORMATS:
            _write(folder, kind, valid, bad, rows)
        processes = run_interleaved(_commands(folder), rounds)
    return _section(processes, rows, rounds)


def _commands(folder: Path) -> dict[str, list[str]]:
    def split(kind: str, *options: str) -> list[str]:
        source = [str(folder / f"rows.{kind}"), "-c", "url", "--valid", str(folder / f"good.{kind}")]
        return ["-m", "abnforge", "split", "--quiet", "--exit-zero", *source, *options]

    def by_hand(peer: str, kind: str, rejects: str = "") -> list[str]:
        files = [folder / f"rows.{kind}", folder / peer, folder / f"valid.{kind}"]
        rejected = rejects or str(folder / f"rejects.{kind}")
        return [*map(str, (folder / f"by_{peer.lower()}.py", *files)), rejected]

    commands = {}
    for kind, name in FORMATS.items():
        commands[f"split, {name}"] = split(kind, "--rejects", str(folder / f"bad.{kind}"))
        commands |= {f"{peer}, {name}": by_hand(peer, kind) for peer in BY_HAND}
    commands[DROP] = split("parquet", "--on-error", "drop")
    commands[POLARS_DROP] = by_hand("polars", "parquet", "-")
    return commands


def rejects(rule: Rule, valid: Sequence[str], rejected: Sequence[str]) -> list[str]:
    """Return strings that the rule rejects: those among the arguments, then valid strings with one edit."""
    r = random.Random(3986)
    texts = list(rejected)
    while len(texts) < DISTINCT:
        text = r.choice(valid)
        at = r.randrange(len(text))
        edited = text[:at] + r.choice([*string.printable, "", "é"]) + text[at + r.randrange(2) :]
        if not rule.matches(edited):
            texts.append(edited)
    return texts


def _write(folder: Path, kind: str, valid: Sequence[str], bad: Sequence[str], rows: int) -> None:
    with importing:
        import numpy as np
        import polars as pl
        import pyarrow as pa
        import pyarrow.csv as pc
        import pyarrow.parquet as pq
    source = np.random.default_rng(3986)
    texts = pa.array([*valid, *bad])
    path = folder / f"rows.{kind}"
    schema = pa.schema([("id", pa.int64()), ("url", pa.string()), ("day", pa.date32()), ("x", pa.float64())])
    with ExitStack() as stack:
        if kind == "jsonl":
            file = stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
        else:
            make: Any = pq.ParquetWriter if kind == "parquet" else pc.CSVWriter
            options = {"compression": "zstd"} if kind == "parquet" else {}
            writer = stack.enter_context(make(path, schema, **options))
        for first in range(0, rows, ROW_GROUP):
            size = min(ROW_GROUP, rows - first)
            good = source.integers(0, len(valid), size)
            others = source.integers(len(valid), len(texts), size)
            which = np.where(source.random(size) < SHARE, others, good)
            days = pa.array(source.integers(0, 20_000, size).astype("int32")).cast(pa.date32())
            numbers = [pa.array(range(first, first + size)), pa.array(source.random(size))]
            columns = [numbers[0], texts.take(pa.array(which)), days, numbers[1]]
            table = pa.Table.from_arrays(columns, schema=schema)
            if kind == "jsonl":
                file.write(pl.DataFrame(table).write_ndjson())
            else:
                writer.write_table(table)


def _section(found: dict[str, Process], rows: int, rounds: int) -> Section:
    speeds = {name: rows / each.wall.median for name, each in found.items()}
    formats = {name: (found[f"split, {name}"], found[f"DuckDB, {name}"]) for name in FORMATS.values()}
    drop = found[DROP].wall.ratio(found[POLARS_DROP].wall)

    def explains(name: str) -> str:
        return "yes" if name.startswith("split,") else "no"

    return Section(
        "Split",
        ("job", "reasons", "time", "rows a second", "peak MB, all processes"),
        [
            [name, explains(name), duration(each.wall.median), f"{speeds[name]:,.0f}", f"{each.peak:.0f}"]
            for name, each in found.items()
        ],
        [
            f"{rows:,} rows with a URL, a number, a day and a float; {SHARE:.0%} are rejected, {DISTINCT:,} "
            f"distinct strings. Medians of {rounds} rounds, each job in a fresh process, the start of "
            "Python included. Memory is the proportional set size, summed over the processes of a job. "
            "polars and DuckDB split by the pattern that abnforge exports, and write no reasons."
        ],
        [
            *(
                Target(f"split / DuckDB, {name}", jobs[0].wall.ratio(jobs[1].wall), 2.5)
                for name, jobs in formats.items()
            ),
            Target("split --on-error drop / polars", drop, 1.5),
            Target("rows a second, Parquet", speeds["split, Parquet"], 500_000, at_least=True),
            Target("rows a second, CSV", speeds["split, CSV"], 200_000, at_least=True),
            Target("rows a second, JSON Lines", speeds["split, JSON Lines"], 150_000, at_least=True),
            Target("peak MB of split", max(jobs[0].peak for jobs in formats.values()), 500.0),
        ],
        [each.wall for each in found.values()],
    )
