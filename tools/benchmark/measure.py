"""Interleaved measurement: in each round, every contender reads the same strings, in a random order.

A temporary disturbance of the machine affects all contenders, and the median over the rounds excludes it. The
garbage collector is off during a measurement. Results are pyperf benchmarks.
"""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import pyperf

SHORTEST_ROUND = 0.05
"""Minimum seconds per round: shorter passes are repeated, since starting the loop would distort the time."""

Clock = Callable[[], float]


@dataclass(frozen=True)
class Contender:
    """A competing implementation of a task.

    ``call`` takes a string, as in a user's code, and raises one of ``rejects`` if the string is invalid.
    ``reset`` clears the caches before the strings are read.
    """

    name: str
    call: Callable[[str], Any]
    rejects: tuple[type[BaseException], ...] = ()
    reset: Callable[[], object] | None = None

    def run(self, strings: Sequence[str], clock: Clock = perf_counter) -> float:
        """Return the seconds that one pass takes."""
        call, rejects = self.call, self.rejects
        if self.reset is not None:
            self.reset()
        if not rejects:
            start = clock()
            for text in strings:
                call(text)
            return clock() - start
        start = clock()
        for text in strings:
            try:  # noqa: SIM105 - a context manager for each call would be measured too
                call(text)
            except rejects:
                pass
        return clock() - start


class Timing:
    """The time per string of a contender in seconds, one value for each round."""

    def __init__(self, name: str, rounds: Sequence[float], machine: Mapping[str, Any] = {}) -> None:
        self.name = name
        metadata = {**machine, "name": name, "unit": "second"}
        run = pyperf.Run([max(value, 1e-12) for value in rounds], metadata=metadata, collect_metadata=False)
        self.benchmark = pyperf.Benchmark([run])

    @property
    def rounds(self) -> Sequence[float]:
        values: Sequence[float] = self.benchmark.get_values()
        return values

    @property
    def median(self) -> float:
        return float(self.benchmark.median())

    def ratio(self, other: Timing) -> float:
        """Return the ratio of the medians of two timings."""
        return self.median / other.median

    def paired_ratio(self, other: Timing) -> float:
        """Return the median of the ratios per round. Unlike ``ratio``, it is stable on a busy machine."""
        return median(a / b for a, b in zip(self.rounds, other.rounds, strict=True))


def interleave(
    contenders: Sequence[Contender], strings: Sequence[str], rounds: int, clock: Clock = perf_counter
) -> dict[str, Timing]:
    """Return the timing of each contender by name.

    The first pass warms up, and the second determines the number of passes per round. Set ``clock`` to
    ``time.process_time`` to measure processor time, which other programs hardly affect.
    """
    for contender in contenders:
        contender.run(strings)
    passes = {c.name: max(1, round(SHORTEST_ROUND / max(c.run(strings), 1e-6))) for c in contenders}
    seconds: dict[str, list[float]] = {c.name: [] for c in contenders}
    order = list(contenders)
    shuffle = random.Random(rounds).shuffle
    for _ in range(rounds):
        shuffle(order)
        for contender in order:
            gc.collect()
            gc.disable()
            try:
                spent = sum(contender.run(strings, clock) for _ in range(passes[contender.name]))
            finally:
                gc.enable()
            seconds[contender.name].append(spent / passes[contender.name] / len(strings))
    return {name: Timing(name, values) for name, values in seconds.items()}


# Linux counts the memory of a forking process toward the peak of its child, and this process holds a corpus.
# Therefore a small process starts the measured one, and adds up the memory of all its descendants.
_LAUNCHER = """\
import json, os, sys, time
out = os.open(os.devnull, os.O_WRONLY)
def parts(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            yield next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                for child in file.read().split():
                    yield from parts(child)
    except (OSError, StopIteration):
        pass
peak = 0
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
while True:
    gone, status, usage = os.wait4(pid, os.WNOHANG)
    if gone:
        break
    peak = max(peak, sum(parts(pid)))
    time.sleep(0.02)
seconds, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
print(json.dumps([seconds, cpu, peak / 1024, os.waitstatus_to_exitcode(status)]))
"""


@dataclass(frozen=True)
class Process:
    """The wall-clock and processor seconds of a command, and the median of its peak memory in MB."""

    wall: Timing
    cpu: Timing
    peak: float


def run_interleaved(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Process]:
    """Run each Python command in a new process, in rounds. The first round warms up.

    Python writes byte code, so that not every process compiles all modules.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, sys.executable]
    runs: dict[str, list[list[float]]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, arguments in commands.items():
            command = [*launcher, *arguments]
            output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
            *figures, status = json.loads(output)
            if status != 0:
                raise RuntimeError(f"{' '.join(arguments[:4])} ended with status {status}")
            runs[name].append(figures)
    results = {}
    for name, (_, *measured) in runs.items():
        wall, cpu, peak = zip(*measured, strict=True)
        results[name] = Process(Timing(name, wall), Timing(name, cpu), median(peak))
    return results
