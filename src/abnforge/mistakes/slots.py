"""Slots: the rules that a mistake's body uses directly, and how often a text can use each of them."""

from __future__ import annotations

from dataclasses import dataclass

from abnforge.grammar.syntax import Alternation, Element, Group, Option, RuleName


@dataclass(frozen=True, slots=True)
class Uses:
    """How often one text uses a rule: at least ``least`` times, at most ``most`` (None: no limit)."""

    least: int
    most: int | None


def slots(body: Alternation) -> dict[str, Uses]:
    """The rules that a body names, by key, in the order of the text. Cost: linear, times the rules named."""
    found: dict[str, Uses] = {}
    choices = [_sequence([(i.element, i.min, i.max) for i in each.items]) for each in body.alternatives]
    for choice in choices:
        found.update(dict.fromkeys(choice, Uses(0, 0)))
    for key in found:
        uses = [choice.get(key, Uses(0, 0)) for choice in choices]
        most = [each.most for each in uses]
        found[key] = Uses(
            min(each.least for each in uses), None if None in most else max(m for m in most if m is not None)
        )
    return found


def _sequence(items: list[tuple[Element, int, int | None]]) -> dict[str, Uses]:
    found: dict[str, Uses] = {}
    for element, low, high in items:
        for key, uses in _element(element).items():
            before = found.get(key, Uses(0, 0))
            most = 0 if high == 0 else None if high is None or uses.most is None else high * uses.most
            together = None if most is None or before.most is None else before.most + most
            found[key] = Uses(before.least + low * uses.least, together)
    return found


def _element(element: Element) -> dict[str, Uses]:
    match element:
        case RuleName(name=name):
            return {name.lower(): Uses(1, 1)}
        case Group(alternation=alternation):
            return slots(alternation)
        case Option(alternation=alternation):
            return {key: Uses(0, uses.most) for key, uses in slots(alternation).items()}
        case _:
            return {}
