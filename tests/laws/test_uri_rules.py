"""Laws for the rules of the URI grammars, on matching strings, their single edits, and other strings.

1. Every engine accepts a matching string, and gives the same verdict, tree and rejection for every string.
2. The tokens of a tree are the input.
3. The offset is the length of the longest viable prefix, and the automaton can read the expected characters
   there.
4. A suggestion is valid, and is the result of its edits.
5. ``str(uri.parse(s))`` is ``s``.
6. Every string is explained.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge import uri
from abnforge.grammar.sentences import Sentences
from tests.law import law
from tests.laws.engines import check_fast, check_lark, check_suggestion

RULES = [
    ("rfc3986", "URI-reference"),
    ("rfc3986", "URI"),
    ("rfc3986", "authority"),
    ("rfc3986", "IPv6address"),
    ("rfc2396", "URI-reference"),
    ("rfc2396", "authority"),
    ("rfc2396", "hostport"),
    ("rfc3987", "IRI-reference"),
    ("rfc3987", "ihost"),
    ("rfc6874", "IP-literal"),
]

# Every delimiter, some letters and digits, and characters that never occur in URIs, or only in IRIs.
CHARACTERS = "aFgvZ0159-._~%:/?#[]@!$&'()*+,;= \\\"<>^`{|}\0\n\x7f\xa0\u00e9\ue000\U000e1000\ud800"


def strings(name: str, rule: str, count: int) -> Iterator[tuple[str, bool]]:
    """Return test strings, each with its verdict."""
    grammar = abnforge.load(name)
    sentences, source = Sentences(grammar.core, grammar.facts), Random(f"{name} {rule}")
    for _ in range(count // 4):
        text = sentences.random(rule.lower(), source, 80)
        yield text, True
        for _ in range(2):
            place = source.randint(0, len(text))
            new = source.choice([source.choice(CHARACTERS), source.choice(text or CHARACTERS), ""])
            yield text[:place] + new + text[place + source.randint(0, 1) :], False
        yield "".join(source.choices(CHARACTERS, k=source.randint(0, 12))), False


def check(name: str, rule: str, count: int, every: int) -> None:
    """Check strings. Engines that take milliseconds only get one in ``every`` strings."""
    judge = abnforge.load(name)[rule]
    verdicts, suggestions = set(), 0
    for index, (text, sentence) in enumerate(strings(name, rule, count)):
        valid = check_fast(judge, text)
        assert valid or not sentence
        verdicts.add(valid)
        if index % every == 0:
            check_lark(judge, text)
        suggestions += check_suggestion(judge, text)
    assert verdicts == {True, False}
    assert suggestions


@pytest.mark.parametrize(("name", "rule"), RULES)
@pytest.mark.parametrize("count", [12, pytest.param(80, marks=pytest.mark.slow)])
def test_engines_agree(count: int, name: str, rule: str) -> None:
    check(name, rule, count, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "rule"), RULES)
def test_engines_agree_on_many(name: str, rule: str) -> None:
    check(name, rule, 2_000, 23)


@pytest.mark.parametrize("name", ["rfc3986", "rfc2396"])
def test_components_are_the_text(name: str) -> None:
    api = {"rfc3986": uri, "rfc2396": uri.rfc2396}[name]
    for text, sentence in strings(name, "URI-reference", 2000):
        if sentence:
            assert str(api.parse(text)) == text


anything = st.text(st.characters(exclude_categories=()), max_size=40)


@law(st.sampled_from(RULES), anything, st.integers(0, 2**32), st.booleans(), few=12, many=60)
def test_anything_is_explained(rule: tuple[str, str], text: str, seed: int, inside: bool) -> None:
    grammar = abnforge.load(rule[0])
    judge = grammar[rule[1]]
    if inside:
        result = Sentences(grammar.core, grammar.facts).random(judge.name.lower(), Random(seed), 40)
        place = seed % (len(result) + 1)
        text = result[:place] + text + result[place:]
    rejection = judge.explain(text)
    assert (rejection is None) is judge.matches(text)
    if rejection is not None:
        assert json.loads(json.dumps(rejection.to_dict()))["offset"] == judge.automaton.read(text)[0]
        assert rejection.message.isprintable()
        check_fast(judge, text)
