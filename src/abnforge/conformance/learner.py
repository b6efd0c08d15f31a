"""Is this what the implementation accepts? Strings on which a hypothesis is wrong, short ones first.

Random strings find next to nothing: they stop at 1 of the 180 states of URI. So the rule's own suite is asked
first, with its loops, and then the suite of the hypothesis, which is complete up to a number of states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from abnforge._lazy import importing
from abnforge.automata.dfa import Automaton, minimal
from abnforge.budget import Budget, Meter
from abnforge.catalog import MissingExtraError
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.alphabet import Letters
from abnforge.conformance.black_box import BlackBox
from abnforge.conformance.complete import complete_words
from abnforge.conformance.messages import message
from abnforge.conformance.passes import loops

# Kearns and Vazirani's algorithm (1994), by AALpy. Its tree of distinguishing words needs fewer queries
# than observation tables: for URI of RFC 3986 a third of those of L*. An implementation returns one bit for
# a whole string, so a query never reuses a prefix of another one.

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


MORE_BELOW = 60
"""States below which a hypothesis is tried for one state more than it has."""


class Equivalence:
    """What tells hypotheses over some letters from the implementation. ``extra`` is the number of states more
    than the rule's for which its suite is complete; ``further`` are words that are asked first of all.
    """

    def __init__(
        self,
        box: BlackBox,
        letters: Letters,
        reference: Automaton,
        extra: int,
        further: Iterable[Word],
        meter: Meter,
        budget: Budget,
    ) -> None:
        self._box = box
        self._letters = letters
        self._meter = meter
        self._budget = budget
        acceptor = Acceptor(letters.over(reference))
        words = dict.fromkeys(word for word, _ in self._suite(acceptor, extra))
        words |= dict.fromkeys(map(letters.word, loops(acceptor)))
        # Each is gone through from where the last counterexample was: most that was right before still is.
        self._rounds = [_Round([]), _Round([*further, *sorted(words, key=_by_length)])]

    def extra_states(self, hypothesis: Automaton) -> int:
        """How many states more than it has a hypothesis is tried for."""
        return int(hypothesis.states < MORE_BELOW)

    def counterexample(self, hypothesis: Automaton) -> Word | None:
        """A word that the hypothesis is wrong about; None where none is found. Raises LimitExceeded.

        Then every automaton over the letters that has ``extra_states`` more than the hypothesis, at most, and
        accepts what the implementation does of the words asked, is equal to it.
        """
        acceptor = Acceptor(self._letters.over(hypothesis))
        for words in self._rounds:
            if (found := self._wrong(words, acceptor)) is not None:
                return found
        for extra in range(self.extra_states(hypothesis) + 1):
            words = _Round(sorted((word for word, _ in self._suite(acceptor, extra)), key=_by_length))
            if (found := self._wrong(words, acceptor)) is not None:
                self._rounds[0] = words
                return found
        return None

    def _wrong(self, words: _Round, acceptor: Acceptor) -> Word | None:
        for word in words:
            self._meter.charge(1 + len(word) // 20)
            text = self._letters.text(word)
            if acceptor.accepting[acceptor.run(word)] is not self._box.accepts(text):
                # Who answers at random would be learnt for as long as there are questions.
                self._box.confirm(text)
                return word
        return None

    def _suite(self, acceptor: Acceptor, extra: int) -> Iterator[tuple[Word, bool]]:
        # Of a suite nothing is kept when the next one is made: each has a meter of its own.
        return complete_words(acceptor, extra, self._budget.meter(self._meter.operation))


class _Round:
    """Words, all of them each time, from the one on where the last time ended."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        self._place = 0

    def __iter__(self) -> Iterator[Word]:
        start = self._place
        for place in chain(range(start, len(self._words)), range(start)):
            self._place = place
            yield self._words[place]


def _by_length(word: Word) -> tuple[int, Word]:
    return len(word), word
