"""Rules may be called as the words of directives are: ``all``, ``start`` and ``end``."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.explain.mistakes import ALL, END, START, Mapped, Slot
from abnforge.explain.mistakes_file import read_mistakes

WORDS = ("all", "start", "end")


@pytest.mark.parametrize("word", WORDS)
def test_derived_mistakes(word: str) -> None:
    rule = abnforge.loads(f'{word} = "(" 1*DIGIT ")"\n')[word]
    rejection = rule.explain('"(12)"')
    assert rejection is not None
    assert rejection.code == "wrapped"
    assert rejection.suggestion is not None
    assert rejection.suggestion.text == "(12)"


@pytest.mark.parametrize("word", WORDS)
def test_declared_mistakes(word: str) -> None:
    """With a number a name is the rule's, and a word is the word."""
    text = f"""
;@ of list; blame {word}.1 {word}; fix drop({word}.1, {word}); say "{{{word}.1}}"
bad = "<" {word} ">"
"""
    grammar = abnforge.loads(f'list = {word}\n{word} = DIGIT / "x"\n', mistakes=text)
    (mistake,) = read_mistakes(text).mistakes
    assert mistake.blame == (Slot(word), {"all": ALL, "start": START, "end": END}[word])
    assert mistake.fix == (Mapped("drop", Slot(word), word),)
    rejection = grammar["list"].explain("<7>")
    assert rejection is not None
    assert (rejection.code, rejection.hypotheses[0].offset, rejection.hypotheses[0].end) == ("bad", 1, 2)
    assert rejection.suggestion is not None
    assert rejection.suggestion.text == "7"
