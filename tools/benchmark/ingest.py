"""``abnforge split`` against the same job by hand in polars, with an exported pattern and without reasons."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from abnforge import Rule
from abnforge._lazy import importing
from benchmark.measure import Process, run_interleaved
from benchmark.report import Section, Target, duration

SHARE = 0.08  # of rows that are rejected
DISTINCT = 8_000  # rejected strings: those of the corpus, and edits of others
ROW_GROUP = 1 << 18

BY_POLARS, POLARS_DROP = "polars, by hand, no reasons", "polars, by hand, rejects dropped"
PARQUET, DROP = "split, Parquet", "split --on-error drop, Parquet"
CSV, JSONL = "split, CSV", "split, JSON Lines"

BY_HAND = """\
import sys
import polars as pl
source, pattern, accepted, rejected = sys.argv[1:]
rows = pl.scan_parquet(source)
valid = pl.col("url").str.contains(open(pattern, encoding="utf-8").read())
outputs = [rows.filter(valid).sink_parquet(accepted, lazy=True)]
if rejected != "-":
    outputs.append(rows.filter(~valid).sink_parquet(rejected, lazy=True))
pl.collect_all(outputs)
"""


def ingestion(rule: Rule, strings: Sequence[str], rows: int, rounds: int) -> Section:
    """Return a table with four columns, in Parquet, and a quarter of it as text."""
    try:
        with importing:
            import polars  # noqa: F401
            import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        return Section("Split", ("job",), [], [f"Skipped: {error}."])
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pattern").write_text(rule.export("rust"), encoding="utf-8", newline="")
        (folder / "by_hand.py").write_text(BY_HAND, encoding="utf-8")
        valid = [text for text in strings if rule.matches(text)]
        bad = rejects(rule, valid, [text for text in strings if not rule.matches(text)])
        fewer = rows // 4
        _write(folder, "parquet", valid, bad, rows)
        for kind in ("csv", "jsonl"):
            _write(folder, kind, valid, bad, fewer)
        found = run_interleaved(_commands(folder), rounds)
    return _section(found, rows, fewer, rounds)


def _commands(folder: Path) -> dict[str, list[str]]:
    def split(kind: str, *options: str) -> list[str]:
        source = [str(folder / f"rows.{kind}"), "-c", "url", "--valid", str(folder / f"good.{kind}")]
        return ["-m", "abnforge", "split", "--quiet", *source, *options]

    def by_hand(rejected: str) -> list[str]:
        files = [str(folder / "rows.parquet"), str(folder / "pattern"), str(folder / "by_hand.parquet")]
        return [str(folder / "by_hand.py"), *files, rejected]

    quarantine = ["--rejects", str(folder / "bad.parquet")]
    return {
        BY_POLARS: by_hand(str(folder / "others.parquet")),
        PARQUET: split("parquet", *quarantine),
        POLARS_DROP: by_hand("-"),
        DROP: split("parquet", "--on-error", "drop"),
        CSV: split("csv", "--rejects", str(folder / "bad.csv")),
        JSONL: split("jsonl", "--rejects", str(folder / "bad.jsonl")),
    }


def rejects(rule: Rule, valid: Sequence[str], rejected: Sequence[str]) -> list[str]:
    """Strings that the rule rejects.

    The arguments, and then valid ones with one character inserted, removed or replaced.
    """
    r = random.Random(3986)
    found = list(rejected)
    while len(found) < DISTINCT:
        text = r.choice(valid)
        at = r.randrange(len(text))
        edited = text[:at] + r.choice([*string.printable, "", "é"]) + text[at + r.randrange(2) :]
        if not rule.matches(edited):
            found.append(edited)
    return found


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


def _section(found: dict[str, Process], rows: int, fewer: int, rounds: int) -> Section:
    counts = {name: fewer if name in (CSV, JSONL) else rows for name in found}
    speeds = {name: counts[name] / each.wall.median for name, each in found.items()}
    ratios = [found[a].wall.ratio(found[b].wall) for a, b in ((PARQUET, BY_POLARS), (DROP, POLARS_DROP))]
    return Section(
        "Split",
        ("job", "rows", "time", "rows a second", "peak MB, all processes"),
        [
            [
                name,
                f"{counts[name]:,}",
                duration(each.wall.median),
                f"{speeds[name]:,.0f}",
                f"{each.peak:.0f}",
            ]
            for name, each in found.items()
        ],
        [
            f"{rows:,} rows with a URL, a number, a day and a float; {SHARE:.0%} are rejected, {DISTINCT:,} "
            f"distinct strings. Medians of {rounds} rounds, each job in a fresh process, the start of "
            "Python included. Memory is the proportional set size, summed over the processes of a job."
        ],
        [
            Target("split, Parquet / polars, by hand", ratios[0], 4.0),
            Target("split --on-error drop / polars, by hand", ratios[1], 1.5),
            Target("rows a second, Parquet", speeds[PARQUET], 500_000, at_least=True),
            Target("rows a second, CSV", speeds[CSV], 200_000, at_least=True),
            Target("rows a second, JSON Lines", speeds[JSONL], 150_000, at_least=True),
            Target("peak MB of split, Parquet", found[PARQUET].peak, 400.0),
        ],
        [each.wall for each in found.values()],
    )
