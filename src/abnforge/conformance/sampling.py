"""Random strings of a regular language: each of a length alike, or as texts at hand are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

from abnforge._arguments import wrong_value
from abnforge.budget import Meter
from abnforge.conformance.acceptor import Acceptor


class Uniform:
    """Strings of given lengths, each as likely as any other one of its length.

    Counting, then choosing (Nijenhuis and Wilf 1978; Flajolet, Zimmermann and Van Cutsem 1994): the ways to
    go on from a state are known for every length, so that each character is drawn with its share of them.
    Cost: once, the table for every length; then linear in a string and the classes.
    """

    def __init__(self, acceptor: Acceptor, meter: Meter) -> None:
        self._acceptor = acceptor
        self._meter = meter
        self._sizes = [len(charset) for charset in acceptor.automaton.charsets]
        self._ways = [[int(accepts) for accepts in acceptor.accepting]]

    def count(self, length: int) -> int:
        """How many strings of a length there are."""
        rows = self._acceptor.rows
        while len(self._ways) <= length:
            before = self._ways[-1]
            # Numbers of many digits, which grow with the length.
            self._meter.charge(len(rows) * self._acceptor.classes * (1 + len(self._ways) // 100))
            self._meter.hold(len(rows) * (40 + 3 * len(self._ways)))
            self._ways.append(
                [
                    sum(size * before[target] for size, target in zip(self._sizes, row, strict=True))
                    for row in rows
                ]
            )
        return self._ways[length][0]

    def string(self, length: int, source: Random) -> str:
        """A string of a length. Raises ValueError where there is none."""
        left = self.count(length)
        if not left:
            raise wrong_value("length", "the length of a string of the rule", length)
        state = 0
        text: list[str] = []
        for rest in range(length - 1, -1, -1):
            ways = self._ways[rest]
            lot = source.randrange(self._ways[rest + 1][state])
            for number, target in enumerate(self._acceptor.rows[state]):
                share = self._sizes[number] * ways[target]
                if lot < share:
                    break
                lot -= share
            text.append(self._acceptor.automaton.charsets[number].nth(lot // ways[target]))
            state = target
        return "".join(text)


ORDER = 3
"""Characters before a place that have a say in what follows there."""

_Place = tuple[int, str]


class Likened:
    """Strings that are made as some texts are: what followed behind a state and the last characters there, as
    often as it did.

    A Markov chain over the states of the automaton (as in statistical testing: Whittaker and Thomason 1994)
    and the last ``ORDER`` characters (Shannon 1948), so that every string is one of the language. Texts that
    are none count as far as they can be read; ``read`` is how many are.
    """

    def __init__(self, acceptor: Acceptor, texts: Iterable[str]) -> None:
        self._acceptor = acceptor
        self.read = 0
        followed: dict[_Place, Counter[str | None]] = {}
        for text in texts:
            state = 0
            for place, char in enumerate(text):
                target = self._target(state, char)
                if target == acceptor.dead:
                    break
                followed.setdefault((state, text[max(0, place - ORDER) : place]), Counter())[char] += 1
                state = target
            else:
                if acceptor.accepting[state]:
                    followed.setdefault((state, text[-ORDER:]), Counter())[None] += 1
                    self.read += 1
        self._lots = {place: (list(each), list(each.values())) for place, each in followed.items()}

    def _target(self, state: int, char: str) -> int:
        return self._acceptor.rows[state][self._acceptor.automaton.class_of(char)]

    def string(self, source: Random, size: int) -> str:
        """A string; from ``size`` characters on, it ends the shortest way, as where no text went on."""
        state, text = 0, ""
        while len(text) < size and (lots := self._lots.get((state, text[-ORDER:]))) is not None:
            [char] = source.choices(*lots)
            if char is None:
                return text
            text += char
            state = self._target(state, char)
        behind = self._acceptor.completions[state]
        assert behind is not None
        return text + self._acceptor.text(behind)
