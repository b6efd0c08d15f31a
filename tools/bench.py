"""Measure abnforge against other packages, and report which targets are met. See docs/benchmark.md.

    python tools/bench.py                              everything, about five minutes
    python tools/bench.py --quick                      everything on small data: a check that it runs
    python tools/bench.py --only verdicts,columns      some sections
    python tools/bench.py --json results.json          write all values, for `python -m pyperf compare_to`

Peers are optional (pip install --group bench); missing ones are listed. The exit status is always 0, since a
loaded machine can miss any target.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyperf
from benchmark import columns, first_use, ingest, recursive, verdicts
from benchmark.measure import Timing
from benchmark.report import Section, machine_text, metadata, readme_table, write_readme
from benchmark.sample import read_corpus

import abnforge

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Amount:
    """Sizes of a run: strings for verdicts, rounds, and the rows of a column and of a table."""

    strings: int
    rounds: int
    rows: int
    table_rows: int


FULL = Amount(20_000, 7, 1_000_000, 2_200_000)
QUICK = Amount(1_000, 3, 2_000, 2_000)
URI = abnforge.load("rfc3986")["URI"]

SECTIONS: dict[str, Callable[[list[str], Amount], Section]] = {
    "verdicts": lambda texts, n: verdicts.verdicts(URI, texts, n.strings, n.rounds),
    "columns": lambda texts, n: columns.columns(URI, texts, n.rows, n.rounds),
    "ingest": lambda texts, n: ingest.ingestion(URI, texts, n.table_rows, min(3, n.rounds)),
    "recursive": lambda texts, n: recursive.documents(n.rounds),
    "first-use": lambda texts, n: first_use.first_use(3 * n.rounds),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Benchmark of abnforge.")
    parser.add_argument("--strings", type=int, help=f"strings of verdicts (default {FULL.strings})")
    parser.add_argument("--rounds", type=int, help=f"interleaved rounds (default {FULL.rounds})")
    parser.add_argument("--only", "--section", help=f"sections, separated by commas: {', '.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="run every section on small data")
    parser.add_argument("--corpus", type=Path, help="strings to validate instead, one a line")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all values for pyperf")
    parser.add_argument("--readme", action="store_true", help="replace the table in README.md")
    options = parser.parse_args(arguments)
    chosen = options.only.split(",") if options.only else list(SECTIONS)
    if unknown := [name for name in chosen if name not in SECTIONS]:
        parser.error(f"unknown section {', '.join(unknown)}; choose from {', '.join(SECTIONS)}")
    if options.readme and not {"verdicts", "columns"} <= set(chosen):
        parser.error("--readme requires the sections verdicts and columns")
    inputs = {name: value for name in ("strings", "rounds") if (value := getattr(options, name))}
    amount = replace(QUICK if options.quick else FULL, **inputs)
    warnings.simplefilter("ignore")  # deprecations in other packages
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]

    facts = metadata()
    corpus = read_corpus(options.corpus)
    print(f"{machine_text(facts)}\n- strings: {corpus.label}", flush=True)
    results: dict[str, Section] = {}
    for name in chosen:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        results[name] = SECTIONS[name](list(corpus.strings), amount)
        print(f"\n{results[name].text()}", flush=True)
    targets = [target for section in results.values() for target in section.targets]
    print("\n## Targets\n\n" + "\n".join(f"    {target.line()}" for target in targets))
    if options.readme:
        table = readme_table(results["verdicts"], results["columns"], amount.rows)
        write_readme(ROOT / "README.md", table)
    if options.json:
        every = [
            Timing(f"{name}: {timing.name}", timing.rounds, facts).benchmark
            for name, section in results.items()
            for timing in section.timings
        ]
        pyperf.BenchmarkSuite(every).dump(str(options.json), replace=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
