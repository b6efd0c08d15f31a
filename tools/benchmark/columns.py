"""Benchmarks of columns: abnforge.columns compared with engines that run exported patterns."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from time import perf_counter, process_time
from typing import Any

from abnforge import Rule
from benchmark.measure import Clock, Contender, Timing, interleave
from benchmark.report import Section, Target, duration, figure

ONE, TWO = "columns.matches", "columns.matches, 2 threads"
POLARS, POLARS_ALL, RE2 = "polars", "polars, streaming, all threads", "pyarrow, RE2"
DUCKDB, DUCKDB_ALL = "DuckDB, regexp_full_match", "DuckDB, all threads"
SEVERAL = (TWO, POLARS_ALL, DUCKDB_ALL)
OFFSETS, PLACES, VIEWS = "columns.offsets", "columns.components, places", "columns.components, views"
CODES, MESSAGES = "columns.rejections, message=False", "columns.rejections"
REJECTS = 0.08
WANTED = {OFFSETS: 1.25, PLACES: 2.0, VIEWS: 3.0, CODES: 5.0, MESSAGES: 30.0}  # times columns.matches


@dataclass(frozen=True)
class Task:
    """A task for a column: ``call`` returns an engine's result, and ``read`` converts it to verdicts."""

    call: Callable[[], Any]
    read: Callable[[Any], list[bool]] | None = None


def columns(rule: Rule, strings: Sequence[str], rows: int, rounds: int) -> Section:
    """Measure all tasks on a long column of real URIs."""
    texts = [strings[at % len(strings)] for at in range(rows)]
    tasks, notes = engines(rule, texts)
    if ONE not in tasks:
        return Section("Columns", ("the whole column",), [], notes)
    arrow, ours = import_module("pyarrow"), _ours()
    array = arrow.array(texts)
    tasks |= {
        TWO: Task(lambda: ours.matches(rule, array, 2), _listed),
        OFFSETS: Task(lambda: ours.offsets(rule, array, 1)),
        PLACES: Task(lambda: ours.components(rule, array, True, threads=1)),
        VIEWS: Task(lambda: ours.components(rule, array, threads=1)),
        "list(map(rule.matches, ...))": Task(lambda: list(map(rule.matches, texts)), list),
    }
    timings = _timed({name: each for name, each in tasks.items() if name not in SEVERAL}, rounds)
    verdicts = [rule.matches(text) for text in texts]
    octets = sum(len(text.encode()) for text in texts)
    base = timings[ONE]
    shown = []
    for name, timing in timings.items():
        read = tasks[name].read
        wrong = "" if read is None else str(sum(map(int.__ne__, read(tasks[name].call()), verdicts)))
        speed = figure(octets / timing.median / 1e9)
        shown.append([name, duration(timing.median / rows), speed, figure(timing.ratio(base)), wrong])
    together, target = _together(
        {name: tasks[name] for name in (ONE, *SEVERAL) if name in tasks}, rows, rounds
    )
    rejected, reasons = _rejections(rule, strings, min(rounds, 3))
    return Section(
        "Columns",
        ("the whole column", "a row", "GB/s", f"x {ONE}", "wrong verdicts"),
        shown,
        [f"{rows:,} rows, {figure(octets / rows)} octets each. CPU time of one thread.", *notes],
        [
            Target("columns.matches on URIs, GB/s", octets / base.median / 1e9, 2.0, at_least=True),
            *(
                Target(f"{name} / {ONE}, one thread", timings[name].ratio(base), 4.0, at_least=True)
                for name in (POLARS, RE2)
                if name in timings
            ),
            *(
                Target(f"{name} / {ONE}", timings[name].ratio(base), WANTED[name])
                for name in (OFFSETS, PLACES, VIEWS)
            ),
            target,
            *reasons,
        ],
        list(timings.values()),
        [together, rejected],
    )


def _ours() -> Any:
    return import_module("abnforge.columns")


def engines(rule: Rule, texts: list[str]) -> tuple[dict[str, Task], list[str]]:
    """Return the installed engines, and notes about missing or unsuitable ones."""
    tasks: dict[str, Task] = {}
    notes: list[str] = []
    for package, load in _ENGINES.items():
        try:
            version = metadata.version(package)
            loaded = load(rule, texts)
            for each in loaded.values():
                each.call()
        except metadata.PackageNotFoundError:
            notes.append(f"{package}: not installed")
            continue
        except Exception as error:  # the pattern is not supported: the note quotes the engine's message
            notes.append(f"{package}: refused, {' '.join(str(error).split())[:120]}")
            continue
        notes.append(f"{package} {version}")
        tasks |= loaded
    return tasks, [", ".join(notes)]


def _listed(answer: Any) -> list[bool]:
    return list(answer.to_pylist())


def _pyarrow(rule: Rule, texts: list[str]) -> dict[str, Task]:
    array = import_module("pyarrow").array(texts)
    ours = _ours()
    tasks = {ONE: Task(lambda: ours.matches(rule, array, 1), _listed)}
    match: Any = import_module("pyarrow.compute").match_substring_regex
    try:
        pattern = rule.export("re2")
    except ValueError:
        return tasks
    return {**tasks, RE2: Task(lambda: match(array, pattern), _listed)}


def _polars(rule: Rule, texts: list[str]) -> dict[str, Task]:
    polars: Any = import_module("polars")
    series, pattern = polars.Series("text", texts), rule.export("rust")
    lazy = polars.DataFrame(series).lazy().select(polars.col("text").str.contains(pattern))
    return {
        POLARS: Task(lambda: series.str.contains(pattern), list),
        POLARS_ALL: Task(lambda: lazy.collect(engine="streaming"), lambda found: found["text"].to_list()),
    }


def _duckdb(rule: Rule, texts: list[str]) -> dict[str, Task]:
    table = import_module("pyarrow").table({"text": texts})
    pattern = rule.export("re2", anchored=False).replace("'", "''")

    def judging(threads: int | None) -> Callable[[], Any]:
        connection: Any = import_module("duckdb").connect()
        if threads is not None:
            connection.execute(f"set threads = {threads}")
        connection.register("given", table)
        connection.execute("create table t as select text from given")
        asking = f"select regexp_full_match(text, '{pattern}') as ok from t"
        return lambda: connection.execute(asking).to_arrow_table()

    def read(found: Any) -> list[bool]:
        return _listed(found.column("ok"))

    return {DUCKDB: Task(judging(1), read), DUCKDB_ALL: Task(judging(None), read)}


_ENGINES: dict[str, Callable[[Rule, list[str]], dict[str, Task]]] = {
    "pyarrow": _pyarrow,
    "polars": _polars,
    "duckdb": _duckdb,
}


def _timed(tasks: dict[str, Task], rounds: int, clock: Clock = process_time) -> dict[str, Timing]:
    contenders = [Contender(name, lambda _, ask=each.call: ask()) for name, each in tasks.items()]  # type: ignore[misc]
    return interleave(contenders, [""], rounds, clock)


def _together(tasks: dict[str, Task], rows: int, rounds: int) -> tuple[Section, Target]:
    """Return wall-clock times. Threads share the work, so this requires an idle machine."""
    timings = _timed(tasks, rounds, perf_counter)
    shown = [[name, duration(timing.median / rows)] for name, timing in timings.items()]
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    notes = [f"The same column, wall time; {os.cpu_count()} processors, {load}."]
    target = Target(f"{ONE}, 1 thread / 2, wall time", timings[ONE].ratio(timings[TWO]), 1.7, at_least=True)
    return Section("Columns by several threads", ("the whole column", "a row"), shown, notes), target


def _rejections(rule: Rule, strings: Sequence[str], rounds: int) -> tuple[Section, list[Target]]:
    texts = rejected_more(strings, rule, REJECTS)
    rejects = sum(not rule.matches(text) for text in texts)
    array, ours = import_module("pyarrow").array(texts), _ours()
    tasks = {
        ONE: Task(lambda: ours.matches(rule, array, 1)),
        OFFSETS: Task(lambda: ours.offsets(rule, array, 1)),
        CODES: Task(lambda: ours.rejections(rule, array, False, 1, message=False)),
        MESSAGES: Task(lambda: ours.rejections(rule, array, False, 1)),
    }
    timings = _timed(tasks, rounds)
    rows = [
        [name, duration(timing.median / len(texts)), duration(timing.median / max(1, rejects))]
        for name, timing in timings.items()
    ]
    notes = [f"{len(texts):,} rows; {rejects:,} are rejected. CPU time of one thread."]
    targets = [
        Target(f"{name} / {ONE}, {REJECTS:.0%} rejected", timings[name].ratio(timings[ONE]), WANTED[name])
        for name in (CODES, MESSAGES)
    ]
    return Section("Rejections of a column", ("the whole column", "a row", "a reject"), rows, notes), targets


def rejected_more(strings: Sequence[str], rule: Rule, share: float) -> list[str]:
    """Insert spaces into some of the strings, so that the rule rejects about ``share`` of them."""
    source = random.Random(3986)
    missing = share - sum(not rule.matches(text) for text in strings) / len(strings)
    edited = list(strings)
    for at in source.sample(range(len(edited)), max(0, round(missing * len(edited)))):
        place = source.randint(0, len(edited[at]))
        edited[at] = f"{edited[at][:place]} {edited[at][place:]}"
    return edited
