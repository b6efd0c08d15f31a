"""Write the pattern of a rule in the notation of a ``Dialect``, and prove the pattern.

``write_pattern`` writes an expression. ``RulePatterns`` chooses an expression of a rule that is safe to
match: a backtracking engine tries a bounded number of ways for each string. ``safety`` decides this, with
automata if first characters are not enough. If the expression of the definition is not safe, each unsafe rule
in it gets an expression from its automaton (``from_rule.to_regex``). ``proof`` reads the written pattern back
and compares it with the automaton of the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from abnforge._lazy import cached_property
from abnforge.automata.algebra import included, witnesses
from abnforge.automata.dfa import Automaton, build
from abnforge.budget import Meter
from abnforge.charset import ANY, EMPTY
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Chars, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts, LanguageBounds, walk
from abnforge.regex.ast import (
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    NamedGroup,
    Regex,
    children,
    has_group,
    has_long_turns,
    restricted,
)
from abnforge.regex.dialects import PYTHON, Dialect
from abnforge.regex.errors import UndecidedError, UnsafeError
from abnforge.regex.from_rule import MAX_STATES, regex_tree, to_regex, uncovered
from abnforge.regex.messages import message
from abnforge.regex.proof import difference, is_rendering_of
from abnforge.regex.safety import MAX_WAYS, After, Apart, deterministic, is_possessive, ways

# The maximum number of pieces of one iteration if an engine limits counts.
MAX_PIECES = 1_000
# The maximum number of calls to ``apart`` for one pattern. The rules of RFC 2396 need up to 24.
MAX_COMPARISONS = 50
MAX_STATES_REQUESTED = 24
"""The maximum number of states of an automaton for a pattern that the caller allows to backtrack.

With more states, expressions exceed 10,000 characters.
"""
# The steps of a comparison in addition to the steps for its automata.
_COMPARISON_COST = 200


def write_pattern(
    node: Regex,
    dialect: Dialect,
    *,
    anchored: bool = False,
    apart: Apart | None = None,
    allow_backtracking: bool = False,
) -> str:
    """Return the pattern of an expression.

    A pattern without anchors is only for functions that match the whole input: its quantifiers depend on the
    continuation, so it must not be part of a larger pattern. A group is named after its rule
    (``path_abempty``); further groups of the same rule are ``path_abempty_2`` and so on. Raises UnsafeError
    if the pattern grows too large, or, unless ``allow_backtracking``, if an iteration could backtrack at
    length in an engine that backtracks.
    """
    expression = restricted(node, dialect.alphabet)
    if expression is None:
        raise UnsafeError(message("regex-alphabet", dialect=dialect.name))
    text = _Writer(dialect, apart, allow_backtracking).write(expression, After(EMPTY, None))
    return dialect.options + (f"{dialect.start}(?:{text}){dialect.end}" if anchored else text)


class _Writer:
    def __init__(self, dialect: Dialect, apart: Apart | None, allow_backtracking: bool) -> None:
        self._dialect = dialect
        self._apart = apart
        self._allow_backtracking = allow_backtracking
        self._names: set[str] = set()

    def write(self, node: Regex, after: After) -> str:
        match node:
            case CharacterClass(charset=charset):
                return self._dialect.character_class(charset)
            case Concat(items=items):
                afters = [after]
                for item in items[:0:-1]:
                    afters.append(self._before(item, afters[-1]))
                return "".join(map(self._part, items, reversed(afters)))
            case Alternatives(items=items):
                return "|".join(self.write(item, after) for item in items)
            case Iteration():
                return self._repeat(node, after)
            case NamedGroup(key=key, item=item):
                return f"{self._open(key)}{self.write(item, after)})"
        raise AssertionError("atomic groups and assertions are not from a rule")

    def _before(self, node: Regex, after: After) -> After:
        """Return the continuation that starts with ``node``; linear-time engines do not need it."""
        return after if self._dialect.linear else after.behind(node)

    def _open(self, key: str) -> str:
        """Return the beginning of a group with a unique name."""
        assert self._dialect.group is not None, "named groups are not supported"
        number = 1
        while (name := self._dialect.identifier(key, number)) in self._names:
            number += 1
        self._names.add(name)
        return self._dialect.group.format(name)

    def _part(self, node: Regex, after: After) -> str:
        text = self.write(node, after)
        return f"(?:{text})" if isinstance(node, Alternatives) else text

    def _atom(self, node: Regex, after: After) -> str:
        """Return a pattern that a quantifier can follow."""
        text = self.write(node, after)
        return text if isinstance(node, CharacterClass | NamedGroup) else f"(?:{text})"

    def _repeat(self, node: Iteration, after: After) -> str:
        possessive = not self._dialect.linear and self._is_possessive(node, after)
        inside = self._before(Iteration(node.item, 0, None), after) if node.max != 1 else after
        if possessive and node.max is None and node.min <= 1 and isinstance(node.item, Alternatives):
            sets = [item for item in node.item.items if isinstance(item, CharacterClass)]
            if sets and (node.min == 0 or not has_group(node.item)):
                return self._unrolled(node.min, node.item, sets[0], inside)
        atom = self._atom(node.item, inside)
        plus = self._plus(node.item) if possessive else ""
        counts = self._counts(node)
        return "".join(atom + _quantifier(*count) + plus for count in counts)

    def _is_possessive(self, node: Iteration, after: After) -> bool:
        if self._allow_backtracking:
            return deterministic(node, after.first)
        return is_possessive(node, after, self._apart)

    def _unrolled(self, minimum: int, item: Alternatives, charset: CharacterClass, inside: After) -> str:
        """Write ``*(S / T)`` with a set S as ``[S]*+(?:T[S]*+)*+``.

        Backtracking engines keep a frame, or some bytes, for each turn of a group; in this form, only for T.
        """
        run = f"{self._dialect.character_class(charset.charset)}*{self._plus(charset)}"
        others = [other for other in item.items if other is not charset]
        turns = "|".join(self.write(other, inside) for other in others)
        if len(others) > 1:
            turns = f"(?:{turns})"
        loop = f"{run}(?:{turns}{run})*{self._plus(item)}"
        return loop if minimum == 0 else self._part(item, inside) + loop

    def _plus(self, item: Regex) -> str:
        """Return the suffix of a possessive quantifier, if the dialect has one."""
        has_suffix = self._dialect.possessive and (self._dialect.possessive_groups or not has_group(item))
        return "+" if has_suffix else ""

    def _counts(self, node: Iteration) -> list[tuple[int, int | None]]:
        """Return the counts of an iteration, split into pieces that the dialect supports."""
        highest = max(node.min, node.max or 0)
        if self._dialect.max_count is None:
            return [(node.min, node.max)]
        most = max(1, self._dialect.max_count // _nested(node.item))
        if highest <= most:
            return [(node.min, node.max)]
        pieces_limit = 1 if has_group(node.item) else MAX_PIECES  # a group name must occur once
        if highest > most * pieces_limit:
            count = self._dialect.max_count
            raise UnsafeError(
                message("regex-count", dialect=self._dialect.name, most=count, limit=pieces_limit)
            )
        pieces: list[tuple[int, int | None]] = [(most, most)] * (node.min // most)
        if node.min % most:
            pieces.append((node.min % most, node.min % most))
        if node.max is None:
            return [*pieces, (0, None)]
        optional = node.max - node.min
        pieces += [(0, most)] * (optional // most)
        return [*pieces, (0, optional % most)] if optional % most else pieces


def _nested(node: Regex) -> int:
    """Return the maximum product of the counts of nested iterations."""
    highest = max(map(_nested, children(node)), default=1)
    return max(1, node.min, node.max or 0) * highest if isinstance(node, Iteration) else highest


def _quantifier(minimum: int, maximum: int | None) -> str:
    match minimum, maximum:
        case 0, 1:
            return "?"
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case _ if minimum == maximum:
            return f"{{{minimum}}}"
    return f"{{{minimum},{'' if maximum is None else maximum}}}"


class RulePatterns:
    """The patterns of the regular rules of one grammar.

    ``bodies`` contains the recursion-free bodies of the rules by key; ``automaton`` returns the minimal
    automaton of a rule and may raise LimitExceeded. Results are kept, but each use is charged again, so
    results do not depend on earlier calls.
    """

    def __init__(self, core: Core, bodies: Mapping[str, Node], automaton: Callable[[str], Automaton]) -> None:
        self._core = core
        self._bodies = bodies
        self._automaton = automaton
        # Automata and their steps by the identity of the node, which is kept alive.
        self._parts: dict[int, tuple[Node, Automaton, int]] = {}
        self._trees: dict[tuple[str, frozenset[str]], tuple[Regex, int]] = {}

    def proved(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool, meter: Meter) -> str:
        """Return the proved pattern of a rule, with a named group for each use of a rule in ``groups``.

        The pattern accepts the strings of the automaton that are over the alphabet of the dialect. Raises
        UnsafeError, LimitExceeded, and UndecidedError if the proof fails. Complexity: the cost of ``write``,
        the automaton and the proof.
        """
        return self._proof(self.write(key, dialect, groups, anchored, meter), key, dialect, anchored, meter)

    def _proof(self, pattern: str, key: str, dialect: Dialect, anchored: bool, meter: Meter) -> str:
        """Return a pattern that is proved equal to a rule. Raises UndecidedError."""
        counterexample = difference(pattern, self._automaton(key), dialect, meter, anchored=anchored)
        if counterexample is not None:
            code = "regex-only-accepts" if counterexample.accepted else "regex-only-rejects"
            raise UndecidedError(message(code, text=counterexample.text))
        return pattern

    def backtracking(
        self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool, meter: Meter
    ) -> tuple[str, Sequence[str]]:
        """Return a proved pattern of a rule, and the keys of the rules that can backtrack at length in it.

        The first candidate takes linear time, from automata with up to MAX_STATES_REQUESTED states. The
        second one mirrors the grammar; in the third one, which requires no automaton, no quantifier is
        possessive. Raises UnsafeError, LimitExceeded.
        """
        sources: Sequence[str] = (key,)
        try:
            with suppress(UnsafeError, UndecidedError):
                pattern = self._write(key, dialect, groups, anchored, meter, MAX_STATES_REQUESTED)
                return self._proof(pattern, key, dialect, anchored, meter), ()
            sources = self._sources(key, dialect, meter)
            tree = self._tree(key, groups, partial(self.uncovered, meter), meter)
            pattern = write_pattern(tree, dialect, anchored=anchored, allow_backtracking=True)
            return self._proof(pattern, key, dialect, anchored, meter), sources
        except (UndecidedError, LimitExceeded):
            return self.write_plain(key, dialect, groups, anchored, allow_backtracking=True), sources

    def _sources(self, key: str, dialect: Dialect, meter: Meter) -> Sequence[str]:
        """Return the keys of the rules whose own patterns can backtrack at length, the start rule first."""
        facts = Facts(Core(self._bodies, self._core.names))
        unsafe = []
        for each in facts.reachable(key):
            try:
                self.write(each, dialect, frozenset(), False, meter)
            except UnsafeError:
                unsafe.append(each)
        return unsafe or [key]

    def write(self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool, meter: Meter) -> str:
        """Return the pattern of ``proved`` without a proof. Raises UnsafeError, LimitExceeded.

        Complexity: the cost of the automata of overlapping alternatives.
        """
        return self._write(key, dialect, groups, anchored, meter, MAX_STATES)

    def _write(
        self, key: str, dialect: Dialect, groups: frozenset[str], anchored: bool, meter: Meter, states: int
    ) -> str:
        uncovered = partial(self.uncovered, meter)
        try:
            simple = self._tree(key, groups, uncovered, meter)
            _reject_many_ways(simple, dialect)
            return write_pattern(simple, dialect, anchored=anchored)
        except UnsafeError:
            comparisons = iter(range(MAX_COMPARISONS))

            def apart(node: Node, other: Node) -> bool:
                if next(comparisons, None) is None:
                    raise UnsafeError(message("regex-questions", limit=MAX_COMPARISONS))
                return self._apart(node, other, meter)

            rewrite = partial(self._rewrite, apart, meter, states)
            other = regex_tree(self._bodies, key, groups, uncovered, rewrite)
            _reject_many_ways(other, dialect)
            return write_pattern(other, dialect, anchored=anchored, apart=apart)

    def write_plain(
        self,
        key: str,
        dialect: Dialect,
        groups: frozenset[str],
        anchored: bool,
        allow_backtracking: bool = False,
    ) -> str:
        """Return a pattern of a rule without possessive quantifiers, which requires no automaton.

        The pattern is read back and compared with the expression (``is_rendering_of``). Raises UnsafeError if
        the dialect cannot express the rule. Without ``allow_backtracking``, it also raises UnsafeError if a
        match could backtrack at length or would keep a stack frame for each turn of a loop. Complexity:
        linear.
        """
        node = regex_tree(self._bodies, key, groups)
        if not allow_backtracking:
            _reject_many_ways(node, dialect)
            if dialect.possessive and has_long_turns(node):
                raise UnsafeError(message("regex-stack"))
        plain = replace(dialect, possessive=False)
        pattern = write_pattern(node, plain, anchored=anchored, allow_backtracking=allow_backtracking)
        if not is_rendering_of(pattern, node, dialect, anchored):
            raise UnsafeError(message("regex-read-back"))
        return pattern

    def _tree(
        self,
        key: str,
        groups: frozenset[str],
        uncovered: Callable[[Sequence[Node]], list[int]],
        meter: Meter,
    ) -> Regex:
        """Return the simplified expression of the definition of a rule."""
        if (key, groups) in self._trees:
            tree, cost = self._trees[key, groups]
            meter.charge(cost)
            return tree
        before = meter.steps
        tree = regex_tree(self._bodies, key, groups, uncovered)
        self._trees[key, groups] = tree, meter.steps - before
        return tree

    def _rewrite(self, apart: Apart, meter: Meter, states: int, key: str, node: Regex) -> Regex:
        """Return an expression, or an expression from the automaton of its rule if only that is safe."""

        def candidates() -> Iterator[Regex]:
            yield node
            yield from to_regex(self._automaton(key), states)

        for candidate in candidates():
            meter.charge(100)
            try:
                write_pattern(candidate, PYTHON, apart=apart)
            except UnsafeError:
                continue
            return candidate
        return node

    def _apart(self, node: Node, other: Node, meter: Meter) -> bool:
        """Return whether no string of a node is a prefix of another of its strings or of one of ``other``."""
        meter.charge(_COMPARISON_COST)
        one = Chars(ANY)
        texts = self._build(node, meter)
        longer = self._build(Seq((node, one, Repeat(one, 0, None))), meter)
        if witnesses(texts, longer, meter).common is not None:
            return False
        at_least = self._build(Seq((node, Repeat(one, 0, None))), meter)
        return witnesses(self._build(other, meter), at_least, meter).common is None

    @cached_property
    def _shapes(self) -> Mapping[str, LanguageBounds]:
        return Facts(Core(self._bodies, self._core.names)).language_bounds

    def uncovered(self, meter: Meter, items: Sequence[Node]) -> list[int]:
        """Return the indices of alternatives that no other alternative covers. Raises LimitExceeded."""
        return uncovered(items, self._shapes, self._covers, meter)

    def _covers(self, node: Node, other: Node, meter: Meter) -> bool:
        """Return whether the language of a node is a subset of the language of ``other``."""
        meter.charge(_COMPARISON_COST)
        return included(self._part(node, meter), self._part(other, meter), meter)

    def _part(self, node: Node, meter: Meter) -> Automaton:
        if id(node) in self._parts:
            _, automaton, cost = self._parts[id(node)]
            meter.charge(cost)
            return automaton
        before = meter.steps
        automaton = self._build(node, meter)
        self._parts[id(node)] = node, automaton, meter.steps - before
        return automaton

    def _build(self, node: Node, meter: Meter) -> Automaton:
        """Return the automaton of a part of a rule."""
        needed: dict[str, Node] = {}
        waiting = [node]
        while waiting:
            for part in walk(waiting.pop()):
                meter.charge()
                if isinstance(part, Ref) and part.key not in needed:
                    needed[part.key] = self._bodies[part.key]
                    waiting.append(needed[part.key])
        names = {**self._core.names, "": "a part of a rule"}
        return build(Core({}, names), {**needed, "": node}, "", meter)


def _reject_many_ways(node: Regex, dialect: Dialect) -> None:
    if not dialect.linear and ways(node, After(EMPTY, None)) > MAX_WAYS:
        raise UnsafeError(message("regex-ways", limit=MAX_WAYS))
