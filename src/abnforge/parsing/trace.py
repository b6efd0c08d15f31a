"""The form in which every reader hands over a derivation: what begins and ends at each place of the text.

A *trace* of a text of n characters has n + 1 elements, one for each place from 0 to n: a tuple of what
happens there, in order, before the next character is read. Most are the same empty tuple, and there are few
different ones, so whoever goes through a trace does his work once for each of these.

What happens is a string:

* a rule's key: the rule begins, within the innermost one that is open;
* ``END``: the innermost open rule ends;
* ``CALL``, ``RETURN``: between them what a reader does in a frame of its own. ``RETURN`` ends all rules that
  have begun since its ``CALL`` and have not ended: so a rule that reads on in its caller's frame (a tail
  call) leaves nothing behind to be ended;
* ``AGAIN`` and a rule's key: the innermost open rule and all that is in it so far become the first child of a
  new rule of that key, which is open in its place: left recursion, read as a loop;
* ``RATHER`` and a rule's key, directly behind the begin of another rule: it is this one that begins; the
  other one will begin in its place, by ``AGAIN``.

At the end of the text everything ends that has not.

A ``lark.Tree`` is made of a trace (``trees``), or a flat sequence (``Spans``), for trees that
are deeper than a program should recurse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Trace = list[tuple[str, ...]]

# No rule's key has one of these characters (RFC 5234, 4: letters, digits, "-").
END = ""
CALL = "("
RETURN = ")"
AGAIN = "^"
RATHER = "="


class TransducerError(Exception):
    """The transducer cannot tell which derivation is preferred, or it would cost too much. No verdict."""


LEFT_RECURSION = "hidden left recursion"
CYCLE = "cyclic rule"
AMBIGUOUS = "ambiguous left recursion"
TOO_DEEP = "too many open rules"
TOO_WIDE = "too many next characters"

# What a rule in a derivation takes in octets, an estimate: its two events, and the node of a tree.
NODE_OCTETS = 500

# After so many different tuples of events what is known of them is dropped.
MAX_STEPS = 20_000

# In a list of what happens one after the other: a character is read. It is no rule's key, and no event.
CHARACTER = "."


def trace_of(happened: Iterable[str]) -> Trace:
    """The trace of events with a ``CHARACTER`` wherever one is read. Cost: linear."""
    trace: Trace = []
    here: list[str] = []
    for event in happened:
        if event == CHARACTER:
            trace.append(tuple(here))
            here.clear()
        else:
            here.append(event)
    trace.append(tuple(here))
    return trace


class Steps(dict[tuple[str, ...], tuple[Any, ...]]):
    """What is done for each tuple of events in a trace: for an end None, for a begin the rule's name, for one
    that takes the place of another a tuple of it, ``CALL`` and ``RETURN`` as they are.

    Worked out once for each tuple, and then kept. ``names`` are the names by key. ``backward``: last first.
    """

    def __init__(self, names: Mapping[str, str], *, backward: bool = False) -> None:
        super().__init__()
        self._names = names
        self._backward = backward

    def __missing__(self, happens: tuple[str, ...]) -> tuple[Any, ...]:
        if len(self) >= MAX_STEPS:
            self.clear()
        found: list[Any] = []
        for event in happens:
            if event[:1] == RATHER:
                found.pop()  # the begin of the other rule
                event = event[1:]
            found.append(self._step(event))
        if self._backward:
            found.reverse()
        self[happens] = steps = tuple(found)
        return steps

    def _step(self, event: str) -> Any:
        if event == END:
            return None
        if event == CALL:
            return CALL
        if event == RETURN:
            return RETURN
        if event[0] == AGAIN:
            return (self._names[event[1:]],)
        return self._names[event]


class Spans:
    """Tells derivations by the rules of one grammar as flat sequences. ``names`` are the names by key."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._steps = Steps(names, backward=True)

    def of(self, trace: Sequence[tuple[str, ...]]) -> list[tuple[str, int, int]]:
        """The rules of a derivation as ``(name, start, end)``, each before those inside it, from left to
        right. Cost: linear.

        From the last event to the first: so a rule's end is known where it begins.
        """
        known = self._steps
        found: list[tuple[str, int, int]] = []
        add = found.append
        offset = len(trace) - 1
        # The ends of rules that have not begun yet. A rule that begins when there are ``depth`` of them has
        # none of its own, and ends with the innermost call, at ``returned``.
        ends: list[int] = []
        push, pop = ends.append, ends.pop
        depth, returned = 0, offset
        calls: list[tuple[int, int]] = []
        # How many ends there are, with that of a rule that is a first child -> the rules around it.
        around: dict[int, list[tuple[str, int]]] = {}
        for here in reversed(trace):
            if here:
                for step in known[here]:
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
                        around.setdefault(len(ends), []).append((*step, ends[-1]))
                        ends[-1] = offset
                    elif len(ends) > depth:
                        outer = around.pop(len(ends), ()) if around else ()
                        add((step, offset, pop()))
                        for name, end in reversed(outer):
                            add((name, offset, end))
                    else:
                        add((step, offset, returned))
            offset -= 1
        found.reverse()
        return found
