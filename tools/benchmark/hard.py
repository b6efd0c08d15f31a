"""Long texts of recursive grammars that are hard to read, each in a process of its own.

    python -m benchmark.hard NAME QUESTION [SIZE]      one of them, for a process: figures as JSON

A process has a time-out, so that what cannot be done is told as such. Time is the processor's; memory is the
peak beyond what the process had before it was asked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time

import abnforge
from benchmark.documents import FOLDER, RECORD

JSON = FOLDER / "q-uint__syntax" / "abnf__rfc8259.abnf"


@dataclass(frozen=True)
class Hard:
    """A text of a grammar. ``seconds`` and ``peak`` (in MB) are what a verdict may take; None: not set."""

    grammar: str | Path
    rule: str
    text: Callable[[int], str]
    size: int
    seconds: float | None = None
    peak: float | None = None
    valid: bool = True


def _json(size: int) -> str:
    """Objects in an array, as programs write them."""
    item = json.dumps(RECORD, ensure_ascii=False)
    return "[" + ",".join([item] * max(1, size // (len(item) + 1))) + "]"


def _brackets(size: int) -> str:
    return "[" * size + "]" * size


def _palindrome(size: int) -> str:
    half = "".join(Random(size).choices("ab", k=size // 2))
    return half + half[::-1]


def _decision(size: int) -> str:
    return "x" * (size // 2 + 1) + "".join(Random(size).choices("ab", k=size // 2))


def _mail(size: int) -> str:
    head = "From: a@example.com\r\nDate: Fri, 21 Nov 1997 09:55:06 -0600\r\nSubject: x\r\n\r\n"
    return head + ("x" * 997 + " \r\n") * (size // 1000)


LEFT, RIGHT = 's = s "," "a" / "a"\n', 's = "a" "," s / "a"\n'

HARD: dict[str, Hard] = {
    "JSON, 130 kB": Hard(JSON, "JSON-text", _json, 130_000, 0.05, 40),
    "JSON, 10 MB": Hard(JSON, "JSON-text", _json, 10_000_000, 2.0, 40),
    "JSON, flat array of 10 MB": Hard(
        JSON, "JSON-text", lambda n: "[" + "1," * (n // 2) + "1]", 10_000_000, 2.0, 40
    ),
    "brackets nested 100,000 deep": Hard('s = "[" *s "]"\n', "s", _brackets, 100_000, 0.1),
    "JSON nested 100,000 deep": Hard(JSON, "JSON-text", _brackets, 100_000, 0.1),
    "left list of 1 MB": Hard(LEFT, "s", lambda n: "a" + ",a" * (n // 2), 1_000_000),
    "right list of 1 MB": Hard(RIGHT, "s", lambda n: "a" + ",a" * (n // 2), 1_000_000),
    "left list by two rules of 1 MB": Hard(
        's = t / "a"\nt = s "," "a"\n', "s", lambda n: "a" + ",a" * (n // 2), 1_000_000
    ),
    "a decision at the end, 10,000": Hard(
        's = a / b\na = "x" s "a" / "x"\nb = "x" s "b" / "x"\n', "s", _decision, 10_000, 0.1
    ),
    'S = S S / "a", 10,000': Hard('s = s s / "a"\n', "s", lambda n: "a" * n, 10_000, 0.5),
    "palindrome of 5,000": Hard('s = "a" s "a" / "b" s "b" / ""\n', "s", _palindrome, 5_000, 2.0),
    "palindrome of 5,000 a": Hard('s = "a" s "a" / "b" s "b" / ""\n', "s", lambda n: "a" * n, 5_000, 2.0),
    "RFC 5322 message of 100 kB": Hard("abnf:rfc5322", "message", _mail, 100_000, 1.0),
    "dangling else, 10,000": Hard(
        's = "i" s [ "e" s ] / "x"\n', "s", lambda n: "i" * (n // 2) + "x" + "ex" * (n // 4), 10_000
    ),
    "space at both ends, 10,000": Hard(
        's = "[" w [ s ] w [ "]" ]\nw = *" "\n', "s", lambda n: "[ " * (n // 2), 10_000
    ),
}

# Growth is taken over these parts of the size.
GROWING = (
    "left list of 1 MB",
    "right list of 1 MB",
    "left list by two rules of 1 MB",
    "dangling else, 10,000",
    "space at both ends, 10,000",
)
PARTS = (16, 4, 1)

QUESTIONS: dict[str, Callable[[abnforge.Rule, str], object]] = {
    "verdict": lambda rule, text: rule.matches(text),
    "events": lambda rule, text: bool(rule.events(text)),
    "tree": lambda rule, text: bool(rule.parse(text)),
}


@dataclass(frozen=True)
class Outcome:
    """Processor's seconds of the first time and of the second, and megabytes; or why there are none."""

    first: float = float("nan")
    again: float = float("nan")
    peak: float = float("nan")
    why: str = ""


def measure(name: str, question: str, patience: float, size: int | None = None) -> Outcome:
    """Ask in a process of its own."""
    command = [sys.executable, "-m", "benchmark.hard", name, question, *([] if size is None else [str(size)])]
    folders = [str(Path(__file__).resolve().parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=patience, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return Outcome(why=f"no answer in {patience:g} s")
    if run.returncode:
        return Outcome(why=(run.stderr.strip().splitlines() or [f"status {run.returncode}"])[-1][:80])
    return Outcome(**json.loads(run.stdout))


def available(name: str) -> bool:
    """Whether the grammar is there."""
    grammar = HARD[name].grammar
    return not isinstance(grammar, Path) or grammar.is_file()


def _memory(field: str) -> float:
    """A line of this process' status, in MB; what a system without one has is not known."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return float("nan")
    return float(status.read_text("ascii").partition(f"{field}:")[2].split()[0]) / 1024


def main(arguments: Sequence[str]) -> int:
    """One question, asked twice of one rule."""
    hard, ask = HARD[arguments[0]], QUESTIONS[arguments[1]]
    text = hard.text(int(arguments[2]) if len(arguments) > 2 else hard.size)
    grammar = hard.grammar
    loaded = (
        abnforge.loads(grammar) if isinstance(grammar, str) and "=" in grammar else abnforge.load(grammar)
    )
    rule = loaded[hard.rule]
    before = _memory("VmRSS")
    seconds = []
    try:
        for _ in range(2):
            start = process_time()
            answer = ask(rule, text)
            seconds.append(process_time() - start)
    except abnforge.LimitExceeded as error:
        print(json.dumps({"why": str(error)[:80]}))
        return 0
    found = {"first": seconds[0], "again": seconds[1], "peak": _memory("VmHWM") - before}
    if answer is not hard.valid:
        found = {"why": f"the answer is {answer}"}  # type: ignore[dict-item]
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
