"""Random grammars whose rules use one another in any way: the engines that read them, against brute force."""

from __future__ import annotations

from random import Random

from fuzzing.cases import GrammarCase
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import check_answers, with_sentences
from fuzzing.notation import Rules, alphabet
from fuzzing.questions import Questions
from fuzzing.random_grammars import FOREIGN, Profile, random_rules
from fuzzing.shapes import SMALL_ALPHABETS, shaped_rules

LONGEST = 5
LONGEST_OF_MANY = 4  # of three characters and more there are many texts
PROFILE = Profile(rules=3, depth=3, recursion="any", references=0.45)
LARK = 0.03  # of so many cases Lark is asked, too, which takes most of the time: one in about thirty


def some_rules(chance: Random) -> Rules:
    """Rules of which half have a shape that is hard to read."""
    return shaped_rules(chance, SMALL_ALPHABETS) if chance.random() < 0.5 else random_rules(chance, PROFILE)


def draw(chance: Random) -> GrammarCase:
    """Most of them are ambiguous, many derive a rule from itself with nothing read; half have a shape."""
    rules = some_rules(chance)
    chars = alphabet(rules)
    longest = LONGEST if len(chars) < 3 else LONGEST_OF_MANY
    return with_sentences(rules, chance, longest, chars + FOREIGN, lark=chance.random() < LARK)


def check(case: GrammarCase, ask: Questions) -> None:
    """Verdicts, rejections, trees."""
    check_answers(case, ask, suggestions=1 if case.lark else 0)


KIND = Kind(
    "recursive", "rules that recurse in any way: engines, trees, offsets, against brute force", draw, check
)
