"""A derivation as a sequence: the begins and ends of its rules, from left to right.

Every lane's answer has this form first, a trace (``transducer.trace``). A ``lark.Tree`` is made of it, or a
flat sequence, for trees that are deeper than a program should recurse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abnforge.transducer.trace import AGAIN, CALL, END, RETURN, Trace

# What a rule in a derivation takes in octets, an estimate: its two events, and the node of a tree.
NODE_OCTETS = 500

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


def spans(trace: Iterable[tuple[str, ...]], names: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """The rules of a derivation as ``(name, start, end)``, each before those inside it, from left to right.

    ``names`` are the names by key. Cost: linear.
    """
    found: list[_Node] = []
    open_rules: list[_Node] = []
    calls: list[int] = []
    offset = -1
    for offset, here in enumerate(trace):
        for event in here:
            if event == END:
                open_rules.pop().ends.append(offset)
            elif event == CALL:
                calls.append(len(open_rules))
            elif event == RETURN:
                depth = calls.pop()
                for node in open_rules[depth:]:
                    node.ends.append(offset)
                del open_rules[depth:]
            elif event[0] == AGAIN:
                open_rules[-1].ends.append(offset)
            else:
                node = _Node(names[event], offset)
                found.append(node)
                open_rules.append(node)
    for node in open_rules:
        node.ends.append(offset)
    # Of rules that became one another's first children the last is outermost, and all begin at one place.
    return [(node.name, node.start, end) for node in found for end in reversed(node.ends)]


class _Node:
    """A rule that began, and where it ended: more than once where it became the first child of a new one."""

    __slots__ = ("ends", "name", "start")

    def __init__(self, name: str, start: int) -> None:
        self.name = name
        self.start = start
        self.ends: list[int] = []
