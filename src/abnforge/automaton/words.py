"""Lists of words as minimal automata, built without a detour over sets of states.

A rule that derives finitely many literals (methods, schemes, reserved words, a registry's names) is a list of
words. Added in sorted order, they make the minimal acyclic automaton one by one (Daciuk, Mihov, Watson and
Watson, "Incremental construction of minimal acyclic finite-state automata", 2000): of the word before, what
the next one does not share can no longer change, and becomes one with an equal state known already.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from abnforge.budget import Meter
from abnforge.charset import ANY, CharSet, disjoint, partition, union
from abnforge.grammar.core import Chars, Choice, Literal, Node, Ref, Seq

Word = tuple[CharSet, ...]

# A state: whether a word ends in it, and its moves by letter, in the order of letters.
_State = tuple[bool, tuple[tuple[str, int], ...]]

# What a state is estimated to take while it is built, in octets.
_STATE_OCTETS = 300


def words_of(bodies: Mapping[str, Node], key: str) -> list[Word] | None:
    """The words of a rule that derives literals only, each once or more; None for any other rule.

    ``bodies`` are free of recursion. Cost: linear in the size of the definitions.
    """
    words: list[Word] = []
    seen: set[str] = set()
    stack: list[Node] = [Ref(key)]
    while stack:
        match stack.pop():
            case Ref(key=name):
                if name not in seen:  # a second time it adds nothing
                    seen.add(name)
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
    """The minimal automaton of words: its table, the rows that accept, and its classes of characters.

    In the layout and the order of ``dfa.Automaton``: states breadth first, classes by their first characters.
    None for words with letters that overlap without being equal (``"a"`` beside ``%s"a"``). Raises
    LimitExceeded. Cost: linear in the letters of all words, and a row a state.
    """
    meter.charge(sum(map(len, words)))
    letters, known = dict[CharSet, str](), dict[int, str]()
    single = union(word[0] for word in words if len(word) == 1)
    spelt = {spell(word, letters, known) for word in words if len(word) != 1}
    if not disjoint(letters):
        return None
    # Words of one letter stand together as one set, which may hold some of the others' letters and more.
    spelt.update(
        spell((each,), letters, {}) for each in partition([single, *letters]) if each.min() in single
    )
    states, start = _states(sorted(spelt), meter)
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


def spell(word: Sequence[CharSet], letters: dict[CharSet, str], known: dict[int, str]) -> str:
    """A word with one character a letter: equal sets have the same one, new sets get the next ones.

    ``known`` has those of sets that are there already, by identity, and is good for as long as they are kept:
    a hash of each of a million letters would take longer than all else.
    """
    try:
        return "".join([known[id(charset)] for charset in word])
    except KeyError:
        for charset in word:
            known[id(charset)] = letters.setdefault(charset, chr(len(letters)))
        return "".join([known[id(charset)] for charset in word])


def spellings(nodes: Sequence[Node]) -> dict[int, str]:
    """Of some nodes those that are literals, by their places, spelt so that two are equal exactly when they
    have a string in common. None of them where letters overlap without being equal. Cost: linear.
    """
    letters, known = dict[CharSet, str](), dict[int, str]()
    found: dict[int, str] = {}
    for place, node in enumerate(nodes):
        if isinstance(node, Chars | Literal):
            word = [item.charset for item in (node.items if isinstance(node, Literal) else (node,))]
            found[place] = spell(word, letters, known)
    return found if disjoint(letters) else {}


def _shared(one: str, other: str) -> int:
    """The length of the longest common prefix."""
    for place, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return place
    return min(len(one), len(other))


def _states(words: Sequence[str], meter: Meter) -> tuple[list[_State], int]:
    """The states of the minimal automaton of sorted words, and the number of the start."""
    register: dict[_State, int] = {}
    states: list[_State] = []
    # The states along the last word are still open: whether a word ends there, and the moves so far.
    finals: list[bool] = [words[0] == ""]
    moves: list[list[tuple[str, int]]] = [[]]

    def close() -> int:
        """Take the last open state into the automaton, unless an equal one is in it."""
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
        meter.hold(_STATE_OCTETS * (len(word) - shared))
        finals[-1] = True
        last = word
    for letter in reversed(last):
        moves[-2].append((letter, close()))
    return states, close()


def _classes(letters: Sequence[CharSet], states: Sequence[_State]) -> tuple[list[CharSet], dict[str, int]]:
    """The classes that some state tells apart, by their first characters; letter -> the number of its class.

    Characters that are in no letter are a class of their own.
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
