"""Long texts of recursive grammars, many of each, and no more than verdict and offset of the general engine:
against a recogniser that is independent of the project.

Without explanations, trees and other engines, which take most of the time of the kind ``documents``.
"""

from __future__ import annotations

from random import Random

import abnforge
from fuzzing import laws
from fuzzing.cases import GrammarCase
from fuzzing.growing import grown, mutant
from fuzzing.kind import Kind
from fuzzing.kinds.documents import some_rules
from fuzzing.kinds.grammar_cases import loaded
from fuzzing.notation import alphabet
from fuzzing.questions import Questions
from fuzzing.reference import recogniser

LONGEST = 120
TEXTS = 100


def draw(chance: Random) -> GrammarCase:
    """Sentences of all sizes, and of each some mutants."""
    rules = some_rules(chance)
    chars = alphabet(rules)
    texts: dict[str, None] = {}
    for _ in range(TEXTS // 4):
        text = (grown(rules, chance, round(LONGEST ** chance.uniform(0.4, 1))) or "")[:LONGEST]
        texts |= dict.fromkeys([text, *(mutant(text, chance, chars)[:LONGEST] for _ in range(3))])
    return GrammarCase(rules, tuple(texts), lark=False)


def check(case: GrammarCase, ask: Questions) -> None:
    """Verdict and offset."""
    (rule,) = loaded(case, ask)
    reader = recogniser(case.rules, case.starts[0])
    for text in case.strings:
        reading = reader.read(text)
        try:
            laws.stops(ask, rule, text, (reading.valid, reading.offset))
        except abnforge.LimitExceeded:  # so will the other texts of a tangle
            return


KIND = Kind(
    "long", "many long texts of recursive rules, verdict and offset alone, by that recogniser", draw, check
)
