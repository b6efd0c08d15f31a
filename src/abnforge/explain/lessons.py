"""Explain a rejection in steps: the parsed prefix, the offset where parsing stops, the mistake, the fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from abnforge.automata.derivatives import Derivatives, StateSet
from abnforge.explain.codes import Code
from abnforge.explain.rule_paths import parsed_paths
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
    derivatives: Derivatives, text: str, reached: Sequence[StateSet], rule: str
) -> tuple[ParsedPart, ...]:
    """Return the parts of a prefix of ``text`` in a parse that leads to ``rule`` (a key).

    ``reached`` are the sets of states after each of its prefixes. Cost: linear in the states of all sets.
    """
    if not reached:
        return ()
    states = reached[-1].states
    state = next((each for each in states if rule in each.reading), states[0])
    rule_paths = parsed_paths(derivatives, text, reached, state)
    names = derivatives.core.names
    parts: list[ParsedPart] = []
    start = 0
    for index in range(1, len(rule_paths) + 1):
        if index == len(rule_paths) or rule_paths[index] != rule_paths[start]:
            parts.append(ParsedPart(start, index, tuple(names[key] for key in rule_paths[start])))
            start = index
    return tuple(parts)
