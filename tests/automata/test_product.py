"""Tagged automata made narrower tell the same parts, of the texts of both alone."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.automata.tables import PythonTable, packed
from abnforge.automata.tagged import intersect
from abnforge.budget import Budget
from abnforge.errors import LimitExceeded
from tests.automata.test_tagged import automaton
from tests.law import law
from tests.laws.kernel import WALKS, walking
from tests.raising import raises
from tests.reference.small_languages import TEXTS, Expression, abnf, expressions


@law(expressions, expressions, expressions, few=15, many=100)
def test_parts_are_the_same(first: Expression, second: Expression, other: Expression) -> None:
    """By each walk, of every text up to some length."""
    text = f"s = p q\np = {abnf(first)}\nq = {abnf(second)}\n"
    wide = automaton(text, {"p": ("p",)}, {"which": ("p", "q")})
    by = abnforge.loads(f"r = {abnf(other)}\n")["r"]
    narrow = intersect(wide, by.automaton, Budget().meter("narrowing"))
    octets = packed(narrow)
    walks = [PythonTable(octets), *filter(None, (walking(octets, walk) for walk in WALKS))]
    whole = PythonTable(packed(wide))
    for each in TEXTS:
        wanted = whole.find(each) if by.matches(each) else None
        assert [walk.find(each) for walk in walks] == [wanted] * len(walks)


def test_every_state_leads_to_acceptance() -> None:
    """So reading stops where no text of both goes on."""
    wide = automaton('s = 1*p\np = "a" / "b" / %xE9\n', {"p": ("p",)})
    by = abnforge.loads('r = "a" %xE9 / "ba" ["c"]\n')["r"].automaton
    walk = PythonTable(packed(intersect(wide, by, Budget().meter("narrowing"))))
    assert walk.find("aé") == ((1, 2), ())
    assert walk.read("ac") == (1, False)
    assert walk.read("bac") == (2, False)


@pytest.mark.parametrize("texts", ['r = "x"\n', 'r = r "x"\n'])
def test_nothing_may_be_left(texts: str) -> None:
    wide = automaton('s = p\np = "a"\n', {"p": ("p",)})
    narrow = intersect(wide, abnforge.loads(texts)["r"].automaton, Budget().meter("narrowing"))
    assert narrow.rows == []
    assert PythonTable(packed(narrow)).find("a") is None


def test_it_is_charged() -> None:
    wide = automaton('s = 100p\np = "a"\n', {"p": ("p",)})
    by = abnforge.loads('r = *"a"\n')["r"].automaton
    with raises(LimitExceeded, "limit-steps", operation="narrowing", limit=50):
        intersect(wide, by, Budget(steps=50).meter("narrowing"))
