"""Build minimal automata for lists of words without the subset construction.

A rule that derives finitely many literals (methods, schemes, reserved words, a registry's names) is a list of
words. Its words are added in sorted order (Daciuk, Mihov, Watson and Watson, "Incremental construction of
minimal acyclic finite-state automata", 2000). States of the previous word that the next word does not share
can no longer change, so each is merged with an equal state, if any.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from abnforge.budget import Meter
from abnforge.charset import ANY, CharSet, disjoint, partition, union
from abnforge.grammar.core import Chars, Choice, Literal, Node, Ref, Seq

Word = tuple[CharSet, ...]

# A state: whether a word ends in the state, and its moves, in the order of letters.
_State = tuple[bool, tuple[tuple[str, int], ...]]

# The estimated memory of a state during construction, in bytes.
_STATE_BYTES = 300


def words_of(bodies: Mapping[str, Node], key: str) -> list[Word] | None:
    """Return the words, possibly repeated, of a rule that derives only literals; otherwise None.

    ``bodies`` must not contain recursion.

    Complexity: linear in the size of the definitions.
    """
    words: list[Word] = []
    visited: set[str] = set()
    stack: list[Node] = [Ref(key)]
    while stack:
        match stack.pop():
            case Ref(key=name):
                if name not in visited:  # a repeated visit adds nothing
                    visited.add(name)
                    stack.append(bodies[name])
            case Choice(items=items):
                stack.extend(items)
            case Chars(charset=charset):
                words.append((charset,))
            case Literal(items=items):
                words.append(tuple([item.charset for item in items]))
            case Seq(items=items) if all(isinstance(item, Chars) for item in items):
                words.append(tuple(item.charset for item in items if isinstance(item, Chars)))
            case _:
                return None
    return words


def minimal_rows(
    words: Sequence[Word], meter: Meter
) -> tuple[array[int], frozenset[int], list[CharSet]] | None:
    """Return the minimal automaton of words: its table, accepting rows, and character classes.

    Layout and order are those of ``dfa.Automaton``: states in breadth-first order, classes by first
    character. Returns None if letters overlap without being equal (``"a"`` and ``%s"a"``).

    Raises: LimitExceeded.
    Complexity: linear in the letters of all words, and one row for each state.
    """
    meter.charge(sum(map(len, words)))
    letters, characters = dict[CharSet, str](), dict[int, str]()
    single = union(word[0] for word in words if len(word) == 1)
    spelled = {spell(word, letters, characters) for word in words if len(word) != 1}
    if not disjoint(letters):
        return None
    # Words of one letter are merged into one set, which may contain letters of other words.
    spelled.update(
        spell((each,), letters, {}) for each in partition([single, *letters]) if each.min() in single
    )
    states, start = _states(sorted(spelled), meter)
    classes, column = _classes(list(letters), states)
    width = len(classes)
    meter.charge(len(states))
    meter.hold(len(states) * width * 4)
    order = {start: 0}
    table = array("i")
    accepting: list[int] = []
    empty = array("i", [-1]) * width
    for number in (queue := [start]):
        final, moves = states[number]
        if final:
            accepting.append(len(table))
        row = empty[:]
        for place, target in sorted((column[letter], target) for letter, target in moves):
            if target not in order:
                order[target] = len(queue)
                queue.append(target)
            row[place] = order[target] * width
        table += row
    return table, frozenset(accepting), classes


def spell(word: Sequence[CharSet], letters: dict[CharSet, str], characters: dict[int, str]) -> str:
    """Return a word spelled with one character per letter; equal sets have equal characters.

    ``characters`` maps the identities of earlier sets to their characters, and is valid as long as these sets
    exist. Hashing each of a million letters would take longer than all other work.
    """
    try:
        return "".join([characters[id(charset)] for charset in word])
    except KeyError:
        for charset in word:
            characters[id(charset)] = letters.setdefault(charset, chr(len(letters)))
        return "".join([characters[id(charset)] for charset in word])


def spellings(nodes: Sequence[Node]) -> dict[int, str]:
    """Return the spellings of the literals among nodes, by index; literals that share a string are equal.

    The result is empty if letters overlap without being equal.

    Complexity: linear.
    """
    letters, characters = dict[CharSet, str](), dict[int, str]()
    result: dict[int, str] = {}
    for place, node in enumerate(nodes):
        if isinstance(node, Chars | Literal):
            word = [item.charset for item in (node.items if isinstance(node, Literal) else (node,))]
            result[place] = spell(word, letters, characters)
    return result if disjoint(letters) else {}


def _shared(one: str, other: str) -> int:
    """Return the length of the longest common prefix."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))


def _states(words: Sequence[str], meter: Meter) -> tuple[list[_State], int]:
    """Return the states of the minimal automaton of sorted words, and the number of the start."""
    register: dict[_State, int] = {}
    states: list[_State] = []
    # The open states along the last word: whether a word ends in each state, and its moves.
    finals: list[bool] = [words[0] == ""]
    moves: list[list[tuple[str, int]]] = [[]]

    def close() -> int:
        """Add the last open state to the automaton, unless the automaton contains an equal state."""
        state = finals.pop(), tuple(moves.pop())
        number = register.setdefault(state, len(states))
        if number == len(states):
            states.append(state)
        return number

    last = ""
    for word in words:
        shared = _shared(last, word)
        for letter in reversed(last[shared:]):
            moves[-2].append((letter, close()))
        for _ in range(len(word) - shared):
            finals.append(False)
            moves.append([])
        meter.hold(_STATE_BYTES * (len(word) - shared))
        finals[-1] = True
        last = word
    for letter in reversed(last):
        moves[-2].append((letter, close()))
    return states, close()


def _classes(letters: Sequence[CharSet], states: Sequence[_State]) -> tuple[list[CharSet], dict[str, int]]:
    """Return the classes that states distinguish, by first character, and the class of each letter.

    Characters that are not in any letter form one class.
    """
    uses: list[list[tuple[int, int]]] = [[] for _ in letters]
    for number, (_, moves) in enumerate(states):
        for letter, target in moves:
            uses[ord(letter)].append((number, target))
    merged: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for number, used in enumerate(uses):
        merged.setdefault(tuple(used), []).append(number)
    groups = [(union(letters[n] for n in group), group) for group in merged.values()]
    other = ANY - union(letters)
    if other:
        groups.append((other, []))
    groups.sort(key=lambda pair: pair[0].min())
    column = {chr(number): place for place, (_, group) in enumerate(groups) for number in group}
    return [charset for charset, _ in groups], column
