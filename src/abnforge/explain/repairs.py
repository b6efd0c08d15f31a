"""Repairs: all valid strings that the fewest edits of single characters lead to.

An edit inserts, deletes or replaces one character. An edit with several possible characters, all with the
same further edits, is one edit with a set of characters. ``repair_search`` has the first two steps:

1. ``SuffixCosts`` goes from the end of the string to its start. For each place and ``n`` up to a cost, it
   finds the states from which ``n`` edits of the rest lead to acceptance. The bits of a number represent a
   set of states. The moves between these sets are kept, so this step looks up one move for each character.
   The cost is raised until it is enough for the whole string.
2. ``cheapest`` goes from start to end. It follows the states that edits lead to, while the remaining edits
   are enough. The result is an acyclic graph of edits.
3. ``_Enumeration`` yields the repairs in this graph, best first.

For the automaton of a regular rule, the first step is exact, and the second step follows repairs only. For a
recursive rule, the second step follows the configurations of the recognizer. The first step then uses a
finite automaton that accepts more (``RegularApproximation``), as the estimate of the A* algorithm (Hart,
Nilsson and Raphael 1968). If its estimate is too low, the cost is raised and the second step is repeated.

Order of repairs: those that change the fewest places come first, and of these, those nearest to the mistake.
Then the kinds count: insert or replace by the only possible character, delete, insert or replace by one of
several characters. Edits further left come first among equals. If several repairs have the same strings, only
one is kept, with its insertions and deletions as far right as possible: of equal adjacent characters, the
last is deleted.

Sources: correction for context-free languages (Aho and Peterson 1972), order-n correction for regular
languages (Wagner 1974), error-tolerant recognition (Oflazer 1996), complete sets of minimum cost repairs
(Diekmann and Tratt 2020).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice, pairwise, product, takewhile
from typing import Any

from abnforge._lazy import cached_property, gc_paused, lazy_pattern
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget, Meter
from abnforge.charset import CharSet, union
from abnforge.errors import LimitExceeded
from abnforge.explain.repair_search import (
    DELETE,
    END,
    INSERT,
    REPLACE,
    AutomatonSpace,
    ConfigurationSpace,
    RegularApproximation,
    RepairGraph,
    Space,
    SuffixCosts,
    cheapest,
)
from abnforge.parsing.recognizer.machine import Machine
from abnforge.records import NamedTuple
from abnforge.rejection import Repair, RepairEdit, Suggestion, applied

MAX_REPAIRS = 250  # the maximum number of repairs of a string
MAX_EXPANSIONS = 20_000  # the maximum number of partial repairs, for strings with very many repairs
MAX_COMPARED = 100_000  # the maximum number of characters of repairs that are compared
MAX_REPAIRED = 4_000_000  # the maximum total length of repaired strings
PREPARATION_STEPS = 60_000  # the maximum steps to prepare a rule for suggestions, which is done once
SUGGESTION_EDITS = 5  # the maximum number of edits of repairs that are compared for a suggestion
SUGGESTION_EXPANSIONS = 500  # the maximum number of partial repairs for one suggestion
SUGGESTION_STEPS = 3_000  # the maximum steps of the search for one suggestion, a few milliseconds
SUGGESTION_PATHS = 60  # the maximum number of repairs that are compared for one suggestion
MAX_CASED = 16  # the maximum distance of a letter whose case an inserted letter has
MAX_EXAMPLES = 100  # the maximum number of examples that are tried for a repair
SHARE = 0.3  # the share of the budget's steps for the search
PER_CHARACTER = 0.5  # the additional steps for a character of the string

Piece = str | CharSet  # a character or several possible characters; "" for a deletion


class _Characters:
    """The possible characters of an edit; ``only`` is the only one, without regard to case, or None."""

    def __init__(self, charset: CharSet) -> None:
        self.charset = charset
        self.piece: Piece = charset if len(charset) > 1 else charset.min() if charset else ""
        letters = {chr(code).lower() for code in charset} if len(charset) <= 2 else ()
        self.only = letters.pop() if len(letters) == 1 else None
        self.chars = charset.to_class()

    @cached_property
    def examples(self) -> list[str]:
        """Some of the characters; if possible, the only one, letters, digits, or a space."""
        charset = self.charset
        usual = [char for char in (self.only, *_USUAL) if char is not None and char in charset]
        others = (charset & _PRINTABLE) or (charset - _SURROGATES) or charset
        return list(dict.fromkeys([*usual, *map(chr, islice(others, MAX_EXAMPLES))]))


_USUAL = "a0A "
_WORD = lazy_pattern(r"[^\W\d_]+")
_PRINTABLE = CharSet.from_ranges([(0x21, 0x7E)])
_SURROGATES = CharSet.from_ranges([(0xD800, 0xDFFF)])


class _Edit(NamedTuple):
    """An edit at an offset, with its possible characters."""

    kind: int
    offset: int
    characters: _Characters

    @property
    def end(self) -> int:
        """The offset after the edited character."""
        return self.offset + (self.kind != INSERT)


Pattern = tuple[int, int, tuple[Any, ...]]
Path = tuple[_Edit, ...]


class _Enumeration:
    """The repairs of a string in order. ``is_complete`` is False if a limit ended it."""

    def __init__(
        self, text: str, charsets: Sequence[CharSet], span: tuple[int, int], most: int = MAX_EXPANSIONS
    ) -> None:
        self._text = text
        self._charsets = charsets
        self._span = span
        self._most = most
        self._characters: dict[int, _Characters] = {}
        self.is_complete = True

    def paths(self, repairs: RepairGraph) -> Iterator[Path]:
        """Yield different repairs, the best first."""
        order: list[tuple[int, int, tuple[int, ...], int, Path, RepairGraph]] = [(0, 0, (), 0, (), repairs)]
        seen: set[Pattern] = set()
        number = 0
        while order:
            distance, rank, offsets, _, path, state = heappop(order)
            if state is END:
                pattern = self._pattern(path)
                if pattern not in seen:
                    seen.add(pattern)
                    yield path
                continue
            number += len(state.edits)
            if number > self._most:
                self.is_complete = False
                return
            if state.rest is not None:
                heappush(order, (distance, rank, offsets, number, path, state.rest))
            for index, (kind, classes, after) in enumerate(state.edits):
                edit = _Edit(kind, state.offset, self._characters_of(classes))
                longer = (*path, edit)
                if self._is_canonical(longer, after is END):
                    further = distance + self._distance(state.offset)
                    place = (*offsets, state.offset)
                    heappush(order, (further, rank + _rank(edit), place, number - index, longer, after))

    def _characters_of(self, classes: int) -> _Characters:
        characters = self._characters.get(classes)
        if characters is None:
            numbers = [number for number in range(classes.bit_length()) if classes >> number & 1]
            charset = union(self._charsets[number] for number in numbers)
            characters = self._characters[classes] = _Characters(charset)
        return characters

    def _distance(self, offset: int) -> int:
        start, end = self._span
        return max(start - offset, offset - end, 0)

    def _is_canonical(self, path: Path, is_last: bool) -> bool:
        """Return whether no other repair with the same strings is preferred to one that begins with ``path``.

        A replacement comes before adjacent insertions and deletions. Adjacent insertions or deletions are as
        far right as possible.
        """
        if len(path) > 1:
            before, last = path[-2:]
            if before.kind == last.kind:
                is_adjacent = last.offset == before.offset + (before.kind != INSERT)
            else:
                is_adjacent = last.offset == before.end
                if is_adjacent and before.kind != REPLACE and last.kind == REPLACE:
                    return False
            if not (is_adjacent and before.kind == last.kind) and self._can_move(path[:-1]):
                return False
        return not (is_last and self._can_move(path))

    def _can_move(self, path: Path) -> bool:
        """Return whether the last insertions or deletions can be one character further right."""
        kind, offset, characters = path[-1]
        if kind == REPLACE or path[-1].end >= len(self._text):
            return False
        for edit in path[-2::-1]:
            if edit.kind != kind or edit.offset != offset - (kind == DELETE):
                break
            _, offset, characters = edit
        following = self._text[path[-1].end]
        if kind == DELETE:
            return self._text[offset] == following
        return characters.piece == following

    def _pattern(self, path: Path) -> Pattern:
        """Return the difference between the string and its repairs: equal values have the same strings.

        It begins as far right as possible and then ends as far left as possible.
        """
        text = self._text
        start, end = path[0].offset, path[-1].end
        pieces = _pieces(text, path, start, end)
        while end < len(text) or (start < end and pieces):
            following = pieces[0] if pieces else text[end]
            if start == end or not pieces:
                if end == len(text) or following != text[start]:
                    break
                pieces = [*pieces[1:], text[end]] if pieces else []
                end += 1
            elif following == text[start]:
                pieces = pieces[1:]
            else:
                break
            start += 1
        while pieces and end > start and pieces[-1] == text[end - 1]:
            pieces.pop()
            end -= 1
        return start, end, tuple(pieces)

    def unlikeliness(self, path: Path) -> tuple[int, int]:
        """Return the number of places that a repair changes, and of words that it divides by a sign.

        Adjacent edits are one place.
        """
        places = [path[0], *(edit for before, edit in pairwise(path) if before.end != edit.offset)]
        return len(places), sum(map(self._divides, places))

    def _divides(self, edit: _Edit) -> bool:
        around = self._text[max(0, edit.offset - 1) : edit.offset + 1]
        is_inside = len(around) > 1 and (around.isalpha() or around.isdecimal())
        return is_inside and edit.kind != DELETE and not edit.characters.examples[0].isalnum()

    def without_covered(self, paths: list[Path]) -> list[Path]:
        """Return the repairs without those whose strings are all among those of another repair.

        At most ``MAX_COMPARED`` characters are compared; the repairs after them are kept.
        """
        start = min([path[0].offset for path in paths], default=0)
        end = max([path[-1].end for path in paths], default=0)
        if (end - start) * len(paths) > MAX_COMPARED:
            return paths
        rows = [_pieces(self._text, path, start, end) for path in paths]
        larger = [row for row in rows if not all(isinstance(piece, str) for piece in row)]
        left = MAX_COMPARED
        result: list[Path] = []
        for path, row in zip(paths, rows, strict=True):
            is_covered = False
            for other in larger if left > 0 else ():
                if other is not row and len(other) == len(row):
                    same = sum(1 for _ in takewhile(_is_contained, zip(other, row, strict=True)))
                    left -= 1 + same
                    is_covered = is_covered or same == len(row)
            if not is_covered:
                result.append(path)
        return result


def _pieces(text: str, path: Path, start: int, end: int) -> list[Piece]:
    """Return the repaired form of a span of a string."""
    pieces: list[Piece] = []
    for edit in path:
        pieces += text[start : edit.offset]
        if edit.kind != DELETE:
            pieces.append(edit.characters.piece)
        start = edit.end
    return pieces + list(text[start:end])


def _is_contained(pieces: tuple[Piece, Piece]) -> bool:
    """Return whether the first of two pieces has all characters of the second."""
    larger, smaller = pieces
    if larger == smaller or isinstance(larger, str):
        return larger == smaller
    return smaller in larger if isinstance(smaller, str) else not smaller - larger


def _rank(edit: _Edit) -> int:
    if edit.kind == DELETE:
        return 2
    return edit.kind + (2 if edit.characters.only is None else -1)


class Repairer:
    """Find the repairs of strings that one rule rejects. Not thread-safe.

    ``automaton`` is that of the rule; if it is None, ``machine`` parses the rule.
    """

    def __init__(self, rule: str, key: str, budget: Budget, source: Automaton | Machine) -> None:
        self._rule = rule
        self._key = key
        self._budget = budget
        self._source = source
        self._is_large = False
        self._space: AutomatonSpace | None = None
        self._approximation: RegularApproximation | None = None
        self._suffixes: SuffixCosts | None = None

    def find(
        self,
        text: str,
        span: tuple[int, int],
        suggestion: Suggestion | None,
        derives: Callable[[str], bool],
    ) -> tuple[tuple[Repair, ...], bool]:
        """Return the cheapest repairs of a rejected string, best first, and whether these are all.

        ``span`` is the place of the mistake. If the suggestion is one of the cheapest repairs, it comes
        first. ``derives`` validates the repaired strings. Raises LimitExceeded.
        """
        with gc_paused():
            operation = f"finding repairs by {self._rule}"
            steps = int(SHARE * self._budget.steps + PER_CHARACTER * len(text))
            meter = self._budget.meter(operation, len(text), rule=self._rule).part(operation, steps, "SHARE")
            space, suffixes = self._prepared(meter, meter)
            if space.start is None:
                return (), True
            repairs = cheapest(space, suffixes, text, meter)
        assert repairs is not None
        enumeration = _Enumeration(text, space.charsets, span)
        paths: list[Path] = []
        most = min(MAX_REPAIRS, MAX_REPAIRED // len(text) + 1) if text else MAX_REPAIRS
        for path in enumeration.paths(repairs):
            if len(paths) == most:
                enumeration.is_complete = False
                break
            paths.append(path)
        results: list[Repair] = []
        suggested = "" if suggestion is None else suggestion.text
        seen: set[str] = set()
        for path in sorted(enumeration.without_covered(paths), key=enumeration.unlikeliness):
            characters = None if suggestion is None else _characters(text, path, suggested)
            repair = _example(text, path, seen) if characters is None else _repair(text, path, characters)
            if repair is None:
                continue
            seen.add(repair.text)
            if characters is not None:
                results.insert(0, repair)
            elif derives(repair.text):
                results.append(repair)
        return tuple(results), enumeration.is_complete

    def for_suggestion(self, text: str, span: tuple[int, int]) -> tuple[list[Path], bool]:
        """Return the cheapest repairs as edits, and whether these are all; none if the search takes long."""
        operation = f"suggesting by {self._rule}"
        whole = self._budget.meter(operation, len(text), rule=self._rule)
        meter = whole.part(operation, SUGGESTION_STEPS, "SUGGESTION_STEPS")
        if self._is_large:
            return [], False
        try:
            with gc_paused():
                preparation = whole.part(operation, PREPARATION_STEPS, "PREPARATION_STEPS")
                self._is_large = True  # unless the preparation ends
                space, suffixes = self._prepared(meter, preparation)
                self._is_large = False
                if space.start is None:
                    return [], True
                repairs = cheapest(space, suffixes, text, meter, SUGGESTION_EDITS)
        except LimitExceeded:
            return [], False
        if repairs is None:
            return [], False
        enumeration = _Enumeration(text, space.charsets, span, SUGGESTION_EXPANSIONS)
        paths = list(islice(enumeration.paths(repairs), SUGGESTION_PATHS + 1))
        return enumeration.without_covered(paths), enumeration.is_complete and len(paths) <= SUGGESTION_PATHS

    def _prepared(self, meter: Meter, preparation: Meter) -> tuple[Space, SuffixCosts]:
        """Return the states and the kept costs; they are computed again if the machine dropped its states."""
        space: Space
        if isinstance(self._source, Automaton):
            space = self._space = self._space or AutomatonSpace(self._source)
        else:
            network = self._source.configurations.network
            if self._approximation is None or self._approximation.entry is not network.entry(self._key):
                self._approximation = RegularApproximation(self._source, self._key, preparation)
                self._suffixes = None
            space = ConfigurationSpace(self._source, self._approximation, self._key, meter)
        if self._suffixes is None:
            self._suffixes = SuffixCosts(space.transitions, space.final)
        return space, self._suffixes


def _characters(text: str, path: Path, other: str) -> list[str] | None:
    """Return the characters with which a repair leads to another string, or None."""
    characters: list[str] = []
    place = position = 0
    for edit in path:
        position += edit.offset - place
        if edit.kind != DELETE:
            char = other[position : position + 1]
            if not char or char not in edit.characters.charset:
                return None
            characters.append(char)
            position += 1
        else:
            characters.append("")
        place = edit.end
    return characters if _repair(text, path, characters).text == other else None


def _example(text: str, path: Path, seen: set[str]) -> Repair | None:
    """Return a repair with examples of characters, whose string is not listed yet, or None."""
    examples = [[""] if edit.kind == DELETE else _in_case(text, edit) for edit in reversed(path)]
    for characters in islice(product(*examples), MAX_EXAMPLES):
        repair = _repair(text, path, characters[::-1])
        if repair.text not in seen:
            return repair
    return None


def _in_case(text: str, edit: _Edit) -> list[str]:
    """Return the examples of an edit, letters first in the case of the nearest word of the string."""
    examples, start = edit.characters.examples, max(0, edit.offset - MAX_CASED)
    words = [*_WORD.finditer(text, start, edit.end + MAX_CASED)]
    if not words or (edit.characters.only is None and examples[0] in _USUAL):
        return examples
    nearest = min(words, key=lambda word: max(word.start() - edit.end, edit.offset - word.end()))
    return sorted(examples, key=lambda char: char.isalpha() and char.isupper() != nearest[0].isupper())


def _repair(text: str, path: Path, characters: Sequence[str]) -> Repair:
    """Return a repair with some of its possible characters."""
    edits = tuple(
        RepairEdit(edit.offset, edit.end, char, edit.characters.chars)
        for edit, char in zip(path, characters, strict=True)
    )
    return Repair(applied(text, edits), edits)
