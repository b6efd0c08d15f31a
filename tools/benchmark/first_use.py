"""Processor time of new processes: bare interpreter, import, first verdict and first explanation."""

from __future__ import annotations

from benchmark.measure import run_interleaved
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


def first_use(rounds: int) -> Section:
    processes = run_interleaved({name: ["-c", code] for name, code in PROCESSES.items()}, rounds)
    times = [each.cpu for each in processes.values()]
    ratios = {time.name: time.ratio(times[0]) for time in times}
    return Section(
        "First use",
        ("process", "CPU ms", "x bare"),
        [[time.name, figure(time.median * 1e3), figure(ratios[time.name])] for time in times],
        [f"CPU time of whole processes, {rounds} of each, with byte code written."],
        [Target(f"{name} / bare interpreter", ratios[name], expected) for name, expected in WANTED.items()],
        times,
    )
