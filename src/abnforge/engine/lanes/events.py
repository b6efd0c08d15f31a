"""A derivation as a sequence: the begins and ends of its rules, from left to right.

Every lane's answer has this form first. A ``lark.Tree`` is made of it, or a flat sequence, for trees that are
deeper than a program should recurse.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

Event = tuple[str, int]  # (rule key, offset): a rule begins; ("", offset): the innermost one ends

# What a rule in a derivation takes in octets, an estimate: its two events, and the node of a tree.
NODE_OCTETS = 500


def spans(events: Iterable[Event], names: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """The rules of a derivation as ``(name, start, end)``, each before those inside it, from left to right.

    ``names`` are the names by key. Cost: linear.
    """
    result: list[tuple[str, int, int]] = []
    open_rules: list[int] = []
    for key, offset in events:
        if key:
            open_rules.append(len(result))
            result.append((names[key], offset, offset))
        else:
            place = open_rules.pop()
            name, start, _ = result[place]
            result[place] = name, start, offset
    return result
