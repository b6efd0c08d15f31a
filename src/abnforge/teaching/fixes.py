"""Find the mistakes in a wrong answer: changes that correct strings, and break none.

The search tries the changes of ``changes``. It accepts a change only if the changed answer is proved better.
It must match every required string that the answer matches. Every string that it matches must match the
answer or the reference. The search ends when the changed answer equals the reference.

For a recursive reference, the search accepts a single change, whose answer equals the reference by the
structure of the rules. The message says where to look, but not what to write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from abnforge.automata.algebra import EQUAL, ONLY_LEFT, ONLY_RIGHT, included, intersection, union
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.comparison.rules import compare
from abnforge.comparison.structure import provably_empty_regions
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.reader import read
from abnforge.teaching.changes import (
    RANKS,
    UNSURE,
    WORD,
    AnswerEdit,
    Vocabulary,
    changes,
    letters,
    text_of,
    vocabulary,
)
from abnforge.teaching.exercises import Exercise, load_answer
from abnforge.teaching.messages import message
from abnforge.text import Span

MOST = 1_200  # maximum number of grammars that are tried for an answer; a large automaton counts as several
LONGEST = 1000  # the maximum length of an answer whose changes are tried, since each change is parsed again
MOST_CHANGES = 3  # maximum number of changes in a result
MOST_PATHS = 4  # maximum number of first changes that are continued

_STATES = 8  # number of states that count as a grammar
_LARGE = 100  # an answer with more states has too many changes for MOST; pairs of them are tried early
_BEYOND = 25  # number of grammars that a grammar beyond its budget counts as

_BUDGET = Budget(steps=100_000, per_character=10)


def repair(
    exercise: Exercise, required: Rule, text: str, accepted: str | None, refused: str | None
) -> Message | None:
    """Return the places where changes make the answer right, or better; None if no tried change does.

    ``accepted`` and ``refused`` are strings that the answer gets wrong. Cost: up to ``MOST`` parses of an
    answer.
    """
    if len(text) > LONGEST:
        return None
    try:
        answer = load_answer(exercise, text, _BUDGET)
        known = vocabulary(required, exercise.valid, refused)
        search = _Search(exercise, required, known)
        if required.regular:
            return search.run(text, answer) if answer.regular else None
        return search.run_recursive(text, answer, accepted, refused)
    except GrammarError:  # a limit
        return None


@dataclass(slots=True)
class _Search:
    """A search for changes; ``tried`` counts the grammars."""

    exercise: Exercise
    required: Rule
    known: Vocabulary
    tried: int = 0

    def run(self, text: str, answer: Rule) -> Message | None:
        best: list[Message] = []
        paths: list[tuple[str, Rule, list[Message]]] = [(text, answer, [])]
        for _ in range(MOST_CHANGES):
            following: list[tuple[str, Rule, list[Message]]] = []
            for before, rule, found in paths[:MOST_PATHS]:
                better: list[AnswerEdit] = []
                for edit, changed, is_equal in (search := self._better(before, rule)):
                    described = [*found, _described(edit, before, text, found)]
                    if is_equal:
                        is_clear = found or not _has_rival(edit, search, text)
                        return _summary(described, text, is_enough=True) if is_clear else None
                    following.append((_applied(edit, before), changed, described))
                    if rule.automaton.states > _LARGE:
                        if other := self._completing(edit, better, before):
                            return _summary(
                                [*found, _described(other, before, text, found), described[-1]],
                                text,
                                is_enough=True,
                            )
                        better.append(edit)
            best = best or next((each[2] for each in following if each[2][0].code not in UNSURE), [])
            paths = [*{each[2][-1].code: each for each in reversed(following)}.values()][::-1]
        return _summary(best, text, is_enough=False) if best else None

    def _completing(self, edit: AnswerEdit, earlier: list[AnswerEdit], text: str) -> AnswerEdit | None:
        """Return an earlier change elsewhere that makes an answer right together with ``edit``."""
        for other in earlier:
            first, second = sorted((edit, other), key=lambda each: each.span.start)
            if first.span.end <= second.span.start:
                rule = self._load(_applied(first, _applied(second, text)))
                if rule is not None and compare(rule, self.required).relation == EQUAL:
                    return other
        return None

    def run_recursive(
        self, text: str, answer: Rule, accepted: str | None, refused: str | None
    ) -> Message | None:
        """Return a change that makes an answer equal to a recursive reference, or what the answer lacks."""
        names = tuple(each.name for each in answer.grammar.own_rules)
        verdicts = dict.fromkeys(self.exercise.valid, True) | dict.fromkeys(self.exercise.invalid, False)
        verdicts |= {each: each == refused for each in (accepted, refused) if each is not None}
        edits = sorted(changes(text, replace(self.known, names=names)), key=lambda each: RANKS[each.code])
        for edit in edits:
            changed = self._load(_applied(edit, text))
            if changed is not None and all(
                changed.matches(each, engine="general") is verdict for each, verdict in verdicts.items()
            ):
                meter = _BUDGET.meter("comparing an answer", code="automaton-too-large")
                if {ONLY_LEFT, ONLY_RIGHT} <= provably_empty_regions(changed, self.required, meter):
                    return _summary([_described(edit, text, text, [])], text, is_enough=True)
        return message("answer-not-nested") if answer.regular else None

    def _better(self, text: str, rule: Rule) -> Iterator[tuple[AnswerEdit, Rule, bool]]:
        """Yield changes that make an answer better, each with its rule and whether it is right."""
        own, required = rule.automaton, self.required.automaton
        both, either = intersection(own, required), union(own, required)
        wrong = self._wrong_strings(rule)
        useful: dict[Span, bool] = {}
        edits = sorted(changes(text, self.known), key=lambda each: RANKS[each.code])
        for edit in chain(edits, self._words(text)):
            if edit.span not in useful:
                useful[edit.span] = self._useful(edit.span, text, wrong)
            changed = self._load(_applied(edit, text)) if useful[edit.span] else None
            if changed is None or not any(_matches(changed, each) is not accepts for each, accepts in wrong):
                continue
            automaton = changed.automaton
            if not included(both, automaton) or not included(automaton, either):
                continue
            if included(automaton, required) and included(required, automaton):
                yield edit, changed, True
            elif both.table or not included(
                automaton, own
            ):  # fewer strings, all of them wrong, are not better
                yield edit, changed, False

    def _wrong_strings(self, rule: Rule) -> list[tuple[str, bool]]:
        """Return strings that an answer gets wrong, and whether the answer accepts them."""
        difference = compare(rule, self.required)
        shown = dict.fromkeys(self.exercise.valid, False) | dict.fromkeys(self.exercise.invalid, True)
        wrong = [(each, accepts) for each, accepts in shown.items() if _matches(rule, each) is accepts]
        found = ((difference.only_left, True), (difference.only_right, False))
        return [*((each, accepts) for each, accepts in found if each is not None), *wrong]

    def _useful(self, span: Span, text: str, wrong: list[tuple[str, bool]]) -> bool:
        """Return whether a change of a span can correct a string: if anything, or nothing, matches there."""
        replaced = {
            False: _applied(AnswerEdit(span, "( *%x0-10FFFF )", ""), text),
            True: f"{_applied(AnswerEdit(span, '( no-string )', ''), text)}\nno-string = 2no-string\n",
        }
        for accepts in {accepts for _, accepts in wrong}:
            rule = self._load(replaced[accepts])
            if rule is not None and any(
                _matches(rule, each) is not accepts for each, same in wrong if same is accepts
            ):
                return True
        return False

    def _load(self, text: str) -> Rule | None:
        if self.tried >= MOST:
            return None
        self.tried += 1
        try:
            rule = load_answer(self.exercise, text, _BUDGET)
            self.tried += rule.automaton.states // _STATES if rule.regular else 0
        except GrammarError as error:
            self.tried += _BEYOND if isinstance(error, LimitExceeded) else 0
            return None
        return rule if rule.regular or not self.required.regular else None

    def _words(self, text: str) -> Iterator[AnswerEdit]:
        """Yield edits that replace any letters by the words that lead to a required string."""
        for item in letters(text):
            words = []
            for literal in map(self.known.literal, self.known.words):
                rule = self._load(_applied(AnswerEdit(item.span, literal, ""), text))
                if rule is not None and intersection(rule.automaton, self.required.automaton).table:
                    words.append(literal)
            if words:
                yield AnswerEdit(item.span, f"( {' / '.join(words)} )", WORD)


def _matches(rule: Rule, text: str) -> bool:
    """Match a string with the automaton, which the comparison also needs."""
    return rule.automaton.accepts(text)


def _applied(edit: AnswerEdit, text: str) -> str:
    return f"{text[: edit.span.start]}{edit.text}{text[edit.span.end :]}"


def _has_rival(edit: AnswerEdit, search: Iterator[tuple[AnswerEdit, Rule, bool]], text: str) -> bool:
    """Return whether a change of another rule of the answer is enough, too; then the cause is not clear."""
    rules = [rule.elements.span for rule in read(text).rules]
    if len(rules) == 1 or edit.code not in UNSURE:
        return False
    own = next(each for each in rules if each.start <= edit.span.start <= each.end)
    return any(is_equal and not own.start <= other.span.start <= own.end for other, _, is_equal in search)


def _described(edit: AnswerEdit, before: str, text: str, earlier: list[Message]) -> Message:
    """Return the message about an edit of the answer ``text`` after earlier edits.

    It has the column of a part that occurs several times.
    """
    place = edit.place or edit.span
    written, start = text_of(place, before), place.start
    for each in reversed(earlier):
        start -= each.data["growth"] if start > each.data["start"] else 0
    part = shown = " ".join(written.split())
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    if text[start:].startswith(written) and len(re.findall(_as_word(written), text)) > 1:
        shown = f"{part} in column {column}"
    growth = len(edit.text) - (edit.span.end - edit.span.start)
    return message(edit.code, line=line, part=shown, written=part, start=edit.span.start, growth=growth)


def _as_word(written: str) -> str:
    return rf"(?<![\w*]){re.escape(written)}(?!\w)"


def _summary(changes: list[Message], text: str, *, is_enough: bool) -> Message:
    """Return one message for all changes, without those whose text earlier changes wrote."""
    own = " ".join(text.split())
    shown = list(dict.fromkeys(each for each in changes if each.data["written"] in own))
    line = shown[0].data["line"]
    if not is_enough:
        return message("change-some", line=line, change=shown[0])
    if len(changes) == 1:
        return message("change-one", line=line, change=shown[0])
    return message("change-several", number=len(changes), changes=tuple(shown))
