"""Shared by RFC 3986 and RFC 2396: access to the rules of their grammars.

Read first: ``components`` (the base of component objects, and component recomposition), ``transformer``
(trees to component objects), ``percent`` (percent-encoding by a grammar's rules). ``password`` hides
passwords in messages and output. This package must not know the component classes of either RFC.
"""

from __future__ import annotations

from functools import cache

from abnforge._arguments import plain_argument
from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import load
from abnforge.engine.rule import Rule

# The components of URIs by RFC 2396 and RFC 3986. RFC 3987 has an "i" before some of these names.
_COMPONENTS = (
    *("scheme", "authority", "userinfo", "host", "port", "query", "fragment"),
    *("path-abempty", "path-absolute", "path-noscheme", "path-rootless", "path-empty"),
    *("abs-path", "rel-path", "opaque-part"),
)


def rule_of(grammar: str, rule: str) -> Rule:
    """Return a rule of a built-in grammar; raise UnknownNameError for an unknown name, or TypeError."""
    return _grammar(grammar)[rule if type(rule) is str else plain_argument(rule, "rule")]


@cache
def _grammar(name: str) -> Grammar:
    # To look up a built-in grammar costs several times as much as a verdict.
    return load(name)


def component_rules(rule: Rule) -> list[str]:
    """Return the keys of the rules that are components of a URI, among a rule and the rules that it uses."""
    reachable = rule.grammar.facts.reachable(rule.name.lower())
    return [key for key in reachable if key in _COMPONENTS or key.removeprefix("i") in _COMPONENTS]
