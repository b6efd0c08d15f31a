"""Mistakes that people made in ABNF, seen in public: what lint says to them. Part of ``check_cases.py``.

A case has a text, the blamed line, and ABNF that says what was meant. Of a text that is not ABNF the first
error is on that line, and the text after all edits says the same as what was meant: rule by rule, by set
algebra. Of ABNF that says something else, a finding that is to the point is on that line. What is not so is a
known miss, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import abnforge
from abnforge.linting.finding import fix

_UNKNOWN = "what was meant cannot be known from the text"

# Case -> why no edit is offered.
WITHOUT_EDITS: Mapping[str, str] = {
    "g037": "a second definition may add to the first, replace it, or be for another name",
    "g082": "the rule's name is missing",
    "g166": "of three double quotes, any may be the one too many",
    "g169": _UNKNOWN + ": the rule is another specification's",
    "g175": _UNKNOWN + ": no rule has a name like it",
}

# Case -> the finding that is to the point.
TO_THE_POINT: Mapping[str, str] = {
    "g001": "comment-disagrees",
    "g013": "escape-in-string",
    "g016": "case-insensitive-literal",
    "g019": "comment-disagrees",
    "g028": "core-rule-redefined",
    "g052": "suspicious-range",
    "g061": "left-recursion-indirect",
    "g091": "nullable-loop",
    "g094": "comment-disagrees",
    "g118": "prose-val",
    "g124": "comment-disagrees",
    "g127": "suspicious-range",
    "g136": "shadowed-alternative",
    "g160": "surrogates-in-range",
    "g187": "utf8-octets",
    "g190": "comment-disagrees",
}

# Case -> why nothing is said that is to the point.
SILENT: Mapping[str, str] = {
    "g004": "that elements come in any order is said in words alone",
    "g040": "a doubled element may be meant",
    "g046": "at least four may be meant",
    "g058": "what depends on what is said in words alone",
    "g079": "an element is missing without a trace",
    "g097": "what a tuple is, is said in words alone",
    "g115": "validity does not depend on the order of alternatives",
    "g145": 'a ";" at the end of a rule is an empty comment, and changes nothing',
    "g157": "the rule that is referred to exists",
}


class Report(Protocol):
    """What the checks are told to."""

    decisions: list[str]

    def exact(self, source: str, what: str, case: object, expected: object, got: object) -> None:
        """Count a fact; another value is a failure."""


def check(report: Report, path: Path) -> None:
    """Check every case of a file of JSON lines, if it is there."""
    if not path.is_file():
        return
    for line in path.read_text("utf-8").splitlines():
        case = json.loads(line)
        (_syntax if case["class"] == "syntax" else _semantic)(report, path.stem, case)


def _syntax(report: Report, source: str, case: Mapping[str, Any]) -> None:
    text, name = case["text"], case["id"]
    told = [finding for finding in abnforge.lint(text) if finding.severity != "info"]
    report.exact(source, "line", name, case["line"], told[0].line if told else None)
    fixed = fix(text, abnforge.lint).text
    outcome = "no edits" if fixed == text else "as meant" if _same(fixed, case["meant"]) else fixed
    report.exact(source, "edits", name, "no edits" if name in WITHOUT_EDITS else "as meant", outcome)
    if name in WITHOUT_EDITS:
        report.decisions.append(f"{source}: {name} ({case['kind']}) has no edits: {WITHOUT_EDITS[name]}")


def _same(text: str, meant: str) -> bool:
    """Whether every rule of the text that was meant derives the same strings in the other one."""
    if text == meant:
        return True
    try:
        ours, theirs = abnforge.loads(text), abnforge.loads(meant)
    except abnforge.GrammarError:
        return False
    for rule in theirs.own_rules:
        if rule.name not in ours:
            return False
        try:
            if abnforge.compare(ours[rule.name], rule).relation != "equal":
                return False
        except abnforge.GrammarError:  # prose: it can only be compared as it is written
            if ours[rule.name].definition != rule.definition:
                return False
    return True


def _semantic(report: Report, source: str, case: Mapping[str, Any]) -> None:
    name = case["id"]
    lines = {(finding.name, finding.line) for finding in abnforge.lint(case["text"])}
    expected = TO_THE_POINT.get(name)
    found = any(each == expected and line in (case["line"], case["line"] - 1) for each, line in lines)
    report.exact(source, "to the point", name, name not in SILENT, found)
    if name in SILENT:
        report.decisions.append(f"{source}: {name} ({case['kind']}) is not told: {SILENT[name]}")
