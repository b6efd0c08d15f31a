"""The automaton of a black box, by Kearns and Vazirani's algorithm (1994), as AALpy has it.

It keeps a tree of words that tell states apart, and asks fewer questions than observation tables do: for URI
of RFC 3986 a third of those of L*. An implementation gives one bit for a whole string, so nothing is asked
letter by letter, and nothing is taken for known because it is the beginning of what was asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abnforge._lazy import importing
from abnforge.automata.dfa import Automaton, minimal
from abnforge.catalog import MissingExtraError
from abnforge.conformance.acceptor import Word
from abnforge.conformance.letters import Letters
from abnforge.conformance.messages import message

Member = Callable[[Word], bool]
Search = Callable[[Automaton], Word | None]


def learn_automaton(letters: Letters, member: Member, search: Search) -> Automaton:
    """The minimal automaton that ``search`` finds no counterexample to.

    ``member`` says whether a word is accepted, ``search`` gives a word that a hypothesis is wrong about. What
    they raise is raised. Raises ModuleNotFoundError without AALpy. Cost: a question for each state, letter
    and level of the tree, a search for each state.
    """
    run, oracle_kind, system_kind = _library()

    class System(system_kind):  # type: ignore[misc, valid-type]
        """Whole words only."""

        def query(self, word: Word) -> list[bool]:
            self.num_queries += 1
            return [member(tuple(word))]

        def pre(self) -> None:
            raise NotImplementedError

        post = pre

        def step(self, letter: object) -> bool:
            raise NotImplementedError

    class Oracle(oracle_kind):  # type: ignore[misc, valid-type]
        def find_cex(self, hypothesis: Any) -> Word | None:
            return search(_automaton(hypothesis, letters))

    alphabet = list(range(len(letters)))
    system = System()
    oracle = Oracle(alphabet, system)
    found = run(alphabet, system, oracle, "dfa", cache_and_non_det_check=False, print_level=0)
    return _automaton(found, letters)


def _automaton(hypothesis: Any, letters: Letters) -> Automaton:
    # Equal languages have equal automata where classes are sorted.
    order = sorted(range(len(letters)), key=lambda letter: letters.sets[letter].ranges)
    states = [hypothesis.initial_state]
    numbers = {id(hypothesis.initial_state): 0}
    rows: list[list[int]] = []
    for state in states:
        row: list[int] = []
        for letter in order:
            target = state.transitions[letter]
            if id(target) not in numbers:
                numbers[id(target)] = len(states)
                states.append(target)
            row.append(numbers[id(target)])
        rows.append(row)
    accepting = frozenset(number for number, state in enumerate(states) if state.is_accepting)
    return minimal(rows, accepting, [letters.sets[letter] for letter in order])


def available() -> None:
    """Raise ModuleNotFoundError without AALpy, before anything is asked."""
    _library()


def _library() -> tuple[Any, Any, Any]:
    try:
        with importing:
            from aalpy import SUL, Oracle, run_KV
    except ModuleNotFoundError as error:
        raise MissingExtraError(message("learn-missing"), name=error.name) from error
    return run_KV, Oracle, SUL
