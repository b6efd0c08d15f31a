"""Look for faults with random cases: grammars, strings and texts held against laws. See docs/testing.md.

    python tools/fuzz.py regular                          30 seconds with a fresh seed, which is printed
    python tools/fuzz.py all --seconds 600                ten minutes of every kind
    python tools/fuzz.py patterns --seed 7 --cases 1000   the same cases each time
    python tools/fuzz.py patterns --seed 7 --case 132     that one case
    python tools/fuzz.py --list                           the kinds

A failing case is made small and printed as a test, ready to paste. Exit status: 0 nothing found, 1 something
found, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from random import SystemRandom

from fuzzing.kinds import KINDS
from fuzzing.report import described
from fuzzing.run import Settings, run, teller


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "kind", nargs="?", help=f"all, or some of {', '.join(KINDS)} with commas between them"
    )
    parser.add_argument("--list", action="store_true", help="the kinds, and what each is about")
    parser.add_argument("--seconds", type=float, default=30.0, help="for each kind (default 30)")
    parser.add_argument("--cases", type=int, help="so many cases of each kind, however long they take")
    parser.add_argument("--seed", type=int, help="the same seed draws the same cases (default: a fresh one)")
    parser.add_argument("--case", type=int, help="the number of one case, to look at it again")
    parser.add_argument(
        "--failures", type=int, default=1, help="stop a kind after so many different ones (default 1)"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=20.0,
        help="seconds of work that all answers of a case may take (default 20)",
    )
    parser.add_argument(
        "--memory", type=int, default=700, help="megabytes that a hostile case may take (default 700)"
    )
    options = parser.parse_args(arguments)
    if options.list:
        for kind in KINDS.values():
            print(f"{kind.name:10} {kind.about}")
        return 0
    if options.kind is None:
        parser.error(f"a kind is missing: all, or some of {', '.join(KINDS)}")
    chosen = list(KINDS) if options.kind == "all" else options.kind.split(",")
    if unknown := [name for name in chosen if name not in KINDS]:
        parser.error(f"no kind {', '.join(unknown)}; there are all, {', '.join(KINDS)}")
    seed = SystemRandom().randrange(10**9) if options.seed is None else options.seed
    settings = Settings(
        seed,
        options.seconds,
        options.cases,
        failures=options.failures,
        patience=options.patience,
        octets=options.memory * 1_000_000,
    )
    if options.case is not None:
        settings = replace(settings, first=options.case, cases=1)
    print(f"seed {seed}", flush=True)
    tell = teller()
    status = 0
    for name in chosen:
        outcome = run(KINDS[name], settings, tell)
        tell("")
        print(outcome.line(seed), flush=True)
        for number, case, failure in outcome.found:
            print(f"\n{described(name, seed, number, failure, case)}", flush=True)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
