"""Deviations that are known and accepted, each with its reason: a file in TOML.

An example::

    [[known]]
    text = "\\n"
    valid = false                # what the rule says
    reason = "the pattern ends in $; issue 12"
    rule = "rfc3986:port"        # where there are several

A text that TOML cannot hold is ``base64`` instead, as in files of vectors. A known string stands for all that
have its cause; one that is answered as the rule says has vanished, which is told.
"""

from __future__ import annotations

import json
import tomllib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from abnforge.catalog import ArgumentError
from abnforge.conformance.causes import Causes, Deviation
from abnforge.conformance.judges import Judge
from abnforge.conformance.messages import message
from abnforge.conformance.running import Report
from abnforge.conformance.vectors import text_of
from abnforge.engine.rule import Rule

_KEYS = {"text", "base64", "valid", "reason", "rule"}


@dataclass(frozen=True, slots=True)
class Known:
    """An accepted deviation with its reason. ``rule`` is ``grammar:rule``, or None for any rule."""

    text: str
    valid: bool
    reason: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Sorted:
    """The deviations of a report: ``new`` ones; ``accepted`` ones with the reasons; and what ``vanished``."""

    new: tuple[Deviation, ...]
    accepted: tuple[tuple[Deviation, str], ...]
    vanished: tuple[Known, ...]


def read_known(path: Path) -> list[Known]:
    """Read the entries of a file. Raises OSError, and ValueError for an invalid file."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # no UTF-8, no TOML
        raise ArgumentError(message("known-toml", path=str(path), reason=str(error))) from None
    entries = table.get("known", [])
    if set(table) - {"known"} or not isinstance(entries, list):
        raise ArgumentError(message("known-tables", path=str(path)))
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(_entry(entry))
        except ArgumentError as error:
            told = message("known-entry", path=str(path), number=number, problem=error.message)
            raise ArgumentError(told) from None
    return found


def _entry(entry: object) -> Known:
    if not isinstance(entry, Mapping):
        raise ArgumentError(message("known-not-table"))
    if unknown := sorted(set(entry) - _KEYS):
        raise ArgumentError(message("known-key", key=unknown[0], keys=tuple(sorted(_KEYS))))
    text, valid, reason, rule = text_of(entry), entry.get("valid"), entry.get("reason"), entry.get("rule")
    if not isinstance(valid, bool):
        raise ArgumentError(message("known-valid"))
    if not isinstance(reason, str) or not reason.strip():
        raise ArgumentError(message("known-reason"))
    if rule is not None and not isinstance(rule, str):
        raise ArgumentError(message("known-rule"))
    return Known(text, valid, reason, rule)


def sort_out(report: Report, judge: Judge, known: Sequence[Known]) -> Sorted:
    """Return the known and the new deviations of a report. Raises ValueError for an entry that is wrong
    about the rule, or whose string cannot be passed to the implementation. Cost: some verdicts per entry.
    """
    rule = report.suite.rule
    reasons: dict[object, str] = {}
    vanished = []
    causes = Causes(rule, judge)
    for each in known:
        if each.rule not in (None, f"{rule.grammar.name}:{rule.name}"):
            continue
        if rule.matches(each.text) is not each.valid:
            code = "known-no-match" if each.valid else "known-matches"
            raise ArgumentError(message(code, rule=rule.name, text=each.text))
        answer = judge.ask(each.text)
        if answer is None:
            raise ArgumentError(message("judge-unsupported", text=each.text))
        if answer.yes is each.valid:
            vanished.append(each)
        else:
            reasons.setdefault(causes.settled(each.text, each.valid), each.reason)
    new = tuple(each for each in report.deviations if each.cause not in reasons)
    accepted = tuple((each, reasons[each.cause]) for each in report.deviations if each.cause in reasons)
    return Sorted(new, accepted, tuple(vanished))


def written(rule: Rule, deviations: Iterable[Deviation], reason: str) -> Iterator[str]:
    """The lines of a file with an entry for each deviation."""
    for each in deviations:
        key, text = "text", each.text
        if any("\ud800" <= char <= "\udfff" for char in text):
            key, text = "base64", b64encode(text.encode(errors="surrogatepass")).decode()
        yield "[[known]]\n"
        # TOML's basic strings take JSON's escapes; pairs of surrogates are none, and DEL has to be one.
        shown = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
        yield f"{key} = {shown}\n"
        yield f"valid = {'true' if each.valid else 'false'}\n"
        yield f'rule = "{rule.grammar.name}:{rule.name}"\n'
        yield f"reason = {json.dumps(reason)}\n\n"
