"""Complete automata of rules."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.conformance.acceptor import Acceptor

# Rule, number of states, dead state or None.
CASES = [
    ('a = *( "x" / "y" )\n', 2, 1),
    ('a = "x"\n', 3, 2),
    ("a = *%x0-10FFFF\n", 1, None),
    ('a = "x" a\n', 1, 0),
]


@pytest.mark.parametrize(("text", "size", "dead"), CASES)
def test_states(text: str, size: int, dead: int | None) -> None:
    acceptor = Acceptor(abnforge.loads(text)["a"].automaton)
    assert (acceptor.size, acceptor.dead) == (size, dead)
    assert [acceptor.run(word) for word in acceptor.cover] == list(range(size))
    for state, word in enumerate(acceptor.completions):
        assert (word is None) is (state == dead)
        assert word is None or acceptor.accepting[acceptor.run(word, state)]


def test_representatives_read_well() -> None:
    acceptor = Acceptor(abnforge.load("rfc3986")["URI"].automaton)
    assert {"a", "1", ":", "/", "[", "%"} <= set(acceptor.representatives)
    assert [acceptor.text(word) for word in acceptor.cover[:3]] == ["", "a", "a:"]
