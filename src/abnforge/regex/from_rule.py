"""Make the expression of a regular rule: from its definition, or from its automaton.

``regex_tree`` inlines the rules that the definition uses, and drops an alternative that another one covers,
as ``reg-name`` covers ``IPv4address`` (``uncovered``). Most alternatives share no string. First characters,
lengths and alphabets show this without an automaton, and strings of characters are compared position by
position. So a list of a thousand words does not need an automaton.

``to_regex`` eliminates the states of a minimal automaton (Brzozowski and McCluskey 1963). The automaton is
deterministic, and its expression keeps some of that. So it may be safe to match by backtracking although the
expression of the definition is not. ``alpha / alpha *( alphanum / "-" ) alphanum`` of RFC 2396 becomes, in
effect, ``alpha *( alphanum / 1*"-" alphanum )``. The order of the elimination decides the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from abnforge.automata.dfa import Automaton
from abnforge.automata.expressions import END, START, Elimination, edges_of
from abnforge.budget import Meter
from abnforge.charset import EMPTY, CharSet, disjoint
from abnforge.errors import LimitExceeded
from abnforge.grammar import core
from abnforge.grammar.core import Chars, Node, Seq
from abnforge.grammar.facts import LanguageBounds, bounds_of
from abnforge.regex.ast import (
    EPSILON,
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    NamedGroup,
    Regex,
    alternatives,
    concat,
    has_group,
    iteration,
    ordered,
)
from abnforge.regex.errors import TooLargeError, UnsafeError
from abnforge.regex.messages import message

# Nodes of an expression after inlining.
MAX_NODES = 20_000
# Nested nodes, including inlined rules. Engines and this package recurse on them.
MAX_DEPTH = 100

# Returns the positions of the alternatives of a choice that no other alternative covers.
Uncovered = Callable[[Sequence[core.Node]], list[int]]
# Returns the expression to use for a rule, from its key and the expression of its definition.
Rewrite = Callable[[str, Regex], Regex]


def regex_tree(
    bodies: Mapping[str, core.Node],
    key: str,
    groups: frozenset[str] = frozenset(),
    uncovered: Uncovered | None = None,
    rewrite: Rewrite | None = None,
) -> Regex:
    """Return the simplified expression of a regular rule.

    ``bodies`` are recursion-free; rules in ``groups`` become named groups. ``uncovered`` selects the
    alternatives to keep; without it all are kept. ``rewrite`` replaces the expression of each rule without
    groups. Raises UnsafeError for prose, TooLargeError beyond MAX_NODES or MAX_DEPTH.
    """
    return _Builder(bodies, groups, uncovered, rewrite).rule(key)


class _Builder:
    def __init__(
        self,
        bodies: Mapping[str, core.Node],
        groups: frozenset[str],
        uncovered: Uncovered | None,
        rewrite: Rewrite | None,
    ) -> None:
        self._bodies = bodies
        self._groups = groups
        self._uncovered = uncovered
        self._rewrite = rewrite
        self._done: dict[str, Regex] = {}
        self._sizes: dict[str, int] = {}  # nodes of each rule before simplification
        self._size = 0
        self._depth = 0

    def rule(self, key: str) -> Regex:
        if key in self._done:
            # Another copy: a chain of rules that use the next one twice grows exponentially.
            self._grow(self._sizes.get(key, 0))
        else:
            before = self._size
            self._done[key] = CharacterClass(EMPTY)  # a rule that refers only to itself derives nothing
            body = self.node(self._bodies[key])
            if self._rewrite is not None and not has_group(body):
                body = self._rewrite(key, body)
            self._done[key] = NamedGroup(key, body) if key in self._groups else body
            self._sizes[key] = self._size - before
        return self._done[key]

    def node(self, node: core.Node) -> Regex:
        self._grow(1)
        if self._depth == MAX_DEPTH:
            raise TooLargeError(message("regex-depth", limit=MAX_DEPTH))
        self._depth += 1
        regex = self._regex(node)
        self._depth -= 1
        return regex

    def _grow(self, nodes: int) -> None:
        self._size += nodes
        if self._size > MAX_NODES:
            raise TooLargeError(message("regex-nodes", limit=MAX_NODES))

    def _regex(self, node: core.Node) -> Regex:
        match node:
            case Chars(charset=charset):
                return CharacterClass(charset)
            case core.Ref(key=key):
                return self.rule(key)
            case Seq(items=items):
                return concat([self.node(item) for item in items])
            case core.Choice(items=items):
                branches = [self.node(item) for item in items]
                if any(map(has_group, branches)):
                    return ordered(branches)
                indexes = range(len(items)) if self._uncovered is None else self._uncovered(items)
                return alternatives([branches[place] for place in indexes])
            case core.Repeat(item=item, min=minimum, max=maximum):
                return iteration(self.node(item), minimum, maximum)
            case core.Prose():
                raise UnsafeError(message("regex-prose"))


# Alternatives that others cover

# Steps for the alternatives of one choice. When it exceeds them, the remaining alternatives are kept, which
# changes the pattern but not its language.
MAX_COVERING_STEPS = 300_000
# Steps for the comparison of two shapes.
_SHAPE_COST = 15

_Places = dict[CharSet, dict[int | None, list[int]]]

# Returns whether the first language is a subset of the second.
Covers = Callable[[Node, Node, Meter], bool]


def uncovered(
    items: Sequence[Node], shapes: Mapping[str, LanguageBounds], covers: Covers, meter: Meter
) -> list[int]:
    """Return the positions of the alternatives that no later one covers.

    ``shapes`` are the shapes of the rules by key. A set of characters is always kept, since ``alternatives``
    merges it with its neighbors. Complexity: linear for alternatives that begin differently.
    """
    limited = meter.part("comparing alternatives", MAX_COVERING_STEPS, "MAX_COVERING_STEPS")
    own_shapes = [bounds_of(item, shapes) for item in items]
    words = [_word(item) for item in items]
    # First characters -> length -> positions of the alternatives that begin with them, ascending.
    places: _Places = {}
    others: _Places = {}  # without words
    last: dict[tuple[CharSet, ...], int] = {}
    for place, (item, shape, word) in enumerate(zip(items, own_shapes, words, strict=True)):
        if isinstance(item, Chars):
            continue
        places.setdefault(shape.first, {}).setdefault(shape.length, []).append(place)
        if word is None:
            others.setdefault(shape.first, {}).setdefault(shape.length, []).append(place)
        else:
            last[word] = place
    letters = {letter for word in words if word is not None for letter in word}
    # If no letter contains another one, a word covers only itself.
    apart = disjoint(letters)

    inside: dict[tuple[CharSet, CharSet], bool] = {}

    def is_inside(one: CharSet, other: CharSet) -> bool:
        """Return whether a set is a subset of another one. The letters of words are few."""
        if (one, other) not in inside:
            inside[one, other] = one == other or one & other == one
        return inside[one, other]

    def is_covered(place: int) -> bool:
        own, word = own_shapes[place], words[place]
        if apart and word is not None and last.get(word, place) > place:
            return True
        for first, by_length in (others if apart and word is not None else places).items():
            limited.charge()
            if own.first and own.first.min() not in first:
                continue
            for length in dict.fromkeys((own.length, None)):
                for other in by_length.get(length, ()):
                    limited.charge()
                    if other <= place:
                        continue
                    longer = words[other]
                    if word is not None and longer is not None:
                        if len(word) == len(longer) and all(map(is_inside, word, longer)):
                            return True
                        continue
                    limited.charge(_SHAPE_COST)
                    if _may_cover(own_shapes[other], own) and covers(items[place], items[other], limited):
                        return True
        return False

    indexes: list[int] = []
    for place in range(len(items)):
        try:
            if is_covered(place):
                continue
        except LimitExceeded as error:
            if error.setting != limited.setting:
                raise
            return [*indexes, *range(place, len(items))]
        indexes.append(place)
    return indexes


def _word(item: Node) -> tuple[CharSet, ...] | None:
    """Return the sets of characters at each position of a string, or None for any other node."""
    if isinstance(item, Chars):
        return (item.charset,)
    if isinstance(item, Seq) and all(isinstance(part, Chars) for part in item.items):
        return tuple(part.charset for part in item.items if isinstance(part, Chars))
    return None


def _may_cover(shape: LanguageBounds, own: LanguageBounds) -> bool:
    """Return whether shapes allow that a language covers another one."""
    if shape.length is not None and shape.length != own.length:
        return False
    if own.nullable and not shape.nullable:
        return False
    return own.first & shape.first == own.first and own.alphabet & shape.alphabet == own.alphabet


# Elimination of states

# States of an automaton that ``to_regex`` supports. Expressions of larger ones are large and rarely useful.
MAX_STATES = 12


def to_regex(automaton: Automaton) -> Iterator[Regex]:
    """Yield expressions of the language of an automaton: one for each state that is eliminated last.

    Yields nothing for more than MAX_STATES states.
    """
    if automaton.states <= MAX_STATES:
        for last in range(automaton.states):
            yield _eliminated(automaton, last)


def _eliminated(automaton: Automaton, last: int) -> Regex:
    def weight(state: int) -> tuple[bool, int, int]:
        """Return the number of paths through a state (Delgado and Morais 2004)."""
        return state == last, len(graph.entering.get(state, ())) * len(graph.leaving.get(state, ())), state

    def path(before: Regex, loop: Regex | None, after: Regex) -> Regex:
        return concat([before, EPSILON if loop is None else iteration(loop, 0, None), after])

    edges = {
        pair: EPSILON if charset is None else CharacterClass(charset)
        for pair, charset in edges_of(automaton).items()
    }
    graph: Elimination[int, Regex] = Elimination(edges, lambda one, other: _factored([one, other]), path)
    graph.run(range(automaton.states), weight)
    return graph.leaving[START][END]


def _factored(items: list[Regex]) -> Regex:
    """Return alternatives whose common beginnings are factored out."""
    node = alternatives(items)
    if isinstance(node, Iteration) and isinstance(node.item, Alternatives):
        return iteration(_factored([node.item]), node.min, node.max)
    if not isinstance(node, Alternatives):
        return node
    tails: dict[Regex, list[Regex]] = {}
    for item in node.items:
        head, *tail = item.items if isinstance(item, Concat) and item.items else (item,)
        tails.setdefault(head, []).append(concat(tail))
    if len(tails) == len(node.items):
        return node
    return alternatives([concat([head, _factored(rest)]) for head, rest in tails.items()])
