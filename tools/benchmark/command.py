"""``abnforge check`` against a short script, each in a fresh process: start-up included, and peak memory.

Between this process and the measured one stands a small one: the kernel counts the memory of the process
that forked as the child's own peak, and this one holds a corpus.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmark.pattern import SCRIPT

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
shared = sys.argv[1] == "tree" and os.path.exists("/proc/self/smaps_rollup")
peak = 0
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
while True:
    gone, status, usage = os.wait4(pid, os.WNOHANG if shared else 0)
    if gone:
        break
    peak = max(peak, sum(parts(pid)))
    time.sleep(0.02)
seconds = time.perf_counter() - start
print(json.dumps([seconds, peak or usage.ru_maxrss, os.waitstatus_to_exitcode(status)]))
"""


@dataclass(frozen=True)
class Command:
    """Medians of a command's runs: wall-clock seconds, and peak memory in MB."""

    name: str
    seconds: float
    peak: float


def _run(arguments: Sequence[str], tree: bool) -> tuple[float, float]:
    which = "tree" if tree else "process"
    command = [sys.executable, "-I", "-S", "-c", _LAUNCHER, which, sys.executable, *arguments]
    seconds, kilobytes, status = json.loads(
        subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    )
    if status not in (0, 1):
        raise RuntimeError(f"{' '.join(arguments[:4])} ended with status {status}")
    return seconds, kilobytes / 1024


def measure_commands(strings: Sequence[str], rounds: int, copies: int = 4) -> list[Command]:
    """The script; check as it is, and without suggestions; both checks on ``copies`` times the lines."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "script.py"
        script.write_text(SCRIPT, encoding="utf-8")
        once, often = folder / "once.txt", folder / "often.txt"
        text = "".join(f"{line}\n" for line in strings)
        once.write_text(text, encoding="utf-8", newline="\n")
        with often.open("w", encoding="utf-8", newline="\n") as file:
            for _ in range(copies):
                file.write(text)
        check = ["-m", "abnforge", "check", "--quiet", "--format", "jsonl"]
        commands = {
            "script": [str(script), str(once)],
            "check": [*check, str(once)],
            "check --no-suggest": [*check, "--no-suggest", str(once)],
            f"script, {copies} x the lines": [str(script), str(often)],
            f"check --no-suggest, {copies} x the lines": [*check, "--no-suggest", str(often)],
        }
        return run_interleaved(commands, rounds)


def run_interleaved(
    commands: Mapping[str, Sequence[str]], rounds: int, *, tree: bool = False
) -> list[Command]:
    """Run commands one after the other, so many times. Memory is what is resident of a process, or with
    ``tree`` what it and those that it starts have together, where the system tells that.
    """
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, arguments in commands.items():
            runs[name].append(_run(arguments, tree))
    return [
        Command(name, median(s for s, _ in found), median(m for _, m in found))
        for name, found in runs.items()
    ]
