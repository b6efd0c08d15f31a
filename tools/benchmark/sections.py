"""The questions that the benchmark answers, each a table."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from time import perf_counter

from abnforge import Rule, uri
from benchmark import peers, recursive
from benchmark.chart import Judge, chart
from benchmark.columns import columns
from benchmark.command import measure_commands
from benchmark.first_use import first_use
from benchmark.growth import MEMORY_SIZE, QUESTIONS, SHAPES, Growth, measure_growth
from benchmark.ingest import ingestion
from benchmark.kernel import kernel
from benchmark.measure import Contender, Timing, interleave
from benchmark.pattern import fullmatch
from benchmark.peers import Peer, available
from benchmark.report import Section, Target, duration, figure
from benchmark.sample import TRICKY, Corpus
from benchmark.strictness import count_mistakes, example

BY_HAND = "re, by hand, possessive"


@dataclass(frozen=True)
class Settings:
    """How much is measured. ``shape_limit`` is in seconds, ``lines`` are those of the command's input,
    ``rows`` those of a column, and ``table_rows`` those of a table.
    """

    strings: int
    slow_strings: int
    rounds: int
    sizes: Sequence[int]
    shape_limit: float
    lines: int
    rows: int
    table_rows: int


@dataclass(frozen=True)
class Bench:
    """The rule, the strings, and how they split by the automaton's verdict."""

    rule: Rule
    corpus: Corpus
    settings: Settings
    valid: Sequence[str]
    rejected: Sequence[str]


def prepare(rule: Rule, corpus: Corpus, settings: Settings) -> Bench:
    """Split the corpus by the automaton's verdict."""
    accepts = rule.automaton.accepts
    valid = [text for text in corpus.strings if accepts(text)]
    known = set(valid)
    return Bench(rule, corpus, settings, valid, [text for text in corpus.strings if text not in known])


def verdicts(bench: Bench) -> Section:
    """Verdict per call on the corpus as it is, rejected lines included."""
    strings = bench.corpus.strings[: bench.settings.strings]
    contenders = [
        Contender("rule.matches", bench.rule.matches),
        Contender(BY_HAND, fullmatch),
        Contender(f"{BY_HAND}, in a function", lambda text: fullmatch(text) is not None),
        Contender("uri.is_valid", uri.is_valid),
        *(c for _, c in available(peers.VERDICTS)),
    ]
    timings = interleave(contenders, strings, bench.settings.rounds)
    ours = timings["rule.matches"]
    targets = [
        _ratio("rule.matches / bare fullmatch, by hand", ours, timings[BY_HAND], 1.0),
        *_faster(timings, ours, {"rfc3986-validator": 4.0, "rfc3986 Validator": 40.0}),
    ]
    return Section(
        "Verdict",
        ("one call", "us", "x rule.matches", "median of ratios"),
        _compared(timings, ours),
        [f"{len(strings):,} strings of the corpus, {bench.settings.rounds} rounds; call overhead included."],
        targets,
        _data(timings),
    )


def slow(bench: Bench) -> Section:
    """Whole trees, and the peers that are too slow for the large sample."""
    strings = bench.valid[: bench.settings.slow_strings]
    contenders = [
        Contender("rule.matches", bench.rule.matches),
        Contender("uri.parse", lambda text: uri.parse(text, "URI")),
        Contender("rule.parse (lark.Tree)", bench.rule.parse),
        Contender("rule.parse, lark", lambda text: bench.rule.parse(text, engine="lark")),
        *(c for _, c in available(peers.SLOW_VERDICTS)),
    ]
    timings = interleave(contenders, strings, min(3, bench.settings.rounds))
    ours = timings["rule.matches"]
    return Section(
        "Trees, and the slow peers",
        ("one call", "us", "x rule.matches", "median of ratios"),
        _compared(timings, ours),
        [
            f"Only {len(strings)} valid strings in {min(3, bench.settings.rounds)} rounds. "
            "The two peers build a tree for every verdict."
        ],
        _faster(timings, ours, {"abnf Rule.parse_all": 5_000.0}),
        _data(timings),
    )


def components(bench: Bench) -> Section:
    """Components per call, on valid strings: for the others, some raise and some do not."""
    strings = bench.valid[: bench.settings.strings]

    def read_all(text: str) -> object:
        u = uri.parse(text, "URI")
        return u.scheme, u.userinfo, u.host, u.port, u.path, u.query, u.fragment

    def read_at_once(text: str) -> object:
        return uri.parse(text, rule="URI").parts()

    def by_hand(text: str) -> object:
        match = fullmatch(text)
        return match.groups() if match else None

    contenders = [
        Contender("uri.parse", uri.parse),
        Contender("uri.parse, all seven components read", read_all),
        Contender("uri.parse, parts()", read_at_once),
        Contender(f"{BY_HAND}, groups()", by_hand),
        *(c for _, c in available(peers.COMPONENTS)),
    ]
    timings = interleave(contenders, strings, bench.settings.rounds)
    ours = timings["uri.parse"]
    urlsplit = timings["urllib.parse.urlsplit"]
    terms = {c.name: p.terms for p, c in available(peers.COMPONENTS)}
    terms[f"{BY_HAND}, groups()"] = "tuple of texts, validated"
    rows = [[*row, terms.get(row[0], "component object, validated")] for row in _compared(timings, ours)]
    return Section(
        "Components",
        ("one call", "us", "x uri.parse", "median of ratios", "what it gives"),
        rows,
        [f"{len(strings):,} valid strings of the corpus in {bench.settings.rounds} rounds."],
        [_ratio("uri.parse / urlsplit with its cache emptied", ours, urlsplit, 0.7)],
        _data(timings),
    )


def rejections(bench: Bench) -> Section:
    """What the reason for a rejection costs, against a verdict on an ordinary string."""
    strings = bench.rejected[: max(20, bench.settings.strings // 50)]
    if not strings:
        return Section("Rejections", ("one call",), [], ["The corpus has no rejected line."])
    ordinary = interleave(
        [Contender("rule.matches", bench.rule.matches)],
        bench.valid[: bench.settings.strings],
        bench.settings.rounds,
    )["rule.matches"]
    asked: dict[str, Callable[[str], object]] = {
        "explain(s, suggest=False)": lambda text: bench.rule.explain(text, suggest=False),
        "explain(s)": bench.rule.explain,
    }
    rounds = min(3, bench.settings.rounds)
    for text in strings:  # states are built when they are first needed
        bench.rule.explain(text)
    singles: dict[str, list[float]] = {name: [] for name in asked}
    for text in strings:
        for name, ask in asked.items():
            singles[name].append(_single(ask, text, rounds))
    rows = [["rule.matches on an ordinary string", duration(ordinary.median), "", "1"]]
    for name, found in singles.items():
        middle, high = median(found), quantiles(found, n=20)[-1] if len(found) > 1 else found[0]
        rows.append([name, duration(middle), duration(high), figure(middle / ordinary.median)])
    ratio = median(singles["explain(s, suggest=False)"]) / ordinary.median
    return Section(
        "Rejections",
        ("one call", "median", "95 of 100 below", "median x rule.matches"),
        rows,
        [f"{len(strings):,} rejected lines of the corpus, each timed on its own, {rounds} times."],
        [Target("explain(s, suggest=False) / rule.matches on ordinary strings", ratio, 100.0)],
        {"matches": ordinary.median, **singles},
    )


def growth(bench: Bench) -> Section:
    """Growth of time and memory on hostile shapes."""
    sizes = bench.settings.sizes
    found = list(measure_growth(bench.rule, sizes, limit=bench.settings.shape_limit))
    rows = []
    for shape in SHAPES:
        answers = {g.question: g for g in found if g.shape == shape}
        memory = max(g.memory for g in answers.values() if g.question != "suggestion")
        rows.append([shape, *(_grown(answers.get(q), sizes[-1]) for q in QUESTIONS), figure(memory)])
    return Section(
        "Growth",
        ("shape", *QUESTIONS, "bytes/char"),
        rows,
        [
            f"{len(SHAPES)} shapes at {', '.join(f'{size:,}' for size in sizes)} characters: the exponent "
            "over all sizes, and the time at the largest (named when the time limit came before it). "
            "An exponent below 1 means that a fixed cost shows, or that the answer is known before the end.",
            f"bytes/char: the peak of allocated memory at {MEMORY_SIZE:,} characters, over the input's "
            "length, for the hungriest question but the suggestion.",
        ],
        [_growth_target(q, [g for g in found if g.question == q], sizes[-1]) for q in QUESTIONS],
        [{**asdict(g), "exponent": g.exponent, "last_exponent": g.last_exponent} for g in found],
    )


def _grown(growth: Growth | None, largest: int) -> str:
    if growth is None:
        return ""
    size = max(growth.seconds)
    where = "" if size == largest else f" at {size:,}"
    return f"{growth.exponent:.2f}, {duration(growth.seconds[size])}{where}"


def _growth_target(question: str, found: Sequence[Growth], largest: int) -> Target:
    worst = max(found, key=lambda g: g.exponent, default=None)
    if worst is None:
        return Target(f"growth exponent, {question}", math.nan, 1.1)
    reached = sum(max(g.seconds) == largest for g in found)
    above = sum(g.exponent > 1.1 for g in found)
    text = (
        f"growth exponent of {question}: the largest of {len(found)} shapes, {worst.shape!r}; {above} above "
        f"1.1; {reached} reached {largest:,} characters in time"
    )
    return Target(text, worst.exponent, 1.1)


def commands(bench: Bench) -> Section:
    """``abnforge check`` on the corpus, against the script that one would write instead."""
    if not hasattr(os, "wait4"):
        return Section(
            "Command", ("command",), [], ["Left out: this system does not tell a process' peak memory."]
        )
    lines = bench.corpus.strings[: bench.settings.lines]
    found = measure_commands(lines, min(5, bench.settings.rounds))
    script, check, bare, script_more, more = found
    bases = {c.name: script_more if c in (script_more, more) else script for c in found}
    rows = [
        [c.name, duration(c.seconds), figure(c.seconds / bases[c.name].seconds), f"{c.peak:.0f}"]
        for c in found
    ]
    return Section(
        "Command",
        ("command", "time", "x script on the same lines", "peak MB"),
        rows,
        [
            f"{len(lines):,} lines, {sum(map(len, lines)) / len(lines):.0f} characters each; processes "
            "started fresh, reports thrown away. The script prints number and text of a rejected line."
        ],
        [
            Target("abnforge check --format jsonl / script", check.seconds / script.seconds, 4.0),
            Target("the same with --no-suggest", bare.seconds / script.seconds, 4.0),
            Target("peak memory on 4 x the lines / on the lines", more.peak / bare.peak, 1.1),
        ],
        [asdict(c) for c in found],
    )


def mistakes(bench: Bench) -> Section:
    """Who is strict, and who is wrong how often: verdicts against the automaton."""
    half = bench.settings.slow_strings
    few = [*bench.valid[:half], *bench.rejected[:half]]
    by_hand = Peer("python", "fullmatch(s) is not None", lambda: Contender(BY_HAND, fullmatch))
    ours = Peer("python", "the generated pattern", lambda: Contender("rule.matches", bench.rule.matches))
    rows, data = [], []
    for peer, contender, strings in [
        *((p, c, bench.corpus.strings) for p, c in available((ours, by_hand, *peers.VERDICTS))),
        *((p, c, few) for p, c in available(peers.SLOW_VERDICTS)),
    ]:
        real = count_mistakes(peer, contender, bench.rule, strings)
        tricky = count_mistakes(peer, contender, bench.rule, TRICKY)
        rows.append(
            [
                contender.name,
                f"{real.strings:,}",
                str(len(real.accepted)),
                str(len(real.rejected)),
                str(len(tricky.accepted)),
                str(len(tricky.rejected)),
                str(len(real.crashed) + len(tricky.crashed)),
                _shown(example(tricky.accepted, real.accepted)),
                _shown(example(tricky.rejected, real.rejected)),
            ]
        )
        data.append({"real": asdict(real), "tricky": asdict(tricky)})
    head = (
        "verdict",
        "strings",
        "wrongly yes",
        "wrongly no",
        "yes (tricky)",
        "no (tricky)",
        "crashes",
        "a yes",
        "a no",
    )
    notes = [
        f"Against the minimal automaton of URI; {len(bench.rejected):,} of the corpus' "
        f"{len(bench.corpus.strings):,} strings are not valid. Tricky: {len(TRICKY)} strings that validators "
        "are known to get wrong. A yes by a parser that never promised to validate is no defect of it, but a "
        "surprise for who relies on it.",
        "\n".join(f"- {c.name}: {p.terms}" for p, c in available((*peers.VERDICTS, *peers.SLOW_VERDICTS))),
    ]
    return Section("Mistakes", head, rows, notes, data=data)


def drawn(results: Mapping[str, Section], strings: int) -> str:
    """The chart of the sections verdicts and mistakes, as SVG."""
    seconds = {name: median(rounds) for name, rounds in results["verdicts"].data.items()}
    judges = []
    for each in results["mistakes"].data:
        real = each["real"]
        if real["strings"] == strings and real["name"] in seconds:
            wrong = len(real["accepted"]) + len(real["rejected"]) + len(real["crashed"])
            judges.append(Judge(real["name"], seconds[real["name"]], wrong, real["name"] == "rule.matches"))
    return chart(judges, strings)


SECTIONS: dict[str, Callable[[Bench], Section]] = {
    "verdicts": verdicts,
    "components": components,
    "slow": slow,
    "rejections": rejections,
    "kernel": lambda bench: kernel(bench.corpus.strings, bench.settings.strings // 4, bench.settings.rounds),
    "columns": lambda bench: columns(bench.corpus.strings, bench.settings.rows, bench.settings.rounds),
    "ingest": lambda bench: ingestion(
        bench.rule,
        bench.valid,
        bench.rejected,
        bench.settings.table_rows,
        min(3, bench.settings.rounds),
    ),
    "first-use": lambda bench: first_use(3 * bench.settings.rounds),
    "commands": commands,
    "mistakes": mistakes,
    "growth": growth,
    "recursive": lambda bench: recursive.documents(bench.settings.rounds),
    "hard": lambda bench: recursive.hard(15 * bench.settings.shape_limit),
}


def _single(ask: Callable[[str], object], text: str, rounds: int) -> float:
    found = []
    for _ in range(rounds):
        start = perf_counter()
        ask(text)
        found.append(perf_counter() - start)
    return median(found)


def _compared(timings: dict[str, Timing], ours: Timing) -> list[list[str]]:
    return [
        [t.name, figure(t.median * 1e6), figure(t.ratio(ours)), figure(t.paired_ratio(ours))]
        for t in timings.values()
    ]


def _ratio(text: str, upper: Timing, lower: Timing, wanted: float, *, at_least: bool = False) -> Target:
    """A target for a ratio of medians; the text also tells the median of the ratios."""
    paired = figure(upper.paired_ratio(lower))
    return Target(f"{text} (median of ratios {paired})", upper.ratio(lower), wanted, at_least)


def _faster(timings: dict[str, Timing], ours: Timing, wanted: dict[str, float]) -> list[Target]:
    return [
        _ratio(f"{name} / rule.matches", timings[name], ours, factor, at_least=True)
        for name, factor in wanted.items()
        if name in timings
    ]


def _data(timings: dict[str, Timing]) -> dict[str, tuple[float, ...]]:
    return {name: timing.rounds for name, timing in timings.items()}


def _shown(text: str | None) -> str:
    return "" if text is None else f"`{ascii(text)[:40]}`"
