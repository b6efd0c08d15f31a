"""Repairs: all valid strings that the fewest edits of single characters lead to.

An edit inserts, deletes or replaces one character. An edit with several possible characters, all with the
same further edits, is one edit with a set of characters. The search has three steps:

1. ``SuffixCosts`` goes from the end of the string to its start. For each place and ``n`` up to a cost, it
   finds the states from which ``n`` edits of the rest lead to acceptance. The bits of a number represent a
   set of states. The moves between these sets are kept, so this step looks up one move for each character.
   The cost is raised until it is enough for the whole string.
2. ``_search`` goes from start to end. It follows the states that edits lead to, while the remaining edits are
   enough. The result is an acyclic graph of edits.
3. ``_Enumeration`` yields the repairs in this graph, best first.

For the automaton of a regular rule, the first step is exact, and the second step follows repairs only. For a
recursive rule, the second step follows the configurations of the recognizer. The first step then uses a
finite automaton that accepts more (``RegularApproximation``), as the estimate of the A* algorithm (Hart,
Nilsson and Raphael 1968). If its estimate is too low, the cost is raised and the second step is repeated.

Order of repairs: edits nearest to the mistake come first. Then the kinds count: insert or replace by the only
possible character, delete, insert or replace by one of several characters. Edits further left come first
among equals. If several repairs have the same strings, only one is kept, with its insertions and deletions as
far right as possible: of equal adjacent characters, the last is deleted.

Sources: correction for context-free languages (Aho and Peterson 1972), order-n correction for regular
languages (Wagner 1974), error-tolerant recognition (Oflazer 1996), complete sets of minimum cost repairs
(Diekmann and Tratt 2020).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any, Protocol

from abnforge._lazy import cached_property, gc_paused
from abnforge.automata.dfa import Automaton
from abnforge.budget import Budget, Meter
from abnforge.charset import CharSet, union
from abnforge.parsing.recognizer.configurations import Configuration
from abnforge.parsing.recognizer.machine import ConfigurationWalk, Machine, RegularApproximation, Transitions
from abnforge.records import NamedTuple
from abnforge.rejection import Repair, RepairEdit, Suggestion, applied

MAX_REPAIRS = 100  # the maximum number of repairs of a string
MAX_EXPANSIONS = 20_000  # the maximum number of partial repairs, for strings with very many repairs
MAX_COMPARED = 1_000  # repairs are compared within a span of this length
MAX_KEPT_LEVELS = 20_000  # the maximum number of places with different costs that are kept between strings

DELETE, INSERT, REPLACE = range(3)


class Space(Protocol):
    """The states of a rule for the search.

    ``start`` is None if the rule does not match any string. ``transitions`` are those of a finite automaton
    by class of characters, and ``final`` are its accepting states, as bits. The automaton accepts all strings
    of the rule; if it ``is_exact``, no others.
    """

    charsets: Sequence[CharSet]
    start: Hashable | None
    transitions: Sequence[Transitions]
    final: int
    is_exact: bool

    def class_of(self, char: str) -> int:
        """Return the number of a character's class, or -1 for a character that no string contains."""

    def bits(self, state: Any) -> int:
        """Return the states of the automaton that represent a state, as bits."""

    def step(self, state: Any, number: int) -> Any:
        """Return the state after a character of a class, or None."""

    def moves(self, state: Any, sources: Callable[[int], int]) -> list[tuple[int, Any, int]]:
        """Return the next states, each with the classes that lead to it, and with its bits.

        ``sources`` returns the states of the automaton from which a class leads to a relevant state; the
        others can be omitted.
        """

    def accepts(self, state: Any) -> bool:
        """Return whether the string can end in a state."""


class AutomatonSpace:
    """The states of a regular rule's automaton: its rows."""

    is_exact = True

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self.charsets: Sequence[CharSet] = automaton.charsets
        self.start: Hashable | None = 0 if automaton.table else None
        self.class_of = automaton.class_of
        self.final = 0
        for row in automaton.accepting:
            self.final |= self.bits(row)
        self._moves: dict[int, list[tuple[int, int, int]]] = {}
        self.transitions: Sequence[Transitions] = list(map(self._transitions, range(automaton.width)))

    def _transitions(self, number: int) -> Transitions:
        """Return the sources of each target by a class."""
        sources: dict[int, int] = {}
        bit = 1
        for target in self._automaton.table[number :: self._automaton.width]:
            if target >= 0:
                sources[target] = sources.get(target, 0) | bit
            bit <<= 1
        return [(bits, self.bits(target)) for target, bits in sources.items()]

    def bits(self, row: int) -> int:
        return 1 << row // self._automaton.width

    def step(self, row: int, number: int) -> int | None:
        target = self._automaton.table[row + number]
        return None if target < 0 else target

    def moves(self, row: int, sources: Callable[[int], int]) -> list[tuple[int, int, int]]:
        result = self._moves.get(row)
        if result is None:
            classes: dict[int, int] = {}
            for number, target in enumerate(self._automaton.table[row : row + self._automaton.width]):
                if target >= 0:
                    classes[target] = classes.get(target, 0) | 1 << number
            result = [(numbers, target, self.bits(target)) for target, numbers in classes.items()]
            self._moves[row] = result
        return result

    def accepts(self, row: int) -> bool:
        return row in self._automaton.accepting


class ConfigurationSpace:
    """The configurations of the recognizer for a rule, which can be recursive."""

    is_exact = False

    def __init__(self, machine: Machine, approximation: RegularApproximation, key: str, meter: Meter) -> None:
        self._machine = machine
        self._approximation = approximation
        self._walk = ConfigurationWalk(machine, key)
        self._meter = meter
        self._bits: dict[Any, int] = {}
        self._classes: dict[Any, list[int]] = {}
        self._targets: dict[Any, dict[int, Any]] = {}
        self.charsets: Sequence[CharSet] = machine.classes
        self.transitions: Sequence[Transitions] = approximation.transitions
        self.final = approximation.accept
        self.start = self._walk.start if self.bits(self._walk.start) else None
        self.accepts = self._walk.accepts
        self._symbols = [charset.min() for charset in machine.classes]
        self._numbers = {symbol: number for number, symbol in enumerate(self._symbols)}

    def class_of(self, char: str) -> int:
        return self._numbers.get(self._machine.representative(char), -1)

    def bits(self, state: Any) -> int:
        configuration = state[0]
        result = self._bits.get(configuration)
        if result is None:
            result = self._bits[configuration] = self._approximation.of(configuration)
        return result

    def step(self, state: Any, number: int) -> Any:
        if number < 0:
            return None
        targets = self._targets.get(state)
        if targets is None:
            targets = self._targets[state] = {}
        if number in targets:
            return targets[number]
        self._meter.charge(30)
        target = targets[number] = self._walk.move(state, self._symbols[number])
        return target

    def moves(self, state: Any, sources: Callable[[int], int]) -> list[tuple[int, Any, int]]:
        bits = self.bits(state)
        readable = self._readable(state[0])
        self._meter.charge(len(readable) // 2)
        classes: dict[Any, int] = {}
        for number in readable:
            if sources(number) & bits and (target := self.step(state, number)) is not None:
                classes[target] = classes.get(target, 0) | 1 << number
        return [(numbers, target, self.bits(target)) for target, numbers in classes.items()]

    def _readable(self, configuration: Configuration) -> list[int]:
        """Return the classes of characters that can follow."""
        result = self._classes.get(configuration)
        if result is None:
            opened = self._machine.configurations.opened(configuration)
            reads = {char for _, frame in opened for item in frame.items for char in item.reads}
            self._meter.charge(self._walk.cost((configuration, 0))[0])
            result = self._classes[configuration] = sorted(self._numbers[char] for char in reads)
        return result


Levels = tuple[int, ...]  # for each cost, the states from which the rest of a string costs at most that


class SuffixCosts:
    """The costs of the rest of a string, by state of a finite automaton. Moves between levels are kept."""

    def __init__(self, transitions: Sequence[Transitions], final: int) -> None:
        self._transitions = transitions
        self._final = final
        self.forget()

    def forget(self) -> None:
        self.levels: list[Levels] = []
        self._moves: list[dict[int, int]] = []
        self._numbers: dict[Levels, int] = {}
        self._before: list[dict[int, int]] = [{} for _ in self._transitions]
        self._edited: dict[int, int] = {}

    @cached_property
    def _any(self) -> Transitions:
        """The transitions by any character."""
        targets: dict[int, int] = {}
        for transitions in self._transitions:
            for sources, target in transitions:
                while sources:
                    bit = sources & -sources
                    targets[bit] = targets.get(bit, 0) | target
                    sources ^= bit
        sources_of: dict[int, int] = {}
        for bit, target in targets.items():
            sources_of[target] = sources_of.get(target, 0) | bit
        return [(sources, target) for target, sources in sources_of.items()]

    def of(self, classes: Sequence[int], cost: int, meter: Meter) -> tuple[Sequence[int], int] | None:
        """Return the numbers of the levels at each place, and the first place with a result below ``cost``.

        Return None if no state at some place leads to acceptance by at most ``cost`` edits.
        """
        if len(self.levels) > MAX_KEPT_LEVELS:
            self.forget()
        levels = [self._final]
        for _ in range(cost):
            levels.append(self._with_edit(levels[-1], meter))
        number = self._number(tuple(levels))
        result = array("L", [number]) * (len(classes) + 1)
        meter.charge(len(classes) // 8)
        moves = self._moves
        first = place = len(classes)
        for character in reversed(classes):
            place -= 1
            try:
                number = moves[number][character]
            except KeyError:
                number = self._move(number, character, meter)
            result[place] = number
            if not self.levels[number][cost]:
                return None
            if self.levels[number][cost - 1]:
                first = place
        return result, max(0, first - 1)

    def _number(self, levels: Levels) -> int:
        number = self._numbers.get(levels)
        if number is None:
            number = self._numbers[levels] = len(self.levels)
            self.levels.append(levels)
            self._moves.append({})
        return number

    def _move(self, number: int, character: int, meter: Meter) -> int:
        after = self.levels[number]
        levels: list[int] = []
        for cost, states in enumerate(after):
            before = self.read(character, states, meter) if character >= 0 else 0
            if cost:  # delete or replace the character, or insert another before it
                before |= self._with_edit(after[cost - 1], meter) | self._with_edit(levels[-1], meter)
            levels.append(before)
        result = self._moves[number][character] = self._number(tuple(levels))
        return result

    def read(self, character: int, states: int, meter: Meter) -> int:
        """Return the states from which a character leads to one of some states."""
        known = self._before[character]
        result = known.get(states)
        if result is None:
            transitions = self._transitions[character]
            meter.charge(1 + len(transitions) // 8)
            result = 0
            for sources, targets in transitions:
                if targets & states:
                    result |= sources
            known[states] = result
        return result

    def _with_edit(self, states: int, meter: Meter) -> int:
        """Return some states, and those from which any character leads to one of them."""
        result = self._edited.get(states)
        if result is None:
            meter.charge(1 + len(self._any) // 8)
            result = states
            for sources, targets in self._any:
                if targets & states:
                    result |= sources
            self._edited[states] = result
        return result


class _Node:
    """The edits at one place of a string in one state, and the next node if the character there is kept.

    ``targets`` has the kind of an edit, the classes of its character as bits, and the node after it. A node
    without edits represents the next node. ``next`` is None if the string has no more repairs.
    """

    __slots__ = ("next", "offset", "repairs", "targets")

    def __init__(self) -> None:
        self.offset = -1
        self.targets: list[tuple[int, int, _Node]] = []
        self.next: _Node | None = None
        self.repairs: _Repairs | None = None


class _Repairs:
    """The repairs of the rest of a string: those that begin with an edit at ``offset``, and later ones.

    Equal values are identical. ``edits`` has the kind, the classes and the repairs after each edit. The value
    without edits is the end of all repairs.
    """

    __slots__ = ("edits", "number", "offset", "rest")

    def __init__(
        self, number: int, offset: int, edits: tuple[tuple[int, int, _Repairs], ...], rest: _Repairs | None
    ) -> None:
        self.number = number
        self.offset = offset
        self.edits = edits
        self.rest = rest


_END = _Repairs(0, -1, (), None)
_LAST = _Node()  # the node at the end of a repaired string
_LAST.repairs = _END


def _search(
    space: Space, classes: Sequence[int], suffixes: SuffixCosts, cost: int, meter: Meter
) -> _Repairs | None:
    """Return the repairs of exactly ``cost`` edits, or None. There must not be any with fewer."""
    costs = suffixes.of(classes, cost, meter)
    state = space.start
    if costs is None or state is None:
        return None
    numbers, first = costs
    for number in classes[:first]:
        state = space.step(state, number)
        if state is None:
            return None
    meter.charge(first // 8)
    levels = suffixes.levels
    if not space.bits(state) & levels[numbers[first]][cost]:
        return None
    root = _Node()
    nodes: list[_Node] = []
    layers: list[dict[Any, _Node]] = [{} for _ in range(cost + 1)]  # by number of edits
    layers[0][state] = root
    end = len(classes)
    for place in range(first, end + 1):
        here = levels[numbers[place]]
        after = levels[numbers[place + 1]] if place < end else (0,) * (cost + 1)
        following: list[dict[Any, _Node]] = [{} for _ in layers]
        for edits, layer in enumerate(layers):
            left = cost - edits
            for state, node in layer.items():
                if edits and any(state in layers[fewer] for fewer in range(edits)):
                    continue
                meter.charge(8)
                if left and (here[left - 1] or after[left - 1]):
                    targets = _edits(
                        space,
                        suffixes,
                        state,
                        classes[place] if place < end else -1,
                        (here[left - 1], after[left - 1]),
                        (layers[edits + 1], following[edits + 1]),
                        meter,
                    )
                    if targets:
                        node.offset, node.targets = place, targets
                        nodes.append(node)
                        node.next = node = _Node()
                if (not left and space.is_exact) or (place == end and space.accepts(state)):
                    node.next = _LAST
                elif place == end:
                    continue
                else:
                    target = space.step(state, classes[place])
                    if target is not None and space.bits(target) & after[left]:
                        known = following[edits].get(target)
                        if known is None:
                            following[edits][target] = node
                        elif known is not node:
                            node.next = known
        layers = following
        if not any(layers):
            break
    return _collected(root, nodes)


def _edits(
    space: Space,
    suffixes: SuffixCosts,
    state: Any,
    character: int,
    allowed: tuple[int, int],
    layers: tuple[dict[Any, _Node], dict[Any, _Node]],
    meter: Meter,
) -> list[tuple[int, int, _Node]]:
    """Return the edits in a state from which the remaining edits can be enough.

    ``allowed`` are the states at this place and after the character from which they are, and ``layers`` are
    the nodes there.
    """
    result: list[tuple[int, int, _Node]] = []
    here, after = allowed
    if space.bits(state) & after:
        result.append((DELETE, 0, layers[1].setdefault(state, _Node())))
    moves = space.moves(state, partial(suffixes.read, states=here | after, meter=meter))
    meter.charge(10 + 2 * len(moves))
    for numbers, target, bits in moves:
        if bits & here:
            result.append((INSERT, numbers, layers[0].setdefault(target, _Node())))
        if bits & after:
            others = numbers & ~(1 << character) if character >= 0 else numbers
            if others:
                result.append((REPLACE, others, layers[1].setdefault(target, _Node())))
    return result


def _collected(root: _Node, nodes: list[_Node]) -> _Repairs | None:
    """Return the repairs from a node. Edits with equal repairs after them are united."""
    known: dict[tuple[Any, ...], _Repairs] = {}
    for node in reversed(nodes):
        rest = _repairs_of(node.next)
        united: dict[tuple[int, int], tuple[int, _Repairs]] = {}
        for kind, classes, target in node.targets:
            after = _repairs_of(target)
            if after is not None:
                key = kind, after.number
                united[key] = (united[key][0] | classes if key in united else classes), after
        if united:
            edits = tuple((key[0], *united[key]) for key in sorted(united))
            identity = (
                node.offset,
                tuple((kind, classes, after.number) for kind, classes, after in edits),
                0 if rest is None else rest.number,
            )
            if identity not in known:
                known[identity] = _Repairs(len(known) + 1, node.offset, edits, rest)
            rest = known[identity]
        node.repairs = rest
        node.targets = []
    return _repairs_of(root)


def _repairs_of(node: _Node | None) -> _Repairs | None:
    while node is not None and node.repairs is None and node.offset < 0:
        node = node.next
    return None if node is None else node.repairs


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
    def example(self) -> str:
        """One of the characters: if possible, the only one, a letter, a digit, or a space."""
        usual = self.only or next((char for char in _USUAL if char in self.charset), None)
        charset = self.charset
        return usual or ((charset & _PRINTABLE) or (charset - _SURROGATES) or charset).min()


_USUAL = "a0A "
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

    def __init__(self, text: str, charsets: Sequence[CharSet], span: tuple[int, int]) -> None:
        self._text = text
        self._charsets = charsets
        self._span = span
        self._characters: dict[int, _Characters] = {}
        self.is_complete = True

    def paths(self, repairs: _Repairs) -> Iterator[Path]:
        """Yield different repairs, the best first."""
        order: list[tuple[int, int, tuple[int, ...], int, Path, _Repairs]] = [(0, 0, (), 0, (), repairs)]
        seen: set[Pattern] = set()
        number = 0
        while order:
            distance, rank, offsets, _, path, state = heappop(order)
            if state is _END:
                pattern = self._pattern(path)
                if pattern not in seen:
                    seen.add(pattern)
                    yield path
                continue
            number += len(state.edits)
            if number > MAX_EXPANSIONS:
                self.is_complete = False
                return
            if state.rest is not None:
                heappush(order, (distance, rank, offsets, number, path, state.rest))
            for index, (kind, classes, after) in enumerate(state.edits):
                edit = _Edit(kind, state.offset, self._characters_of(classes))
                longer = (*path, edit)
                if self._is_canonical(longer, after is _END):
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

    def without_covered(self, paths: list[Path]) -> list[Path]:
        """Return the repairs without those whose strings are all among those of another repair."""
        larger = [path for path in paths if any(type(edit.characters.piece) is CharSet for edit in path)]
        lengths = {id(path): _growth(path) for path in paths}
        return [
            path
            for path in paths
            if not any(
                lengths[id(other)] == lengths[id(path)] and self._covers(other, path)
                for other in larger
                if other is not path
            )
        ]

    def _covers(self, larger: Path, smaller: Path) -> bool:
        start = min(larger[0].offset, smaller[0].offset)
        end = max(larger[-1].end, smaller[-1].end)
        if end - start > MAX_COMPARED:
            return False
        sets = _pieces(self._text, larger, start, end)
        return all(map(_contains, sets, _pieces(self._text, smaller, start, end)))


def _growth(path: Path) -> int:
    """Return the length of the repaired string minus that of the string."""
    return sum((edit.kind == INSERT) - (edit.kind == DELETE) for edit in path)


def _pieces(text: str, path: Path, start: int, end: int) -> list[Piece]:
    """Return the repaired form of a span of a string."""
    pieces: list[Piece] = []
    for edit in path:
        pieces += text[start : edit.offset]
        if edit.kind != DELETE:
            pieces.append(edit.characters.piece)
        start = edit.end
    return pieces + list(text[start:end])


def _contains(larger: Piece, smaller: Piece) -> bool:
    if isinstance(larger, str):
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
            meter = self._budget.meter(f"finding repairs by {self._rule}", len(text), rule=self._rule)
            space, suffixes = self._prepared(meter)
            if space.start is None:
                return (), True
            repairs = _cheapest(space, suffixes, text, meter)
        enumeration = _Enumeration(text, space.charsets, span)
        paths: list[Path] = []
        for path in enumeration.paths(repairs):
            if len(paths) == MAX_REPAIRS:
                enumeration.is_complete = False
                break
            paths.append(path)
        results: list[Repair] = []
        for path in enumeration.without_covered(paths):
            characters = None if suggestion is None else _characters(text, path, suggestion.text)
            repair = _repair(text, path, characters)
            if characters is not None:
                results.insert(0, repair)
            elif derives(repair.text):
                results.append(repair)
        return tuple(results), enumeration.is_complete

    def _prepared(self, meter: Meter) -> tuple[Space, SuffixCosts]:
        """Return the states and the kept costs; they are computed again if the machine dropped its states."""
        space: Space
        if isinstance(self._source, Automaton):
            space = self._space = self._space or AutomatonSpace(self._source)
        else:
            network = self._source.configurations.network
            if self._approximation is None or self._approximation.entry is not network.entry(self._key):
                self._approximation = RegularApproximation(self._source, self._key, meter)
                self._suffixes = None
            space = ConfigurationSpace(self._source, self._approximation, self._key, meter)
        if self._suffixes is None:
            self._suffixes = SuffixCosts(space.transitions, space.final)
        return space, self._suffixes


def _cheapest(space: Space, suffixes: SuffixCosts, text: str, meter: Meter) -> _Repairs:
    numbers = {char: space.class_of(char) for char in set(text)}
    classes = [numbers[char] for char in text]
    for cost in count(1):
        meter.charge()
        repairs = _search(space, classes, suffixes, cost, meter)
        if repairs is not None:
            return repairs
    raise AssertionError


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


def _repair(text: str, path: Path, characters: Sequence[str] | None = None) -> Repair:
    """Return a repair with some characters, by default examples."""
    if characters is None:
        characters = ["" if edit.kind == DELETE else edit.characters.example for edit in path]
    edits = tuple(
        RepairEdit(edit.offset, edit.end, char, edit.characters.chars)
        for edit, char in zip(path, characters, strict=True)
    )
    return Repair(applied(text, edits), edits)
