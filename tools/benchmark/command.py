"""``abnforge check`` against a short script, each in a fresh process: start-up included, and peak memory.

Between this process and the measured one stands a small one: the kernel counts the memory of the process
that forked as the child's own peak, and this one holds a corpus.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmark.pattern import SCRIPT

_LAUNCHER = """\
import json, os, sys, time
out = os.open(os.devnull, os.O_WRONLY)
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
_, status, usage = os.wait4(pid, 0)
print(json.dumps([time.perf_counter() - start, usage.ru_maxrss, os.waitstatus_to_exitcode(status)]))
"""


@dataclass(frozen=True)
class Command:
    """Medians of a command's runs: wall-clock seconds, and peak resident memory in MB."""

    name: str
    seconds: float
    peak: float


def _run(arguments: Sequence[str]) -> tuple[float, float]:
    command = [sys.executable, "-I", "-S", "-c", _LAUNCHER, sys.executable, *arguments]
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
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, arguments in commands.items():
                runs[name].append(_run(arguments))
        return [
            Command(name, median(s for s, _ in found), median(m for _, m in found))
            for name, found in runs.items()
        ]
