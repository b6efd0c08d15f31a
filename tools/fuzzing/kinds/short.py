"""All short texts of small recursive grammars, and no more than the general engine: verdict, offset, tree and
number of derivations against brute force.

Without explanations, and without other engines, which take most of the time of the kind ``recursive``.
"""

from __future__ import annotations

from random import Random

from fuzzing import laws
from fuzzing.cases import GrammarCase
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import all_texts, loaded
from fuzzing.kinds.recursive import some_rules
from fuzzing.notation import alphabet
from fuzzing.questions import Questions
from fuzzing.reference import language

LONGEST = 5
TEXTS = 70  # as many characters as a grammar has, so long are the texts
TREES = 4  # of so many texts the tree is looked at, too
COUNTED = 4  # characters at most of the one whose derivations are counted, which takes long


def draw(chance: Random) -> GrammarCase:
    """All texts up to a length over the characters of the grammar."""
    rules = some_rules(chance)
    chars = alphabet(rules)
    sizes = (n for n in range(2, LONGEST + 1) if sum(len(chars) ** i for i in range(n + 1)) <= TEXTS)
    return GrammarCase(rules, all_texts(max(sizes, default=1), chars), lark=False)


def check(case: GrammarCase, ask: Questions) -> None:
    """Verdict and offset of every text; the tree of a few that are valid, the derivations of one."""
    (rule,) = loaded(case, ask)
    key = rule.name.lower()
    known = language(case.rules, max([0, *map(len, case.strings)]))
    valid = [text for text in case.strings if text in known.strings[key]]
    for text in case.strings:
        wanted = text in known.strings[key], known.longest_viable_prefix(key, text)
        laws.stops(ask, rule, text, wanted)
    step = max(1, len(valid) // TREES)
    for text in valid[::-step][:TREES]:
        laws.trees(ask, rule, text, ["general"])
    for text in [text for text in valid if len(text) <= COUNTED][-1:]:
        laws.counts(ask, rule, text)


KIND = Kind(
    "short", "all short texts of recursive rules, general engine alone, against brute force", draw, check
)
