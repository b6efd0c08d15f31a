"""Long texts of recursive grammars: the engines against a recogniser that is independent of the project.

Short texts miss what goes wrong only where stacks are deep, where configurations were forgotten, or where a
choice is decided a hundred characters later. There is no brute force for these; there is a recogniser for
verdict, offset and what can follow, a checker of trees, and the engines among one another.
"""

from __future__ import annotations

from random import Random

import abnforge
from fuzzing import laws
from fuzzing.cases import GrammarCase
from fuzzing.growing import FOREIGN, grown, mutant
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import loaded
from fuzzing.notation import Rules, alphabet
from fuzzing.questions import Questions
from fuzzing.random_grammars import Profile, random_rules
from fuzzing.reference import recogniser
from fuzzing.shapes import ALPHABETS, shaped_rules

LONGEST = 200
TEXTS = 6
LARK_LONGEST = 20  # Lark takes a millisecond a character, and much longer for what is ambiguous
CONTRACT_LONGEST = 12  # the contract, word for word, is cubic in the text and slow
LARK = 0.05
PROFILE = Profile(rules=4, depth=3, recursion="any", references=0.5)


def some_rules(chance: Random) -> Rules:
    """Rules of which most have a shape that is hard to read."""
    return shaped_rules(chance, ALPHABETS) if chance.random() < 0.8 else random_rules(chance, PROFILE)


def draw(chance: Random) -> GrammarCase:
    """Sentences of all sizes, and as many mutants."""
    rules = some_rules(chance)
    lark = chance.random() < LARK
    longest = LARK_LONGEST if lark else LONGEST
    texts = []
    for _ in range(TEXTS // 2):
        text = (grown(rules, chance, round(longest ** chance.uniform(0.4, 1))) or "")[:longest]
        texts += [text, mutant(text, chance, alphabet(rules))[:longest]]
    return GrammarCase(rules, tuple(dict.fromkeys(texts)), lark=lark)


def check(case: GrammarCase, ask: Questions) -> None:
    """Verdicts, rejections, trees and events."""
    (rule,) = loaded(case, ask)
    reader = recogniser(case.rules, case.starts[0])
    engines = laws.engines(rule, lark=case.lark)
    for text in case.strings:
        if not laws.quick(rule) and len(text) > LARK_LONGEST:
            continue
        reading = reader.read(text)
        tried = [engine for engine in engines if engine != "lark" or len(text) <= LARK_LONGEST]
        try:
            laws.verdicts(ask, rule, text, reading.valid, tried)
            if reading.valid:
                if len(text) <= CONTRACT_LONGEST:
                    laws.trees(ask, rule, text, tried)
                else:
                    laws.agreeing_trees(ask, rule, text, tried)
                laws.events(ask, rule, text, tried)
            elif not reading.valid:
                around = "".join(sorted({*alphabet(case.rules), *text, *FOREIGN}))
                laws.rejections(ask, rule, text, reading, around, tried)
        except abnforge.LimitExceeded as error:
            # Named, and no verdict; but texts this short are read by whatever does not try everything.
            ask.hold(
                "lark" in ask.asked or len(text) > LARK_LONGEST or not laws.quick(rule),
                f"{ask.asked} != ...",
                f"{error}, for {len(text)} characters",
            )


KIND = Kind("documents", "long texts of recursive rules, against an independent recogniser", draw, check)
