"""AALpy's algorithm, over strings."""

from __future__ import annotations

import sys

import pytest

import abnforge
from abnforge.automata.algebra import witnesses
from abnforge.automata.dfa import Automaton
from abnforge.conformance.acceptor import Word
from abnforge.conformance.learner import Letters, available, learn_automaton
from tests.raising import raises

TEXTS = [
    '"x"',
    '*"x"',
    '*( "x" "y" )',
    '"x" a',  # nothing
    "*%x0-10FFFF",
    '1*3( "x" / "y" "z" ) [ "y" ]',
    '"" / 5"x"',
]


@pytest.mark.parametrize("text", TEXTS)
def test_an_oracle_that_knows_all(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("aalpy")
    right = abnforge.loads(f"a = {text}\n")["a"].automaton
    letters = Letters(right.charsets)
    asked: list[Word] = []

    def member(word: Word) -> bool:
        asked.append(word)
        return right.accepts(letters.text(word))

    def search(hypothesis: Automaton) -> Word | None:
        found = witnesses(hypothesis, right)
        text = found.only_left if found.only_left is not None else found.only_right
        return None if text is None else letters.word(text)

    assert learn_automaton(letters, member, search) == right
    assert asked[0] == ()
    assert all(type(word) is tuple for word in asked)
    assert capsys.readouterr() == ("", "")


def test_the_order_of_letters_does_not_matter() -> None:
    """Equal languages have equal automata."""
    pytest.importorskip("aalpy")
    right = abnforge.loads('a = *( "x" "y" ) [ DIGIT ]\n')["a"].automaton
    letters = Letters(reversed(right.charsets))

    def search(hypothesis: Automaton) -> Word | None:
        found = witnesses(hypothesis, right)
        text = found.only_left if found.only_left is not None else found.only_right
        return None if text is None else letters.word(text)

    assert learn_automaton(letters, lambda word: right.accepts(letters.text(word)), search) == right


def test_without_aalpy_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aalpy", None)
    with raises(ModuleNotFoundError, "learn-missing") as caught:
        available()
    assert caught.value.name == "aalpy"
