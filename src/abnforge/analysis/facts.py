"""Facts about the rules of a core grammar: references, nullable, productive, recursive.

All are least fixed points over the rules, or walks along their references. Cost: linear in the grammar's
size, times how often a rule is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from abnforge.analysis.core_form import Chars, Choice, Core, Literal, Node, Prose, Ref, Repeat, Seq
from abnforge.charset import CharSet
from abnforge.once import once
from abnforge.records import dataclass


def walk(node: Node, *, letters: bool = True) -> Iterator[Node]:
    """The node and everything below it, in the order of the text; rules are not entered.

    Without ``letters`` literals are not entered either: then there are no more nodes than elements in the
    text.
    """
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, Seq | Choice):
            if letters or not isinstance(current, Literal):
                stack.extend(reversed(current.items))
        elif isinstance(current, Repeat):
            stack.append(current.item)


def terminals(nodes: Iterable[Node]) -> list[CharSet]:
    """The sets of characters below some nodes, in the order of the text; rules are not entered.

    An object is there once: letters are shared, and of a list of words there are few.
    """
    found: dict[int, CharSet] = {}
    for node in nodes:
        for part in walk(node, letters=False):
            if isinstance(part, Literal):
                for item in part.items:
                    found[id(item.charset)] = item.charset
            elif isinstance(part, Chars):
                found[id(part.charset)] = part.charset
    return list(found.values())


def holds(node: Node, ref: Callable[[str], bool], chars: bool, prose: bool) -> bool:
    """Whether a property that sequences need of every item and choices of one item holds."""
    match node:
        case Chars() | Literal():
            return chars
        case Prose():
            return prose
        case Ref(key=key):
            return ref(key)
        case Seq(items=items):
            return all(holds(item, ref, chars, prose) for item in items)
        case Choice(items=items):
            return any(holds(item, ref, chars, prose) for item in items)
        case Repeat(item=item, min=minimum):
            return minimum == 0 or holds(item, ref, chars, prose)


@dataclass(frozen=True)
class Facts:
    """What follows from a core grammar, computed when first asked for. Sets hold rule keys."""

    core: Core

    @once
    def references(self) -> Mapping[str, tuple[str, ...]]:
        """Rule -> the rules that its definition names, in order, each once."""
        return {
            key: tuple(dict.fromkeys(n.key for n in walk(node, letters=False) if isinstance(n, Ref)))
            for key, node in self.core.rules.items()
        }

    @once
    def nullable(self) -> frozenset[str]:
        """Rules that derive the empty string."""
        return self._least(chars=False, prose=False)

    @once
    def productive(self) -> frozenset[str]:
        """Rules that derive some string. The others can only recurse forever.

        A prose-val counts as productive: what it stands for is unknown, not empty.
        """
        return self._least(chars=True, prose=True)

    def _least(self, chars: bool, prose: bool) -> frozenset[str]:
        found: set[str] = set()
        waiting = list(self.core.rules)[::-1]
        while waiting:
            key = waiting.pop()
            if key not in found and holds(self.core.rules[key], found.__contains__, chars, prose):
                found.add(key)
                # Only for the rules that name this one can the answer have changed.
                waiting.extend(self._referrers[key])
        return frozenset(found)

    @once
    def _referrers(self) -> Mapping[str, list[str]]:
        result: dict[str, list[str]] = {key: [] for key in self.core.rules}
        for key, references in self.references.items():
            for reference in references:
                result[reference].append(key)
        return result

    def is_nullable(self, node: Node) -> bool:
        """Whether a node derives the empty string."""
        return holds(node, self.nullable.__contains__, False, False)

    def is_productive(self, node: Node) -> bool:
        """Whether a node derives some string."""
        return holds(node, self.productive.__contains__, True, True)

    def reachable(self, start: str) -> tuple[str, ...]:
        """The rules a derivation from ``start`` can meet, ``start`` first, in depth-first order."""
        seen: dict[str, None] = {}
        stack = [start]
        while stack:
            key = stack.pop()
            if key not in seen:
                seen[key] = None
                stack.extend(reversed(self.references[key]))
        return tuple(seen)

    @once
    def recursive(self) -> frozenset[str]:
        """Rules that can meet themselves again in a derivation."""
        return _on_cycles(self.references)

    @once
    def left_recursive(self) -> frozenset[str]:
        """Rules that can meet themselves again before any character is read."""
        return _on_cycles(self.left_corners)

    @once
    def left_corners(self) -> Mapping[str, tuple[str, ...]]:
        """Rule -> the rules that it can begin with, each as often as it is named."""
        return {key: tuple(self._left_corners(node)) for key, node in self.core.rules.items()}

    def _left_corners(self, node: Node) -> Iterator[str]:
        match node:
            case Ref(key=key):
                yield key
            case Seq(items=items):
                for item in items:
                    yield from self._left_corners(item)
                    if not self.is_nullable(item):
                        return
            case Choice(items=items):
                for item in items:
                    yield from self._left_corners(item)
            case Repeat(item=item):
                yield from self._left_corners(item)

    @once
    def cyclic(self) -> frozenset[str]:
        """Rules that derive themselves and nothing else (``a = a / "x"``): infinitely many derivations."""
        return frozenset(self.cycles)

    @once
    def cycles(self) -> Mapping[str, frozenset[str]]:
        """Each of these rules -> those that it derives alone and that derive it alone, itself included."""
        edges = {key: tuple(self._units(node)) for key, node in self.core.rules.items()}
        groups = (group for group in components(edges) if len(group) > 1 or group[0] in edges[group[0]])
        return {key: frozenset(group) for group in groups for key in group}

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
        """The first prose-val a derivation from ``start`` can meet, with the rule it stands in."""
        for key in self.reachable(start):
            for node in walk(self.core.rules[key], letters=False):
                if isinstance(node, Prose):
                    return key, node
        return None


def _on_cycles(edges: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    """The nodes that lie on a cycle."""
    return frozenset(
        node for group in components(edges) for node in group if len(group) > 1 or node in edges[node]
    )


def components(edges: Mapping[str, tuple[str, ...]]) -> Iterator[list[str]]:
    """The strongly connected components, each after all that it leads to (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    open_nodes: list[str] = []
    for root in edges:
        if root in index:
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
