"""Do the tests notice a fault? Mutants of a module, a sample of them, each run against its tests.

    python tools/mutate.py                              a sample of each module in the table
    python tools/mutate.py charset automata/dfa        of these
    python tools/mutate.py charset --sample 0           all mutants
    python tools/mutate.py charset --seed 3 --jobs 2

A mutant that the tests fail on is killed, as is one that they do not end on; the others are listed. See
docs/testing.md for the scores, and for the survivors that mean the same as the original. Exit status: 0, or 2
for wrong usage and for tests that fail without any mutant. Needs fork, so not Windows.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from random import Random
from time import monotonic

from mutation.modules import ROOT, TESTS, path_of, suite_of
from mutation.mutants import Mutant, mutants
from mutation.trial import start

SAMPLE = 35
SEED = 1
# A mutant may take so many times as long as the original, and so many seconds more.
SLOWER, MORE_SECONDS = 5, 10


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("modules", nargs="*", help=f"as automata/dfa (default: {', '.join(TESTS)})")
    parser.add_argument(
        "--sample", type=int, default=SAMPLE, help=f"mutants of each (default {SAMPLE}; 0: all)"
    )
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the sample (default {SEED})")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time (default 1)")
    options = parser.parse_args(arguments)
    modules = options.modules or list(TESTS)
    if missing := [name for name in modules if not path_of(name).is_file()]:
        parser.error(f"no module {', '.join(missing)}; write it as automata/dfa")
    os.chdir(ROOT)
    for name in modules:
        source = path_of(name).read_text("utf-8")
        found = mutants(source)
        chosen = sample(found, options.sample, Random(f"{options.seed} {name}"))
        began = monotonic()
        if outcome(name, [Mutant(0, "", "", source)], 1, 600):
            seconds = int(SLOWER * (monotonic() - began)) + MORE_SECONDS
        else:
            print(f"{name}: its tests fail as it is: {' '.join(suite_of(name))}", file=sys.stderr)
            return 2
        survivors = outcome(name, chosen, options.jobs, seconds)
        killed = len(chosen) - len(survivors)
        print(
            f"{name}: {killed} of {len(chosen)} mutants killed ({100 * killed // max(len(chosen), 1)} %), "
            f"of {len(found)} there are",
            flush=True,
        )
        for mutant in survivors:
            print(f"    {mutant}", flush=True)
    return 0


def sample(found: list[Mutant], size: int, chance: Random) -> list[Mutant]:
    """So many mutants at random, in the order of the text; all of them for 0."""
    if not size or size >= len(found):
        return found
    return [found[index] for index in sorted(chance.sample(range(len(found)), size))]


def outcome(name: str, chosen: Sequence[Mutant], jobs: int, seconds: int) -> list[Mutant]:
    """The mutants on which a module's tests pass."""
    module = f"abnforge.{name.replace('/', '.')}"
    running: dict[int, Mutant] = {}
    survivors = []
    waiting = list(reversed(chosen))
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[start(module, path_of(name), mutant.source, suite_of(name), seconds)] = mutant
        child, status = os.wait()
        mutant = running.pop(child)
        if os.waitstatus_to_exitcode(status) == 0:
            survivors.append(mutant)
        elif os.waitstatus_to_exitcode(status) == -signal.SIGINT:
            raise KeyboardInterrupt
    return sorted(survivors, key=lambda mutant: mutant.line)


if __name__ == "__main__":
    import hypothesis  # noqa: F401 -- imported once, not by every process
    import pytest  # noqa: F401

    sys.exit(main())
