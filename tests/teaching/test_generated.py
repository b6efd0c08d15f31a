"""Generated exercises: languages differ by seed, and strings separate misconceptions from the reference."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import pytest

from abnforge.comparison.rules import compare
from abnforge.teaching.exercises import load_misconception, read_exercises, reference, verify
from abnforge.teaching.exports import to_toml
from abnforge.teaching.generated import KINDS, LEVELS, MAX_SEED, family_size, generate
from abnforge.teaching.grading import grade
from tests.raising import raises

# Generating recursive rules takes longest, so the default run tests one level of them.
SLOW = {("recursion", 1), ("recursion", 3)}
ALL = [
    pytest.param(*each, marks=[pytest.mark.slow] if each in SLOW else []) for each in product(KINDS, LEVELS)
]
generated = cache(generate)


@pytest.mark.parametrize("count", [3, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("kind", "level"), ALL)
def test_seeds_have_different_languages(kind: str, level: int, count: int) -> None:
    exercises = [generated(kind, level, seed) for seed in range(count)]
    for one, other in combinations(exercises, 2):
        comparison = compare(reference(one), reference(other))
        assert (comparison.only_left, comparison.only_right) != (None, None)


@pytest.mark.parametrize(("kind", "level"), ALL)
def test_strings_separate_the_misconceptions(kind: str, level: int) -> None:
    for seed in (0, family_size(kind, level) - 1, MAX_SEED):
        exercise = generated(kind, level, seed)
        verify(exercise)
        assert len(exercise.misconceptions) >= 3
        assert len(exercise.hints) == 2
        assert exercise.valid
        for number in range(len(exercise.misconceptions)):
            wrong = load_misconception(exercise, number)
            accepted = [wrong.matches(text) for text in (*exercise.valid, *exercise.invalid)]
            assert accepted != [*[True] * len(exercise.valid), *[False] * len(exercise.invalid)]


@pytest.mark.parametrize(("kind", "level"), ALL)
def test_toml_keeps_the_exercise(kind: str, level: int) -> None:
    exercise = generated(kind, level, 1)
    assert read_exercises(to_toml([exercise], sealed=False)) == (exercise,)
    assert generate(kind, level, 1) == exercise


@pytest.mark.parametrize("kind", KINDS)
def test_references_and_misconceptions_are_graded(kind: str) -> None:
    exercise = generated(kind, 2, 1)
    assert grade(exercise, exercise.reference).verdict in ("right", "undecided")
    assert grade(exercise, exercise.misconceptions[0].abnf).verdict == "wrong"


def test_limits() -> None:
    for level, seed in ((0, 0), (4, 0), (1, -1), (1, MAX_SEED + 1)):
        with raises(ValueError, "generated-range"):
            generate("range", level, seed)
    with pytest.raises(ValueError, match="kind must be"):
        generate("list", 1, 0)
