"""All engines agree on each rule of the bundled RFC grammars, for its strings and their mutants."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from random import Random

from hypothesis import strategies as st

import abnforge
from abnforge.grammar.sentences import Sentences
from tests.law import law
from tests.laws.engines import check_lark, tokens
from tests.laws.strings import mutant


@cache
def rules() -> list[tuple[str, str]]:
    names = [name for name in abnforge.grammar_names() if name.startswith("rfc")]
    return [(name, rule.name) for name in names for rule in abnforge.load(name).own_rules]


@law(st.deferred(lambda: st.sampled_from(rules())), st.integers(0, 10**6), few=5, many=100)
def test_strings_of_any_rule(name: tuple[str, str], seed: int) -> None:
    grammar, source = abnforge.load(name[0], alphabet="unicode"), Random(seed)
    rule, texts = grammar[name[1]], [""]
    with suppress(abnforge.LimitExceeded):  # no string is short enough
        sentences = Sentences(grammar.core, grammar.facts)
        texts += [sentences.random(rule.key, source, 24) for _ in range(2)]
    texts += [mutant(text, source) for text in texts]
    try:
        verdicts = {text: rule.matches(text, engine="lark") for text in texts}
        rule.matches(texts[0])
    except abnforge.GrammarError:
        return  # prose, or a named limit
    for text, valid in verdicts.items():
        assert rule.matches(text) is rule.matches(text, engine="general") is valid
        check_lark(rule, text)
        if valid:
            tree = rule.parse(text)
            assert tokens(tree) == text
            assert rule.parse(text, engine="general") == tree
        else:
            assert rule.explain(text, suggest=False) == rule.explain(text, suggest=False, engine="general")
