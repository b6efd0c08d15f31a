"""The costs of the cheapest interpretations of all strings up to a length, by definition.

This module is independent of the project. Expressions are defined as in ``small_languages``. A weighted
language maps strings to costs: concatenation adds costs, and union takes the smaller cost. Rules and mistakes
can refer to each other, so costs are computed until none becomes smaller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.reference.small_languages import LENGTH, TEXTS, Expression, languages

Priced = dict[str, float]

CATCH_ALL, CATCH_ALL_CHARACTER = 4.0, 0.5


@dataclass(frozen=True)
class Wrong:
    """A mistake. ``inner`` names rules in its body that can contain mistakes. "*" is the start rule."""

    place: str
    target: str
    body: Expression
    cost: int
    inner: tuple[str, ...] = ()


def cheapest(rules: Mapping[str, Expression], mistakes: list[Wrong], start: str) -> Priced:
    """Return the cost of every string up to LENGTH that ``start`` can interpret."""
    plain = {name: dict.fromkeys(texts, 0.0) for name, texts in languages(rules).items()}
    lengths = dict.fromkeys(rules, 0)
    for _ in range(2 * len(rules)):  # each round raises at least one length, if any can grow
        lengths = {name: _longest(rules[name], lengths) for name in rules}
    long = {name for name in rules if lengths[name] > 1}
    names = [*rules, "*"]
    priced: dict[str, Priced] = {name: {} for name in (*names, *(f"-{name}" for name in rules))}
    while True:
        results = {name: priced[name] for name in rules}
        following: dict[str, Priced] = {}
        for name in names:
            rule = start if name == "*" else name
            body = _priced(rules[rule], results)
            following.setdefault(f"-{rule}", body)
            own = [each for each in mistakes if each.target in (rule, name)]
            bodies = {id(each): _body(each, plain, priced) for each in own}
            ways = [body, *(bodies[id(each)] for each in own if each.place == "of")]
            if rule in long or name == "*":
                ways.append({text: CATCH_ALL + CATCH_ALL_CHARACTER * len(text) for text in TEXTS})
            read = _united(*ways)
            after = [bodies[id(each)] for each in own if each.place == "after"]
            before = [bodies[id(each)] for each in own if each.place == "before"]
            following[name] = _joined(_joined(_united({"": 0.0}, *before), read), _united({"": 0.0}, *after))
        if following == priced:
            return priced["*"]
        priced = following


def _body(mistake: Wrong, plain: Mapping[str, Priced], priced: Mapping[str, Priced]) -> Priced:
    results = dict(plain)
    for name in mistake.inner:
        results[name] = priced[f"-{name}" if name == mistake.target else name]
    return {text: price + mistake.cost for text, price in _priced(mistake.body, results).items()}


def _priced(expression: Expression, known: Mapping[str, Priced]) -> Priced:
    match expression:
        case ("text", text):
            return {text: 0.0}
        case ("rule", name):
            return known[name]
        case ("all", *items):
            result: Priced = {"": 0.0}
            for item in items:
                result = _joined(result, _priced(item, known))
            return result
        case ("any", *items):
            return _united(*(_priced(item, known) for item in items))
        case ("repeat", item, low, high):
            once = _priced(item, known)
            power: Priced = {"": 0.0}
            for _ in range(low):
                power = _joined(power, once)
            result = power
            # More than LENGTH further iterations can only add empty strings.
            for _ in range(LENGTH if high is None else min(LENGTH, high - low)):
                power = _joined(power, once)
                result = _united(result, power)
            return result
    raise AssertionError(expression)


def _longest(expression: Expression, known: Mapping[str, int]) -> int:
    """Return the length of a longest string, but at most 2. ``known`` has the lengths of other rules."""
    match expression:
        case ("text", text):
            return min(2, len(text))
        case ("rule", name):
            return known[name]
        case ("all", *items):
            return min(2, sum(_longest(item, known) for item in items))
        case ("any", *items):
            return max(_longest(item, known) for item in items)
        case ("repeat", item, _, high):
            return min(2, _longest(item, known) * (LENGTH if high is None else high))
    raise AssertionError(expression)


def _united(*languages: Priced) -> Priced:
    result: Priced = {}
    for language in languages:
        for text, price in language.items():
            result[text] = min(price, result.get(text, price))
    return result


def _joined(left: Priced, right: Priced) -> Priced:
    result: Priced = {}
    for a, price in left.items():
        for b, more in right.items():
            if len(a) + len(b) <= LENGTH:
                result[a + b] = min(price + more, result.get(a + b, price + more))
    return result
