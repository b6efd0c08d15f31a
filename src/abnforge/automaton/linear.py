"""An automaton as rules, one for each state: a right-linear grammar of its language (Chomsky 1959)."""

from __future__ import annotations

from abnforge.automaton.dfa import Automaton
from abnforge.grammar.core import EPSILON, Chars, Choice, Core, Node, Ref, Seq


def linear_rules(automaton: Automaton, name: str) -> Core:
    """Rules of a language; the first one, which has the name, derives it, or nothing where it is empty.

    Cost: linear in the table.
    """
    if not automaton.table:
        return Core({name: Ref(name)}, {name: name})
    keys = {
        row: f"{name} {row // automaton.width}" for row in range(0, len(automaton.table), automaton.width)
    }
    keys[0] = name
    rules: dict[str, Node] = {}
    for row, key in keys.items():
        moves: list[Node] = []
        for number, charset in enumerate(automaton.charsets):
            target = automaton.table[row + number]
            if target >= 0:
                moves.append(Seq((Chars(charset), Ref(keys[target]))))
        if row in automaton.accepting:
            moves.append(EPSILON)
        rules[key] = moves[0] if len(moves) == 1 else Choice(tuple(moves))
    return Core(rules, {key: key for key in rules})
