"""A regular rule as a regular expression, simplified.

Rules are put in place of their names, and an alternative is dropped when another one covers it, as
``reg-name`` covers ``IPv4address`` (asked of automata). What is put together is simplified by ``tree``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from abnforge.backends.regex.messages import message
from abnforge.backends.regex.tree import (
    Group,
    Regex,
    Set,
    TooLargeError,
    UnsafeError,
    alt,
    cat,
    has_group,
    ordered,
    rep,
)
from abnforge.charset import EMPTY
from abnforge.grammar import core

# Nodes after rules have been put in place of their names.
MAX_NODES = 20_000
# How deep they may be nested: rules in rules, which engines and these modules follow by recursion.
MAX_DEPTH = 100

# The places of the alternatives of a choice that no other covers.
Uncovered = Callable[[Sequence[core.Node]], list[int]]
# A rule's expression in place of the one its definition gives; it may be the same.
Rewrite = Callable[[str, Regex], Regex]


def regex_tree(
    bodies: Mapping[str, core.Node],
    key: str,
    groups: frozenset[str] = frozenset(),
    uncovered: Uncovered | None = None,
    rewrite: Rewrite | None = None,
) -> Regex:
    """The simplified expression of a regular rule.

    ``bodies`` are recursion-free; parts of rules in ``groups`` are marked as groups. ``uncovered`` tells
    which alternatives to keep; without it none is dropped. ``rewrite`` is asked about every rule
    without groups. Raises UnsafeError when it grows too large.
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
        self._sizes: dict[str, int] = {}  # nodes that a rule's expression was made of
        self._size = 0
        self._depth = 0

    def rule(self, key: str) -> Regex:
        if key in self._done:
            # It is written out once more: rules that use the next one twice double with each of them.
            self._grow(self._sizes.get(key, 0))
        else:
            before = self._size
            self._done[key] = Set(EMPTY)  # what a rule stands for that derives nothing: it is only itself
            body = self.node(self._bodies[key])
            if self._rewrite is not None and not has_group(body):
                body = self._rewrite(key, body)
            self._done[key] = Group(key, body) if key in self._groups else body
            self._sizes[key] = self._size - before
        return self._done[key]

    def node(self, node: core.Node) -> Regex:
        self._grow(1)
        if self._depth == MAX_DEPTH:
            raise TooLargeError(message("regex-depth", limit=MAX_DEPTH))
        self._depth += 1
        found = self._inside(node)
        self._depth -= 1
        return found

    def _grow(self, nodes: int) -> None:
        self._size += nodes
        if self._size > MAX_NODES:
            raise TooLargeError(message("regex-nodes", limit=MAX_NODES))

    def _inside(self, node: core.Node) -> Regex:
        match node:
            case core.Chars(charset=charset):
                return Set(charset)
            case core.Ref(key=key):
                return self.rule(key)
            case core.Seq(items=items):
                return cat([self.node(item) for item in items])
            case core.Choice(items=items):
                branches = [self.node(item) for item in items]
                if any(map(has_group, branches)):
                    return ordered(branches)
                kept = range(len(items)) if self._uncovered is None else self._uncovered(items)
                return alt([branches[place] for place in kept])
            case core.Repeat(item=item, min=minimum, max=maximum):
                return rep(self.node(item), minimum, maximum)
            case core.Prose():
                raise UnsafeError(message("regex-prose"))
