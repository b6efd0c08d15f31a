"""Test suites of languages whose grammar is ABNF: TOML, JSON, structured fields. Part of ``check_cases.py``.

A case has a text and whether it is valid, or no verdict where implementations may differ. Each engine that
reads the rule has to give that verdict, and all of them one rejection or one tree; Lark's, which is slow, is
asked about short texts, and few of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

import abnforge
from abnforge.engine.rule import ENGINES

NAMES = ("toml", "json", "sf-list", "sf-dictionary", "sf-item")

LARK_CHARACTERS = 3_000  # of a suite, so that each takes seconds
LARK_LONGEST = 120

_TWICE = "a table or key is defined twice, or extended where it cannot be: no matter of syntax"
_DATES = "the grammar has digits; which days and times there are is told beside it"
_SPACE = "the field's value is parsed without the space around it, the grammar is that of what is left"
_NOTHING = "a field without members is not sent: the algorithm reads it, the grammar has none"

# (suite, pattern of the case's name) -> why its verdict is not the grammar's.
BEYOND: dict[tuple[str, str], str] = {
    ("toml", "invalid/array/extend*"): _TWICE,
    ("toml", "invalid/array/tables-0[12].toml"): _TWICE,
    ("toml", "invalid/inline-table/duplicate-key-*"): _TWICE,
    ("toml", "invalid/inline-table/overwrite-*"): _TWICE,
    ("toml", "invalid/key/dotted-redefine-table-*"): _TWICE,
    ("toml", "invalid/key/duplicate-keys-*"): _TWICE,
    ("toml", "invalid/spec-1.1.0/common-4[69]-[01].toml"): _TWICE,
    ("toml", "invalid/spec-1.1.0/common-50-0.toml"): _TWICE,
    ("toml", "invalid/table/append-with-dotted-keys-*"): _TWICE,
    ("toml", "invalid/table/array-implicit.toml"): _TWICE,
    ("toml", "invalid/table/duplicate-key-*"): _TWICE,
    ("toml", "invalid/table/overwrite-*"): _TWICE,
    ("toml", "invalid/table/redefine-*"): _TWICE,
    ("toml", "invalid/table/super-twice.toml"): _TWICE,
    ("toml", "invalid/*/day-zero.toml"): _DATES,
    ("toml", "invalid/*/feb-[23][90].toml"): _DATES,
    ("toml", "invalid/*/*-over.toml"): _DATES,
    ("toml", "invalid/*/mday-under.toml"): _DATES,
    ("toml", "invalid/*/month-under.toml"): _DATES,
    ("toml", "invalid/*/offset-overflow-*"): _DATES,
    (
        "toml",
        "invalid/string/bad-uni-esc*-06.toml",
    ): "which escaped numbers are scalar values is told beside it",
    ("toml", "invalid/string/basic-*out-of-range-unicode-escape-0*"): "the same",
    ("toml", "valid/utf8-bom-0*"): "a byte order mark belongs to the file, not to the text",
    ("sf-list", "list.json: empty list"): _NOTHING,
    ("sf-list", "list.json: leading SP list"): _SPACE,
    ("sf-dictionary", "dictionary.json: empty dictionary"): _NOTHING,
    ("sf-dictionary", "dictionary.json: leading whitespace dictionary"): _SPACE,
    ("sf-dictionary", "key-generated.json: 0x20 starting a dictionary key"): _SPACE,
    (
        "sf-item",
        "display-string.json: bad display string utf-8 (invalid *",
    ): "octets that are no UTF-8, escaped",
    ("sf-item", "item.json: leading and trailing *space"): _SPACE,
    ("sf-item", "token-generated.json: 0x20 starting a token"): _SPACE,
}


class Counts(Protocol):
    """What is told of the cases."""

    decisions: list[str]

    def exact(self, source: str, what: str, case: object, expected: object, got: object) -> None: ...


@dataclass(frozen=True)
class Case:
    """A case whose text is one."""

    name: str
    text: str
    expect: bool | None


def check(report: Counts, grammars: Path, names: Sequence[str] = NAMES) -> None:
    """Ask about every case of the suites that are in a folder of grammars."""
    for name in names:
        folder = grammars / "suites" / name
        if (folder / "cases.jsonl").is_file():
            about = json.loads((folder / "META.json").read_text("utf-8"))
            source = about["grammar"]
            grammar = abnforge.load(source if source.startswith("abnf:") else grammars / source)
            _check(report, name, grammar[about["rule"]], list(_cases(folder / "cases.jsonl")))


def _cases(path: Path) -> Iterator[Case]:
    for line in path.read_text("utf-8").splitlines():
        case: dict[str, Any] = json.loads(line)
        if case["text"] is not None:  # octets that are no text
            yield Case(case["id"], case["text"], case["expect"])


def _check(report: Counts, suite: str, rule: abnforge.Rule, cases: Sequence[Case]) -> None:
    engines = [e for e in ENGINES if e not in ("auto", "lark") and not (e == "automaton" and rule.recursive)]
    by_lark = {case.name for case in sample(cases)}
    for case in cases:
        # Where Lark is all that reads the rule, it reads the sample.
        if not engines and case.name not in by_lark:
            continue
        verdict = rule.matches(case.text)
        if case.expect is not None:
            reason = _beyond(suite, case.name) if verdict is not case.expect else None
            if reason is not None:
                report.decisions.append(f"{suite}: {case.name}: {reason}")
            report.exact(suite, "verdict", case.name, case.expect if reason is None else verdict, verdict)
        tried = [*engines, *(["lark"] if case.name in by_lark else [])]
        if len(tried) > 1:
            for engine in tried:
                report.exact(
                    suite, f"verdict {engine}", case.name, verdict, rule.matches(case.text, engine=engine)
                )
        if case.name in by_lark:
            answers = [_answer(rule, case.text, verdict, engine) for engine in tried]
            what = "one tree" if verdict else "one rejection"
            report.exact(suite, what, case.name, True, all(answer == answers[0] for answer in answers))


def sample(cases: Sequence[Case]) -> list[Case]:
    """Short cases from all over the suite, up to so many characters."""
    short = [case for case in cases if len(case.text) <= LARK_LONGEST]
    total = sum(len(case.text) for case in short)
    step = max(1, -(-total // LARK_CHARACTERS))
    return short[::step]


def _answer(rule: abnforge.Rule, text: str, valid: bool, engine: str) -> object:
    if valid:
        return rule.parse(text, engine=engine)
    return rule.explain(text, suggest=False, engine=engine)


def _beyond(suite: str, name: str) -> str | None:
    return next(
        (why for (of, pattern), why in BEYOND.items() if of == suite and fnmatchcase(name, pattern)), None
    )
