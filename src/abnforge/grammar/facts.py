"""Compute facts about the rules of a core grammar (such as nullable or recursive) and language bounds.

All facts are least fixed points over the rules (:meth:`Facts.fixpoint`) or follow from their references.
Strongly connected components follow Tarjan (1972). Cost: linear in the size of the grammar, times the number
of references to a rule.

:class:`LanguageBounds` is a cheap over-approximation of a language: first characters, alphabet, fixed length.
It usually makes a search for overlaps unnecessary: two alternatives that begin with different characters
share no string. A match of a rule whose strings all have one length can end in only one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from abnforge._lazy import cached_property, lazy
from abnforge.charset import EMPTY, CharSet, union
from abnforge.grammar.core import Chars, Choice, Core, Literal, Node, Prose, Ref, Repeat, Seq, parts
from abnforge.records import dataclass, replace

with lazy:
    import heapq


def walk(node: Node, *, letters: bool = True) -> Iterator[Node]:
    """Yield the node and everything below it, in source order, without entering rules.

    Without ``letters``, literals are not entered either, so there are at most as many nodes as elements in
    the grammar.
    """
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if (letters or not isinstance(current, Literal)) and (below := parts(current)):
            stack.extend(reversed(below))


def terminals(nodes: Iterable[Node]) -> list[CharSet]:
    """Return the character sets below nodes in source order, without entering rules.

    Each object occurs once: letters are shared, and a list of words has few distinct letters.
    """
    charsets: dict[int, CharSet] = {}
    for node in nodes:
        for part in walk(node, letters=False):
            if isinstance(part, Literal):
                for item in part.items:
                    charsets[id(item.charset)] = item.charset
            elif isinstance(part, Chars):
                charsets[id(part.charset)] = part.charset
    return list(charsets.values())


def evaluate(node: Node, ref: Callable[[str], bool], chars: bool, prose: bool) -> bool:
    """Return whether a node has a property that holds for all items of a sequence or one of a choice."""
    match node:
        case Chars() | Literal():
            return chars
        case Prose():
            return prose
        case Ref(key=key):
            return ref(key)
        case Seq(items=items):
            return all(evaluate(item, ref, chars, prose) for item in items)
        case Choice(items=items):
            return any(evaluate(item, ref, chars, prose) for item in items)
        case Repeat(item=item, min=minimum):
            return minimum == 0 or evaluate(item, ref, chars, prose)


@dataclass(frozen=True)
class Facts:
    """The facts about a core grammar, each computed at its first use. Sets contain rule keys."""

    core: Core

    @cached_property
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Rule -> the distinct rules that its definition names, in order."""
        return self._leaves[0]

    @cached_property
    def terminals(self) -> tuple[CharSet, ...]:
        """The character sets of all rules, in source order; each object occurs once."""
        return self._leaves[1]

    @cached_property
    def _leaves(self) -> tuple[dict[str, tuple[str, ...]], tuple[CharSet, ...], dict[str, Prose]]:
        """The references of each rule, the character sets, and the first prose-val of each rule."""
        references: dict[str, tuple[str, ...]] = {}
        charsets: dict[int, CharSet] = {}
        prose: dict[str, Prose] = {}
        for key, rule in self.core.rules.items():
            keys: dict[str, None] = {}
            stack = [rule]
            while stack:
                node = stack.pop()
                match node:
                    case Ref():
                        keys[node.key] = None
                    case Chars():
                        charsets[id(node.charset)] = node.charset
                    case Literal():
                        charsets.update((id(item.charset), item.charset) for item in node.items)
                    case Prose():
                        prose.setdefault(key, node)
                    case _:
                        stack.extend(reversed(parts(node)))
            references[key] = tuple(keys)
        return references, tuple(charsets.values()), prose

    @cached_property
    def nullable(self) -> frozenset[str]:
        """Rules that derive the empty string."""
        return self._least(chars=False, prose=False)

    @cached_property
    def productive(self) -> frozenset[str]:
        """Rules that derive some string. All other rules can only recurse forever.

        A prose-val counts as productive: its strings are unknown.
        """
        return self._least(chars=True, prose=True)

    def _least(self, chars: bool, prose: bool) -> frozenset[str]:
        keys: set[str] = set()

        def update(key: str) -> bool:
            if key in keys or not evaluate(self.core.rules[key], keys.__contains__, chars, prose):
                return False
            keys.add(key)
            return True

        self.fixpoint(update)
        return frozenset(keys)

    def fixpoint(self, update: Callable[[str], bool]) -> None:
        """Call ``update`` for every rule, and again while a rule that it refers to changes.

        ``update`` computes the value of a rule from the values of the rules that it refers to, and returns
        whether the value has changed. A rule is updated after the rules that it refers to, so only recursive
        rules are updated more than once.
        """
        if not self.recursive:
            for key in self._order:
                update(key)
            return
        order = self._order
        referrers = self._referrers
        places = {key: place for place, key in enumerate(order)}
        heap = list(range(len(order)))
        waiting = set(order)
        while heap:
            key = order[heapq.heappop(heap)]
            waiting.remove(key)
            if update(key):
                again = [referrer for referrer in referrers[key] if referrer not in waiting]
                waiting.update(again)
                for referrer in again:
                    heapq.heappush(heap, places[referrer])

    @cached_property
    def language_bounds(self) -> Mapping[str, LanguageBounds]:
        """The language bounds of every rule. Cost: linear, except within groups of recursive rules."""
        bounds = dict.fromkeys(self.core.rules, _NONE)

        def update(key: str) -> bool:
            before, new = bounds[key], bounds_of(self.core.rules[key], bounds)
            bounds[key] = replace(new, length=None) if key in self.recursive else new
            return bounds[key] != before

        self.fixpoint(update)
        return bounds

    @cached_property
    def groups(self) -> list[list[str]]:
        """The groups of rules that refer to one another, each after the groups that it refers to."""
        return list(components(self.references))

    @cached_property
    def _order(self) -> list[str]:
        """The rules, each after the rules that it refers to."""
        return [key for group in self.groups for key in reversed(group)]

    @cached_property
    def _referrers(self) -> Mapping[str, list[str]]:
        referrers: dict[str, list[str]] = {key: [] for key in self.core.rules}
        for key, references in self.references.items():
            for reference in references:
                referrers[reference].append(key)
        return referrers

    def is_nullable(self, node: Node) -> bool:
        """Return whether a node derives the empty string."""
        return evaluate(node, self.nullable.__contains__, False, False)

    def is_productive(self, node: Node) -> bool:
        """Return whether a node derives some string."""
        return evaluate(node, self.productive.__contains__, True, True)

    def reachable(self, start: str) -> tuple[str, ...]:
        """Return the rules that a derivation from ``start`` can use, in depth-first order from ``start``."""
        seen: dict[str, None] = {}
        stack = [start]
        while stack:
            key = stack.pop()
            if key not in seen:
                seen[key] = None
                stack.extend(reversed(self.references[key]))
        return tuple(seen)

    @cached_property
    def recursive(self) -> frozenset[str]:
        """Rules that can occur within themselves in a derivation."""
        return frozenset(chain.from_iterable(_cycles(self.references, self.groups)))

    @cached_property
    def left_recursive(self) -> frozenset[str]:
        """Rules that can occur again at their own beginning, before any character."""
        return frozenset(chain.from_iterable(self.left_recursive_groups))

    @cached_property
    def left_recursive_groups(self) -> list[list[str]]:
        """Groups of left-recursive rules that can begin with one another, each after those it can lead to."""
        if not self.recursive:
            return []
        return list(_cycles(self.left_corners, components(self.left_corners)))

    @cached_property
    def left_corners(self) -> Mapping[str, tuple[str, ...]]:
        """Rule -> the rules that it can begin with, with repetitions."""
        return {key: tuple(self.beginnings(node)) for key, node in self.core.rules.items()}

    def beginnings(self, node: Node) -> Iterator[str]:
        """Yield the rules that a node can begin with, with repetitions."""
        match node:
            case Ref(key=key):
                yield key
            case Seq(items=items):
                for item in items:
                    yield from self.beginnings(item)
                    if not self.is_nullable(item):
                        return
            case Choice(items=items):
                for item in items:
                    yield from self.beginnings(item)
            case Repeat(item=item):
                yield from self.beginnings(item)

    @cached_property
    def cyclic(self) -> frozenset[str]:
        """Rules that derive exactly themselves (``a = a / "x"``), and so have infinitely many derivations."""
        return frozenset(self.cycles)

    @cached_property
    def cycles(self) -> Mapping[str, frozenset[str]]:
        """Cyclic rule -> the rules that it derives alone and that derive it alone, including itself."""
        edges = {key: tuple(self._units(node)) for key, node in self.core.rules.items()}
        return {key: frozenset(group) for group in _cycles(edges, components(edges)) for key in group}

    def _units(self, node: Node) -> Iterator[str]:
        match node:
            case Ref(key=key):
                yield key
            case Seq(items=items):
                heavy = [item for item in items if not self.is_nullable(item)]
                for item in items if not heavy else heavy[:1] if len(heavy) == 1 else ():
                    yield from self._units(item)
            case Choice(items=items):
                for item in items:
                    yield from self._units(item)
            case Repeat(item=item, min=minimum):
                if minimum <= 1 or self.is_nullable(item):
                    yield from self._units(item)

    def prose(self, start: str) -> tuple[str, Prose] | None:
        """Return the first prose-val that a derivation from ``start`` can use, and its rule."""
        _, _, prose = self._leaves
        needed = self.reachable(start) if prose else ()
        return next(((key, prose[key]) for key in needed if key in prose), None)


def _cycles(edges: Mapping[str, tuple[str, ...]], groups: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yield the strongly connected components (``groups``) whose nodes lie on a cycle."""
    return (group for group in groups if len(group) > 1 or group[0] in edges[group[0]])


def components(edges: Mapping[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """Yield the strongly connected components, each after the components that it leads to (Tarjan 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    open_nodes: list[str] = []
    for root in edges:
        if root in index:
            continue
        if not edges[root]:
            index[root] = len(index)
            yield [root]
            continue
        work: list[tuple[str, int]] = [(root, 0)]
        while work:
            node, position = work.pop()
            targets = edges[node]
            if position == 0:
                index[node] = low[node] = len(index)
                open_nodes.append(node)
                on_stack.add(node)
            else:
                low[node] = min(low[node], low[targets[position - 1]])
            while position < len(targets):
                target = targets[position]
                position += 1
                if target not in index:
                    if not edges[target]:
                        index[target] = len(index)
                        yield [target]
                        continue
                    work += ((node, position), (target, 0))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                if low[node] == index[node]:
                    group: list[str] = []
                    while not group or group[-1] != node:
                        group.append(open_nodes.pop())
                    group.reverse()
                    on_stack.difference_update(group)
                    yield group


@dataclass(frozen=True, slots=True)
class LanguageBounds:
    """Bounds of a language.

    ``first`` contains every character that begins a string of the language, and ``alphabet`` every character
    that occurs in a string. ``length`` is the length of all strings, or None if lengths differ or are
    unknown.
    """

    first: CharSet
    alphabet: CharSet
    length: int | None
    nullable: bool

    def may_share(self, other: LanguageBounds) -> bool:
        """Return False if the bounds show that the two languages share no string."""
        if self.length is not None and other.length is not None and self.length != other.length:
            return False
        return bool(self.first & other.first) or (self.nullable and other.nullable)

    def may_grow(self, following: LanguageBounds) -> bool:
        """Return False if the bounds show that a longer string cannot continue like ``following``."""
        return self.length is None and bool(self.alphabet & following.first)


_NONE = LanguageBounds(EMPTY, EMPTY, None, False)


def bounds_of(node: Node, rules: Mapping[str, LanguageBounds]) -> LanguageBounds:
    """Return the bounds of a node, computed from the bounds of its rules. Cost: linear."""
    first: list[CharSet] = []
    length, nullable = _outline(node, rules, first)
    named = (rules[part.key].alphabet for part in walk(node, letters=False) if isinstance(part, Ref))
    return LanguageBounds(_together(first), _together((*terminals((node,)), *named)), length, nullable)


def _together(sets: Iterable[CharSet]) -> CharSet:
    """Return the union of sets; many of the sets are identical objects."""
    return union({id(charset): charset for charset in sets}.values())


def _outline(
    node: Node, rules: Mapping[str, LanguageBounds], first: list[CharSet] | None
) -> tuple[int | None, bool]:
    """Return the length of a node's strings and whether the node is nullable; extend ``first``."""
    match node:
        case Chars(charset=charset) | Literal(items=(Chars(charset=charset), *_)):
            if first is not None:
                first.append(charset)
            return len(node.items) if isinstance(node, Literal) else 1, False
        case Ref(key=key):
            if first is not None:
                first.append(rules[key].first)
            return rules[key].length, rules[key].nullable
        case Prose():
            return None, False
        case Seq(items=items):
            total: int | None = 0
            nullable = True
            for item in items:
                length, empty = _outline(item, rules, first if nullable else None)
                nullable = nullable and empty
                total = None if total is None or length is None else total + length
            return total, nullable
        case Choice(items=items):
            outlines = {_outline(item, rules, first) for item in items}
            lengths = {length for length, _ in outlines}
            return lengths.pop() if len(lengths) == 1 else None, any(empty for _, empty in outlines)
        case Repeat(item=item, min=minimum, max=maximum):
            length, empty = _outline(item, rules, first)
            times = length is not None and minimum == maximum
            return (length or 0) * minimum if times else None, minimum == 0 or empty


@dataclass(frozen=True, slots=True)
class Following:
    """The characters that may follow a part of a rule, and whether the input may end there."""

    chars: CharSet = EMPTY
    end: bool = False

    def __or__(self, other: Following) -> Following:
        return Following(self.chars | other.chars, self.end or other.end)


def predictions(
    facts: Facts, start: str, bounds: Mapping[str, LanguageBounds]
) -> tuple[dict[str, Following], dict[str, Following]]:
    """Return the follow set and the LL(1) conflicts of each rule that ``start`` uses.

    A conflict is a character, or the end of the input, that does not decide a choice or a repetition (Aho,
    Lam, Sethi and Ullman 2006, 4.4). Cost: linear in the rules times the depth of their recursion.
    """
    core, keys = facts.core, facts.reachable(start)
    follow = dict.fromkeys(keys, Following()) | {start: Following(end=True)}
    changed = True
    while changed:
        changed = False
        for key in keys:
            for node, after in _places(core.rules[key], follow[key], bounds):
                if isinstance(node, Ref) and (more := follow[node.key] | after) != follow[node.key]:
                    follow[node.key] = more
                    changed = True
    conflicts = dict.fromkeys(keys, Following())
    for key in keys:
        for node, after in _places(core.rules[key], follow[key], bounds):
            conflicts[key] |= _conflict(node, after, bounds)
    return follow, conflicts


def _places(
    body: Node, after: Following, bounds: Mapping[str, LanguageBounds]
) -> Iterator[tuple[Node, Following]]:
    """Yield the parts of a rule, each with the characters that may follow it."""
    stack = [(body, after)]
    while stack:
        node, after = stack.pop()
        yield node, after
        match node:
            case Seq(items=items):
                for item in reversed(items):
                    stack.append((item, after))
                    own = bounds_of(item, bounds)
                    after = (after if own.nullable else Following()) | Following(own.first)
            case Choice(items=items):
                stack.extend((item, after) for item in items)
            case Repeat(item=item, max=most):
                again = Following(bounds_of(item, bounds).first) if most != 1 else Following()
                stack.append((item, after | again))


def _conflict(node: Node, after: Following, bounds: Mapping[str, LanguageBounds]) -> Following:
    """Return the characters that do not decide a choice, or the end of a repetition."""
    match node:
        case Choice(items=items):
            sides = [_prediction(item, after, bounds) for item in items]
        case Repeat(item=item, min=least, max=most) if least != most:
            own = bounds_of(item, bounds)
            sides = [Following(own.first, own.nullable and after.end), after]
        case _:
            return Following()
    conflict, seen = Following(), Following()
    for side in sides:
        conflict |= Following(side.chars & seen.chars, side.end and seen.end)
        seen |= side
    return conflict


def _prediction(node: Node, after: Following, bounds: Mapping[str, LanguageBounds]) -> Following:
    own = bounds_of(node, bounds)
    return Following(own.first) | (after if own.nullable else Following())


def max_fanout(facts: Facts, limit: int) -> Mapping[str, int]:
    """Return, for each rule, the maximum number of terminals that can be next, at most ``limit``.

    After a nullable part, the next part can begin too, and each reference begins a rule, so the number can
    grow exponentially with the number of rules. The result for rules that begin with each other is ``limit``.
    """
    opening: dict[str, int] = {}
    worst: dict[str, int] = {}
    for group in facts.groups:
        endless = len(group) > 1 and not facts.left_recursive.isdisjoint(group)
        opening |= dict.fromkeys(group, limit if endless else 1)
        counts = {key: min(limit, _opening(facts.core.rules[key], facts, opening)) for key in group}
        if not endless:
            opening |= counts
        inner = (worst.get(target, 0) for key in group for target in facts.references[key])
        worst |= dict.fromkeys(group, max(*(opening[key] for key in group), *inner, 0))
    return worst


def _opening(node: Node, facts: Facts, rules: Mapping[str, int]) -> int:
    match node:
        case Ref(key=key):
            return rules[key]
        case Choice(items=items):
            return sum(_opening(item, facts, rules) for item in items)
        case Repeat(item=item):
            return _opening(item, facts, rules)
        case Literal():
            return 1
        case Seq(items=items):
            # The maximum is reached before some part: after nullable parts, the next part can begin, too.
            worst = total = 0
            for item in reversed(items):
                total = _opening(item, facts, rules) + (total if facts.is_nullable(item) else 0)
                worst = max(worst, total)
            return worst
        case _:
            return 1
