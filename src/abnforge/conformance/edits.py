"""Edits that implementations forgive: one character for another, all that are alike, and any single one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.characters import ASCII, TRAPS


def mistaken(acceptor: Acceptor) -> Iterator[str]:
    """At every live state every character of ASCII and every trap that cannot stand there, and then what
    could follow one that can, as if the one were taken for the other: a comma read as a decimal point.
    First with one such end everywhere, then with the next ones.
    """
    characters = dict.fromkeys((*ASCII, *TRAPS))
    places: list[tuple[str, list[str], list[str]]] = []
    for state in acceptor.live:
        row = acceptor.rows[state]
        targets = [target for number in acceptor.order if (target := row[number]) != acceptor.dead]
        ends = dict.fromkeys(_end(acceptor, target) for target in targets)
        wrong = [char for char in characters if row[acceptor.automaton.class_of(char)] == acceptor.dead]
        places.append((acceptor.text(acceptor.cover[state]), wrong, list(ends)))
    for turn in range(max((len(others) for _, _, others in places), default=0)):
        for before, wrong, others in places:
            if turn < len(others):
                for char in wrong:
                    yield before + char + others[turn]


def _end(acceptor: Acceptor, state: int) -> str:
    behind = acceptor.completions[state]
    assert behind is not None
    return acceptor.text(behind)


def alike(texts: Iterable[str]) -> Iterator[str]:
    """Texts of which every occurrence of a character is left out or doubled, and texts in the other case."""
    for text in texts:
        for char in dict.fromkeys(text):
            if not char.isalnum():
                yield text.replace(char, "")
                yield text.replace(char, 2 * char)
        yield text.swapcase()


def neighbours(texts: Iterable[str], characters: Sequence[str]) -> Iterator[str]:
    """Every text that is one edit away: a character left out, put in, or replaced by one of some."""
    for text in texts:
        for place in range(len(text) + 1):
            before, behind = text[:place], text[place:]
            for char in characters:
                yield before + char + behind
                if behind:
                    yield before + char + behind[1:]
            if behind:
                yield before + behind[1:]
