"""Languages put together for a proof: nondeterministic automata of texts, automata and their images by maps.

The image of a regular language by a map is regular. One letter is a choice of texts; whether a percent sign
begins a triplet is guessed, and checked on the letters behind it. What ``encode`` writes for a letter beyond
ASCII is taken to be any triplets of as many octets, and what ``idna`` writes to be any text of its set and
triplets: over-approximations, which a proof of inclusion may use.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.automaton.dfa import DEAD, Automaton, minimal
from abnforge.budget import Meter
from abnforge.charset import ANY, CharSet, partition
from abnforge.mistakes.maps import HEX, decoded, mapped_character
from abnforge.mistakes.model import DECODE, ENCODE, IDNA

_PERCENT = CharSet.of("%")
_TRIPLET = (_PERCENT, HEX, HEX)
_ASCII = CharSet.from_ranges([(0, 0x7F)])
# Code points by the octets of their UTF-8 form.
_LENGTHS = ((2, (0x80, 0x7FF)), (3, (0x800, 0xFFFF)), (4, (0x10000, 0x10FFFF)))

Word = tuple[CharSet, ...]
"""What may be written: one of each set, one behind the other."""

# What is known of the letters before: nothing; a percent sign that begins no triplet, and a digit behind it;
# a triplet's percent sign, and its first digit.
_FREE, _STRAY, _STRAY_DIGIT, _TRIPLET_SIGN, _TRIPLET_DIGIT = "", "%?", "%?d", "%", "%d"


class Languages:
    """A nondeterministic automaton under construction. What is added is charged to ``meter``."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._moves: list[list[tuple[CharSet, int]]] = []
        self._empty: list[list[int]] = []

    def state(self) -> int:
        """A new state."""
        self._meter.charge()
        self._moves.append([])
        self._empty.append([])
        return len(self._moves) - 1

    def join(self, source: int, target: int) -> None:
        """A move that reads nothing."""
        self._empty[source].append(target)

    def word(self, source: int, word: Word, target: int) -> None:
        """Moves that read a word."""
        for charset in word[:-1]:
            following = self.state()
            self._moves[source].append((charset, following))
            source = following
        if word:
            self._meter.charge()
            self._moves[source].append((word[-1], target))
        else:
            self.join(source, target)

    def automaton(self, source: int, automaton: Automaton, target: int) -> None:
        """Moves that read a string of an automaton's language."""
        self._image(source, automaton, target, None, None)

    def image(
        self, source: int, automaton: Automaton, target: int, how: str, charset: CharSet | None
    ) -> None:
        """Moves that read what a map makes of a string of an automaton's language."""
        self._image(source, automaton, target, how, charset)

    def _image(
        self, source: int, automaton: Automaton, target: int, how: str | None, charset: CharSet | None
    ) -> None:
        if not automaton.table:
            return
        if how == IDNA:
            assert charset is not None
            within = self.state()
            self.join(source, within)
            self.word(within, (charset,), within)
            self.word(within, _TRIPLET, within)
            self.join(within, target)
            return
        letters = _Letters(how, charset, self._meter)
        numbers: dict[tuple[int, str], int] = {(0, _FREE): self.state()}
        self.join(source, numbers[0, _FREE])
        for row, mode in (queue := [(0, _FREE)]):
            here = numbers[row, mode]
            if (
                row in automaton.accepting
                and not mode.startswith(_TRIPLET_SIGN + "d")
                and mode != _TRIPLET_SIGN
            ):
                self.join(here, target)
            for number, read in enumerate(automaton.charsets):
                following = automaton.table[row + number]
                if following == DEAD:
                    continue
                for word, after in letters.written(read, mode):
                    place = following, after
                    if place not in numbers:
                        numbers[place] = self.state()
                        queue.append(place)
                    self.word(here, word, numbers[place])

    def determinised(self, start: int, end: int) -> Automaton:
        """The minimal automaton of all that can be read between two states."""
        classes = partition([charset for moves in self._moves for charset, _ in moves] or [ANY])
        samples = [charset.min() for charset in classes]
        members: dict[CharSet, list[int]] = {}
        first = self._closed([start])
        numbers = {first: 0}
        rows: list[list[int]] = []
        accepting: set[int] = set()
        for states in (queue := [first]):
            if end in states:
                accepting.add(len(rows))
            targets: dict[int, set[int]] = {}
            for state in states:
                for charset, target in self._moves[state]:
                    if charset not in members:
                        members[charset] = [n for n, char in enumerate(samples) if char in charset]
                    self._meter.charge(1 + len(members[charset]) // 4)
                    for number in members[charset]:
                        targets.setdefault(number, set()).add(target)
            row = [DEAD] * len(classes)
            for number, found in targets.items():
                closed = self._closed(found)
                if closed not in numbers:
                    numbers[closed] = len(queue)
                    queue.append(closed)
                row[number] = numbers[closed]
            self._meter.charge(len(states) + len(classes))
            rows.append(row)
        return minimal(rows, frozenset(accepting), classes)

    def _closed(self, states: list[int] | set[int]) -> frozenset[int]:
        found = set(states)
        waiting = list(states)
        while waiting:
            for target in self._empty[waiting.pop()]:
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        self._meter.charge(len(found))
        return frozenset(found)


class _Letters:
    """What a map writes for a letter, given what is known of the letters before."""

    def __init__(self, how: str | None, charset: CharSet | None, meter: Meter) -> None:
        self._how = how
        self._charset = charset
        self._meter = meter
        self._plain: dict[CharSet, list[Word]] = {}

    def written(self, read: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        """Words for the letters of a set, each with what is known behind it."""
        if self._how is None:
            yield (read,), _FREE
        elif self._how == ENCODE:
            yield from self._encoded(read, mode)
        elif self._how == DECODE:
            yield from self._decoded(read, mode)
        else:
            for word in self._words(read):
                yield word, _FREE

    def _encoded(self, read: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        digits = read & HEX
        if mode in (_TRIPLET_SIGN, _TRIPLET_DIGIT):
            if digits:
                yield (digits,), _TRIPLET_DIGIT if mode == _TRIPLET_SIGN else _FREE
            return
        if "%" in read:
            yield (_PERCENT,), _TRIPLET_SIGN
            yield (_PERCENT, CharSet.of("2"), CharSet.of("5")), _STRAY
        for word in self._words(read - HEX - _PERCENT):
            yield word, _FREE
        if mode != _STRAY_DIGIT:
            for word in self._words(digits):
                yield word, _STRAY_DIGIT if mode == _STRAY else _FREE

    def _decoded(self, read: CharSet, mode: str) -> Iterator[tuple[Word, str]]:
        if mode.startswith("%d"):  # the sign, and one digit, which is not written yet
            for code in read & HEX:
                made = decoded(mode[2:] + chr(code), self._charset)
                if made is not None:
                    yield (CharSet.of(made),), _FREE
            return
        if mode == _TRIPLET_SIGN:
            for code in read & HEX:
                yield (), "%d" + chr(code)
            return
        refused = CharSet()
        if mode.startswith("%?d"):
            refused = CharSet.of("".join(chr(c) for c in HEX if decoded(mode[3:] + chr(c), self._charset)))
        left = read - refused
        if "%" in left:
            yield (), _TRIPLET_SIGN
            yield (_PERCENT,), _STRAY
        left -= _PERCENT
        if mode == _STRAY:
            for code in left & HEX:
                yield (CharSet.of(chr(code)),), "%?d" + chr(code)
            left -= HEX
        if left:
            yield (left,), _FREE

    def _words(self, read: CharSet) -> list[Word]:
        """What is written for letters that the map looks at one by one."""
        found = self._plain.get(read)
        if found is None:
            assert self._charset is not None
            kept, others = read & self._charset, read - self._charset
            found = self._plain[read] = [(kept,)] if kept else []
            if self._how == ENCODE:
                for length, (low, high) in _LENGTHS:
                    if others & CharSet.from_ranges([(low, high)]):
                        found.append(_TRIPLET * length)
                others &= _ASCII
            words: dict[str, str] = {}  # what is written but for its last character -> all such characters
            same: list[tuple[int, int]] = []
            for code in others:
                self._meter.charge()
                made = mapped_character(str(self._how), chr(code), self._charset)
                if made == chr(code):
                    same.append((code, code))
                elif made:
                    words[made[:-1]] = words.get(made[:-1], "") + made[-1]
                elif () not in found:
                    found.append(())
            found += [(*map(CharSet.of, made), CharSet.of(ends)) for made, ends in words.items()]
            if same:
                found.append((CharSet.from_ranges(same),))
        return found
