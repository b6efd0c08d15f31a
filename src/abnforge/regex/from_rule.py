"""Create the expression of a regular rule from its definition or its automaton, or restrict an expression.

``regex_tree`` inlines the rules that the definition uses, and drops alternatives that another alternative
covers, as ``reg-name`` covers ``IPv4address`` (``uncovered``). Most alternatives share no string. First
characters, lengths and alphabets show this without an automaton, and words are compared position by position.
So a list of a thousand words does not need an automaton.

``to_regex`` eliminates the states of a minimal automaton (Brzozowski and McCluskey 1963). The automaton is
deterministic, and its expression is partly deterministic. So this expression may be safe to match by
backtracking even if the expression of the definition is not. For example, ``alpha / alpha *( alphanum / "-" )
alphanum`` in RFC 2396 in effect becomes ``alpha *( alphanum / 1*"-" alphanum )``. The order of elimination
determines the expression.

``intersect`` restricts an expression to the strings that a small automaton, such as a policy, accepts. For
each part of the expression and each state before the part, it computes an expression for each state after the
part. A part whose characters do not change the state stays unchanged. So parts that the automaton does not
restrict keep their expression, such as all parts after the scheme of a URI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from abnforge.automata.dfa import DEAD, Automaton
from abnforge.automata.expressions import END, START, edges_of
from abnforge.budget import Meter
from abnforge.charset import EMPTY, CharSet, disjoint, union
from abnforge.errors import LimitExceeded
from abnforge.grammar import core
from abnforge.grammar.core import Chars, Node, Seq
from abnforge.grammar.facts import LanguageBounds, bounds_of
from abnforge.grammar.regular import Elimination
from abnforge.regex.ast import (
    EPSILON,
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    NamedGroup,
    NodeTable,
    Regex,
    alternatives,
    children,
    concat,
    has_group,
    iteration,
    ordered,
    size,
)
from abnforge.regex.errors import TooLargeError, UnsafeError
from abnforge.regex.messages import message

# The maximum number of nodes in an expression after inlining.
MAX_NODES = 20_000
# The maximum nesting depth of nodes, including inlined rules, since engines and this package recurse.
MAX_DEPTH = 100

# A function that returns the positions of a choice's alternatives that no other alternative covers.
Uncovered = Callable[[Sequence[core.Node]], list[int]]
# A function that maps a rule's key and the expression of its definition to the expression to use.
Rewrite = Callable[[str, Regex], Regex]


def regex_tree(
    bodies: Mapping[str, core.Node],
    key: str,
    groups: frozenset[str] = frozenset(),
    uncovered: Uncovered | None = None,
    rewrite: Rewrite | None = None,
) -> Regex:
    """Return the simplified expression of a regular rule.

    ``bodies`` must not contain recursion; rules in ``groups`` become named groups. ``uncovered`` selects the
    alternatives to keep; without it, all are kept. ``rewrite`` replaces the expression of each rule without
    groups. Raises UnsafeError for prose, and TooLargeError beyond MAX_NODES or MAX_DEPTH.
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
        self._sizes: dict[str, int] = {}  # number of nodes of each rule before simplification
        self._size = 0
        self._depth = 0

    def rule(self, key: str) -> Regex:
        if key in self._done:
            # This adds a copy: a chain of rules that each use the next rule twice grows exponentially.
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


# Covered alternatives

# The maximum number of steps for the alternatives of one choice. If a choice exceeds it, the remaining
# alternatives are kept, which changes the pattern but not its language.
MAX_COVERING_STEPS = 300_000
# The cost of comparing two shapes, in steps.
_SHAPE_COST = 15

_Places = dict[CharSet, dict[int | None, list[int]]]

# A function that returns whether the first language is a subset of the second.
Covers = Callable[[Node, Node, Meter], bool]


def uncovered(
    items: Sequence[Node], shapes: Mapping[str, LanguageBounds], covers: Covers, meter: Meter
) -> list[int]:
    """Return the positions of the alternatives that no later alternative covers.

    ``shapes`` maps rule keys to shapes. A character set is always kept, since ``alternatives`` merges it with
    its neighbors. Complexity: linear for alternatives with different first characters.
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
    # If the letters are disjoint, a word covers only itself.
    apart = disjoint(letters)

    inside: dict[tuple[CharSet, CharSet], bool] = {}

    def is_inside(one: CharSet, other: CharSet) -> bool:
        """Return whether a set is a subset of another set; results are kept, since words have few letters."""
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
    """Return the character set at each position of a string, or None for any other node."""
    if isinstance(item, Chars):
        return (item.charset,)
    if isinstance(item, Seq) and all(isinstance(part, Chars) for part in item.items):
        return tuple(part.charset for part in item.items if isinstance(part, Chars))
    return None


def _may_cover(shape: LanguageBounds, own: LanguageBounds) -> bool:
    """Return False if shapes show that one language does not cover another language."""
    if shape.length is not None and shape.length != own.length:
        return False
    if own.nullable and not shape.nullable:
        return False
    return own.first & shape.first == own.first and own.alphabet & shape.alphabet == own.alphabet


# State elimination

# The maximum number of states for ``to_regex``. Expressions of larger automata are rarely useful.
MAX_STATES = 12


def to_regex(automaton: Automaton, most: int = MAX_STATES) -> Iterator[Regex]:
    """Yield expressions for the language of an automaton, one for each choice of the last eliminated state.

    Yields nothing if the automaton has more than ``most`` states.
    """
    if automaton.states <= most:
        for last in range(automaton.states):
            yield _eliminated(automaton, last)


def _eliminated(automaton: Automaton, last: int) -> Regex:
    def weight(state: int) -> tuple[bool, int, int]:
        """Return the number of paths through a state (Delgado and Morais 2004); ``last`` sorts last."""
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
    """Return alternatives with common prefixes factored out."""
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


# Restriction to an automaton

# The maximum number of states of the automaton, and of states that a loop can reach.
MAX_RESTRICTING_STATES = 40
MAX_LOOP_STATES = 6

# The maximum growth factor of an expression, which may have FREE_NODES more nodes. Larger expressions repeat
# a part for many states: proving them is slow, and they are rarely safe.
MAX_GROWTH = 2
FREE_NODES = 50

Ways = dict[int, Regex]  # row that a part can reach -> expression of the way to the row


def intersect(node: Regex, automaton: Automaton, meter: Meter) -> Regex | None:
    """Return the expression of the strings that ``node`` and ``automaton`` both accept, or None.

    Raises TooLargeError and LimitExceeded. Complexity: the total size of all intermediate expressions.
    """
    if not automaton.table:
        return None
    if automaton.states > MAX_RESTRICTING_STATES:
        raise TooLargeError(message("regex-narrowing-states", limit=MAX_RESTRICTING_STATES))
    ways = _Restriction(automaton, meter).ways(node, 0)
    accepted = [expression for row, expression in ways.items() if row in automaton.accepting]
    if not accepted:
        return None
    whole = alternatives(accepted)
    if size(whole) > MAX_GROWTH * size(node) + FREE_NODES:
        raise TooLargeError(message("regex-growth", limit=MAX_GROWTH))
    return whole


def _exit(row: int) -> int:
    """Return the additional state for the end of a loop at a row."""
    return START - 1 - row


class _Restriction:
    def __init__(self, automaton: Automaton, meter: Meter) -> None:
        self._automaton = automaton
        self._meter = meter
        self._results: NodeTable[Ways] = NodeTable()
        self._alphabets: NodeTable[CharSet] = NodeTable()
        self._sizes: NodeTable[int] = NodeTable()

    def ways(self, node: Regex, row: int) -> Ways:
        """Return the ways from a row through a part."""
        ways = self._results.get(node, row)
        return self._results.set(node, self._ways(node, row), row) if ways is None else ways

    def _ways(self, node: Regex, row: int) -> Ways:
        if not self._alphabet(node) - self._staying(row):
            return {row: node}
        match node:
            case CharacterClass(charset=charset):
                return self._moves(charset, row)
            case Concat(items=items):
                return self._through_all(items, row)
            case Alternatives(items=items):
                return self._merged([self.ways(item, row) for item in items])
            case Iteration(item=item, min=minimum, max=maximum):
                return self._repeated(item, minimum, maximum, row)
        assert isinstance(node, NamedGroup), "atomic groups and assertions are not from a rule"
        return self.ways(node.item, row)

    def _through_all(self, items: tuple[Regex, ...], row: int) -> Ways:
        ways: Ways = {row: EPSILON}
        for item in items:
            ways = self._followed(ways, item)
        return ways

    def _followed(self, before: Ways, item: Regex) -> Ways:
        """Extend ways by another part."""
        return self._merged(
            [
                {target: self._cat(head, tail) for target, tail in self.ways(item, row).items()}
                for row, head in before.items()
            ]
        )

    def _repeated(self, item: Regex, minimum: int, maximum: int | None, row: int) -> Ways:
        ways: Ways = {row: EPSILON}
        for _ in range(minimum):
            ways = self._followed(ways, item)
        if maximum is None:
            return self._merged(
                [
                    {target: self._cat(head, tail) for target, tail in self._looping(item, state).items()}
                    for state, head in ways.items()
                ]
            )
        counts = [ways]
        for _ in range(maximum - minimum):
            ways = self._followed(ways, item)
            counts.append(ways)
        return self._merged(counts)

    def _looping(self, item: Regex, row: int) -> Ways:
        """Return the ways through any number of turns by eliminating each row that a turn can reach."""
        rows = [row]
        edges: dict[tuple[int, int], Regex] = {(START, row): EPSILON}
        for state in rows:
            edges[state, _exit(state)] = EPSILON
            for target, expression in self.ways(item, state).items():
                edges[state, target] = expression
                if target not in rows:
                    rows.append(target)
            if len(rows) > MAX_LOOP_STATES:
                raise TooLargeError(message("regex-loop-states", limit=MAX_LOOP_STATES))
        graph = Elimination(edges, lambda one, other: self._alt([one, other]), self._path)
        for state in rows:
            graph.eliminate(state)
        return {target: graph.leaving[START][_exit(target)] for target in rows}

    def _path(self, before: Regex, loop: Regex | None, after: Regex) -> Regex:
        return self._cat(before, EPSILON if loop is None else iteration(loop, 0, None), after)

    def _moves(self, charset: CharSet, row: int) -> Ways:
        targets: dict[int, list[CharSet]] = {}
        for number, members in enumerate(self._automaton.charsets):
            target = self._automaton.table[row + number]
            if target != DEAD and (both := members & charset):
                targets.setdefault(target, []).append(both)
        return {target: CharacterClass(union(sets)) for target, sets in targets.items()}

    def _staying(self, row: int) -> CharSet:
        """Return the characters that do not change the row."""
        sets = enumerate(self._automaton.charsets)
        return union(members for number, members in sets if self._automaton.table[row + number] == row)

    def _alphabet(self, node: Regex) -> CharSet:
        if isinstance(node, CharacterClass):
            return node.charset
        alphabet = self._alphabets.get(node)
        if alphabet is None:
            alphabet = self._alphabets.set(node, union(map(self._alphabet, children(node))))
        return alphabet

    def _merged(self, results: list[Ways]) -> Ways:
        rows: dict[int, list[Regex]] = {}
        for ways in results:
            for row, expression in ways.items():
                rows.setdefault(row, []).append(expression)
        return {row: self._alt(expressions) for row, expressions in rows.items()}

    def _cat(self, *items: Regex) -> Regex:
        return self._charged(concat(items))

    def _alt(self, items: list[Regex]) -> Regex:
        return items[0] if len(items) == 1 else self._charged(alternatives(items))

    def _charged(self, node: Regex) -> Regex:
        """Charge for all nodes of a new expression, since its construction has visited them."""
        self._meter.charge(self._size(node))
        return node

    def _size(self, node: Regex) -> int:
        total = self._sizes.get(node)
        return self._sizes.set(node, 1 + sum(map(self._size, children(node)))) if total is None else total
