"""What the kinds of random grammars share: loading a case, and the strings that are tried on it."""

from __future__ import annotations

from itertools import product
from random import Random

import abnforge
from fuzzing import laws
from fuzzing.cases import GrammarCase
from fuzzing.notation import Rules
from fuzzing.questions import Questions
from fuzzing.random_grammars import ALPHABET, FOREIGN, random_text
from fuzzing.reference import language


def loaded(case: GrammarCase, ask: Questions) -> list[abnforge.Rule]:
    """The start rules of a case's grammar, which are called ``rule`` and ``other`` from here on."""
    ask.names["abnforge"] = abnforge
    grammar = ask.names["grammar"] = ask.call("abnforge.loads", case.abnf)
    rules = [grammar[start] for start in case.starts]
    ask.names.update(zip(("rule", "other"), rules, strict=False))
    return rules


def some_texts(
    chance: Random, longest: int, count: int, alphabet: str = ALPHABET + FOREIGN
) -> tuple[str, ...]:
    """A few random texts, the empty one among them."""
    return tuple(dict.fromkeys(["", *(random_text(chance, longest, alphabet) for _ in range(count))]))


def all_texts(longest: int, alphabet: str = ALPHABET + FOREIGN) -> tuple[str, ...]:
    """All texts up to a length, short ones first."""
    return tuple("".join(chars) for size in range(longest + 1) for chars in product(alphabet, repeat=size))


def with_sentences(
    rules: Rules, chance: Random, longest: int, alphabet: str = ALPHABET + FOREIGN, *, lark: bool = True
) -> GrammarCase:
    """A case of random strings, some of the first rule's among them."""
    sentences = sorted(language(rules, longest + 1).strings[rules[0][0]], key=lambda text: (len(text), text))
    sentences = [text for text in sentences if len(text) <= longest]
    chosen = chance.sample(sentences, min(6, len(sentences)))
    texts = [*some_texts(chance, longest, 6, alphabet), *chosen]
    return GrammarCase(rules, tuple(dict.fromkeys(texts)), lark=lark)


def check_answers(
    case: GrammarCase, ask: Questions, *, suggestions: int
) -> tuple[abnforge.Rule, dict[str, bool]]:
    """Verdicts, rejections, trees, some suggestions and history; gives the rule, and what is valid."""
    (rule,) = loaded(case, ask)
    # One more, since what can follow a string is asked, too.
    known = language(case.rules, 1 + max([0, *map(len, case.strings)]))
    strings = known.strings[rule.name.lower()]
    engines = laws.engines(rule, lark=case.lark)
    valid = {text: text in strings for text in case.strings}
    for text in case.strings:
        laws.verdicts(ask, rule, text, valid[text], engines)
        if valid[text]:
            laws.trees(ask, rule, text, engines)
        else:
            reading = laws.reading(known, rule.name.lower(), text)
            laws.rejections(ask, rule, text, reading, known.alphabet, engines)
    invalid = [text for text in case.strings if not valid[text]]
    around = [shown for text in case.strings if valid[text] for shown in (f" {text}", f"{text}\n")]
    for text in (*invalid[:suggestions], *around[:suggestions]):
        laws.suggestions(ask, rule, text)
    laws.history(ask, rule, invalid[:2])
    return rule, valid
