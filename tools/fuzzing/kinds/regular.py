"""Random grammars whose rules are regular: every way of answering, against brute force."""

from __future__ import annotations

from random import Random

from fuzzing import laws
from fuzzing.cases import GrammarCase
from fuzzing.engines import available, exports
from fuzzing.kind import Kind
from fuzzing.kinds.grammar_cases import loaded, some_texts
from fuzzing.notation import Rules
from fuzzing.questions import Questions
from fuzzing.random_grammars import Profile, random_rules
from fuzzing.reference import language

LONGEST = 6


def draw(chance: Random) -> GrammarCase:
    """One in five recurses to one side; texts are random ones and sentences of the rule."""
    linear = chance.random() < 0.2
    profile = Profile(rules=3, depth=3, recursion="linear" if linear else "none")
    return with_sentences(random_rules(chance, profile), chance, LONGEST)


def with_sentences(rules: Rules, chance: Random, longest: int) -> GrammarCase:
    """A case of random strings, some of the first rule's among them."""
    sentences = sorted(language(rules, longest + 1).strings[rules[0][0]], key=lambda text: (len(text), text))
    sentences = [text for text in sentences if len(text) <= longest]
    chosen = chance.sample(sentences, min(6, len(sentences)))
    return GrammarCase(rules, tuple(dict.fromkeys([*some_texts(chance, longest, 6), *chosen])))


def check(case: GrammarCase, ask: Questions) -> None:
    """Verdicts, rejections, trees, suggestions, exports."""
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
    for text in invalid[:2]:
        laws.suggestions(ask, rule, text)
    laws.history(ask, rule, invalid[:2])
    exports(ask, rule, {text: text in strings for text in case.strings}, available(distant=False))


KIND = Kind(
    "regular", "rules that are regular: all lanes, trees, offsets, exports, against brute force", draw, check
)
