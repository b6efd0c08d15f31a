"""Random grammars whose rules use one another in any way: the lanes that read them, against brute force."""

from __future__ import annotations

from random import Random

from fuzzing import laws
from fuzzing.cases import GrammarCase
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import loaded
from fuzzing.kinds.regular import with_sentences
from fuzzing.questions import Questions
from fuzzing.random_grammars import Profile, random_rules
from fuzzing.reference import language

LONGEST = 5
PROFILE = Profile(rules=3, depth=3, recursion="any", references=0.45)


def draw(chance: Random) -> GrammarCase:
    """Most of them are ambiguous, many derive a rule from itself with nothing read."""
    return with_sentences(random_rules(chance, PROFILE), chance, LONGEST)


def check(case: GrammarCase, ask: Questions) -> None:
    """Verdicts, rejections, trees."""
    (rule,) = loaded(case, ask)
    # One more, since what can follow a string is asked, too.
    known = language(case.rules, 1 + max([0, *map(len, case.strings)]))
    strings = known.strings[rule.name.lower()]
    lanes = laws.lanes(rule)
    for text in case.strings:
        valid = text in strings
        laws.verdicts(ask, rule, text, valid, lanes)
        if valid:
            laws.trees(ask, rule, text, lanes)
        else:
            laws.rejections(ask, rule, text, known, lanes)
    invalid = [text for text in case.strings if text not in strings]
    for text in invalid[:1]:
        laws.suggestions(ask, rule, text)
    laws.history(ask, rule, invalid[:2])


KIND = Kind(
    "recursive", "rules that recurse in any way: lanes, trees, offsets, against brute force", draw, check
)
