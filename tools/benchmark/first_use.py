"""CPU time of whole fresh processes: a bare interpreter, the import, the first verdict and explanation."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from statistics import median

from benchmark.report import Section, Target, figure

BARE = "python -c pass"
PROCESSES = {
    BARE: "pass",
    "import": "import abnforge",
    "first verdict": 'import abnforge; abnforge.rule("rfc3986:URI").matches("http://a/b")',
    "first explanation": 'import abnforge; abnforge.rule("rfc3986:URI").explain("http://a b/").message',
}
WANTED = {"import": 4.5, "first verdict": 7.5, "first explanation": 9.0}
"""Targets, as multiples of a bare interpreter's time in the same run."""


def measure_first_uses(rounds: int) -> Mapping[str, float]:
    """Return the median CPU seconds of each process. They run one after the other, ``rounds`` times.

    Byte code is written, and an earlier round writes it: otherwise each process compiles every module.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found: dict[str, list[float]] = {name: [] for name in PROCESSES}
    for _ in range(rounds + 1):
        for name, code in PROCESSES.items():
            command = [sys.executable, "-c", f"{code}\nimport time; print(time.process_time())"]
            output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
            found[name].append(float(output))
    return {name: median(seconds[1:]) for name, seconds in found.items()}


def first_use(rounds: int) -> Section:
    """First uses in fresh processes, interpreter start included."""
    found = measure_first_uses(rounds)
    bare = found[BARE]
    return Section(
        "First use",
        ("process", "CPU ms", "x bare"),
        [[name, figure(seconds * 1e3), figure(seconds / bare)] for name, seconds in found.items()],
        [f"CPU time of whole processes, {rounds} of each, with byte code written."],
        [Target(f"{name} / bare interpreter", found[name] / bare, wanted) for name, wanted in WANTED.items()],
        [{"name": name, "seconds": seconds} for name, seconds in found.items()],
    )
