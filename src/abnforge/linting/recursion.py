"""Findings about recursion and emptiness: left recursion, rules without strings, empty loops and options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise

from abnforge.grammar.core import lower_alternation
from abnforge.grammar.facts import Facts, components
from abnforge.grammar.messages import message as _abnf
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    BoundRule,
    Concatenation,
    Option,
    Repetition,
    RuleName,
    references,
)
from abnforge.linting.finding import Finding, inside, label, make, own_alternatives, own_rules, repetitions
from abnforge.linting.messages import message
from abnforge.text import Span

MAX_CYCLE_SHOWN = 8  # maximum number of rules of a cycle in a message


def recursion(grammar: BoundGrammar, facts: Facts) -> Iterator[Finding]:
    """Yield the findings about recursion. Cost: the size of the grammar times the depth of its groups."""
    yield from _left_recursion(grammar, facts)
    for key, rule in own_rules(grammar):
        if key not in facts.productive:
            other = _in_another_case(key, rule)
            yield make(
                grammar.source,
                rule.name,
                rule.rule.name_span,
                message("never-terminates", rule=rule.name),
                related=[]
                if other is None
                else [(other.span, message("reference-to-itself", name=other.name))],
                fix=message("never-terminates-fix")
                if other is None
                else message("never-terminates-name-fix", name=other.name),
            )
        for item in repetitions(rule):
            yield from _emptiness(grammar, facts, rule, item)


def _in_another_case(key: str, rule: BoundRule) -> RuleName | None:
    """Return the first reference of a rule to itself that is spelled differently from its name."""
    names = references(Alternation(own_alternatives(rule)))
    return next((each for each in names if each.name.lower() == key and each.name != rule.name), None)


def _emptiness(grammar: BoundGrammar, facts: Facts, rule: BoundRule, item: Repetition) -> Iterator[Finding]:
    report = partial(make, grammar.source, rule.name)
    loop = item.max is None
    if not loop and not isinstance(item.element, Option):
        return
    inner = inside(item.element) if isinstance(item.element, Option) and not loop else None
    if not facts.is_nullable(
        lower_alternation(inner or Alternation((Concatenation((Repetition(item.element),)),)))
    ):
        return
    text = label(grammar.source, item.element.span)
    if loop:
        yield report(
            item.span, message("nullable-loop", element=text), witness="", fix=message("nullable-loop-fix")
        )
    else:
        yield report(
            item.span, message("redundant-option", option=text), witness="", fix=_without_brackets(item, text)
        )


def _without_brackets(item: Repetition, option: str) -> str | None:
    """Return the content of an option, in parentheses if required; None if it is too long to show."""
    if not (isinstance(item.element, Option) and option.startswith("[") and option.endswith("]")):
        return None
    content = option[1:-1].strip()
    is_single = item.min == item.max == len(item.element.alternation.alternatives) == 1
    return content if is_single else f"( {content} )"


def _left_recursion(grammar: BoundGrammar, facts: Facts) -> Iterator[Finding]:
    if not facts.left_recursive:
        return
    corners: dict[str, dict[str, Span]] = {}
    for key, rule in own_rules(grammar):
        if key in facts.left_recursive:
            places = corners[key] = {}
            for name in _corners(own_alternatives(rule), facts):
                places.setdefault(name.name.lower(), name.span)
    for key, targets in corners.items():
        if key in targets:
            rule = grammar.rules[key]
            yield make(
                grammar.source,
                rule.name,
                targets[key],
                message("left-recursion-direct", rule=rule.name),
                related=[(rule.rule.name_span, _abnf("defined-here"))],
                fix=as_repetition(grammar, key, rule),
            )
    edges = {key: tuple(t for t in targets if t in corners) for key, targets in corners.items()}
    for group in components(edges):
        if len(group) > 1:
            yield _indirect(grammar, corners, edges, group)


def _indirect(
    grammar: BoundGrammar,
    corners: Mapping[str, Mapping[str, Span]],
    edges: Mapping[str, tuple[str, ...]],
    group: list[str],
) -> Finding:
    """Return the finding for indirectly left-recursive rules: a shortest cycle through the first of them."""
    first = next(key for key in corners if key in group)
    back: dict[str, str] = {}
    queue = [first]
    for key in queue:
        for target in edges[key]:
            if target != key and target in group and target not in back:
                back[target] = key
                queue.append(target)
    cycle = [first]
    while (before := back[cycle[-1]]) != first:
        cycle.append(before)
    cycle.append(first)
    cycle.reverse()
    shown = [grammar.rules[key].name for key in cycle]
    if len(shown) > MAX_CYCLE_SHOWN:
        shown[MAX_CYCLE_SHOWN - 1 : -1] = ["..."]
    steps = list(pairwise(cycle))
    return make(
        grammar.source,
        grammar.rules[first].name,
        corners[first][cycle[1]],
        message("left-recursion-indirect", path=" > ".join(shown)),
        related=[
            (
                corners[a][b],
                message("left-recursion-step", rule=grammar.rules[a].name, first=grammar.rules[b].name),
            )
            for a, b in steps[1:MAX_CYCLE_SHOWN]
        ],
        fix=message("left-recursion-indirect-fix"),
    )


def _corners(alternatives: Iterable[Concatenation], facts: Facts) -> Iterator[RuleName]:
    """Yield the rule names that the alternatives can begin with."""
    for alternative in alternatives:
        for item in alternative.items:
            if item.max == 0:
                continue
            inner = inside(item.element)
            if isinstance(item.element, RuleName):
                yield item.element
            elif inner is not None:
                yield from _corners(inner.alternatives, facts)
            if not facts.is_nullable(lower_alternation(Alternation((Concatenation((item,)),)))):
                break


def as_repetition(grammar: BoundGrammar, key: str, rule: BoundRule) -> str | None:
    """Return ``a = c *( b )`` for ``a = a b / c``; None if the recursion is not the first element.

    ``a = c *( b c )`` for ``a = a b a / c`` has the same language, and is not ambiguous by itself.
    """
    bases: list[str] = []
    tails: list[tuple[str, bool]] = []  # a tail, and whether the rule itself follows it
    for alternative in own_alternatives(rule):
        head, *rest = alternative.items
        if is_itself(head, key):
            again = bool(rest) and is_itself(rest[-1], key)
            between = rest[:-1] if again else rest
            span = Span(between[0].span.start, between[-1].span.end) if between else None
            if rest:
                tails.append((label(grammar.source, span) if span else "", again))
        else:
            bases.append(label(grammar.source, alternative.span))
    if not bases or not tails or any(text.endswith("...") for text in (*bases, *(text for text, _ in tails))):
        return None
    base = bases[0] if len(bases) == 1 else f"( {' / '.join(bases)} )"
    loops = [" ".join(part for part in (text, base if again else "") if part) for text, again in tails]
    if loops == [base] and len(bases) > 1:
        return f"{rule.name} = {base} *{base}"
    return f"{rule.name} = {base} *( {' / '.join(loops)} )"


def is_itself(item: Repetition, key: str) -> bool:
    """Return whether an item is a single reference to a rule."""
    element = item.element
    return isinstance(element, RuleName) and element.name.lower() == key and (item.min, item.max) == (1, 1)
