"""Exercises on the page: the same as ``abnforge exercise``, graded by the same."""

from __future__ import annotations

from typing import Any

from abnforge.catalog import ArgumentError
from abnforge.teaching.exercises.exercise import LESSONS, exercises
from abnforge.teaching.exercises.grading import BY_THE_ANSWER, Witness, grade
from abnforge.teaching.exercises.submission import MOST
from abnforge.teaching.messages import message
from abnforge.teaching.playground.loaded import BUDGET, Question


def listed(question: Question) -> list[dict[str, Any]]:
    """The exercises that ship, by lesson and level, with their hints and without their solutions."""
    order = {lesson: number for number, lesson in enumerate(LESSONS)}
    found = sorted(exercises(), key=lambda each: (order[each.lesson], each.level))
    return [
        {
            "id": each.id,
            "title": each.title,
            "level": each.level,
            "lesson": each.lesson,
            "task": each.task,
            "rule": each.rule,
            "hints": list(each.hints),
            "valid": list(each.valid),
            "invalid": list(each.invalid),
            "imports": list(each.imports),
        }
        for each in found
    ]


def graded(question: Question) -> dict[str, Any]:
    """The grade of the answer ``text`` to the exercise ``exercise``."""
    wanted = question.text("exercise")
    found = next((each for each in exercises() if each.id == wanted), None)
    if found is None:
        raise ArgumentError(message("call-exercise", id=wanted))
    made = grade(found, question.text(most=MOST), budget=BUDGET)
    witnesses = [("accepted", made.wrongly_accepted), ("refused", made.wrongly_refused)]
    if made.key_example == "refused":
        witnesses.reverse()
    return {
        "verdict": made.verdict,
        "witnesses": [_witness(kind, each) for kind, each in witnesses if each is not None],
        "mistake": made.mistake,
        "recognized": made.recognized,
        "bound": made.bound,
        "style": list(made.style),
        "findings": [
            {"line": each.line, "code": each.code, "message": each.message} for each in made.findings
        ],
    }


def _witness(kind: str, witness: Witness) -> dict[str, str]:
    whose = BY_THE_ANSWER if kind == "refused" else ""
    return {"kind": kind, "text": witness.text, "reason": whose + witness.reason}
