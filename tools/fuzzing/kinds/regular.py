"""Random grammars whose rules are regular: every way of answering, against brute force."""

from __future__ import annotations

from random import Random

from fuzzing.cases import GrammarCase
from fuzzing.engines import available, exports
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import check_answers, with_sentences
from fuzzing.questions import Questions
from fuzzing.random_grammars import Profile, random_rules

LONGEST = 6


def draw(chance: Random) -> GrammarCase:
    """One in five recurses to one side; texts are random ones and sentences of the rule."""
    linear = chance.random() < 0.2
    profile = Profile(rules=3, depth=3, recursion="linear" if linear else "none")
    return with_sentences(random_rules(chance, profile), chance, LONGEST)


def check(case: GrammarCase, ask: Questions) -> None:
    """Verdicts, rejections, trees, suggestions, exports."""
    rule, valid = check_answers(case, ask, suggestions=2)
    exports(ask, rule, valid, available(distant=False))


KIND = Kind(
    "regular",
    "rules that are regular: all engines, trees, offsets, exports, against brute force",
    draw,
    check,
)
