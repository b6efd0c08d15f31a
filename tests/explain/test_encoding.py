"""Mistakes as JSON has them, and back: every one that is shipped, and every kind of value."""

from __future__ import annotations

import json

import pytest

import abnforge
from abnforge.explain.mistakes_file import read_mistakes
from abnforge.explain.shipped import decoded, encoded
from tests.places import ROOT

SHIPPED = sorted(path.name.split(".")[0] for path in (ROOT / "grammars").glob("*.mistakes.abnf"))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_mistakes_are_what_they_were(name: str) -> None:
    mistakes = abnforge.load(name).compilation.mistakes.mistakes
    for value in (*mistakes.mistakes, *mistakes.helpers):
        assert decoded(json.loads(json.dumps(encoded(value)))) == value


def test_values_of_all_kinds() -> None:
    text = """
;@ of x y; blame a.2 all; fix a "b" %x21 encode(c, d) drop(c.2, d); inner a c; cost 2; unwanted
;@ say "a {a}"; section 3; example "a" -> none; example y "b" -> "c"; near "d"; seen "there"
m = a [ a ] 1*2( c / %s"x" / %x41-5A / %d65.66 ) [ c ] <words>
;@ of z "lit"; blame all; fix subst(a, "x")
n = a
a = "a"
"""
    for mistake in read_mistakes(text).mistakes:
        assert decoded(json.loads(json.dumps(encoded(mistake)))) == mistake


def test_other_values_are_refused() -> None:
    with pytest.raises(KeyError, match="object"):
        encoded((object(),))
