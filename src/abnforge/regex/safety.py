"""Decide which iterations are possessive, and whether backtracking engines take linear time.

An iteration is *deterministic* in its context if the next character alone decides between another turn and
the following parts, and also decides the way through a turn (LL(1)). Brueggemann-Klein and Wood (1998) call
such expressions one-unambiguous. Backtracking into such an iteration never succeeds, so a possessive
quantifier changes only the matching time.

So an engine backtracks only over alternatives and small bounded iterations, and the number of attempts
depends on the grammar and not on the input. An unbounded iteration that is not deterministic raises
``UnsafeError``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from abnforge.charset import CharSet, disjoint
from abnforge.grammar import core
from abnforge.regex.ast import (
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    NamedGroup,
    Regex,
    children,
    first,
    nullable,
    to_core,
)
from abnforge.regex.errors import UnsafeError
from abnforge.regex.messages import message

# The maximum count of an iteration that engines may backtrack into.
MAX_BACKTRACKED = 8
# The maximum number of ways that an engine may have to try for one string because of nested iterations. PCRE2
# stops after ten million steps. URI rules have up to 100,000 ways; engines try few of them.
MAX_WAYS = 1_000_000

# A function that compares two languages. It returns whether no string of the first language is a proper
# prefix of a string in that language, or a prefix of a string in the second language.
Apart = Callable[[core.Node, core.Node], bool]


def deterministic(node: Regex, follow: CharSet) -> bool:
    """Return whether the next character decides every choice in an expression before ``follow``.

    If so, the first way through the expression that an engine finds is the only way. Then an engine that does
    not backtrack into the expression loses no match.

    *Claim*. Let the expression derive ``u``, and let ``v`` be empty or begin with a character of ``follow``.
    Then the first match in ``uv`` that the engine completes is ``u``. *Proof*, by induction over the
    expression.

    - A character class matches one character or fails.
    - A concatenation: each part is deterministic before the first characters of the following parts. So its
      first match is its part of ``u``, and this holds for the next part, too.
    - Alternatives: engines take the first alternative that matches; they do not look ahead. Only the last one
      may be nullable, since an empty match always succeeds. If ``u`` is not empty, its first character is in
      the first set of exactly one alternative. The earlier ones do not begin with it and do not match the
      empty string, so they fail. The first set of the last alternative is also disjoint from ``follow``;
      otherwise the character could belong to both. If ``u`` is empty, ``v`` begins with a character of
      ``follow`` or is empty. Then all alternatives but the last fail, and the last one is deterministic.
    - An iteration: its item is not nullable. Unless the number of turns is fixed, it does not begin with a
      character that can follow. So another turn starts exactly if ``u`` has one more. By the induction it
      ends at the same offset.

    So anywhere in a pattern, an atomic group around the expression, or a possessive quantifier after it,
    removes only ways that no derivation uses.
    """
    match node:
        case CharacterClass():
            return True
        case Concat(items=items):
            for item in reversed(items):
                if not deterministic(item, follow):
                    return False
                follow = first(item) | follow if nullable(item) else first(item)
            return True
        case Alternatives(items=items):
            if any(map(nullable, items[:-1])):
                return False
            begins = [first(item) | follow if nullable(item) else first(item) for item in items]
            return disjoint(begins) and all(deterministic(item, follow) for item in items)
        case Iteration(item=item, min=minimum, max=maximum):
            starts = first(item)
            if nullable(item) or (minimum != maximum and starts & follow):
                return False
            return deterministic(item, follow if maximum == 1 else starts | follow)
        case _:
            return all(deterministic(item, follow) for item in children(node))


def _decided(node: Regex) -> bool:
    """Return whether the next character decides between alternatives everywhere in an expression."""
    items = children(node)
    if isinstance(node, Alternatives) and (
        any(map(nullable, items)) or not disjoint(list(map(first, items)))
    ):
        return False
    return all(map(_decided, items))


@dataclass(frozen=True, slots=True)
class After:
    """The continuation after a part of a pattern: its first characters, and its parts."""

    first: CharSet
    rest: tuple[Regex, After] | None

    def behind(self, node: Regex) -> After:
        """Return the continuation that starts with ``node``."""
        starts = first(node)
        return After(starts | self.first if nullable(node) else starts, (node, self))

    def node(self) -> core.Node:
        """Return the continuation in core form."""
        items: list[core.Node] = []
        after = self
        while after.rest is not None:
            node, after = after.rest
            items.append(to_core(node))
        return core.Seq(tuple(items))


def is_possessive(node: Iteration, after: After, apart: Apart | None = None) -> bool:
    """Return whether backtracking into an iteration never succeeds.

    This holds if the next character decides. With ``apart``, it also holds if no turn is a prefix of another
    turn or of a continuation. A failed attempt then ends within the turn that matches instead, and all
    attempts together take linear time. Raises UnsafeError for other iterations unless they are small and
    bounded.
    """
    if deterministic(node, after.first):
        return True
    if node.max is None or node.max > MAX_BACKTRACKED:
        if apart is None or not _decided(node.item) or not apart(to_core(node.item), after.node()):
            raise UnsafeError(message("regex-backtracking"))
        return True
    return False


def ways(node: Regex, after: After) -> int:
    """Return the maximum number of ways through an expression that an engine may try, up to MAX_WAYS + 1."""
    if deterministic(node, after.first):
        return 1
    count = 1
    match node:
        case Concat(items=items):
            for item in reversed(items):
                count *= ways(item, after)
                after = after.behind(item)
                if count > MAX_WAYS:
                    break
        case Alternatives(items=items):
            count = sum(ways(item, after) for item in items)
        case NamedGroup(item=item):
            count = ways(item, after)
        case Iteration(item=item, min=minimum, max=maximum):
            # The writer emits an unbounded loop only if a failed attempt ends within its turn.
            if maximum is not None and maximum <= MAX_BACKTRACKED:
                inner = ways(item, after if maximum == 1 else after.behind(node))
                count = sum(inner**turns for turns in range(minimum, maximum + 1))
    return min(count, MAX_WAYS + 1)
