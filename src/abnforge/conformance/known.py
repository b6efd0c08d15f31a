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

from abnforge.conformance.causes import Causes
from abnforge.conformance.deviations import Deviation
from abnforge.conformance.judges import Judge
from abnforge.conformance.running import Report
from abnforge.conformance.vectors import text_of
from abnforge.engine.rule import Rule

_KEYS = {"text", "base64", "valid", "reason", "rule"}


@dataclass(frozen=True, slots=True)
class Known:
    """A string that an implementation answers otherwise than the rule, and why that is accepted. ``rule`` is
    ``grammar:rule``, None for whichever is asked.
    """

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
    """The entries of a file. Raises OSError, and ValueError for what is none."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # no UTF-8, no TOML
        raise ValueError(f"{path} is no TOML: {error}") from None
    entries = table.get("known", [])
    if set(table) - {"known"} or not isinstance(entries, list):
        raise ValueError(f"{path}: entries are tables [[known]], and nothing else")
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            found.append(_entry(entry))
        except ValueError as error:
            raise ValueError(f"{path}: entry {number}: {error}") from None
    return found


def _entry(entry: object) -> Known:
    if not isinstance(entry, Mapping):
        raise ValueError("an entry is a table")
    if unknown := sorted(set(entry) - _KEYS):
        raise ValueError(f"there is no {unknown[0]!r}; there are {', '.join(sorted(_KEYS))}")
    text, valid, reason, rule = text_of(entry), entry.get("valid"), entry.get("reason"), entry.get("rule")
    if not isinstance(valid, bool):
        raise ValueError("valid is missing, true or false: what the rule says of the text")
    if not isinstance(reason, str) or not reason.strip():
        raise ValueError("reason is missing: why is that accepted?")
    if rule is not None and not isinstance(rule, str):
        raise ValueError('rule is a string, "grammar:rule"')
    return Known(text, valid, reason, rule)


def sort_out(report: Report, judge: Judge, known: Sequence[Known]) -> Sorted:
    """Which deviations of a report are known. Raises ValueError for an entry that is wrong about the rule, or
    about a string that the implementation cannot be asked. Cost: some questions an entry.
    """
    rule = report.suite.rule
    reasons: dict[object, str] = {}
    vanished = []
    causes = Causes(rule, judge)
    for each in known:
        if each.rule not in (None, f"{rule.grammar.name}:{rule.name}"):
            continue
        if rule.matches(each.text) is not each.valid:
            said = "derives" if not each.valid else "does not derive"
            raise ValueError(f"{rule.name} {said} {each.text!r}, and a known deviation says otherwise")
        answer = judge.ask(each.text)
        if answer is None:
            raise ValueError(f"the implementation cannot be asked for {each.text!r}, a known deviation")
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
