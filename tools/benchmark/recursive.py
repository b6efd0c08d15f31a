"""Benchmarks of recursive grammars: verdicts, events and trees, compared with other parsers."""

from __future__ import annotations

import gc
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import lark

import abnforge
from benchmark.measure import Contender, Timing, interleave
from benchmark.report import Section, Target, figure

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "grammars"
SUITES = ("toml", "json")
LONGEST = 5_000  # maximum characters per document: test suites contain a few extreme documents
SLOW = 40  # microseconds per character: slower parsers only read a few short documents
SLOW_DOCUMENTS, SLOW_LONGEST = 15, 300
FRESH_DOCUMENTS, FRESH_SHORTEST = 40, 200  # documents for first calls: number, minimum length

RECORD = {"id": 12345, "name": "caf\u00e9 \u4e2d", "tags": ["a", "b\n"], "ok": True, "x": -1.5e10, "n": None}
WRITTEN = (
    json.dumps([RECORD] * 30),
    json.dumps([RECORD] * 15, indent=2, ensure_ascii=False),
    json.dumps({"a": [[[[{"b": [RECORD, [RECORD]]}] * 2]]] * 5}, separators=(",", ":")),
)
WANTED = {"verdict": 0.15, "events": 0.6, "tree": 3.0}  # targets in microseconds per character


@dataclass(frozen=True)
class Suite:
    """A grammar file, a rule, and the documents that the rule derives."""

    name: str
    path: Path
    rule: str
    documents: tuple[str, ...]

    def fresh(self) -> abnforge.Rule:
        """Return the rule from a newly loaded grammar with empty caches."""
        return abnforge.load(self.path)[self.rule]


def suites(folder: Path = FOLDER) -> Iterator[Suite]:
    """Yield the installed contenders."""
    for name in SUITES:
        cases = folder / "suites" / name / "cases.jsonl"
        if cases.is_file():
            about = json.loads((cases.parent / "META.json").read_text("utf-8"))
            path = folder / about["grammar"]
            rule = abnforge.load(path)[about["rule"]]
            lines = map(json.loads, cases.read_text("utf-8").splitlines())
            texts = [line["text"] for line in lines if line["expect"] and len(line["text"]) <= LONGEST]
            if name == "json":  # the strings of the test suite are short: about a dozen characters
                texts += WRITTEN
            yield Suite(name, path, about["rule"], tuple(text for text in texts if rule.matches(text)))


def peers(suite: Suite) -> Iterator[Contender]:
    """Yield the abnf package and Lark with the same grammar, and a parser for only this format."""
    package = import_module("abnf")
    rules: Any = type("Rules", (package.Rule,), {})
    rules.load_grammar(_definitions(suite))
    backend = import_module("abnf.parser")._BACKEND
    yield Contender(f"abnf, {backend.title()}", rules(suite.rule).parse_all, (package.ParseError,))
    yield Contender("Lark, Earley", suite.fresh().lark.parse, (lark.exceptions.UnexpectedInput,))
    own: Callable[[str], Any] = json.loads if suite.name == "json" else tomllib.loads
    yield Contender(f"{own.__module__.partition('.')[0]}.loads", own, (ValueError,))


def _definitions(suite: Suite) -> str:
    """Return the grammar's own rules, one per line, without core rules: the abnf package defines its own."""
    core = {name.lower() for name in abnforge.loads("r = %x61\n")} - {"r"}
    grammar = abnforge.load(suite.path)
    lines = "".join(rule.definition.replace("\n", "\r\n") + "\r\n" for rule in grammar.own_rules)
    own = sorted({rule.name.lower() for rule in grammar.own_rules} & core, key=len, reverse=True)
    return re.sub(rf"(?i)(?<![\w-])({'|'.join(own)})(?![\w-])", r"own-\1", lines) if own else lines


def documents(rounds: int) -> Section:
    """Measure microseconds per character by test suite. Slow peers only parse a few short documents."""
    section = Section(
        "Recursive grammars",
        ("suite", "one document", "µs a character", "x verdict", "documents"),
        rows := [],
        [f"Valid documents of other projects' suites, {rounds} rounds; ratios on the same documents."],
        targets := [],
        timings := [],
    )
    for suite in suites():
        rule = suite.fresh()
        ours = [Contender(n, c) for n, c in zip(WANTED, (rule.matches, rule.events, rule.parse), strict=True)]
        few = [text for text in suite.documents if len(text) <= SLOW_LONGEST][:SLOW_DOCUMENTS]
        slow = [each for each in peers(suite) if _cost(each.run(_parsed([each], few)), few) > SLOW]
        quick = [each for each in peers(suite) if each.name not in {other.name for other in slow}]
        for contenders, chosen in (([*ours, *quick], suite.documents), ([ours[0], *slow], few)):
            texts = _parsed(contenders, chosen)
            measured = interleave(contenders, texts, rounds if chosen is not few else min(rounds, 3))
            for name, timing in measured.items():
                cost = _cost(timing.median * len(texts), texts)
                ratio = figure(timing.ratio(measured["verdict"]))
                rows.append([suite.name, name, figure(cost), ratio, str(len(texts))])
                if chosen is not few and name in WANTED:
                    targets.append(Target(f"{suite.name}, {name}: µs a character", cost, WANTED[name]))
                timings.append(Timing(f"{suite.name}, {len(texts)} documents: {name}", timing.rounds))
        first = [text for text in suite.documents if len(text) >= FRESH_SHORTEST][:FRESH_DOCUMENTS]
        cost = _cost(median(first_contact(suite, first) for _ in range(min(rounds, 3))), first)
        rows.append([suite.name, "verdict of a fresh grammar", figure(cost), "", str(len(first))])
    if not rows:
        section.notes = [f"Skipped: there are no suites in {FOLDER.name} next to the project."]
    return section


def first_contact(suite: Suite, texts: Sequence[str]) -> float:
    """Return the seconds that the first verdicts of newly loaded grammars take, without the time to load."""
    spent = 0.0
    for text in texts:
        matches = suite.fresh().matches
        gc.collect()
        start = perf_counter()
        matches(text)
        spent += perf_counter() - start
    return spent


def _parsed(contenders: Sequence[Contender], texts: Sequence[str]) -> list[str]:
    """Return the strings that all contenders accept: a parser that stops early would seem to be fast."""

    def accepts(contender: Contender, text: str) -> bool:
        try:
            contender.call(text)
        except Exception:  # a peer may raise any exception
            return False
        return True

    return [text for text in texts if all(accepts(contender, text) for contender in contenders)]


def _cost(seconds: float, texts: Sequence[str]) -> float:
    """Return microseconds per character."""
    return seconds / max(1, sum(map(len, texts))) * 1e6
