"""Recursive grammars: verdicts, first contact, trees and events on documents, and texts that are hard."""

from __future__ import annotations

import gc
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from statistics import linear_regression, median
from time import perf_counter

from build_grammars import configurations_data

from abnforge.parsing.recognizer.machine import Machine
from abnforge.parsing.recognizer.stored import Stored
from benchmark import hard as hard_texts
from benchmark.documents import FOLDER, Suite, peers, readable, suites
from benchmark.measure import Contender, Timing, interleave
from benchmark.report import Section, Target, duration, figure

SLOW = 40  # microseconds a character: who takes longer for a few documents reads no others
SLOW_DOCUMENTS = 15
SLOW_LONGEST = 300  # characters of each
FRESH_DOCUMENTS = 40  # each is the first that a grammar reads
FRESH_SHORTEST = 200  # characters: for a shorter one it is the network that is made
STORED = 1_000  # configurations, as many as of a rule that comes with the project

# Microseconds a character: what is wanted of each question.
WANTED = {"verdict": 0.15, "events": 0.6, "tree": 3.0, "first contact, stored": 1.0}


def documents(rounds: int) -> Section:
    """Microseconds a character by suite; peers in the same rounds, slow ones on few documents."""
    rows: list[list[str]] = []
    targets: list[Target] = []
    data = {}
    found = list(suites())
    for suite in found:
        rule = suite.fresh()
        ours = [
            Contender("verdict", rule.matches),
            Contender("events", rule.events),
            Contender("tree", rule.parse),
        ]
        few = tuple(text for text in suite.documents if len(text) <= SLOW_LONGEST)[:SLOW_DOCUMENTS]
        costs = [(contender, _once(contender, few)) for contender in (*ours, *peers(suite))]
        quick = [contender for contender, cost in costs if cost <= SLOW]
        texts, left_out = _common(quick, suite.documents)
        timings = interleave(quick, texts, rounds)
        slow = [ours[0], *(contender for contender, cost in costs if cost > SLOW)]
        few, few_left_out = _common(slow, few)
        slow_timings = interleave(slow, few, min(rounds, 3))
        fresh = [text for text in texts if len(text) >= FRESH_SHORTEST][:FRESH_DOCUMENTS]
        first = {
            "first contact": first_contact(_unread(suite), fresh, min(rounds, 3)),
            "first contact, stored": first_contact(_stored(suite), fresh, min(rounds, 3)),
        }
        for timed, read, missed in ((timings, texts, left_out), (slow_timings, few, few_left_out)):
            base = timed.get("verdict", slow_timings["verdict"])
            for name, timing in timed.items():
                cost = _cost(timing, read)
                note = f"{len(read)} documents" + (
                    f", {missed[name]} more not read" if missed.get(name) else ""
                )
                rows.append([suite.name, name, figure(cost), figure(timing.ratio(base)), note])
        rows += [
            [suite.name, name, figure(cost), "", f"{len(fresh)} grammars"] for name, cost in first.items()
        ]
        told = {name: _cost(timing, few) for name, timing in slow_timings.items()}
        told |= {name: _cost(timing, texts) for name, timing in timings.items()} | first
        targets += [
            Target(f"{suite.name}, {name}: us a character", told[name], most) for name, most in WANTED.items()
        ]
        if "abnf, Rust" in timings:
            targets += [
                Target(
                    f"{suite.name}: abnf, Rust / verdict", told["abnf, Rust"] / told["verdict"], 20.0, True
                ),
                Target(f"{suite.name}: abnf, Rust / tree", told["abnf, Rust"] / told["tree"], 1.0, True),
            ]
        data[suite.name] = {name: timing.rounds for name, timing in {**slow_timings, **timings}.items()}
        data[suite.name] |= {name: (cost,) for name, cost in first.items()}
    notes = [
        f"Valid documents of other projects' suites, {rounds} rounds; ratios within a round's contenders.",
        f"First contact: a fresh grammar for each document of {FRESH_SHORTEST} characters and more; loading "
        "is not counted. Stored: with configurations from JSON, as bundled grammars have them; reading that "
        "is counted.",
    ]
    if not found:
        notes = [f"Skipped: there are no suites in {FOLDER.name} beside the project."]
    header = ("suite", "one document", "us a character", "x verdict", "")
    return Section("Recursive grammars", header, rows, notes, targets, data)


def _common(
    contenders: Sequence[Contender], texts: tuple[str, ...]
) -> tuple[tuple[str, ...], dict[str, int]]:
    """The texts that all of them read, and how many each does not."""
    read = {contender.name: readable(contender, texts) for contender in contenders}
    common = set(texts).intersection(*read.values())
    missed = {name: len(texts) - len(found) for name, found in read.items()}
    return tuple(text for text in texts if text in common), missed


def _once(contender: Contender, texts: Sequence[str]) -> float:
    """Microseconds a character of a pass over the texts that it reads, after one that warms up."""
    read = readable(contender, tuple(texts))
    return contender.run(read) / max(1, sum(map(len, read))) * 1e6


def _cost(timing: Timing, texts: Sequence[str]) -> float:
    """Microseconds a character."""
    return timing.median * len(texts) / max(1, sum(map(len, texts))) * 1e6


def _unread(suite: Suite) -> Callable[[], Callable[[str], object]]:
    """What makes a reader that nothing is known to."""
    return lambda: suite.fresh().matches


def _stored(suite: Suite) -> Callable[[], Callable[[str], object]]:
    """What makes a reader of stored configurations."""
    rule = suite.fresh()
    machine = Machine(rule.grammar.compilation.plan)
    data = json.dumps(configurations_data(machine, {rule.key: STORED}))

    def fresh() -> Callable[[str], object]:
        # What is loaded is loaded when it is asked.
        return lambda text: _known(Stored.from_data(json.loads(data), rule.key)).read(text)

    return fresh


def _known(stored: Stored | None) -> Stored:
    assert stored is not None
    return stored


def first_contact(fresh: Callable[[], Callable[[str], object]], texts: Sequence[str], rounds: int) -> float:
    """Microseconds a character where each document is the first one."""
    found = []
    for _ in range(rounds):
        spent = 0.0
        for text in texts:
            matches = fresh()
            gc.collect()
            start = perf_counter()
            matches(text)
            spent += perf_counter() - start
        found.append(spent / max(1, sum(map(len, texts))) * 1e6)
    return median(found)


def hard(patience: float, names: Sequence[str] = tuple(hard_texts.HARD)) -> Section:
    """Each text in a process of its own, which is stopped after ``patience`` seconds."""
    rows: list[list[str]] = []
    targets: list[Target] = []
    data = {}
    for name in names:
        if not hard_texts.available(name):
            rows.append([name, "no such grammar beside the project", "", "", "", "", ""])
            continue
        case = hard_texts.HARD[name]
        outcomes = {asked: hard_texts.measure(name, asked, patience) for asked in hard_texts.QUESTIONS}
        verdict = outcomes["verdict"]
        growth = _growth(name, patience) if name in hard_texts.GROWING and not verdict.why else math.nan
        rows.append(
            [
                name,
                verdict.why or duration(verdict.first),
                "" if verdict.why else duration(verdict.again),
                "" if verdict.why else figure(verdict.peak),
                "" if math.isnan(growth) else figure(growth),
                *(outcomes[asked].why or duration(outcomes[asked].first) for asked in ("events", "tree")),
            ]
        )
        if case.seconds is not None:
            targets.append(Target(f"{name}: seconds", verdict.first, case.seconds))
        if case.peak is not None:
            targets.append(Target(f"{name}: MB", verdict.peak, case.peak))
        if "list" in name:
            targets.append(Target(f"{name}: growth", growth, 1.1))
        data[name] = {asked: asdict(outcome) for asked, outcome in outcomes.items()}
    return Section(
        "Hard texts",
        ("text", "verdict", "the second time", "MB", "growth", "events", "tree"),
        rows,
        [
            "Each in a process of its own, processor's time; MB: the peak beyond what it had before. "
            "Growth: the exponent from a sixteenth of it to all."
        ],
        targets,
        data,
    )


def _growth(name: str, patience: float) -> float:
    """The slope of first verdicts over sizes on logarithmic scales."""
    size = hard_texts.HARD[name].size
    points = [
        (size // part, hard_texts.measure(name, "verdict", patience, size // part))
        for part in hard_texts.PARTS
    ]
    if any(outcome.why for _, outcome in points):
        return math.nan
    logarithms = [(math.log(n), math.log(max(outcome.first, 1e-6))) for n, outcome in points]
    return linear_regression(*zip(*logarithms, strict=True)).slope
