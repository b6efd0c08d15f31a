"""Changes of answers, and the words and signs that they insert."""

from __future__ import annotations

import abnforge
from abnforge.teaching.changes import RANKS, changes
from abnforge.teaching.exercises import exercises, reference
from abnforge.teaching.vocabulary import Vocabulary, vocabulary

KNOWN = {each.id: each for each in exercises()}


def test_changes_are_grammars() -> None:
    """Each change is a different answer, and nearly all of them can be parsed."""
    text = 'x = "a" *y / [ 2*3%x30-39 ( "b" / %s"c" ) ] 1*2( y )\ny = DIGIT ["e" / "f" "g"]\n'
    text += 'z = [y] [" a"] *(x / y)\n'
    known = Vocabulary(("on",), ("(", ")", "[", '"'), ("%x30-31",), case_sensitive=True)
    tried = list(changes(text, known))
    assert len(tried) > 60
    for each in tried:
        changed = text[: each.span.start] + each.text + text[each.span.end :]
        assert changed != text
        assert abnforge.loads(changed, cache=False)
    assert len({each.code for each in tried}) == len(RANKS) - 1  # any letters are replaced by the search


def test_words_and_signs() -> None:
    known = vocabulary(reference(KNOWN["log-line"]), KNOWN["log-line"].valid, "a 12")
    assert {"INFO", "WARN"} <= set(known.words)
    assert {"[", "]", " ", "12"} <= set(known.signs)
    assert (known.literal("x"), known.literal('"'), known.literal(" ")) == ('%s"x"', "%x22", "SP")
    assert not vocabulary(reference(KNOWN["greeting"]), ("Hello",)).case_sensitive
