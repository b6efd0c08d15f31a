"""Complete suites: the HSI method for acceptors.

Words: every word of a state cover, followed by up to ``extra`` further characters, is asked; and followed by
up to ``extra`` + 1 it is identified, by the words of the state that it has to lead to (Petrenko, Yevtushenko,
Lebedev and Das 1994; Vasilevskii 1973 and Chow 1978 for the bound). Any automaton over the same classes with
at most so many states more than the rule's that accepts what is to be accepted of them, and nothing else, is
equivalent to the rule's.

An acceptor gives a bit for a whole word, and none for what it reads on the way. So a word is not left out for
being the beginning of another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from abnforge.budget import Meter
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.identification import identifiers

W = TypeVar("W", Word, str)

# What a word takes in octets, estimated, beside its characters.
_WORD_OCTETS = 150


def complete_words(acceptor: Acceptor, extra: int, meter: Meter) -> Iterator[tuple[Word, bool]]:
    """The words of a complete suite, each once, with whether it is accepted; in no order that means anything.

    Raises LimitExceeded. Cost: the words, about ``classes`` times as many for each extra state.
    """
    return _complete(acceptor, extra, meter, tuple, [(number,) for number in range(acceptor.classes)])


def complete_texts(acceptor: Acceptor, extra: int, meter: Meter) -> Iterator[tuple[str, bool]]:
    """The same as texts."""
    return _complete(acceptor, extra, meter, acceptor.text, acceptor.representatives)


def _complete(
    acceptor: Acceptor, extra: int, meter: Meter, write: Callable[[Word], W], letters: Sequence[W]
) -> Iterator[tuple[W, bool]]:
    # Words are put together of few beginnings and fewer ends, which are written once.
    ends: list[list[tuple[W, bool]]] = [
        [(write(word), acceptor.accepting[acceptor.run(word, state)]) for word in words]
        for state, words in enumerate(identifiers(acceptor, meter))
    ]
    nothing = write(())
    asked: set[W] = set()
    level: dict[W, int] = {write(word): state for state, word in enumerate(acceptor.cover)}
    met = set(level)
    for distance in range(extra + 2):
        for word, state in level.items():
            behind: list[tuple[W, bool]] = list(ends[state])
            if distance <= extra:
                behind.append((nothing, acceptor.accepting[state]))
            meter.charge(len(behind))
            meter.hold(_WORD_OCTETS * len(behind))
            for end, accepted in behind:
                whole = word + end
                if whole not in asked:
                    asked.add(whole)
                    yield whole, accepted
        if distance <= extra:
            level = {
                longer: acceptor.rows[state][number]
                for word, state in level.items()
                for number in acceptor.order
                if (longer := word + letters[number]) not in met
            }
            met.update(level)
