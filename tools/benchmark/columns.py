"""Whole columns: abnforge.columns against engines that take exported patterns, and reading them once."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from time import perf_counter, process_time
from typing import Any

import abnforge
from abnforge import Rule
from benchmark.measure import Clock, Contender, Timing, interleave
from benchmark.report import Section, Target, duration, figure
from benchmark.texts import OTHER_RULES, rejected_more, rule_texts, uri_texts

ONE, TWO = "columns.matches", "columns.matches, 2 threads"
POLARS, POLARS_ALL, RE2, DUCKDB, DUCKDB_ALL = (
    "polars",
    "polars, streaming, all threads",
    "pyarrow, RE2",
    "DuckDB, regexp_full_match",
    "DuckDB, all threads",
)
CODES, SENTENCES = "columns.rejections, message=False", "columns.rejections"
HYPERSCAN = "Hyperscan, text by text"
READ = "read once"
REJECTS = 0.08
MOST_OCTETS = 20_000_000  # of a column of another kind


@dataclass(frozen=True)
class Asked:
    """``ask`` gives an answer about the column in the engine's own form; ``read`` makes verdicts of it."""

    ask: Callable[[], Any]
    read: Callable[[Any], list[bool]] | None = None


def columns(strings: Sequence[str], rows: int, rounds: int) -> Section:
    """Everything about a long column of real URIs, and verdicts on columns of other kinds."""
    rule = abnforge.load("rfc3986")["URI"]
    texts = [strings[at % len(strings)] for at in range(rows)]
    asked, notes = _everything(rule, texts)
    several = (ONE, TWO, POLARS_ALL, DUCKDB_ALL)
    timings = _timed({name: each for name, each in asked.items() if name not in several[1:]}, rounds)
    wanted = rule.matches
    verdicts = [wanted(text) for text in texts]
    octets = sum(len(text.encode()) for text in texts)
    ours = timings.get(ONE) or next(iter(timings.values()))
    shown = []
    for name, timing in timings.items():
        read = asked[name].read
        wrong = "" if read is None else str(sum(map(int.__ne__, read(asked[name].ask()), verdicts)))
        speed = figure(octets / timing.median / 1e9)
        shown.append([name, duration(timing.median / rows), speed, figure(timing.ratio(ours)), wrong])
    targets = _targets(timings, octets)
    together, speed_up = _together({name: asked[name] for name in several if name in asked}, rows, rounds)
    rejected, reasons = _rejections(rule, strings, min(rounds, 3))
    others, more = _others(strings, rows, rounds)
    return Section(
        "Columns",
        ("the whole column", "a row", "GB/s", f"x {ONE}", "wrong verdicts"),
        shown,
        [f"{rows:,} rows, {figure(octets / rows)} octets each. Processor's time of one thread.", *notes],
        [*targets, *speed_up, *reasons, *more],
        {name: timing.rounds for name, timing in timings.items()},
        [together, rejected, others],
    )


def _everything(rule: Rule, texts: list[str]) -> tuple[dict[str, Asked], list[str]]:
    asked, notes = engines(rule, texts)
    if ONE not in asked:
        return asked, notes
    arrow = import_module("pyarrow")
    ours: Any = import_module("abnforge.columns")
    array = arrow.array(texts)
    views = array.cast(arrow.string_view())
    asked |= {
        TWO: Asked(lambda: ours.matches(rule, array, 2), _listed),
        "columns.matches of string_view": Asked(lambda: ours.matches(rule, views, 1), _listed),
        "columns.offsets": Asked(lambda: ours.offsets(rule, array, 1)),
        "columns.components, places": Asked(lambda: ours.components(rule, array, True, threads=1)),
        "columns.components, views": Asked(lambda: ours.components(rule, array, threads=1)),
        "list(map(rule.matches, ...))": Asked(lambda: list(map(rule.matches, texts)), list),
    }
    return asked, notes


def engines(rule: Rule, texts: list[str]) -> tuple[dict[str, Asked], list[str]]:
    """The engines that are installed, and notes about those that are not, or refuse the pattern."""
    asked: dict[str, Asked] = {}
    notes: list[str] = []
    for package, load in _ENGINES.items():
        try:
            version = metadata.version(package)
            loaded = load(rule, texts)
            for each in loaded.values():
                each.ask()
        except metadata.PackageNotFoundError:
            notes.append(f"{package}: not installed")
            continue
        except Exception as error:  # whatever an engine says about a pattern that it does not take
            notes.append(f"{package}: refused, {' '.join(str(error).split())[:120]}")
            continue
        notes.append(f"{package} {version}")
        asked |= loaded
    octets = "".join(texts).encode()
    asked[READ] = Asked(lambda: octets.find(b"\xff"))
    return asked, [", ".join(notes)]


def _listed(answer: Any) -> list[bool]:
    return list(answer.to_pylist())


def _pyarrow(rule: Rule, texts: list[str]) -> dict[str, Asked]:
    array = import_module("pyarrow").array(texts)
    ours: Any = import_module("abnforge.columns")
    asked = {ONE: Asked(lambda: ours.matches(rule, array, 1), _listed)}
    match: Any = import_module("pyarrow.compute").match_substring_regex
    try:
        pattern = rule.export("re2")
    except ValueError:
        return asked
    return {**asked, RE2: Asked(lambda: match(array, pattern), _listed)}


def _polars(rule: Rule, texts: list[str]) -> dict[str, Asked]:
    polars: Any = import_module("polars")
    series, pattern = polars.Series("text", texts), rule.export("rust")
    lazy = polars.DataFrame(series).lazy().select(polars.col("text").str.contains(pattern))
    return {
        POLARS: Asked(lambda: series.str.contains(pattern), list),
        POLARS_ALL: Asked(lambda: lazy.collect(engine="streaming"), lambda found: found["text"].to_list()),
    }


def _duckdb(rule: Rule, texts: list[str]) -> dict[str, Asked]:
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

    return {DUCKDB: Asked(judging(1), read), DUCKDB_ALL: Asked(judging(None), read)}


def _hyperscan(rule: Rule, texts: list[str]) -> dict[str, Asked]:
    """It has no columns: each text is a call, and each match another."""
    engine: Any = import_module("hyperscan")
    database = engine.Database()
    pattern = f"^(?:{rule.export('re2', anchored=False)})\\z"
    database.compile(expressions=[pattern.encode()], flags=[engine.HS_FLAG_SINGLEMATCH])
    octets = [text.encode() for text in texts]

    def ask() -> list[bool]:
        found = [False] * len(octets)

        def met(number: int, begin: int, end: int, flags: int, row: int) -> None:
            found[row] = True

        for row, each in enumerate(octets):
            database.scan(each, match_event_handler=met, context=row)
        return found

    return {HYPERSCAN: Asked(ask, list)}


_ENGINES: dict[str, Callable[[Rule, list[str]], dict[str, Asked]]] = {
    "pyarrow": _pyarrow,
    "polars": _polars,
    "duckdb": _duckdb,
    "hyperscan": _hyperscan,
}


def _timed(asked: dict[str, Asked], rounds: int, clock: Clock = process_time) -> dict[str, Timing]:
    contenders = [Contender(name, lambda _, ask=each.ask: ask()) for name, each in asked.items()]  # type: ignore[misc]
    return interleave(contenders, [""], rounds, clock)


def _targets(timings: dict[str, Timing], octets: int) -> list[Target]:
    if ONE not in timings:
        return []
    ours = timings[ONE]
    targets = [Target("columns.matches on URIs, GB/s", octets / ours.median / 1e9, 2.0, at_least=True)]
    targets += [
        Target(f"{name} / columns.matches, one thread", timings[name].ratio(ours), 4.0, at_least=True)
        for name in (POLARS, RE2)
        if name in timings
    ]
    wanted = {"columns.offsets": 1.25, "columns.components, places": 2.0, "columns.components, views": 3.0}
    return [
        *targets,
        *(
            Target(f"{name} / columns.matches", timings[name].ratio(ours), most)
            for name, most in wanted.items()
        ),
    ]


def _together(asked: dict[str, Asked], rows: int, rounds: int) -> tuple[Section, list[Target]]:
    """By the wall's clock, since threads share the work; so it wants a machine that is free."""
    found = _timed(asked, rounds, perf_counter)
    shown = [[name, duration(timing.median / rows)] for name, timing in found.items()]
    load = f"load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "load unknown"
    notes = [f"The same column by the wall's clock; {os.cpu_count()} processors, {load}."]
    ratio = found[ONE].ratio(found[TWO]) if {ONE, TWO} <= found.keys() else float("nan")
    target = Target("columns.matches, 1 thread / 2, wall's clock", ratio, 1.7, at_least=True)
    return Section("Columns by several threads", ("the whole column", "a row"), shown, notes), [target]


def _rejections(rule: Rule, strings: Sequence[str], rounds: int) -> tuple[Section, list[Target]]:
    texts = rejected_more(strings, rule, REJECTS)
    rejects = [text for text in texts if not rule.matches(text)]
    title, header = "Rejections of a column", ("the whole column", "a row", "a reject")
    try:
        array = import_module("pyarrow").array(texts)
    except ModuleNotFoundError:
        return Section(title, header, [], ["pyarrow: not installed"]), []
    ours: Any = import_module("abnforge.columns")
    asked = {
        ONE: Asked(lambda: ours.matches(rule, array, 1)),
        "columns.offsets": Asked(lambda: ours.offsets(rule, array, 1)),
        CODES: Asked(lambda: ours.rejections(rule, array, False, 1, message=False)),
        SENTENCES: Asked(lambda: ours.rejections(rule, array, False, 1)),
    }
    found = _timed(asked, rounds)
    rows = [
        [name, duration(timing.median / len(texts)), duration(timing.median / max(1, len(rejects)))]
        for name, timing in found.items()
    ]
    notes = [f"{len(texts):,} rows, of which {len(rejects):,} are rejected; processor's time of one thread."]
    targets = [
        Target(f"{name} / {ONE}, {REJECTS:.0%} rejected", found[name].ratio(found[ONE]), most)
        for name, most in ((CODES, 5.0), (SENTENCES, 30.0))
    ]
    return Section(title, header, rows, notes), targets


def _others(strings: Sequence[str], rows: int, rounds: int) -> tuple[Section, list[Target]]:
    grammar = abnforge.load("rfc3986")
    number = min(len(strings), rows // 5 or 1)
    kinds = [(label, grammar[name], texts) for name, label, texts in uri_texts(strings, number)][1:]
    kinds += [(name, *rule_texts(name, number)) for name in OTHER_RULES]
    names = (ONE, POLARS, RE2, DUCKDB, READ)
    shown, targets = [], []
    for label, rule, texts in kinds:
        size = min(number, int(MOST_OCTETS * len(texts) / sum(map(len, texts))))
        column = (texts * (size // len(texts) + 1))[:size]
        asked, _ = engines(rule, column)
        found = _timed({name: asked[name] for name in names if name in asked}, rounds)
        octets = sum(len(text.encode()) for text in column)
        cells = [found[name].median / len(column) if name in found else None for name in names]
        shown.append(
            [label, figure(octets / len(column)), *("" if c is None else duration(c) for c in cells)]
        )
        if ONE in found and POLARS in found and label in OTHER_RULES[:2]:
            ratio = found[POLARS].ratio(found[ONE])
            targets.append(Target(f"polars / columns.matches, {label}", ratio, 2.0, at_least=True))
    notes = [
        "Time of a row, one thread. Where a cell is empty, there is no pattern, or the engine refuses it."
    ]
    return Section("Columns of other kinds", ("texts", "octets", *names), shown, notes), targets
