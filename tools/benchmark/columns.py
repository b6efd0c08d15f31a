"""Verdicts over a whole column of strings, by engines that take an exported pattern."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata

from abnforge import Rule
from benchmark.measure import Contender, Timing, interleave


@dataclass(frozen=True)
class Bulk:
    """One way to judge a column: seconds per column, and how many verdicts differ from the automaton's."""

    name: str
    timing: Timing
    wrong: int


@dataclass(frozen=True)
class _Column:
    """``ask`` gives the verdicts in the engine's own form, ``read`` turns that into a list."""

    ask: Callable[[], object]
    read: Callable[[object], list[bool]]


def _polars(pattern: str, strings: Sequence[str]) -> _Column:
    column = import_module("polars").Series(list(strings))
    return _Column(lambda: column.str.contains(pattern), lambda found: list(found))  # type: ignore[call-overload]


def _pyarrow(pattern: str, strings: Sequence[str]) -> _Column:
    column = import_module("pyarrow").array(list(strings))
    match = import_module("pyarrow.compute").match_substring_regex
    return _Column(lambda: match(column, pattern), lambda found: found.to_pylist())  # type: ignore[attr-defined]


# Engine -> the dialect of the exported pattern, and how to load a column.
ENGINES: dict[str, tuple[str, Callable[[str, Sequence[str]], _Column]]] = {
    "polars": ("rust", _polars),
    "pyarrow": ("re2", _pyarrow),
}


def measure_columns(rule: Rule, strings: Sequence[str], rounds: int) -> tuple[list[Bulk], list[str]]:
    """Each engine's figures, and notes about the engines that were left out."""
    verdicts = [rule.automaton.accepts(text) for text in strings]
    matches = rule.matches
    columns = {"list(map(rule.matches, ...))": _Column(lambda: list(map(matches, strings)), list)}  # type: ignore[arg-type]
    notes: list[str] = []
    for engine, (dialect, load) in ENGINES.items():
        try:
            version = metadata.version(engine)
        except metadata.PackageNotFoundError:
            notes.append(f"{engine}: not installed")
            continue
        name = f"{engine} {version}, pattern for {dialect}"
        try:
            column = load(rule.export(dialect), strings)
            column.ask()
        except Exception as error:  # whatever an engine says about a pattern that it does not take
            notes.append(f"{name}: refused, {' '.join(str(error).split())[:120]}")
            continue
        columns[name] = column
    contenders = [Contender(name, lambda _, ask=c.ask: ask()) for name, c in columns.items()]  # type: ignore[misc]
    timings = interleave(contenders, [""], rounds)
    found = []
    for name, column in columns.items():
        answers = column.read(column.ask())
        wrong = sum(a != b for a, b in zip(answers, verdicts, strict=True))
        found.append(Bulk(name, timings[name], wrong))
    return found, notes
