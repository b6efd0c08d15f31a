"""Explain a rejection in steps: the parsed prefix, the offset where parsing stops, the mistake, the fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abnforge.automata.derivatives import Derivatives, State, StateSet
from abnforge.explain.codes import Code
from abnforge.grammar.core import Chars, Choice, Core, Node, Ref
from abnforge.rejection import Hypothesis, Rejection


@dataclass(frozen=True, slots=True)
class ParsedPart:
    """The part ``input[start:end]`` and the rules that match it.

    The rules are ordered from the start rule to the innermost rule that derives more than one character.
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

    ``parts`` are the parsed parts up to the offset, left to right; empty if the states are unknown. ``code``
    describes the code of the first hypothesis, and ``slots`` are the parts of its mistake. The last step is
    ``rejection.suggestion``.
    """

    rejection: Rejection
    parts: tuple[ParsedPart, ...]
    code: Code | None
    slots: tuple[ParsedPart, ...]

    @property
    def at_offset(self) -> Rejection | Hypothesis:
        """The rejection or hypothesis with the rule path at the offset (see ``at_offset``)."""
        return at_offset(self.rejection)


def at_offset(rejection: Rejection) -> Rejection | Hypothesis:
    """Return the first hypothesis if its mistake is at the offset, otherwise the rejection."""
    best = rejection.hypotheses[0]
    return best if best.offset == rejection.offset else rejection


def parsed_parts(
    derivatives: Derivatives, text: str, reached: Sequence[StateSet], end: int, rule: str
) -> tuple[ParsedPart, ...]:
    """Return the parts of ``text[:end]`` in a parse that leads to ``rule`` (a key).

    ``reached`` are the sets of states after each prefix. Cost: linear in the states of all sets.
    """
    if end >= len(reached):
        return ()
    states = reached[end].states
    state = next((each for each in states if rule in each.reading), states[0])
    rule_paths: list[tuple[str, ...]] = []
    for index in range(end - 1, -1, -1):
        origin, rule_path = _origin(derivatives, reached[index], text[index], state)
        if origin is None:
            return ()
        rule_paths.append(_without_characters(derivatives.core, rule_path))
        state = origin
    rule_paths.reverse()
    names = derivatives.core.names
    parts: list[ParsedPart] = []
    start = 0
    for index in range(1, end + 1):
        if index == end or rule_paths[index] != rule_paths[start]:
            parts.append(ParsedPart(start, index, tuple(names[key] for key in rule_paths[start])))
            start = index
    return tuple(parts)


def _origin(
    derivatives: Derivatives, states: StateSet, char: str, target: State
) -> tuple[State | None, tuple[str, ...]]:
    """Return a state from which the character leads to ``target``, and the rules that match the character."""
    for state in states.states:
        for arc in derivatives.moves(state, char):
            if arc.target is target:
                return state, arc.rule_path
    return None, ()


def _without_characters(core: Core, rule_path: tuple[str, ...]) -> tuple[str, ...]:
    """Drop innermost rules that derive a single character from a rule path."""
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
