"""What is known about matching an expression by backtracking: whether a repetition may keep what it read.

Every repetition is asked whether it is *deterministic* where it stands: whether the next character alone
decides between another iteration and what follows, and which way through an iteration to take (LL(1);
Brueggemann-Klein and Wood 1998 call such expressions one-unambiguous). Then giving back what was
read can never help, and a possessive quantifier changes nothing but the time.

So an engine that backtracks does so only over alternatives and small bounded repetitions, a number of
times that depends on the grammar and not on the input. A rule in which an unbounded repetition is not
deterministic gets no expression: ``UnsafeError`` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from abnforge.backends.regex.messages import message
from abnforge.backends.regex.tree import (
    Alt,
    Cat,
    Group,
    Regex,
    Rep,
    Set,
    UnsafeError,
    first,
    nullable,
    to_core,
)
from abnforge.charset import CharSet, disjoint
from abnforge.grammar import core

# A bounded repetition up to this many times may be left to backtracking.
MAX_BACKTRACKED = 8
# Ways to match one text that an engine may have to try, where repetitions left to backtracking are nested;
# PCRE2 gives up after ten million steps. URI rules have up to a hundred thousand; hardly any is tried.
MAX_WAYS = 1_000_000

# Whether no text of the first language begins another one of it, nor one of the second language.
Apart = Callable[[core.Node, core.Node], bool]


def deterministic(node: Regex, follow: CharSet) -> bool:
    """Whether the next character decides every choice in an expression behind which ``follow`` can come.

    If it does, the first way through the expression that an engine finds is the only one there is, and
    nothing is lost when it may not come back to find another. *Claim*: for every text ``uv`` in which the
    expression derives ``u``, and ``v`` is empty or begins with a character of ``follow``, the first match
    that the engine tries to the end is ``u``. *Proof*, by induction over the expression:

    - A set: it matches one character or fails.
    - A sequence: each part is deterministic before the characters that can begin what is behind it, so its
      first match is its part of ``u``; then the next one's is.
    - An alternation: engines take the first alternative that matches; they do not look ahead. No
      alternative but the last may be nullable, since an empty match always succeeds. If ``u`` is not empty,
      its first character is in the firsts of one alternative alone; those before it cannot begin with that,
      nor match nothing, so they fail. (The last one is apart from ``follow``, too, else it may
      stand for both.) If ``u`` is empty, ``v`` begins with a character of ``follow`` or is empty: all
      alternatives but the last fail, and the last is deterministic.
    - A repetition: its item is not nullable and, unless the number of turns is fixed, begins with nothing
      that can follow. So another turn can be begun exactly when ``u`` has one more, and by the induction
      it ends where that of ``u`` does.

    A cut behind the expression, or around it, takes away ways that no derivation uses, wherever it stands.
    """
    match node:
        case Set():
            return True
        case Cat(items=items):
            for item in reversed(items):
                if not deterministic(item, follow):
                    return False
                follow = first(item) | follow if nullable(item) else first(item)
            return True
        case Alt(items=items):
            if any(map(nullable, items[:-1])):
                return False
            begins = [first(item) | follow if nullable(item) else first(item) for item in items]
            return disjoint(begins) and all(deterministic(item, follow) for item in items)
        case Rep(item=item, min=minimum, max=maximum):
            starts = first(item)
            if nullable(item) or (minimum != maximum and starts & follow):
                return False
            return deterministic(item, follow if maximum == 1 else starts | follow)
        case Group(item=item):
            return deterministic(item, follow)


def _decided(node: Regex) -> bool:
    """Whether the next character decides between the alternatives of every alternation."""
    match node:
        case Set():
            return True
        case Cat(items=items):
            return all(map(_decided, items))
        case Alt(items=items):
            starts = list(map(first, items))
            return disjoint(starts) and not any(map(nullable, items)) and all(map(_decided, items))
        case Rep(item=item) | Group(item=item):
            return _decided(item)


@dataclass(frozen=True, slots=True)
class After:
    """What can come behind a part: the characters that it can begin with, and all of it, part by part."""

    first: CharSet
    rest: tuple[Regex, After] | None

    def behind(self, node: Regex) -> After:
        """What comes before all this when ``node`` does."""
        starts = first(node)
        return After(starts | self.first if nullable(node) else starts, (node, self))

    def node(self) -> core.Node:
        """All of it in core form."""
        items: list[core.Node] = []
        after = self
        while after.rest is not None:
            node, after = after.rest
            items.append(to_core(node))
        return core.Seq(tuple(items))


def is_possessive(node: Rep, after: After, apart: Apart | None = None) -> bool:
    """Whether a repetition never profits from giving back what it read.

    That is so where the next character decides. If there is ``apart`` to ask, it is so, too, where no
    iteration begins another one or a text that can follow: then what an attempt reads in vain ends within
    the iteration that is there instead, so that all attempts together stay linear. Raises UnsafeError for a
    repetition that may profit, if it is not small and bounded.
    """
    if deterministic(node, after.first):
        return True
    if node.max is None or node.max > MAX_BACKTRACKED:
        if apart is None or not _decided(node.item) or not apart(to_core(node.item), after.node()):
            raise UnsafeError(message("regex-backtracking"))
        return True
    return False


def ways(node: Regex, after: After) -> int:
    """How many ways through an expression an engine may try for one text, at most; above ``MAX_WAYS`` no
    more than that is told. Where the next character decides there is one.
    """
    if deterministic(node, after.first):
        return 1
    found = 1
    match node:
        case Cat(items=items):
            for item in reversed(items):
                found *= ways(item, after)
                after = after.behind(item)
                if found > MAX_WAYS:
                    break
        case Alt(items=items):
            found = sum(ways(item, after) for item in items)
        case Group(item=item):
            found = ways(item, after)
        case Rep(item=item, min=minimum, max=maximum):
            # A loop without end is written only where an attempt ends within the iteration it is in.
            if maximum is not None and maximum <= MAX_BACKTRACKED:
                inner = ways(item, after if maximum == 1 else after.behind(node))
                found = sum(inner**turns for turns in range(minimum, maximum + 1))
    return min(found, MAX_WAYS + 1)
