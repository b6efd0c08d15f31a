"""Random rules as patterns: the project's own, and each export in its engine, on all short strings."""

from __future__ import annotations

import re
from random import Random

from fuzzing.cases import GrammarCase
from fuzzing.engines import available, exports
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import all_texts, loaded
from fuzzing.questions import Questions
from fuzzing.random_grammars import Profile, random_rules
from fuzzing.reference import language

LONGEST = 5
TEXTS = all_texts(LONGEST)
DISTANT = 20  # of so many cases one goes to the engines that are other processes


def draw(chance: Random) -> GrammarCase:
    """One or two rules, deeper than others: what decides is how optional parts stand in each other."""
    return GrammarCase(random_rules(chance, Profile(rules=2, depth=4, references=0.2)), TEXTS)


def check(case: GrammarCase, ask: Questions) -> None:
    """``rule.matches``, ``rule.pattern``, ``rule.automaton`` and every export have the same strings."""
    (rule,) = loaded(case, ask)
    strings = language(case.rules, max([0, *map(len, case.strings)])).strings[rule.name.lower()]
    verdicts = {text: text in strings for text in case.strings}
    ask.law = "verdicts"
    ask.get("rule.pattern")
    accepts, matches = ask.get("rule.automaton").accepts, ask.get("rule.matches")
    pattern = rule.pattern
    fullmatch = None if pattern is None else re.compile(pattern).fullmatch
    for text, valid in verdicts.items():
        # Asked by name only where the answer is wrong: this is what most of the time would go to.
        if accepts(text) is not valid:
            ask.equal(valid, "rule.automaton.accepts", text)
        if matches(text) is not valid:
            ask.equal(valid, "rule.matches", text)
        if fullmatch is not None and (fullmatch(text) is not None) is not valid:
            ask.fail(
                f"(re.fullmatch(rule.pattern, {text!r}) is not None) is {valid}",
                f"the pattern {pattern} says {not valid} of {text!r}, which is wrong",
            )
    distant = hash_of(case) % DISTANT == 0
    exports(ask, rule, verdicts, available(distant))


def hash_of(case: GrammarCase) -> int:
    """A number that is the same for a grammar in every run."""
    return sum(map(ord, case.abnf))


KIND = Kind("patterns", "patterns and exports, in every engine here, on all short strings", draw, check)
