"""Test an implementation with a suite, group its deviations by cause, and compare them with known ones."""

from __future__ import annotations

import json
import re
import tomllib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from abnforge._lazy import NotebookView
from abnforge.budget import Budget
from abnforge.catalog import ArgumentError
from abnforge.charset import BYTES
from abnforge.conformance.causes import Causes, Deviation
from abnforge.conformance.judges import Answer, Function, Judge, as_judge, judge_for
from abnforge.conformance.messages import message
from abnforge.conformance.proof import Pattern, Proof, prove
from abnforge.conformance.suites import Suite, suite
from abnforge.conformance.vectors import Vector, text_of
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.records import attributes
from abnforge.regex.errors import PatternError
from abnforge.text import ByteText

Watch = Callable[[int, int], None]


@dataclass(frozen=True)
class Report(NotebookView):
    """The result of a suite.

    ``tried`` is the number of tested strings. For ``differing`` of them, the verdict differs from the rule;
    ``deviations`` has the causes, the shortest strings first. ``skipped`` strings could not be passed to the
    implementation. ``proof`` is for patterns and rules; if it proves equality, no string was tested.
    """

    suite: Suite
    tried: int
    differing: int
    deviations: tuple[Deviation, ...] = field(default=())
    skipped: int = 0
    proof: Proof | None = None

    @property
    def passed(self) -> bool:
        """Return whether all verdicts agree with the rule."""
        return self.differing == 0

    @property
    def guarantee(self) -> str:
        """The guarantee of a passed suite."""
        if self.proof is not None and self.proof.equal and self.passed:
            return f"Proved: {self.proof}."
        return self.suite.guarantee

    @property
    def wrongly_accepted(self) -> tuple[Deviation, ...]:
        """The deviations that only the implementation accepts."""
        return tuple(each for each in self.deviations if not each.valid)

    @property
    def wrongly_rejected(self) -> tuple[Deviation, ...]:
        """The deviations that only the rule accepts."""
        return tuple(each for each in self.deviations if each.valid)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values; the keys are stable."""
        return {
            "grammar": self.suite.rule.grammar.name,
            "rule": self.suite.rule.name,
            **attributes(self, "passed tried skipped differing guarantee"),
            "proof": None if self.proof is None else self.proof.verdict,
            "deviations": [each.to_dict() for each in self.deviations],
        }

    def __str__(self) -> str:
        more = f" {self.skipped:,} strings were skipped." if self.skipped else ""
        if self.passed and not self.tried:
            return f"passed: {self.guarantee}"
        if self.passed:
            return f"passed: {self.tried:,} strings. {self.guarantee}{more}"
        causes = "\n".join(f"  {deviation}" for deviation in self.deviations)
        kinds = "one cause" if len(self.deviations) == 1 else f"{len(self.deviations):,} causes"
        return f"differs on {self.differing:,} of {self.tried:,} strings, {kinds}:{more}\n{causes}"


def run(
    rule: Rule,
    judge: Judge | Function | re.Pattern[str] | Pattern | Rule,
    level: str = "complete",
    extra_states: int = 0,
    *,
    budget: Budget | None = None,
) -> Report:
    """Test an implementation with a suite of a rule.

    A function is called with a string, or with bytes if the alphabet of the rule is ``"bytes"``. Its result
    counts as a boolean, and an exception as a rejection. A :class:`Judge` is a program. For a pattern (a
    compiled one must match the whole string) or another rule, equality is first proved or refuted. The suite
    then shows the differences, or replaces an inconclusive proof. A pattern of bytes is not proved.

    Raises the errors of :func:`suite`, OSError for an implementation that cannot run, and PatternError for a
    pattern that is neither regular nor compiled. Cost: a verdict for each string, and some more to find and
    shorten the causes of deviations.
    """
    if rule.grammar.alphabet == BYTES and isinstance(judge, Pattern | re.Pattern):
        judge = judge_of(judge, rule)
    if not isinstance(judge, Pattern | re.Pattern | Rule):
        return run_suite(suite(rule, level, extra_states, budget=budget), as_judge(judge))
    return _proved(rule, judge, level, extra_states, budget)


def _proved(
    rule: Rule, judge: re.Pattern[str] | Pattern | Rule, level: str, extra_states: int, budget: Budget | None
) -> Report:
    try:
        proof = prove(rule, judge)
    except (PatternError, LimitExceeded):
        if not isinstance(judge, re.Pattern):
            raise
        return run_suite(suite(rule, level, extra_states, budget=budget), as_judge(judge))
    if proof.equal and not isinstance(judge, re.Pattern):
        return Report(Suite(rule, (), None, f"Proved: {proof}."), 0, 0, proof=proof)
    # the engine of a compiled pattern checks the proof
    asked = suite(rule, level, extra_states, budget=budget)
    shown = [
        Vector(text, valid, "proof")
        for text, valid in ((proof.wrongly_accepted, False), (proof.wrongly_rejected, True))
        if text is not None
    ]
    whole = Suite(rule, [*asked, *shown], asked.states, asked.guarantee, asked.lost)
    return replace(run_suite(whole, judge_of(judge, rule)), proof=proof)


def judge_of(judge: Judge | Function | re.Pattern[str] | Pattern | Rule, rule: Rule) -> Judge:
    """Convert an argument to an implementation of a rule.

    Raises TypeError; ValueError for a pattern that cannot match bytes, if the rule does.
    """
    match judge:
        case Rule():
            return as_judge(judge.matches)
        case Pattern():
            function: Any = judge.of_bytes if rule.grammar.alphabet == BYTES else judge.automaton.accepts
            return as_judge(function)
        case _:
            return as_judge(judge, rule)


def run_suite(asked: Suite, judge: Judge, watch: Watch | None = None) -> Report:
    """Test an implementation; ``watch`` receives the numbers of tested strings and of deviations so far."""
    return report_of(asked, judge, answers_of(asked, judge, watch))


def answers_of(asked: Suite, judge: Judge, watch: Watch | None = None) -> list[Answer | None]:
    """Return the verdicts of an implementation on the strings of a suite."""
    answers = []
    differing = 0
    answered = judge_for(asked.rule, judge).answers([vector.text for vector in asked])
    for number, (vector, answer) in enumerate(zip(asked, answered, strict=True), 1):
        answers.append(answer)
        differing += answer is not None and answer.yes is not vector.valid
        if watch is not None:
            watch(number, differing)
    return answers


def report_of(asked: Suite, judge: Judge, answers: Sequence[Answer | None]) -> Report:
    """Group the deviations of an implementation by cause."""
    answered = [(vector, each) for vector, each in zip(asked, answers, strict=True) if each is not None]
    skipped = len(asked) - len(answered)
    differing = [(vector, each) for vector, each in answered if each.yes is not vector.valid]
    if not differing:
        return Report(asked, len(answered), 0, (), skipped)
    causes = Causes(asked.rule, judge_for(asked.rule, judge))
    # An implementation that rejects everything does not diverge from the rule at an offset.
    accepts = any(each.yes for _, each in answered)
    deviations = tuple(causes.found(differing)) if accepts else (causes.everything(differing),)
    return Report(asked, len(answered), len(differing), deviations, skipped)


# Known deviations, with reasons, in a TOML file::
#
#     [[known]]
#     text = "\\n"
#     valid = false                # the verdict of the rule
#     reason = "the pattern ends in $; issue 12"
#     rule = "rfc3986:port"        # optional
#     implementation = "regex"     # optional, if several are tested
#
# A string that TOML cannot contain, or a string of bytes, is encoded as ``base64``, as in vector files. An
# entry represents all strings with its cause. It has vanished if the implementation now agrees with the rule.


_KEYS = {"text", "base64", "alphabet", "valid", "reason", "rule", "implementation"}


@dataclass(frozen=True, slots=True)
class Known:
    """An accepted deviation with its reason.

    ``rule`` is ``grammar:rule``, and ``implementation`` a name; None means any.
    """

    text: str
    valid: bool
    reason: str
    rule: str | None = None
    implementation: str | None = None


@dataclass(frozen=True, slots=True)
class Triage:
    """The ``new`` and the ``accepted`` deviations of a report, and entries that ``vanished``."""

    new: tuple[Deviation, ...]
    accepted: tuple[tuple[Deviation, str], ...]
    vanished: tuple[Known, ...]


def read_known(path: Path) -> list[Known]:
    """Read the entries of a file. Raises OSError, and ValueError for an invalid file."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # not UTF-8 or not TOML
        raise ArgumentError(message("known-toml", path=str(path), reason=str(error))) from None
    entries = table.get("known", [])
    if set(table) - {"known"} or not isinstance(entries, list):
        raise ArgumentError(message("known-tables", path=str(path)))
    deviations = []
    for number, entry in enumerate(entries, 1):
        try:
            deviations.append(_entry(entry))
        except ArgumentError as error:
            problem = message("known-entry", path=str(path), number=number, problem=error.message)
            raise ArgumentError(problem) from None
    return deviations


def _entry(entry: object) -> Known:
    if not isinstance(entry, Mapping):
        raise ArgumentError(message("known-not-table"))
    if unknown := sorted(set(entry) - _KEYS):
        raise ArgumentError(message("known-key", key=unknown[0], keys=tuple(sorted(_KEYS))))
    text, valid, reason, rule = text_of(entry), entry.get("valid"), entry.get("reason"), entry.get("rule")
    implementation = entry.get("implementation")
    if not isinstance(valid, bool):
        raise ArgumentError(message("known-valid"))
    if not isinstance(reason, str) or not reason.strip():
        raise ArgumentError(message("known-reason"))
    if rule is not None and not isinstance(rule, str):
        raise ArgumentError(message("known-rule"))
    if implementation is not None and not isinstance(implementation, str):
        raise ArgumentError(message("known-implementation"))
    return Known(text, valid, reason, rule, implementation)


def triage(report: Report, judge: Judge, entries: Sequence[Known]) -> Triage:
    """Return the known and the new deviations of a report.

    Raises ValueError for an entry that states a wrong verdict of the rule, or with a string that cannot be
    passed to the implementation. Cost: a few verdicts per entry.
    """
    rule = report.suite.rule
    reasons: dict[object, str] = {}
    vanished = []
    judge = judge_for(rule, judge)
    causes = Causes(rule, judge)
    for each in entries:
        if each.rule not in (None, f"{rule.grammar.name}:{rule.name}"):
            continue
        if rule._is_match(each.text) is not each.valid:
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
    return Triage(new, accepted, tuple(vanished))


def written(
    rule: Rule, deviations: Iterable[Deviation], reason: str, implementation: str | None = None
) -> Iterator[str]:
    """Yield the lines of a file with an entry for each deviation."""
    for each in deviations:
        key, text = "text", each.text
        alphabet = ""
        if isinstance(text, ByteText):
            key, text = "base64", b64encode(bytes(text)).decode()
            alphabet = f'alphabet = "{BYTES}"\n'
        elif any("\ud800" <= char <= "\udfff" for char in text):
            key, text = "base64", b64encode(text.encode(errors="surrogatepass")).decode()
        yield "[[known]]\n"
        # TOML's basic strings allow JSON's escapes, except for surrogates; DEL must be escaped.
        shown = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
        yield f"{key} = {shown}\n{alphabet}"
        yield f"valid = {'true' if each.valid else 'false'}\n"
        yield f'rule = "{rule.grammar.name}:{rule.name}"\n'
        if implementation is not None:
            yield f"implementation = {json.dumps(implementation)}\n"
        yield f"reason = {json.dumps(reason)}\n\n"
