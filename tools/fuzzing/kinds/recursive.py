"""Random grammars whose rules use one another in any way: the lanes that read them, against brute force."""

from __future__ import annotations

from random import Random

from fuzzing.cases import GrammarCase
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import check_answers, with_sentences
from fuzzing.questions import Questions
from fuzzing.random_grammars import Profile, random_rules

LONGEST = 5
PROFILE = Profile(rules=3, depth=3, recursion="any", references=0.45)


def draw(chance: Random) -> GrammarCase:
    """Most of them are ambiguous, many derive a rule from itself with nothing read."""
    return with_sentences(random_rules(chance, PROFILE), chance, LONGEST)


def check(case: GrammarCase, ask: Questions) -> None:
    """Verdicts, rejections, trees."""
    check_answers(case, ask, suggestions=1)


KIND = Kind(
    "recursive", "rules that recurse in any way: lanes, trees, offsets, against brute force", draw, check
)
