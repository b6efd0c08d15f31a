"""Exercises in ABNF, graded by set algebra: an answer is right when its language is the one wanted."""

from abnforge.teaching.exercises import LESSONS, Exercise, Misconception, exercises, read_exercises
from abnforge.teaching.grading import Grade, Witness, grade
from abnforge.teaching.soundness import verify

__all__ = [
    "LESSONS",
    "Exercise",
    "Grade",
    "Misconception",
    "Witness",
    "exercises",
    "grade",
    "read_exercises",
    "verify",
]
