"""Strings that an answer is tried on where nothing could be proved: the task's own, and derived ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from abnforge.engine.grammar import sentences
from abnforge.engine.rule import Rule
from abnforge.errors import LimitExceeded
from abnforge.teaching.exercises.exercise import Exercise

MOST = 100
"""Strings of a kind: of those that use everything in a rule once, and of random ones."""

_RANDOM = 20
_SEED = 1


class Tried(NamedTuple):
    """The shortest strings that an answer is wrong about, None without one, and whether all were judged."""

    accepted: str | None
    refused: str | None
    complete: bool


def try_answer(exercise: Exercise, answer: Rule, wanted: Rule) -> Tried:
    """Try an answer on the strings of the task, and on some that either rule derives. Cost: some hundred
    verdicts, each within the budget of its grammar.
    """
    complete = True
    texts = dict.fromkeys((*exercise.valid, *exercise.invalid))
    for rule in (wanted, answer):
        try:
            texts |= dict.fromkeys(_derived(rule))
        except LimitExceeded:
            complete = False
    accepted = refused = None
    for text in sorted(texts, key=lambda each: (len(each), each)):
        try:
            verdicts = answer.matches(text, engine="general"), wanted.matches(text, engine="general")
        except LimitExceeded:
            complete = False
            continue
        if verdicts == (True, False) and accepted is None:
            accepted = text
        elif verdicts == (False, True) and refused is None:
            refused = text
    return Tried(accepted, refused, complete)


def _derived(rule: Rule) -> Iterator[str]:
    yield from islice(sentences(rule, systematic=True), MOST)
    yield from sentences(rule, count=_RANDOM, seed=_SEED)
