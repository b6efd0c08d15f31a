"""Traces: the representation of derivations that every parser uses.

The trace of a string of n characters is a list of n + 1 tuples, one for each offset from 0 to n. A tuple
contains the events at that offset, in order, before the next character. Most tuples are empty and few are
distinct, so consumers can cache their work by tuple. An event is a string:

* a rule's key: the rule begins, as a child of the innermost open rule;
* ``END``: the innermost open rule ends;
* ``CALL`` and ``RETURN``: the begin and the end of a frame. ``RETURN`` ends all open rules that began since
  its ``CALL``, so a tail call does not need its own event;
* ``WRAP`` and a rule's key: the innermost open rule becomes the first child of a new open rule with that key
  (left recursion, parsed as a loop);
* ``REPLACE_BEGIN`` and a rule's key, directly after the begin of another rule: the new rule begins instead,
  and the other rule begins later by ``WRAP``.

At the end of the string all open rules end. ``TreeBuilder`` builds a ``lark.Tree`` from a trace; ``Spans``
returns a flat sequence, for trees that are too deep to recurse through.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abnforge._lazy import gc_paused, lazy
from abnforge.grammar.loops import REPLACE_BEGIN, WRAP

with lazy:  # lark takes longer to import than abnforge
    import lark

if TYPE_CHECKING:
    ParseTree = lark.Tree[lark.Token]

Trace = list[tuple[str, ...]]

# No rule's key contains one of these characters (RFC 5234, section 4: letters, digits, "-").
END = ""
CALL = "("
RETURN = ")"


class TransducerError(Exception):
    """The transducer does not support a rule or a string."""


LEFT_RECURSION = "hidden left recursion"
CYCLE = "cyclic rule"
AMBIGUOUS = "ambiguous left recursion"
TOO_DEEP = "too many open rules"
TOO_WIDE = "too many next characters"

# The estimated memory of a rule in a derivation, in bytes: for two events and a tree node.
NODE_OCTETS = 500

# The number of tuples that ``Steps`` caches before it drops all of them.
MAX_STEPS = 20_000

# A character in a sequence of events; it is neither a rule's key nor part of a trace.
CHARACTER = "."


def trace_of(events: Iterable[str]) -> Trace:
    """Return the trace of a sequence of events with a ``CHARACTER`` for each character.

    Complexity: linear.
    """
    trace: Trace = []
    current: list[str] = []
    for event in events:
        if event == CHARACTER:
            trace.append(tuple(current))
            current.clear()
        else:
            current.append(event)
    trace.append(tuple(current))
    return trace


class Steps(dict[tuple[str, ...], tuple[Any, ...]]):
    """The actions for each tuple of events in a trace, cached by tuple.

    An action is None for an end, the rule's name for a begin, a 1-tuple of the name for a wrap, and the event
    itself for ``CALL`` and ``RETURN``. ``names`` are the names by key. If ``backward``, the last action comes
    first.
    """

    def __init__(self, names: Mapping[str, str], *, backward: bool = False) -> None:
        super().__init__()
        self._names = names
        self._backward = backward

    def __missing__(self, events: tuple[str, ...]) -> tuple[Any, ...]:
        if len(self) >= MAX_STEPS:
            self.clear()
        actions: list[Any] = []
        for event in events:
            if event[:1] == REPLACE_BEGIN:
                actions.pop()
                event = event[1:]
            actions.append(self._step(event))
        if self._backward:
            actions.reverse()
        self[events] = steps = tuple(actions)
        return steps

    def _step(self, event: str) -> Any:
        if event == END:
            return None
        if event == CALL:
            return CALL
        if event == RETURN:
            return RETURN
        if event[0] == WRAP:
            return (self._names[event[1:]],)
        return self._names[event]


class Spans:
    """Convert derivations to flat sequences; ``names`` are the names of rules by key."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._steps = Steps(names, backward=True)

    def of(self, trace: Sequence[tuple[str, ...]]) -> list[tuple[str, int, int]]:
        """Return the rules of a derivation as ``(name, start, end)``, in the order of a preorder traversal.

        The traversal goes from the last event to the first, so that the end of a rule is known at its begin.

        Complexity: linear.
        """
        steps_of = self._steps
        spans: list[tuple[str, int, int]] = []
        add = spans.append
        offset = len(trace) - 1
        # The ends of rules whose begin was not visited yet. A rule that begins while there are ``depth`` ends
        # does not have its own end; it ends at ``returned`` with the innermost call.
        ends: list[int] = []
        push, pop = ends.append, ends.pop
        depth, returned = 0, offset
        calls: list[tuple[int, int]] = []
        # Number of ends, including that of a first child -> the rules that wrap this child.
        wrappers: dict[int, list[tuple[str, int]]] = {}
        for events in reversed(trace):
            if events:
                for step in steps_of[events]:
                    if step is None:
                        push(offset)
                    elif step is CALL:
                        depth, returned = calls.pop()
                    elif step is RETURN:
                        calls.append((depth, returned))
                        depth, returned = len(ends), offset
                    elif type(step) is tuple:
                        if len(ends) == depth:
                            push(returned)
                        wrappers.setdefault(len(ends), []).append((*step, ends[-1]))
                        ends[-1] = offset
                    elif len(ends) > depth:
                        outer = wrappers.pop(len(ends), ()) if wrappers else ()
                        add((step, offset, pop()))
                        for name, end in reversed(outer):
                            add((name, offset, end))
                    else:
                        add((step, offset, returned))
            offset -= 1
        spans.reverse()
        return spans


TEXT = "TEXT"  # the type of every token: the characters between two child rules


class TreeBuilder:
    """Build the trees of one grammar's rules. ``lark_names`` are the names of nodes by rule key."""

    def __init__(self, lark_names: Mapping[str, str]) -> None:
        self._steps = Steps({key: lark.Token("RULE", name) for key, name in lark_names.items()})

    def build(self, text: str, trace: Iterable[tuple[str, ...]]) -> ParseTree:
        """Return the tree of a derivation of the string.

        The characters between two child rules are one token with its offsets. Trees and tokens are created
        without their constructors, which would double the time.

        Complexity: linear, about 1 µs per node, without recursion.
        """
        steps_of = self._steps
        Token = lark.Token
        Tree: type[ParseTree] = lark.Tree
        new_tree, new_text = Tree.__new__, str.__new__
        # The children of the innermost open rule, those of the rules around it, and the number of open rules
        # at each call.
        root: list[Any] = []
        children = root
        open_children: list[list[Any]] = []
        calls: list[int] = []
        push, pop = open_children.append, open_children.pop
        position = 0
        offset = -1
        # A tree consists of many new objects, none of them garbage. The collector would visit all of them
        # repeatedly, which makes a large tree four times slower.
        with gc_paused():
            for events in trace:
                offset += 1
                if not events:
                    continue
                if offset > position:
                    characters = text[position:offset]
                    token = new_text(Token, characters)
                    token.type = TEXT
                    token.value = characters
                    token.start_pos = position
                    token.end_pos = position = offset
                    token.line = token.column = token.end_line = token.end_column = None
                    children.append(token)
                for step in steps_of[events]:
                    if step is None:
                        children = pop()
                    elif step is CALL:
                        calls.append(len(open_children))
                    elif step is RETURN:
                        depth = calls.pop()
                        push(children)
                        children = open_children[depth]
                        del open_children[depth:]
                    elif type(step) is tuple:
                        wrapped = open_children[-1][-1]
                        children[:] = [Tree(wrapped.data, children[:])]
                        (wrapped.data,) = step
                    else:
                        tree: ParseTree = new_tree(Tree)
                        tree.data = step
                        tree._meta = None
                        children.append(tree)
                        push(children)
                        tree.children = children = []
            if len(text) > position:
                children.append(Token(TEXT, text[position:], start_pos=position, end_pos=len(text)))
        tree_root: ParseTree = root[0]
        return tree_root
