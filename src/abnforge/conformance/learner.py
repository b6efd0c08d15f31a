"""Learn the automaton of an implementation: its alphabet, the algorithm, and counterexamples.

Random strings find few mistakes of a hypothesis: they reach 1 of the 180 states of URI. So the suite of the
rule comes first, then the suite of the hypothesis, which is complete up to a number of states.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from abnforge._lazy import importing
from abnforge.automata.algebra import preference
from abnforge.automata.dfa import DEAD, Automaton, minimal
from abnforge.budget import Budget, Meter
from abnforge.catalog import MissingExtraError
from abnforge.charset import CharSet, union
from abnforge.conformance.acceptor import Acceptor, Word
from abnforge.conformance.complete import complete_words
from abnforge.conformance.edits import distinguishing_characters, repeat_cycles, with_character
from abnforge.conformance.judges import BlackBox
from abnforge.conformance.messages import message

# Characters that an implementation distinguishes. At first, each state of the rule's automaton is tested with
# the characters that many implementations distinguish, and with one character of each block of Unicode.
# Characters with the same verdicts form one letter. If a hypothesis is wrong about a string, representatives
# replace its characters one by one, until only the distinguishing characters remain.

# The alphabet of a learned automaton: sets of characters, each with one representative. At first, a letter
# is a class of the rule. Characters of a class that the implementation distinguishes become letters.

# Blocks of characters that many implementations distinguish.
BLOCKS = tuple(
    CharSet.from_ranges(ranges)
    for ranges in ([(0, 0x7F)], [(0xD800, 0xDFFF)], [(0x80, 0xD7FF), (0xE000, 0x10FFFF)])
)
"""ASCII, surrogates, and all other characters."""


class Letters:
    """A partition of Unicode; ``characters`` represent its sets, by default the most readable ones."""

    def __init__(self, sets: Iterable[CharSet], characters: Sequence[str] | None = None) -> None:
        self.sets = tuple(sets)
        self.characters = characters or [preference(charset)[1] for charset in self.sets]
        ranges = sorted((low, number) for number, each in enumerate(self.sets) for low, _ in each.ranges)
        self._starts = tuple(low for low, _ in ranges)
        self._numbers = tuple(number for _, number in ranges)

    def __len__(self) -> int:
        return len(self.sets)

    def number(self, char: str) -> int:
        return self._numbers[bisect_right(self._starts, ord(char)) - 1]

    def word(self, text: str) -> Word:
        return tuple(map(self.number, text))

    def text(self, word: Sequence[int]) -> str:
        return "".join([self.characters[number] for number in word])

    def moved(self, groups: Iterable[tuple[CharSet, int | None]]) -> Letters:
        """Return letters with other representatives.

        Each group is a part of one letter without its representative. The group joins the letter with the
        given number, or becomes a new letter.
        """
        sets, characters = list(self.sets), list(self.characters)
        for group, to in groups:
            sets[self.number(group.min())] -= group
            if to is None:
                sets.append(group)
                characters.append(preference(group)[1])
            else:
                sets[to] |= group
        return Letters(sets, characters)

    def over(self, automaton: Automaton) -> Automaton:
        """Return an automaton of the same language with a column for each letter.

        No letter spans two of its classes. The classes are not minimal, so the automaton must not be compared
        with others by ``==``.
        """
        columns = [automaton.class_of(char) for char in self.characters]
        width = automaton.width
        return Automaton(
            width=len(self.sets),
            table=[
                DEAD if (target := automaton.table[row + column]) == DEAD else target // width * len(columns)
                for row in range(0, len(automaton.table), width)
                for column in columns
            ],
            accepting=frozenset(row // width * len(columns) for row in automaton.accepting),
            starts=self._starts,
            classes=self._numbers,
        )


Accepts = Callable[[str], bool]
Answers = tuple[bool, ...]

NEIGHBORS = 16
"""The number of tested characters on each side of an unusual one: there are 10 digits and 32 controls."""


def initial_letters(automaton: Automaton, accepts: Accepts) -> Letters:
    """Return the classes of a rule's automaton, split by the verdicts at each of its states.

    Cost: a verdict for each state and each of about 250 characters.
    """
    acceptor = Acceptor(automaton)
    characters = distinguishing_characters(automaton.charsets)

    def answers(char: str) -> Answers:
        return _answers(acceptor, char, accepts)

    sets: list[CharSet] = []
    for charset in automaton.charsets:
        alike: dict[Answers, list[CharSet]] = {}
        for part in (part for block in BLOCKS if (part := charset & block)):
            usual = answers(preference(part)[1])
            groups = _unusual(part, characters, usual, answers)
            groups[usual] = part - union(groups.values())
            for key, members in groups.items():
                alike.setdefault(key, []).append(members)
        sets += map(union, alike.values())
    return Letters(sets)


def refine(
    letters: Letters, reference: Automaton, hypothesis: Automaton, characters: Sequence[str], accepts: Accepts
) -> list[tuple[CharSet, int | None]]:
    """Return characters that a state of a hypothesis distinguishes from their representative.

    Neighbors are included. Each group has the number of a letter with the same verdicts, if there is one.
    Letters stay within classes of the rule. Cost: the same as for ``initial_letters``, at the states of the
    hypothesis.
    """
    acceptor = Acceptor(letters.over(hypothesis))

    def answers(char: str) -> Answers:
        return _answers(acceptor, char, accepts)

    usual = [answers(char) for char in letters.characters]
    classes = [reference.class_of(char) for char in letters.characters]
    first = {pair: number for number, pair in reversed(list(enumerate(zip(classes, usual, strict=True))))}
    moved: list[tuple[CharSet, int | None]] = []
    for number, charset in enumerate(letters.sets):
        own = letters.characters[number]
        for part in (part for block in BLOCKS if (part := charset & block)):
            # The most readable character of a block represents its untested characters.
            standing = usual[number] if own in part else answers(preference(part)[1])
            groups = _unusual(part, characters, standing, answers)
            groups[standing] = part - union(groups.values())
            groups.pop(usual[number], None)
            moved += [(group, first.get((classes[number], key))) for key, group in groups.items() if group]
    return moved


def minimize(text: str, letters: Letters, accepts: Accepts) -> tuple[str, set[str]]:
    """Replace characters by representatives while the verdict stays the same.

    Return the string, and its remaining characters. Cost: a verdict for each character.
    """
    answer = accepts(text)
    matter: set[str] = set()
    for place, char in enumerate(text):
        standing = letters.characters[letters.number(char)]
        if char == standing:
            continue
        other = text[:place] + standing + text[place + 1 :]
        if accepts(other) is answer:
            text = other
        else:
            matter.add(char)
    return text, matter


def _unusual(
    charset: CharSet, characters: Sequence[str], usual: Answers, answers: Callable[[str], Answers]
) -> dict[Answers, CharSet]:
    """Return the characters and neighbors whose verdicts differ from ``usual``, grouped by these verdicts."""
    codes: dict[Answers, set[int]] = {}
    asked: set[int] = set()

    def unusual(code: int) -> bool:
        asked.add(code)
        verdicts = answers(chr(code))
        if verdicts != usual:
            codes.setdefault(verdicts, set()).add(code)
        return verdicts != usual

    for char in characters:
        if char in charset and ord(char) not in asked and unusual(ord(char)):
            for step in (-1, 1):
                for beside in range(ord(char) + step, ord(char) + step * (NEIGHBORS + 1), step):
                    if beside not in charset or beside in asked or not unusual(beside):
                        break
    return {key: CharSet.from_ranges((code, code) for code in some) for key, some in codes.items()}


def _answers(acceptor: Acceptor, char: str, accepts: Accepts) -> Answers:
    """Return the verdicts on a character at each live state, followed by a shortest end."""
    return tuple(accepts(with_character(acceptor, state, char)) for state in acceptor.live)


# Kearns and Vazirani's algorithm (1994), by AALpy. Its tree of distinguishing words needs fewer queries than
# observation tables: for URI of RFC 3986, a third of the queries of L*. An implementation returns one bit for
# a whole string, so a query never reuses a prefix of another one.

Member = Callable[[Word], bool]
Search = Callable[[Automaton], Word | None]


def learn_automaton(letters: Letters, member: Member, search: Search) -> Automaton:
    """Return the minimal automaton to which ``search`` finds no counterexample.

    ``member`` returns whether a word is accepted; ``search`` returns a counterexample to a hypothesis. Their
    exceptions are propagated. Raises ModuleNotFoundError without AALpy. Cost: a query for each state, letter
    and level of the tree, and a search for each state.
    """
    run, oracle_kind, system_kind = _library()

    class System(system_kind):  # type: ignore[misc, valid-type]
        """A system that returns verdicts only on whole words."""

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
    learned = run(alphabet, system, oracle, "dfa", cache_and_non_det_check=False, print_level=0)
    return _automaton(learned, letters)


def _automaton(hypothesis: Any, letters: Letters) -> Automaton:
    # With sorted classes, equal languages have equal automata.
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
    """Raise ModuleNotFoundError without AALpy, before any query."""
    _library()


def _library() -> tuple[Any, Any, Any]:
    try:
        with importing:
            from aalpy import SUL, Oracle, run_KV
    except ModuleNotFoundError as error:
        raise MissingExtraError(message("learn-missing"), name=error.name) from error
    return run_KV, Oracle, SUL


MORE_BELOW = 60  # hypotheses with fewer states are also tested for one additional state


class CounterexampleSearch:
    """The search for counterexamples to hypotheses over some letters.

    The suite of the rule is complete for ``extra`` additional states; ``further`` words come first.
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
        words |= dict.fromkeys(map(letters.word, repeat_cycles(acceptor)))
        # Each round continues after the last counterexample, because most earlier words are still right.
        self._rounds = [_Round([]), _Round([*further, *sorted(words, key=_by_length)])]

    def extra_states(self, hypothesis: Automaton) -> int:
        """Return the number of additional states to test."""
        return int(hypothesis.states < MORE_BELOW)

    def counterexample(self, hypothesis: Automaton) -> Word | None:
        """Return a word that the hypothesis is wrong about, or None. Raises LimitExceeded.

        If the result is None, the hypothesis equals every automaton over the letters that agrees with the
        implementation on the tested words and has at most ``extra_states`` more states.
        """
        acceptor = Acceptor(self._letters.over(hypothesis))
        for words in self._rounds:
            if (mistaken := self._wrong(words, acceptor)) is not None:
                return mistaken
        for extra in range(self.extra_states(hypothesis) + 1):
            words = _Round(sorted((word for word, _ in self._suite(acceptor, extra)), key=_by_length))
            if (mistaken := self._wrong(words, acceptor)) is not None:
                self._rounds[0] = words
                return mistaken
        return None

    def _wrong(self, words: _Round, acceptor: Acceptor) -> Word | None:
        for word in words:
            self._meter.charge(1 + len(word) // 20)
            text = self._letters.text(word)
            if acceptor.accepting[acceptor.run(word)] is not self._box.accepts(text):
                # Without this check, random results would use up all queries.
                self._box.confirm(text)
                return word
        return None

    def _suite(self, acceptor: Acceptor, extra: int) -> Iterator[tuple[Word, bool]]:
        # Each suite has its own meter, since the next one replaces it.
        return complete_words(acceptor, extra, self._budget.meter(self._meter.operation))


class _Round:
    """Words in a cycle: each iteration starts where the previous one ended."""

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
