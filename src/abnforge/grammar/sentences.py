"""Generate strings of a rule: random strings, a cheapest string, or one for each part of the grammar.

A derivation costs 1 for each of its characters and rules. Up to a requested size, a :class:`ChoicePolicy`
decides freely; after that, the cheapest alternatives are taken. Since every rule costs something, cheapest
choices never recurse, and so they terminate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from random import Random
from typing import Protocol

from abnforge.budget import DEFAULT, Budget
from abnforge.catalog import ArgumentError
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq, parts
from abnforge.grammar.facts import Facts, walk
from abnforge.grammar.messages import message


class ChoicePolicy(Protocol):
    """The object that makes the decisions of a derivation, in order."""

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """Return one of the alternatives; ``costs`` has the costs of their cheapest derivations."""

    def character(self, charset: CharSet) -> str:
        """Return a character from a set."""

    def turns(self) -> Callable[[], bool]:
        """Return a function for one repetition; each call decides whether another iteration follows."""


class Uniform:
    """Choose alternatives and ranges with equal probability, and any number of iterations."""

    def __init__(self, source: Random) -> None:
        self._source = source

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """Return a random alternative."""
        return self._source.choice(items)

    def character(self, charset: CharSet) -> str:
        """Return a random character from a random range."""
        return chr(self._source.randint(*self._source.choice(charset.ranges)))

    def turns(self) -> Callable[[], bool]:
        """Use one random probability for all iterations, so that large counts are possible."""
        more = self._source.random()
        return lambda: self._source.random() < more


# Longer strings, such as those of ``999999999ALPHA``, are not derived.
MAX_SENTENCE = 100_000
"""The maximum number of characters and rules in a cheapest derivation."""

# If a character costs this much, a cheapest derivation has a shortest string, however many rules it uses.
SHORTEST = MAX_SENTENCE + 1


class Sentences:
    """Generator of the strings of a grammar's rules. Cost of construction: a few traversals of the grammar.

    ``character`` is the cost of a character; a rule costs 1. Prose derives nothing here. Methods raise
    LimitExceeded if every derivation of a rule costs more than ``MAX_SENTENCE`` characters, or if the
    traversals or a single string exceed ``budget``.
    """

    def __init__(self, core: Core, facts: Facts, budget: Budget = DEFAULT, character: int = 1) -> None:
        self._core = core
        self._character = character
        self._most = MAX_SENTENCE * character
        # The cost of nodes that are too expensive or derive nothing.
        self._too_much = self._most + 1
        self._budget = budget
        self._meter = budget.meter("finding out how short the strings of each rule can be")
        self._costs: dict[Node, int] = {}
        self._surroundings: dict[str, dict[Node, tuple[Node, int] | None]] = {}
        nodes = {key: list(walk(body)) for key, body in core.rules.items()}
        # The number of iterations that must match at least one character.
        self._least = {
            node: 0 if facts.is_nullable(node.item) else node.min
            for rule in nodes.values()
            for node in rule
            if isinstance(node, Repeat)
        }

        def update(key: str) -> bool:
            before = self._costs.get(core.rules[key], self._too_much)
            self._meter.charge(len(nodes[key]))
            for node in reversed(nodes[key]):
                self._costs[node] = min(self._cost(node), self._too_much)
            return self._costs[core.rules[key]] != before

        facts.fixpoint(update)

    def random(self, key: str, source: Random, size: int) -> str:
        """Return a random string of a rule (by its key).

        Short strings are more likely, but every part of the grammar can occur.

        Choices are free up to a random cost of at most ``size``. The same state of ``source`` gives the same
        string. Cost: linear in the derivation, which costs at most ``size`` plus twice ``MAX_SENTENCE``.
        """
        if size < 0:
            raise ArgumentError(message("size-negative", size=size))
        free = source.randint(0, size)
        return self.drawn(key, Uniform(source), free)

    def drawn(self, key: str, chance: ChoicePolicy, size: int) -> str:
        """Return a string of a rule (by its key); a choice policy makes the choices up to a size."""
        self._begin(key)
        return self._derive((Ref(key),), chance, size)

    def systematic(self, key: str) -> Iterator[str]:
        """Yield distinct short strings that together cover everything below a rule (by its key).

        They cover the first and last character of every range, every alternative, and every repetition with
        its minimum count, one more, and its maximum count. Their number is linear in the size of the grammar.
        """
        seen: set[str] = set()
        for text in self._varied(key, self._core.rules[key]):
            if text not in seen:
                seen.add(text)
                yield text

    def readings(self, key: str, node: Node, chosen: Sequence[Node]) -> Iterator[str]:
        """Yield strings of a rule (by its key) such that a node below it derives the sequence ``chosen``.

        The first string is as cheap as possible elsewhere; the other strings vary everything below
        ``chosen``. ``chosen`` must be an alternative of the node, or items of a repetition. The result is
        empty if no string contains ``chosen``. The first call for a rule costs O(n log n) in the size of the
        grammar.
        """
        self._begin(key)
        around = self._cheapest_surroundings(key)
        if node not in around or sum(self._costs[part] for part in chosen) > self._most:
            return
        yield self._in_place(self._derive(tuple(chosen)), node, around)
        root = Seq(tuple(chosen))
        self._costs[root] = self._cost(root)
        for text in self._varied(key, root):
            yield self._in_place(text, node, around)

    def shortest(self, key: str) -> str:
        """Return a string of a rule (by its key) with the cheapest derivation."""
        self._begin(key)
        return self._derive((Ref(key),))

    def contexts(self, key: str) -> dict[str, tuple[str, str]]:
        """Return the prefix and suffix around each rule below a rule (by its key) in a short string."""
        self._begin(key)
        around = self._cheapest_surroundings(key)
        result: dict[str, tuple[str, str]] = {}
        for node in around:
            if isinstance(node, Ref) and node.key not in result:
                result[node.key] = self._beside_it(node, around)
        return result

    def _varied(self, key: str, root: Node) -> Iterator[str]:
        """Yield strings of a node; each node below it takes each of its variants in turn."""
        self._begin(key)
        around: dict[Node, tuple[Node, int] | None] = {root: None}  # the place where each node first occurs
        for node in (queue := [root]):
            sides = None  # all variants of a node have the same surroundings
            for variant in self._variants(node):
                sides = sides or self._beside_it(node, around)
                yield variant.join(sides)
                self._begin(key)
            for index, child in enumerate(self._children(node)):
                if child not in around and self._costs[child] <= self._most:
                    around[child] = node, index
                    queue.append(child)

    def _cheapest_surroundings(self, key: str) -> Mapping[Node, tuple[Node, int] | None]:
        """Return the cheapest place of every node below a rule in a derivation (Dijkstra 1959)."""
        places = self._surroundings.get(key)
        if places is not None:
            return places
        places = self._surroundings[key] = {}
        body = self._core.rules[key]
        number = 0  # among equally cheap nodes, the first one wins
        heap: list[tuple[int, int, Node, tuple[Node, int] | None]] = [(0, number, body, None)]
        while heap:
            cost, _, node, place = heappop(heap)
            if node in places:
                continue
            places[node] = place
            for index, child in enumerate(self._children(node)):
                if child not in places and self._costs[child] <= self._most:
                    more = cost + self._beside(node, child)
                    if more <= self._most:
                        number += 1
                        heappush(heap, (more, number, child, (node, index)))
            self._meter.charge()
        return places

    def _beside(self, node: Node, child: Node) -> int:
        """Return the cost of a node minus the cost of its child."""
        match node:
            case Seq():
                return self._costs[node] - self._costs[child]
            case Repeat():
                return (max(1, self._least[node]) - 1) * self._costs[child]
            case Ref():
                return 1
        return 0

    def _begin(self, key: str) -> None:
        """Start the budget for one string of a rule. Raises LimitExceeded if the rule has no cheap string."""
        self._meter = self._budget.meter(f"deriving a string of {self._core.names[key]}")
        if self._costs[self._core.rules[key]] > self._most:
            name = self._core.names[key]
            raise LimitExceeded(
                message("string-size-limit", rule=name, limit=MAX_SENTENCE),
                operation=f"deriving a string of {name}",
                used=MAX_SENTENCE + 1,
                limit=MAX_SENTENCE,
                setting="MAX_SENTENCE",
                code="no-string",
                rule=name,
            )

    def _cost(self, node: Node) -> int:
        match node:
            case Chars():
                return self._character
            case Prose():
                return self._too_much
            case Ref(key=key):
                return 1 + self._costs.get(self._core.rules[key], self._too_much)
            case Seq(items=items):
                return sum(self._costs[item] for item in items)
            case Choice(items=items):
                return min(self._costs[item] for item in items)
            case Repeat(item=item):
                return self._least[node] * self._costs[item]

    def _derive(self, nodes: tuple[Node, ...], chance: ChoicePolicy | None = None, size: int = 0) -> str:
        """Return a string of a sequence of nodes; ``chance`` decides up to ``size``, then costs decide."""
        text: list[str] = []
        stack = list(reversed(nodes))
        cost = sum(
            self._cost(node) for node in nodes
        )  # length of the output, plus a lower bound for the rest
        steps = 0
        while stack:
            steps += 1
            node = stack.pop()
            free = chance if cost < size else None
            match node:
                case Chars(charset=charset):
                    text.append(charset.min() if chance is None else chance.character(charset))
                case Ref(key=key):
                    stack.append(self._core.rules[key])
                case Seq(items=items):
                    stack.extend(reversed(items))
                case Choice(items=items):
                    chosen = min(items, key=self._costs.__getitem__)
                    cost -= self._costs[chosen]
                    if free is not None:
                        possible = [i for i in items if self._costs[i] <= self._most]
                        chosen = free.alternative(possible, [self._costs[i] for i in possible])
                    cost += self._costs[chosen]
                    stack.append(chosen)
                case Repeat(item=item, max=maximum):
                    count = self._least[node]
                    if free is not None and self._costs[item] <= self._most:
                        another = free.turns()
                        while (maximum is None or count < maximum) and cost < size and another():
                            count += 1
                            cost += max(1, self._costs[item])
                    stack.extend([item] * count)
        self._meter.charge(steps)
        return "".join(text)

    def _children(self, node: Node) -> tuple[Node, ...]:
        return (self._core.rules[node.key],) if isinstance(node, Ref) else parts(node)

    def _variants(self, node: Node) -> Iterator[str]:
        match node:
            case Chars(charset=charset):
                for bounds in charset.ranges:
                    yield from map(chr, bounds)
            case Choice(items=items):
                yield from (self._derive((i,)) for i in items if self._costs[i] <= self._most)
            case Repeat(item=item, max=maximum):
                least = self._least[node]
                greatest = least + 1 if maximum is None else maximum
                for count in sorted({least, min(least + 1, greatest), greatest}):
                    if count * max(1, self._costs[item]) <= self._most:
                        yield self._derive((item,) * count)
            case Seq(items=()):
                yield ""

    def _in_place(self, text: str, node: Node, around: Mapping[Node, tuple[Node, int] | None]) -> str:
        """Return the string with ``text`` for a node and the cheapest strings for all other nodes."""
        before, after = self._beside_it(node, around)
        return before + text + after

    def _beside_it(self, node: Node, around: Mapping[Node, tuple[Node, int] | None]) -> tuple[str, str]:
        before = after = ""
        while (place := around[node]) is not None:
            node, index = place
            if isinstance(node, Seq):
                before = self._derive(node.items[:index]) + before
                after += self._derive(node.items[index + 1 :])
            elif isinstance(node, Repeat):
                after += self._derive((node.item,) * (self._least[node] - 1))
        return before, after
