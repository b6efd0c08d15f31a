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
    # Side by side for each rule, in the order in which they begin.
    keys: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    # Ends of rules that became the first child of a new one in their place.
    inner: dict[int, list[int]] = {}
    open_rules: list[int] = []
    calls: list[int] = []
    offset = -1
    for offset, here in enumerate(trace):
        for event in here:
            if event == END:
                ends[open_rules.pop()] = offset
            elif event == CALL:
                calls.append(len(open_rules))
            elif event == RETURN:
                depth = calls.pop()
                for place in open_rules[depth:]:
                    ends[place] = offset
                del open_rules[depth:]
            elif event[0] == AGAIN:
                inner.setdefault(open_rules[-1], []).append(offset)
            else:
                open_rules.append(len(keys))
                keys.append(event)
                starts.append(offset)
                ends.append(offset)
    for place in open_rules:
        ends[place] = offset
    told = map(names.__getitem__, keys)
    if not inner:
        return list(zip(told, starts, ends, strict=True))
    # Of rules that became one another's first children the last is outermost, and all begin at one place.
    return [
        (name, start, each)
        for place, (name, start, end) in enumerate(zip(told, starts, ends, strict=True))
        for each in (end, *reversed(inner.get(place, ())))
    ]
