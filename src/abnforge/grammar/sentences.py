"""Strings that a rule derives: at random, a cheapest one, or one for each part of the grammar.

A derivation costs one for each character and one for each rule in it. Up to a requested size a
:class:`ChoicePolicy` decides freely; from there on the cheapest alternatives are taken. Since every rule
has a cost, cheapest choices never lead to a rule inside itself, and so they end.
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
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts, walk
from abnforge.grammar.messages import message


class ChoicePolicy(Protocol):
    """The decisions of a derivation, as they come."""

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """One of some alternatives; ``costs`` are those of their cheapest derivations."""

    def character(self, charset: CharSet) -> str:
        """Return a character of a set."""

    def turns(self) -> Callable[[], bool]:
        """For one repetition: whether there is another turn, each time that it is asked."""


class Uniform:
    """Every alternative alike, every range alike, and of a repetition any number of turns."""

    def __init__(self, source: Random) -> None:
        self._source = source

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """Any of them."""
        return self._source.choice(items)

    def character(self, charset: CharSet) -> str:
        """Any character of any range."""
        return chr(self._source.randint(*self._source.choice(charset.ranges)))

    def turns(self) -> Callable[[], bool]:
        """With one probability drawn for all turns, large counts stay possible."""
        more = self._source.random()
        return lambda: self._source.random() < more


class Weighted(Uniform):
    """The same, with weights by rule: an alternative has that of the heaviest rule that it names itself, or
    1 where it names none that has one.
    """

    def __init__(self, source: Random, weights: Mapping[str, float]) -> None:
        super().__init__(source)
        self._weights = weights

    def alternative(self, items: Sequence[Node], costs: Sequence[int]) -> Node:
        """Draw an alternative by its weight; if no weight remains, draw any of them."""
        weights = [max((self._weights[key] for key in self._named(item)), default=1.0) for item in items]
        if not any(weights):
            return super().alternative(items, costs)
        [chosen] = self._source.choices(items, weights)
        return chosen

    def _named(self, node: Node) -> list[str]:
        found = []
        stack = [node]
        while stack:
            match stack.pop():
                case Ref(key=key) if key in self._weights:
                    found.append(key)
                case Seq(items=items) | Choice(items=items):
                    stack.extend(items)
                case Repeat(item=item):
                    stack.append(item)
        return found


# Characters and rules of a cheapest derivation. What costs more, such as ``999999999ALPHA``, is not derived.
MAX_SENTENCE = 100_000

# What a character costs where a cheapest derivation is to be one of a shortest string, however many rules it
# takes.
SHORTEST = MAX_SENTENCE + 1


class Sentences:
    """The sentences of a grammar's rules. Cost: once, a few passes over the grammar.

    ``character`` is what a character costs, where a rule costs 1. Prose derives nothing here. LimitExceeded
    is raised for a rule without a sentence whose derivation costs at most ``MAX_SENTENCE`` characters, and
    where the passes, or one sentence, take more than ``budget``.
    """

    def __init__(self, core: Core, facts: Facts, budget: Budget = DEFAULT, character: int = 1) -> None:
        self._core = core
        self._character = character
        self._most = MAX_SENTENCE * character
        # The cost of what costs more, and of what derives nothing.
        self._too_much = self._most + 1
        self._budget = budget
        self._meter = budget.meter("finding out how short the strings of each rule can be")
        self._costs: dict[Node, int] = {}
        self._surroundings: dict[str, dict[Node, tuple[Node, int] | None]] = {}
        nodes = {key: list(walk(body)) for key, body in core.rules.items()}
        # The iterations that must read a character.
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

    def random(self, key: str, source: Random, size: int, weights: Mapping[str, float] | None = None) -> str:
        """A random sentence of a rule (by its key): short ones are likelier, none of its parts is left out.

        ``size`` bounds the cost up to which choices are free; how much of it is used is drawn, too. One
        state of ``source`` gives one sentence. ``weights`` are those of rules, by their keys
        (``chance.Weighted``). Cost: linear in the derivation, which is at most ``size`` and twice
        ``MAX_SENTENCE``.
        """
        if size < 0:
            raise ArgumentError(message("size-negative", size=size))
        free = source.randint(0, size)
        return self.drawn(key, Uniform(source) if weights is None else Weighted(source, weights), free)

    def drawn(self, key: str, chance: ChoicePolicy, size: int) -> str:
        """Return a string of a rule (by its key) that a choice policy decides about, up to a size."""
        self._begin(key)
        return self._derive((Ref(key),), chance, size)

    def systematic(self, key: str) -> Iterator[str]:
        """A short sentence for everything that a rule (by its key) and the rules below it name, each once.

        That is: the first and last character of every range, every alternative, and every repetition with its
        least count, one more, and its greatest. There are linearly many in the size of the grammar.
        """
        seen: set[str] = set()
        for text in self._varied(key, self._core.rules[key]):
            if text not in seen:
                seen.add(text)
                yield text

    def readings(self, key: str, node: Node, chosen: Sequence[Node]) -> Iterator[str]:
        """Sentences of a rule (by its key) in which a node below it reads ``chosen``, nodes one after the
        other: with all else as cheap as can be, then with everything below ``chosen`` varied.

        ``chosen`` is something that the node can read: an alternative, or items of a repetition. There are
        none where nothing derives it. Cost: once for each rule, linear in the grammar, times its logarithm.
        """
        self._begin(key)
        around = self._cheapest_surroundings(key)
        if node not in around or sum(self._costs[each] for each in chosen) > self._most:
            return
        yield self._in_place(self._derive(tuple(chosen)), node, around)
        root = Seq(tuple(chosen))
        self._costs[root] = self._cost(root)
        for text in self._varied(key, root):
            yield self._in_place(text, node, around)

    def shortest(self, key: str) -> str:
        """Return a string of a rule (by its key) whose derivation costs least."""
        self._begin(key)
        return self._derive((Ref(key),))

    def contexts(self, key: str) -> dict[str, tuple[str, str]]:
        """For the rules below a rule (by their keys) what stands around a string of each in a short sentence
        of that rule.
        """
        self._begin(key)
        around = self._cheapest_surroundings(key)
        found: dict[str, tuple[str, str]] = {}
        for node in around:
            if isinstance(node, Ref) and node.key not in found:
                found[node.key] = self._beside_it(node, around)
        return found

    def _varied(self, key: str, root: Node) -> Iterator[str]:
        """What a node derives, with everything below it in turn in each of its variants."""
        self._begin(key)
        around: dict[Node, tuple[Node, int] | None] = {root: None}  # where each node is met first
        for node in (queue := [root]):
            for variant in self._variants(node):
                yield self._in_place(variant, node, around)
                self._begin(key)
            for index, child in enumerate(self._children(node)):
                if child not in around and self._costs[child] <= self._most:
                    around[child] = node, index
                    queue.append(child)

    def _cheapest_surroundings(self, key: str) -> Mapping[Node, tuple[Node, int] | None]:
        """For every node below a rule where it stands in a cheapest derivation of the rule that has it
        (Dijkstra 1959).
        """
        found = self._surroundings.get(key)
        if found is not None:
            return found
        found = self._surroundings[key] = {}
        body = self._core.rules[key]
        number = 0  # of equally cheap ones the first
        heap: list[tuple[int, int, Node, tuple[Node, int] | None]] = [(0, number, body, None)]
        while heap:
            cost, _, node, place = heappop(heap)
            if node in found:
                continue
            found[node] = place
            for index, child in enumerate(self._children(node)):
                if child not in found and self._costs[child] <= self._most:
                    more = cost + self._beside(node, child)
                    if more <= self._most:
                        number += 1
                        heappush(heap, (more, number, child, (node, index)))
            self._meter.charge()
        return found

    def _beside(self, node: Node, child: Node) -> int:
        """What a node costs beside a child of it."""
        match node:
            case Seq():
                return self._costs[node] - self._costs[child]
            case Repeat():
                return (max(1, self._least[node]) - 1) * self._costs[child]
            case Ref():
                return 1
        return 0

    def _begin(self, key: str) -> None:
        """Open the account of a sentence of a rule, unless it has none."""
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
        """Nodes one after the other: by chance up to a size, then the cheapest; without it, at once."""
        text: list[str] = []
        stack = list(reversed(nodes))
        cost = sum(self._cost(node) for node in nodes)  # of what is written, and at least of what is to come
        taken = 0
        while stack:
            taken += 1
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
        self._meter.charge(taken)
        return "".join(text)

    def _children(self, node: Node) -> tuple[Node, ...]:
        match node:
            case Seq(items=items) | Choice(items=items):
                return items
            case Repeat(item=item):
                return (item,)
            case Ref(key=key):
                return (self._core.rules[key],)
        return ()

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
        """Return the sentence in which a node reads the text and all else is as cheap as can be."""
        before, behind = self._beside_it(node, around)
        return before + text + behind

    def _beside_it(self, node: Node, around: Mapping[Node, tuple[Node, int] | None]) -> tuple[str, str]:
        before = behind = ""
        while (place := around[node]) is not None:
            node, index = place
            if isinstance(node, Seq):
                before = self._derive(node.items[:index]) + before
                behind += self._derive(node.items[index + 1 :])
            elif isinstance(node, Repeat):
                behind += self._derive((node.item,) * (self._least[node] - 1))
        return before, behind
