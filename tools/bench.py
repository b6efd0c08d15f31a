"""Measure abnforge against other packages, and tell which targets are met. See docs/benchmark.md.

    python tools/bench.py                              everything, about five minutes
    python tools/bench.py --quick                      the same with little of everything: to see that it runs
    python tools/bench.py --only verdicts,components   some sections
    python tools/bench.py --json results.json          the raw figures too

Peers are optional (pip install --group bench); those that are not installed are listed. The exit status
is 0 whatever the figures are: a loaded machine is no defect.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from pathlib import Path

from benchmark.growth import SIZES
from benchmark.readme import NEEDED, readme_table, write_readme
from benchmark.report import machine, machine_text, plain
from benchmark.sample import read_corpus
from benchmark.sections import SECTIONS, Settings, drawn, prepare

import abnforge

ROOT = Path(__file__).resolve().parent.parent
FULL = Settings(20_000, 40, 7, SIZES, 2.0, sys.maxsize, 1_000_000, 10_000_000)
QUICK = Settings(1_000, 4, 3, SIZES[:2], 0.1, 2_000, 2_000, 2_000)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Benchmark of abnforge.")
    parser.add_argument("--strings", type=int, help=f"strings of the fast tables (default {FULL.strings})")
    parser.add_argument("--rounds", type=int, help=f"interleaved rounds (default {FULL.rounds})")
    parser.add_argument("--only", "--section", help=f"sections, separated by commas: {', '.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="little of everything")
    parser.add_argument("--corpus", type=Path, help="strings to read instead, one a line")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the raw figures there")
    parser.add_argument("--chart", type=Path, metavar="FILE", help="draw verdicts and mistakes there, as SVG")
    parser.add_argument("--readme", action="store_true", help="put the table into README.md")
    options = parser.parse_args(arguments)
    chosen = options.only.split(",") if options.only else list(SECTIONS)
    if unknown := [name for name in chosen if name not in SECTIONS]:
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    base = QUICK if options.quick else FULL
    settings = Settings(
        options.strings or base.strings,
        base.slow_strings,
        options.rounds or base.rounds,
        base.sizes,
        base.shape_limit,
        base.lines,
        base.rows,
        base.table_rows,
    )
    warnings.simplefilter("ignore")  # peers' own deprecations
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]

    facts = machine()
    bench = prepare(abnforge.load("rfc3986")["URI"], read_corpus(options.corpus), settings)
    print(
        f"{machine_text(facts)}\n- strings: {bench.corpus.label}, {len(bench.valid):,} of them valid",
        flush=True,
    )
    results = {}
    for name in chosen:
        print(f"measuring {name}", file=sys.stderr, flush=True)
        results[name] = SECTIONS[name](bench)
        print(f"\n{results[name].text()}", flush=True)
    targets = [target for section in results.values() for target in section.targets]
    if targets:
        print("\n## Targets\n\n" + "\n".join(f"    {target.line()}" for target in targets))
    if options.chart:
        if not {"verdicts", "mistakes"} <= results.keys():
            parser.error("--chart needs the sections verdicts and mistakes")
        options.chart.write_text(drawn(results, len(bench.corpus.strings)), encoding="utf-8")
    if options.readme:
        if not set(NEEDED) <= results.keys():
            parser.error(f"--readme needs the sections {', '.join(NEEDED)}")
        made = readme_table(results, len(bench.corpus.strings), settings.rows)
        write_readme(ROOT / "README.md", made)
    if options.json:
        raw = {
            "machine": facts,
            "sections": {name: section.data for name, section in results.items()},
            "targets": [plain(target) for target in targets],
        }
        options.json.write_text(json.dumps(raw, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
