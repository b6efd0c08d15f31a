"""Run implementations on the test suites of rules. ``implementations.toml`` lists both."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

import abnforge
from abnforge.conformance.causes import Deviation
from abnforge.conformance.judges import Answer, FunctionJudge, Judge
from abnforge.conformance.learning import UnfinishedError, learn
from abnforge.conformance.matrix import Matrix, matrix_of
from abnforge.conformance.programs import Process
from abnforge.conformance.running import run_suite
from abnforge.conformance.suites import Suite, suite
from reporting.excuses import EXCUSES

HERE = Path(__file__).parent
LISTED = tomllib.loads((HERE / "implementations.toml").read_text("utf-8"))
SECTIONS: list[dict[str, Any]] = LISTED["section"]
PROMISES = {
    "specification": "the specification",
    "another": "another specification",
    "own": "their own rules",
    "splits": "no validation",
}
SPELLINGS: dict[str, dict[int, int]] = {"T Z": str.maketrans("tz", "TZ")}
"""Suffixes of rule names for a spelling: some implementations accept letters of only one case."""

Row = dict[str, Any]
"""A result, as stored in ``results.json``."""


@dataclass(frozen=True)
class Ask:
    """The call of an implementation for a rule; the top of ``implementations.toml`` explains the fields."""

    call: str
    test: str = ""
    parses: bool = False
    without: str = ""
    strings: int | None = None
    slow: bool = False
    program: Sequence[str] = ()
    known: str = ""
    setup: str = ""
    utf8: bool = False

    @contextmanager
    def judge(self) -> Iterator[Judge]:
        """Import the implementation, or start its program."""
        if self.program:
            command, script, *arguments = self.program
            with Process([command, str(HERE / script), *arguments]) as process:
                yield process
            return
        names: dict[str, Any] = {}
        exec(self.setup, names)
        test = eval(f"lambda s: {self.test or self.call}", names)
        excluded = frozenset(self.without)
        yield FunctionJudge(lambda s: excluded.isdisjoint(s) and (bool(test(s)) or self.parses))

    def reproduced(self, texts: Sequence[str]) -> list[bool]:
        """Return the verdicts of a new process; a Python implementation runs without abnforge."""
        if self.program:
            with self.judge() as judge:
                return [answer is not None and answer.yes for answer in judge.answers(texts)]
        job = [self.setup, self.test or self.call, self.parses, self.without, list(texts)]
        command = [sys.executable, "-W", "ignore", "-c", _REPRODUCE]
        run = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=True)
        return list(map(bool, json.loads(run.stdout)))


_REPRODUCE = """
import json, sys
setup, test, parses, without, texts = json.load(sys.stdin)
exec(setup)
def accepts(s):
    try:
        return not set(without) & set(s) and (bool(eval(test, {**globals(), "s": s})) or parses)
    except Exception:
        return False
print(json.dumps([accepts(each) for each in texts]))
"""


@dataclass(frozen=True)
class Implementation:
    """An implementation in the report. ``ask`` maps rules to calls."""

    name: str
    package: str
    promise: str
    says: str
    source: str
    ask: Mapping[str, Ask]
    beside: Sequence[str] = ()


def implementations() -> list[Implementation]:
    """Return the listed implementations, in the order of the page."""
    utf8 = {rule for section in SECTIONS if section.get("utf8") for rule in section["rules"]}
    rows = []
    for row in LISTED["implementation"]:
        setup = row.pop("setup", "")
        asks = {rule: Ask(setup=setup, utf8=rule in utf8, **ask) for rule, ask in row.pop("ask").items()}
        rows.append(Implementation(**{"package": row["name"]} | row, ask=asks))
    return [each for promise in PROMISES for each in rows if each.promise == promise]


IMPLEMENTATIONS = implementations()


class _Adapter(Judge):
    """Adapts strings to an implementation. Skips excused strings and strings that UTF-8 cannot encode."""

    def __init__(self, judge: Judge, rule: str, ask: Ask) -> None:
        name, _, spelling = rule.partition(" ")
        self._judge, self._rule = judge, abnforge.rule(name)
        self._letters = SPELLINGS.get(spelling, {})
        self._excuse = EXCUSES.get(name)
        self._utf8 = ask.utf8
        self.is_slow = judge.is_slow or ask.slow

    def answers(self, texts: Sequence[str]) -> Iterator[Answer | None]:
        """Yield the answer for each string, or None if the string is skipped."""
        spelled = [text.translate(self._letters) for text in texts]
        for text, answer in zip(texts, self._judge.answers(spelled), strict=True):
            rejected = answer is not None and not answer.yes
            surrogates = self._utf8 and any("\ud800" <= char <= "\udfff" for char in text)
            yield None if surrogates or (rejected and self._excused(text)) else answer

    def _excused(self, text: str) -> bool:
        return self._excuse is not None and self._rule.matches(text) and self._excuse(self._rule, text)


@cache
def suite_of(rule: str, strings: int | None = None) -> Suite:
    """Return the test suite of a rule; ``strings`` limits it to a sample spread over the whole suite."""
    whole = suite(abnforge.rule(rule.partition(" ")[0]))
    if strings is None or len(whole) <= strings:
        return whole
    vectors = list(whole)
    part = [vectors[place * len(vectors) // strings] for place in range(strings)]
    return Suite(whole.rule, part, None, f"{len(part):,} strings of its suite were asked.")


@cache
def fingerprint(rule: str, strings: int | None = None) -> str:
    """Return a digest of the strings and verdicts of a test suite."""
    digest = sha256()
    for vector in suite_of(rule, strings):
        digest.update(f"{vector.text!a}{vector.valid}\n".encode())
    return digest.hexdigest()[:12]


def cause(deviation: Deviation) -> str:
    """Return the code of the rejection by the rule, or else the innermost rule at the difference."""
    inside = deviation.rule_path[-1] if deviation.rule_path else deviation.rule.name
    return deviation.code or inside


def _wrong(deviations: Sequence[Deviation], letters: dict[int, int]) -> Row | None:
    """Return the number of causes, and the shortest string together with its cause."""
    if not deviations:
        return None
    first = min(deviations, key=lambda each: (len(each.text), each.text))
    return {"causes": len(deviations), "text": first.text.translate(letters), "reason": cause(first)}


def measure(implementation: Implementation, rule: str, date: str) -> Row:
    """Run an installed implementation on the test suite of a rule."""
    ask = implementation.ask[rule]
    letters = SPELLINGS.get(rule.partition(" ")[2], {})
    with ask.judge() as judge:
        report = run_suite(suite_of(rule, ask.strings), _Adapter(judge, rule, ask))
    return {
        "implementation": implementation.name,
        "rule": rule,
        "tried": report.tried,
        "skipped": report.skipped,
        "differing": report.differing,
        "accepts": _wrong(report.wrongly_accepted, letters),
        "refuses": _wrong(report.wrongly_rejected, letters),
        "versions": versions(implementation),
        "date": date,
        "suite": fingerprint(rule, ask.strings),
        "states": None,
    }


MAX_COMPARED = 3_000
"""Maximum number of strings to compare implementations with each other."""


def compare(implementations: Sequence[Implementation], rule: str) -> Matrix:
    """Compare installed implementations with a rule and each other, by a part of its suite.

    Raises ValueError if a new process does not reproduce the verdicts on the shortest string of a cluster.
    """
    asks = {each.name: each.ask[rule] for each in implementations}
    with ExitStack() as stack:
        judges = {name: stack.enter_context(ask.judge()) for name, ask in asks.items()}
        adapted = {name: _Adapter(judge, rule, asks[name]) for name, judge in judges.items()}
        matrix = matrix_of(suite_of(rule, MAX_COMPARED), adapted)
    letters = SPELLINGS.get(rule.partition(" ")[2], {})
    for name, ask in asks.items():
        verdicts = {cluster.text: name in cluster.accepted for cluster in matrix.clusters}
        again = ask.reproduced([text.translate(letters) for text in verdicts])
        if wrong := [text for text, yes in zip(verdicts, again, strict=True) if verdicts[text] is not yes]:
            raise ValueError(f"{name}: a new process gives another verdict on {wrong[:3]!a}")
    return matrix


def with_current_code(row: Row) -> Row:
    """Replace the code of a result by the code that the rule now reports for the wrongly accepted string."""
    if row["accepts"] is None:
        return row
    text = row["accepts"]["text"]
    deviation = Deviation(abnforge.rule(row["rule"].partition(" ")[0]), text, valid=False, count=1, offset=0)
    return {**row, "accepts": {**row["accepts"], "reason": cause(deviation)}}


QUERIES = 200_000
"""Maximum number of strings to learn an implementation."""

# Some implementations require a known scheme. None of these schemes contains a letter of a test suite.
_SEEDS = ("http://example.com/", "https://a.example:80/?a#b", "file:///a")


def learned(ask: Ask, rule: str) -> str | None:
    """Learn an implementation with at most ``QUERIES`` calls, and return its number of states.

    Returns None if the rule is recursive or has excuses, or if the implementation is slow.
    """
    name = rule.partition(" ")[0]
    reference = abnforge.rule(name)
    if ask.slow or name in EXCUSES or not reference.regular:
        return None
    seeds = _SEEDS if reference.matches(_SEEDS[0]) else ()
    with ask.judge() as judge:
        try:
            return f"{learn(judge, reference, seeds=seeds, queries=QUERIES).states:,}"
        except UnfinishedError as unfinished:
            return f"{unfinished.learnt.states if unfinished.learnt else 0:,}+"


def versions(implementation: Implementation) -> dict[str, str] | None:
    """Return the installed versions by package; None for a missing package."""
    packages = [implementation.package, *implementation.beside]
    if not {"node", "java"} & {each.partition(":")[0].replace("npm", "node") for each in packages}:
        packages.append("python")
    installed = {each: version for each in packages if (version := _version(each)) is not None}
    return installed if len(installed) == len(set(packages)) else None


@cache
def _version(package: str) -> str | None:
    if package == "python":
        return platform.python_version()
    if package == "node":
        return (_output("node", "--version") or "").lstrip("v") or None
    if package == "java":
        return _output("java", "--version", words=2)
    kind, _, name = package.partition(":")
    if kind == "npm":
        return _output("node", "-p", f"require({json.dumps(name + '/package.json')}).version")
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _output(command: str, *arguments: str, words: int = 1) -> str | None:
    """Return the last word on the first line that a command prints."""
    if shutil.which(command) is None:
        return None
    done = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=60, check=False)
    printed = done.stdout.split()[:words]
    return printed[-1] if done.returncode == 0 and printed else None
