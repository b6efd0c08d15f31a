"""Grade answers: an answer is right if it accepts exactly the strings of the reference.

A string of the task is preferred to another shortest string of the same length. The key example is the first
of these that applies:

1. A string that the task shows.
2. The wrongly rejected string, if the answer accepts no valid string.
3. The shorter string.
4. The wrongly accepted string, since the reference reports its mistake and the expected characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from abnforge._arguments import instance_argument, plain_argument
from abnforge._lazy import NotebookView
from abnforge.automata.algebra import EQUAL
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.comparison.rules import Comparison, compare, reason
from abnforge.engine.grammar import sentences
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import CharVal, Group, NumVal, Option, Rulelist, RuleName, references, walk
from abnforge.linting.finding import Finding, from_error
from abnforge.linting.source import lint
from abnforge.records import attributes
from abnforge.rejection import Rejection
from abnforge.teaching.causes import guess, misfit, misread
from abnforge.teaching.changes import BOTH, OVER, UNDER
from abnforge.teaching.exercises import (
    Exercise,
    Misconception,
    NotAllowedError,
    inlined_reference,
    load_answer,
    load_misconception,
    reference,
)
from abnforge.teaching.findings import findings
from abnforge.teaching.fixes import repair
from abnforge.teaching.messages import message

# Findings that do not concern the style of a small answer.
_NO_STYLE = {
    "case-insensitive-literal",
    "check-incomplete",
    "example-directive",
    "import-collision",
    "list-notation",
    "search-ended",
    "useless-allow",
}


MOST_HINTS = 5

# A long answer has at least LONGER times as many elements as the reference, and at least MORE elements more.
LONGER, MORE = 2, 8

# The budget of hints. It is small, because hints are optional and answers are short.
LINT_BUDGET = Budget(steps=200_000)

_CORE = ("ALPHA", "CHAR", "CR", "CRLF", "CTL", "DIGIT", "DQUOTE", "HEXDIG", "HTAB", "SP", "VCHAR", "WSP")


def style_hints(exercise: Exercise, text: str, rule: Rule) -> tuple[str, ...]:
    """Return at most ``MOST_HINTS`` hints on a right answer: lint findings, copied core rules, its size."""
    hints = dict.fromkeys((*_linted(exercise, text), *_own_core_rules(text, rule), *_long(exercise, text)))
    return tuple(hints)[:MOST_HINTS]


def size(text: str) -> int:
    """Return the number of elements of a grammar: names, strings, numbers, groups and options."""
    return sum(1 for rule in read(text).rules for _ in walk(rule.elements))


def _linted(exercise: Exercise, text: str) -> Iterator[str]:
    shown = set()
    for each in lint(text, [exercise.rule], imports=exercise.imports, budget=LINT_BUDGET):
        if each.accepted is None and each.name not in _NO_STYLE and each.name not in shown:
            shown.add(each.name)
            where = f"line {each.line}: " if each.line else ""
            yield f"{where}{each.message} [{each.code} {each.name}]"


def _own_core_rules(text: str, rule: Rule) -> Iterator[str]:
    """Yield the rules of the answer that equal a core rule. Only rules of terminals are compared."""
    core = _core_rules()
    for own in rule.grammar.own_rules:
        if own.regular and own.name.upper() not in core and not own.uses:
            for each in core.values():
                try:
                    same = compare(own, each).relation == EQUAL
                except LimitExceeded:
                    break
                if same:
                    yield message("style-core-rule", name=own.name, core=each.name)
                    break


def _core_rules() -> dict[str, Rule]:
    grammar = loads("all = " + " / ".join(_CORE) + "\n", cache=False)
    return {name: grammar[name] for name in _CORE}


def _long(exercise: Exercise, text: str) -> Iterator[str]:
    own, short = size(text), size(exercise.reference)
    if own >= LONGER * short and own >= short + MORE:
        yield message("style-long", own=own, enough=short)


# Validate strings if a comparison is inconclusive: the strings of the task, and derived strings.

MAX_DERIVED = 100  # the maximum number of strings of each kind: those that cover the rule, and random ones

_RANDOM = 20
_SEED = 1


class TrialResult(NamedTuple):
    """The shortest strings with wrong verdicts, or None, and whether every string has a verdict."""

    accepted: str | None
    refused: str | None
    complete: bool


def try_answer(exercise: Exercise, answer: Rule, required: Rule) -> TrialResult:
    """Try an answer on the strings of the task, and on some that either rule matches.

    Cost: a few hundred verdicts, each within the budget of its grammar.
    """
    complete = True
    texts = dict.fromkeys((*exercise.valid, *exercise.invalid))
    for rule in (required, answer):
        try:
            texts |= dict.fromkeys(_derived(rule))
        except LimitExceeded:
            complete = False
    accepted = refused = None
    for text in sorted(texts, key=lambda each: (len(each), each)):
        try:
            verdicts = answer.matches(text, engine="general"), required.matches(text, engine="general")
        except LimitExceeded:
            complete = False
            continue
        if verdicts == (True, False) and accepted is None:
            accepted = text
        elif verdicts == (False, True) and refused is None:
            refused = text
    return TrialResult(accepted, refused, complete)


def _derived(rule: Rule) -> Iterator[str]:
    yield from islice(sentences(rule, systematic=True), MAX_DERIVED)
    yield from sentences(rule, count=_RANDOM, seed=_SEED)


RIGHT, WRONG, UNREADABLE, UNDECIDED = "right", "wrong", "unreadable", "undecided"
"""Verdicts: the answer accepts exactly the right strings; it does not; it is not a grammar with the required
rule; grading exceeded the budget.
"""

BY_THE_ANSWER = "by the answer, "
"""The prefix of the reason why an answer rejects a valid string."""

# Families of mistakes in data, which strings of exercises do not have.
_OF_DATA = ("no-value", "template", "file-path", "obfuscation", "decoding", "deception")

MOST_SHOWN = 80  # maximum number of characters of a misconception's grammar in a message

ACCEPTED, REFUSED = "accepted", "refused"


@dataclass(frozen=True, slots=True)
class Witness:
    """A string that an answer gets wrong, and why the reference or the answer rejects it."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Grade(NotebookView):
    """The grade of an answer.

    ``verdict`` is ``right``, ``wrong``, ``unreadable`` or ``undecided``. ``wrongly_accepted`` and
    ``wrongly_rejected`` are shortest strings (with a ``bound``: among those that were tried); ``key_example``
    is the more instructive one (``accepted``, ``refused``, or None). ``mistake`` is the probable mistake; it
    is ``recognized`` if the answer has the same language as a misconception of the exercise. ``findings`` are
    the errors of an unreadable answer, with edits. If a wrong answer uses notation that the exercise does not
    allow, they name it, and no string is compared. ``style`` are hints for a right answer. ``bound``
    describes the limits of the result for recursive rules; None if the result is exact.
    """

    exercise: Exercise
    answer: str
    verdict: str
    wrongly_accepted: Witness | None = None
    wrongly_rejected: Witness | None = None
    key_example: str | None = None
    mistake: str | None = None
    recognized: bool = False
    bound: str | None = None
    findings: tuple[Finding, ...] = ()
    style: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Return whether the answer is right, up to ``bound``."""
        return self.verdict == RIGHT

    @property
    def witness(self) -> Witness | None:
        """The most instructive string."""
        return self.wrongly_accepted if self.key_example == ACCEPTED else self.wrongly_rejected

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``; the keys are stable."""
        return {
            "exercise": self.exercise.id,
            "verdict": self.verdict,
            "wrongly_accepted": _plain(self.wrongly_accepted),
            "wrongly_rejected": _plain(self.wrongly_rejected),
            **attributes(self, "key_example mistake recognized bound"),
            "findings": [each.to_dict() for each in self.findings],
            "style": list(self.style),
        }


def grade(exercise: Exercise, text: str, *, advice: bool = True, budget: Budget | None = None) -> Grade:
    """Grade an answer, which is a grammar.

    The grade is exact for rules that are known to be regular. For other rules, equality follows from the
    structure, or strings are tried, short ones first. Then ``bound`` describes these strings, and an answer
    without a wrong verdict counts as right. An answer cannot read files. With ``advice``, the grade has hints
    on the style of right answers, and single changes that fix wrong ones are tried.

    Raises TypeError; GrammarError for an exercise whose reference does not load. Cost: bounded by ``budget``
    for each part; usually a few milliseconds, tens of milliseconds with advice, and up to a few seconds for a
    long wrong answer.
    """
    instance_argument(exercise, "exercise", Exercise, "an Exercise, as exercises() gives them")
    text = plain_argument(text, "text")
    if budget is not None:
        instance_argument(budget, "budget", Budget, "an abnforge.Budget or None")
    required = reference(exercise)
    try:
        answer = load_answer(exercise, text, budget)
    except NotAllowedError as error:
        return Grade(exercise, text, WRONG, findings=(from_error(error),))
    except GrammarError as error:
        if isinstance(error, LimitExceeded) and error.setting.startswith("budget."):
            return Grade(exercise, text, UNDECIDED, bound=error.message)
        return Grade(exercise, text, UNREADABLE, findings=findings(exercise, text, error, budget))
    try:
        comparison = compare(answer, required)
        accepted, refused, bound = comparison.only_left, comparison.only_right, comparison.bound
        apart = comparison.common is None
    except LimitExceeded as error:
        comparison, accepted, refused, bound, apart = None, None, None, error.message, False
    complete = True
    if accepted is None and refused is None and bound is not None:
        accepted, refused, complete = try_answer(exercise, answer, required)
    if accepted is None and refused is None:
        if comparison is None or not complete:
            return Grade(exercise, text, UNDECIDED, bound=bound)
        right = Grade(exercise, text, RIGHT, bound=bound)
        return replace(right, style=style_hints(exercise, text, answer)) if advice else right
    accepted = _shown(exercise.invalid, accepted, answer, True)
    refused = _shown(exercise.valid, refused, answer, False)
    known = _misconception(exercise, answer, accepted, refused)
    recognized = known is not None
    if known is not None and _is_written(known, exercise, text):
        suggested: str | None = known.why
    elif apart and accepted is None and bound is None:
        suggested = message("answer-empty")
    else:
        suggested = _guess(exercise, text if advice else None, answer, accepted, refused)
        recognized = known is not None and not _is_precise(suggested)
        suggested = _as_written(known) if known is not None and recognized else suggested
    return Grade(
        exercise,
        text,
        WRONG,
        _without_names(_witness(required, accepted), exercise),
        _without_fix(_witness(answer, refused)),
        _teaches(exercise, accepted, refused, apart),
        suggested,
        recognized,
        bound,
    )


def _derives(rule: Rule, text: str) -> bool:
    """Match a string with the engine that does not compile rules, since an answer validates few strings."""
    return rule.matches(text, engine="general")


def _shown(texts: Iterable[str], witness: str | None, answer: Rule, verdict: bool) -> str | None:
    """Return a string of the task of the same length as the witness, if the answer is wrong about it."""
    for text in texts:
        if witness is not None and len(text) == len(witness):
            try:
                if _derives(answer, text) is verdict:
                    return text
            except LimitExceeded:
                continue
    return witness


def _witness(refusing: Rule, text: str | None) -> Witness | None:
    if text is None:
        return None
    try:
        rejection = refusing.explain(text)
    except LimitExceeded as error:
        return Witness(text, error.message)
    assert rejection is not None
    return Witness(text, _position(rejection) if rejection.family in _OF_DATA else reason(rejection))


def _position(rejection: Rejection) -> str:
    """Return the exact offset of a rejection as a reason, which holds for every rule."""
    if rejection.found is None:
        return message("reason-end")
    return message("reason-offset", character=rejection.found, offset=rejection.offset)


def _without_names(witness: Witness | None, exercise: Exercise) -> Witness | None:
    """Return a witness whose reason does not name rules of the reference, which students do not see."""
    grammar = reference(exercise).grammar
    hidden = [each.name for each in grammar.own_rules if each.name.lower() != exercise.rule.lower()]
    if witness is None or not any(_names(witness.reason, name) for name in hidden):
        return witness
    inlined = _witness(inlined_reference(exercise), witness.text)
    if inlined is None or not any(_names(inlined.reason, name) for name in hidden):
        return inlined
    rejection = reference(exercise).explain(witness.text)
    assert rejection is not None
    return Witness(witness.text, _position(rejection))


# A message up to the semicolon outside quotes after which it says how to fix the string.
_PROBLEM = re.compile(r"""((?:"[^"]*"|'[^']*'|[^;"'])*); """)


def _without_fix(witness: Witness | None) -> Witness | None:
    """Return a witness without the fix of the string, if the string is right and the answer is wrong."""
    problem = witness and _PROBLEM.match(witness.reason)
    return replace(witness, reason=problem[1]) if witness and problem else witness


def _names(reason: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", reason, re.IGNORECASE) is not None


def _teaches(exercise: Exercise, accepted: str | None, refused: str | None, apart: bool) -> str:
    if accepted is None or refused is None:
        return REFUSED if accepted is None else ACCEPTED
    if refused in exercise.valid or accepted in exercise.invalid:
        return REFUSED if refused in exercise.valid else ACCEPTED
    if apart:
        return REFUSED
    return REFUSED if len(refused) < len(accepted) else ACCEPTED


def _misconception(
    exercise: Exercise, answer: Rule, accepted: str | None, refused: str | None
) -> Misconception | None:
    """Return the misconception that has the language of a wrong answer."""
    for number, each in enumerate(exercise.misconceptions):
        try:
            rule = load_misconception(exercise, number)
            if accepted is not None and not _derives(rule, accepted):
                continue
            if refused is not None and _derives(rule, refused):
                continue
            if _same(compare(answer, rule)):
                return each
        except LimitExceeded:
            continue
    return None


def _is_written(misconception: Misconception, exercise: Exercise, text: str) -> bool:
    """Return whether an answer is written as a misconception: it has, and lacks, the same elements.

    Only elements count that the misconception and the reference do not share. An answer with other rules can
    group by names, and can have elements fewer times.
    """
    answer, wrong, right = map(read, (f"{text}\n", f"{misconception.abnf}\n", f"{exercise.reference}\n"))
    counted = {each.name.upper() for rule in right.rules for each in references(rule.elements)}
    own, known, required = (_elements(each, counted) for each in (answer, wrong, right))
    has_other_rules = len(answer.rules) != len(wrong.rules)
    if has_other_rules:
        own, known, required = map(Counter, map(set, (own, known, required)))
    missing = required - known
    return (
        not (has_other_rules and "(" in missing)
        and known - required <= own
        and all(own[each] <= known[each] for each in missing)
    )


def _elements(grammar: Rulelist, counted: Collection[str]) -> Counter[Any]:
    """Return the elements of a grammar: literals, numbers, core rules, groups, and counts of repetitions.

    A count has the name of its element if it is one of ``counted``.
    """
    names = {rule.name.lower() for rule in grammar.rules}
    elements: Counter[Any] = Counter()
    for item in (each for rule in grammar.rules for each in walk(rule.elements)):
        if (item.min, item.max) != (1, 1):
            name = item.element.name.upper() if isinstance(item.element, RuleName) else ""
            elements[item.min, item.max, name in counted and name] += 1
        match item.element:
            case Option():
                elements[0, 1] += 1
            case Group():
                elements["("] += 1
            case CharVal(value=value, case_sensitive=is_sensitive):
                is_sensitive &= value.lower() != value.upper()
                elements[value if is_sensitive else value.lower(), is_sensitive] += 1
            case NumVal(values=values, is_range=is_range):
                elements[values, is_range] += 1
            case RuleName(name=name) if name.lower() not in names:
                elements[name.upper()] += 1
    return elements


def _as_written(misconception: Misconception) -> str:
    """Return the message about an answer that is equivalent to a misconception, but written differently."""
    abnf, why = " ".join(misconception.abnf.split()), misconception.why.removesuffix(".")
    if len(abnf) > MOST_SHOWN:
        return f"{message('misconception-long')} ({why})"
    return f"{message('misconception-known', abnf=abnf)} ({why})"


def _is_precise(cause: str | None) -> bool:
    """Return whether a cause is a single change of a frequent kind, and not only a string."""
    return (
        isinstance(cause, Message)
        and cause.code == "change-one"
        and cause.data["change"].code not in (OVER, UNDER, BOTH)
    )


def _same(comparison: Comparison) -> bool:
    return comparison.only_left is None and comparison.only_right is None


def _guess(
    exercise: Exercise, text: str | None, answer: Rule, accepted: str | None, refused: str | None
) -> str | None:
    """Return the probable mistake and, with a ``text``, the places of changes that fix it.

    Without proved changes, a pair of strings suggests a mistake.
    """
    required = reference(exercise)
    if text is not None:
        found = misread(required, text, accepted) or repair(exercise, required, text, accepted, refused)
        if found is not None:
            return found
    try:
        return guess(required, answer, accepted, refused) or misfit(required, answer, text or "")
    except LimitExceeded:
        return None


def _plain(witness: Witness | None) -> dict[str, str] | None:
    return None if witness is None else {"text": witness.text, "reason": witness.reason}
