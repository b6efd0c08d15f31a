"""Change the rules of a grammar as a notation requires, without a change of their strings.

All functions work on the core form: they return rules for one start rule, by key.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from abnforge.automata.dfa import Automaton
from abnforge.charset import CharSet, partition, union
from abnforge.grammar.core import EPSILON, Chars, Choice, Core, Node, Ref, Repeat, Seq, map_parts, sequence
from abnforge.grammar.facts import Facts, walk
from abnforge.grammar.regular import without_end_recursion

MAX_NODES = 100_000
"""The maximum number of nodes of an exported grammar; the largest built-in grammar has 20,000."""


class EmptyError(Exception):
    """Raised if a rule matches no string over an alphabet."""


class LeftRecursionError(Exception):
    """Raised with the key of a rule whose left recursion cannot be eliminated."""


class SizeError(Exception):
    """Raised if the rules would have more than MAX_NODES nodes."""


def restricted(core: Core, key: str, alphabet: CharSet) -> Core:
    """Return the rules that strings over an alphabet need. Raises EmptyError."""
    needed = Facts(core).reachable(key)
    core = Core({each: _within(core.rules[each], alphabet) for each in needed}, core.names)
    facts = Facts(core)
    if key not in facts.productive:
        raise EmptyError
    rules = {each: _productive(node, facts) for each, node in core.rules.items() if each in facts.productive}
    return _reachable(Core(rules, core.names), key)


def _reachable(core: Core, key: str) -> Core:
    """Return the rules that a rule uses, in the order of the grammar after the rule itself."""
    used = frozenset(Facts(core).reachable(key))
    ordered = [key, *(each for each in core.rules if each in used and each != key)]
    return Core({each: core.rules[each] for each in ordered}, core.names)


def _within(node: Node, alphabet: CharSet) -> Node:
    if isinstance(node, Chars):
        left = node.charset & alphabet
        return Chars(left) if left else Choice(())
    return map_parts(node, lambda part: _within(part, alphabet))


def _productive(node: Node, facts: Facts) -> Node:
    """Return a productive node without its alternatives and repetitions that derive no string."""
    match node:
        case Seq(items=items):
            return sequence(_productive(item, facts) for item in items)
        case Choice(items=items):
            return choice([_productive(item, facts) for item in items if facts.is_productive(item)])
        case Repeat(item=item) if not facts.is_productive(item):
            return EPSILON
    return map_parts(node, lambda part: _productive(part, facts))


def choice(items: list[Node]) -> Node:
    """Return a choice of one or more alternatives; adjacent character sets become one set."""
    merged: list[Node] = []
    for item in chain.from_iterable(each.items if isinstance(each, Choice) else (each,) for each in items):
        if isinstance(item, Chars) and merged and isinstance(merged[-1], Chars):
            merged[-1] = Chars(union([merged[-1].charset, item.charset]))
        else:
            merged.append(item)
    return merged[0] if len(merged) == 1 else Choice(tuple(merged))


def without_left_recursion(core: Core, key: str) -> Core:
    """Return rules that do not begin with themselves. Raises LeftRecursionError."""
    facts = Facts(core)
    if not facts.left_recursive:
        return core
    changed = _reachable(Core(without_end_recursion(facts), core.names), key)
    for each in changed.rules:
        if each in Facts(changed).left_recursive:
            raise LeftRecursionError(each)
    return changed


def without_empty_turns(core: Core, key: str) -> Core:
    """Return rules without repetitions and options of items that match the empty string. Raises SizeError."""
    return _NonemptyRules(core).run(key)


def _without_options(node: Node) -> Node:
    if isinstance(node, Repeat) and (node.min, node.max) == (0, 1):
        return _without_options(node.item)
    return map_parts(node, _without_options)


class _NonemptyRules:
    """Rewrite rules; a rule that matches the empty string can get a second version that does not."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._facts = Facts(core)
        # Without its option, r = [ r ] matches nothing: an item must match the empty string without options.
        self._without_options = Facts(
            Core({each: _without_options(node) for each, node in core.rules.items()}, core.names)
        )
        self._names = dict(core.names)
        self._rules: dict[str, Node] = {}
        self._waiting: list[str] = []
        self._nodes = 0

    def run(self, key: str) -> Core:
        for each, node in self._core.rules.items():
            self._rules[each] = self._changed(node)
        while self._waiting:
            each = self._waiting.pop()
            nonempty = self._nonempty(self._core.rules[each])
            assert nonempty is not None
            self._rules[_second(each)] = nonempty
        return _reachable(Core(self._rules, self._names), key)

    def _changed(self, node: Node) -> Node:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise SizeError
        match node:
            case Repeat(item=item, min=low, max=high) if self._facts.is_nullable(item):
                if (low, high) == (0, 1) and self._without_options.is_nullable(_without_options(item)):
                    return self._changed(item)
                once = self._nonempty(item)
                return EPSILON if once is None else Repeat(once, 0, high)
        return map_parts(node, self._changed)

    def _nonempty(self, node: Node) -> Node | None:
        """Return a node for the strings except the empty one, or None if there are none."""
        if not self._facts.is_nullable(node):
            return self._changed(node)
        match node:
            case Ref(key=key):
                if _second(key) not in self._names:
                    if self._nonempty_is_none(key):
                        return None
                    self._names[_second(key)] = f"{self._names[key]}-nonempty"
                    self._waiting.append(key)
                return Ref(_second(key))
            case Seq(items=items):
                ways: list[Node] = []
                for place, item in enumerate(items):
                    first = self._nonempty(item)
                    if first is not None:
                        ways.append(sequence((first, *map(self._changed, items[place + 1 :]))))
                return choice(ways) if ways else None
            case Choice(items=items):
                left = [each for each in map(self._nonempty, items) if each is not None]
                return choice(left) if left else None
            case Repeat(item=item, max=high):
                once = self._nonempty(item)
                return None if once is None else Repeat(once, 1, high)
        raise AssertionError("a character set is not nullable")

    def _nonempty_is_none(self, key: str) -> bool:
        used = Facts(self._core).reachable(key)
        return not any(isinstance(each, Chars) for rule in used for each in walk(self._core.rules[rule]))


def _second(key: str) -> str:
    return f"{key} nonempty"


def tokenized(core: Core, alphabet: CharSet) -> tuple[Core, Mapping[str, CharSet]]:
    """Return rules whose characters are references to tokens, and the disjoint sets of the tokens.

    There is at least one token, since a lexer needs one.
    """
    facts = Facts(core)
    classes = partition(facts.terminals)
    used = [each for each in classes if any(each.min() in charset for charset in facts.terminals)]
    tokens = {f"token {number}": charset for number, charset in enumerate(used or [alphabet], 1)}

    def changed(node: Node) -> Node:
        match node:
            case Chars(charset=charset):
                return choice([Ref(key) for key, each in tokens.items() if each.min() in charset])
            case Choice(items=items):
                return choice(list(map(changed, items)))
        return map_parts(node, changed)

    return Core({key: changed(node) for key, node in core.rules.items()}, core.names), tokens


def of_automaton(automaton: Automaton, name: str) -> Core:
    """Return a rule for each state of an automaton; each alternative begins with another character.

    A character that stays in the state becomes a repetition. The first rule has the key "0". In the empty
    language, it does not have alternatives.
    """
    width = automaton.width
    rules: dict[str, Node] = {"0": Choice(())}
    for state in range(automaton.states):
        row = state * width
        moves: dict[int, list[CharSet]] = {}
        for charset, target in zip(automaton.charsets, automaton.table[row : row + width], strict=True):
            if target >= 0:
                moves.setdefault(target, []).append(charset)
        stay = [Repeat(Chars(union(moves.pop(row))), 0, None)] if row in moves else []
        ways: list[Node] = [Seq((Chars(union(sets)), Ref(str(to // width)))) for to, sets in moves.items()]
        if row in automaton.accepting:
            ways.append(EPSILON)
        rules[str(state)] = sequence((*stay, choice(ways)))
    names = {key: name if key == "0" else f"{name}-state-{key}" for key in rules}
    return Core(rules, names)
