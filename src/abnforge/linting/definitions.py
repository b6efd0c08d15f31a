"""Findings about names: rules that nothing needs, names in quotes or in another case, changed core rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from abnforge.abnf.messages import message as _abnf
from abnforge.abnf.model import Alternation, CharVal
from abnforge.abnf.names import BoundGrammar, references
from abnforge.analysis.facts import Facts
from abnforge.linting.finding import Finding, from_error, make
from abnforge.linting.messages import message
from abnforge.linting.sites import own_alternatives, own_rules, repetitions


def unused_rules(grammar: BoundGrammar, facts: Facts, starts: Iterable[str] | None) -> Iterator[Finding]:
    """Rules that no start needs. ``starts`` are keys; None takes every rule that no other refers to.

    Cost: linear in the number of references.
    """
    excepted = {key: [e.name.lower() for e in rule.excepted] for key, rule in grammar.rules.items()}
    needed = {key: [*targets, *excepted[key]] for key, targets in facts.references.items()}
    if starts is None:
        referred = {target for key, targets in needed.items() for target in targets if target != key}
        own = [key for key, _ in own_rules(grammar)]
        # The first rule is what the grammar is for, whatever refers to it (``expr = term *( "+" term )``).
        begin = [key for key in own if key not in referred or key == own[0]]
    else:
        begin = list(starts)
    named = () if starts is None else tuple(grammar.rules[key].name for key in begin)
    reached: set[str] = set()
    stack = [*begin]
    while stack:
        key = stack.pop()
        if key not in reached:
            reached.add(key)
            stack.extend(needed[key])
    for key, rule in own_rules(grammar):
        if key not in reached:
            yield make(
                "unused-rule",
                message("unused-rule-from-starts", rule=rule.name, starts=named)
                if named
                else message("unused-rule", rule=rule.name),
                grammar.source,
                rule.rule.name_span,
                rule.name,
                fix=message("unused-rule-fix"),
            )


def quoted_names(grammar: BoundGrammar, facts: Facts) -> Iterator[Finding]:
    """Names of rules that stand in quotes alone, which are strings: no rule refers to the rule, and it has no
    such string itself, as the rule of a keyword has (``search = "search" SP word``). The spelling is the
    rule's, to the case: in other cases it is a keyword's. One finding for each.

    Cost: linear.
    """
    own = dict(own_rules(grammar))
    strings = {
        key: [i.element for i in repetitions(rule) if isinstance(i.element, CharVal)]
        for key, rule in own.items()
    }
    needed = {next(iter(own), ""), *(target for targets in facts.references.values() for target in targets)}
    needed |= {excepted.name.lower() for rule in own.values() for excepted in rule.excepted}
    alone = {
        rule.name: rule
        for key, rule in own.items()
        if key not in needed and key not in {string.value.lower() for string in strings[key]}
    }
    for key, rule in own.items():
        for string in strings[key]:
            meant = alone.pop(string.value, None)
            if meant is None:
                continue
            yield make(
                "rule-name-in-quotes",
                message("rule-name-in-quotes", name=string.value),
                grammar.source,
                string.span,
                rule.name,
                related=[(meant.rule.name_span, message("rule-here"))],
                fix=message("rule-name-in-quotes-fix", rule=meant.name),
            )


def names_in_another_case(grammar: BoundGrammar) -> Iterator[Finding]:
    """References in another case than the file's definition: the first of each spelling. Cost: linear."""
    own = dict(own_rules(grammar))
    uses = [(name, rule) for rule in own.values() for name in references(Alternation(own_alternatives(rule)))]
    for name, rule in {name.name: (name, rule) for name, rule in reversed(uses)}.values():
        target = own.get(name.name.lower())
        if target is not None and target.name != name.name:
            yield make(
                "name-in-another-case",
                message("name-in-another-case", name=name.name, rule=target.name),
                grammar.source,
                name.span,
                rule.name,
                related=[(target.rule.name_span, _abnf("defined-here"))],
            )


def core_rules_redefined(grammar: BoundGrammar, same: Callable[[str], bool]) -> Iterator[Finding]:
    """Core rules with another meaning: the warnings of binding but for those rules, by key, that mean the
    same.
    """
    for warning in grammar.warnings:
        if warning.code != "core-rule-redefined":
            continue
        if warning.rule is None or not same(warning.rule.lower()):
            yield from_error(warning, grammar.source)
