"""A rejection told as steps: what was read as what, where no rule could go on, which mistake that is, and
what to change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abnforge.automata.derivatives import Derivatives, State, StateSet
from abnforge.explain.codes import Code
from abnforge.grammar.core import Chars, Choice, Core, Node, Ref
from abnforge.rejection import Hypothesis, Rejection


@dataclass(frozen=True, slots=True)
class Part:
    """``input[start:end]`` was read by ``rule_path``: the rules from the start rule to the innermost one that
    says more than which character it is.
    """

    start: int
    end: int
    rule_path: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The innermost rule of the rule path."""
        return self.rule_path[-1]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The steps of an explanation.

    ``parts`` are what was read up to where reading stops, left to right; empty where states do not know it.
    Then comes what could have stood there. ``code`` is what the code of the first hypothesis means, and
    ``slots`` are the parts of the mistake with the rules of its definition that they are. At last there is
    ``rejection.suggestion``.
    """

    rejection: Rejection
    parts: tuple[Part, ...]
    code: Code | None
    slots: tuple[Part, ...]

    @property
    def at_offset(self) -> Rejection | Hypothesis:
        """What tells the rules at the exact offset: see ``at_offset``."""
        return at_offset(self.rejection)


def at_offset(rejection: Rejection) -> Rejection | Hypothesis:
    """Return what tells the rules at the exact offset: the first hypothesis if its mistake is there."""
    best = rejection.hypotheses[0]
    return best if best.offset == rejection.offset else rejection


def read_as(
    derivatives: Derivatives, text: str, reached: Sequence[StateSet], end: int, rule: str
) -> tuple[Part, ...]:
    """What ``text[:end]`` was read as on a way to ``rule`` (a key); ``reached`` are the live sets of the
    viable prefixes. Cost: the live states of each place.
    """
    if end >= len(reached):
        return ()
    states = reached[end].states
    state = next((each for each in states if rule in each.reading), states[0])
    rule_paths: list[tuple[str, ...]] = []
    for place in range(end - 1, -1, -1):
        origin, rule_path = _origin(derivatives, reached[place], text[place], state)
        if origin is None:
            return ()
        rule_paths.append(_without_characters(derivatives.core, rule_path))
        state = origin
    rule_paths.reverse()
    names = derivatives.core.names
    parts: list[Part] = []
    start = 0
    for place in range(1, end + 1):
        if place == end or rule_paths[place] != rule_paths[start]:
            parts.append(Part(start, place, tuple(names[key] for key in rule_paths[start])))
            start = place
    return tuple(parts)


def _origin(
    derivatives: Derivatives, live: StateSet, char: str, target: State
) -> tuple[State | None, tuple[str, ...]]:
    """A state from which the character leads to another one, and the rules that read it."""
    for state in live.states:
        for arc in derivatives.moves(state, char):
            if arc.target is target:
                return state, arc.rule_path
    return None, ()


def _without_characters(core: Core, rule_path: tuple[str, ...]) -> tuple[str, ...]:
    """A rule path without the innermost rules that derive one character each."""
    while len(rule_path) > 1 and _is_character(core, core.rules[rule_path[-1]]):
        rule_path = rule_path[:-1]
    return rule_path


def _is_character(core: Core, node: Node, depth: int = 8) -> bool:
    match node:
        case Chars():
            return True
        case Ref(key=key):
            return depth > 0 and _is_character(core, core.rules[key], depth - 1)
        case Choice(items=items):
            return all(_is_character(core, item, depth) for item in items)
        case _:
            return False
