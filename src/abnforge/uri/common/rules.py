"""Where the verbs on URIs meet the engine: a bundled grammar's rule, applied to what the caller passed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from abnforge._arguments import judged_argument, plain_argument
from abnforge._native.loaded import compiled
from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import load
from abnforge.engine.rule import Rule
from abnforge.rejection import Rejection

if TYPE_CHECKING:
    from lark import Token, Tree


# The rules of RFC 2396 and RFC 3986 that are components; RFC 3987 has an "i" before some of the names.
_COMPONENTS = (
    *("scheme", "authority", "userinfo", "host", "port", "query", "fragment"),
    *("path-abempty", "path-absolute", "path-noscheme", "path-rootless", "path-empty"),
    *("abs-path", "rel-path", "opaque-part"),
)


def parse_text(grammar: str, rule: str, value: object) -> Tree[Token]:
    """The parse tree of a text or component object; raises Rejected, KeyError, TypeError."""
    return rule_of(grammar, rule).parse(judged_argument(value, "value"))


def matches_text(grammar: str, rule: str, value: object) -> bool:
    """Whether the rule derives a text or component object; raises KeyError, TypeError."""
    text = value if type(value) is str else judged_argument(value, "value")
    return rule_of(grammar, rule).matches(text)


def explain_text(grammar: str, rule: str, value: object) -> Rejection | None:
    """Why the rule does not derive a text or component object; raises KeyError, TypeError."""
    return rule_of(grammar, rule).explain(judged_argument(value, "value"))


def rule_of(grammar: str, rule: str) -> Rule:
    """A rule of a bundled grammar; raises KeyError with near misses, TypeError for what names none."""
    return _grammar(grammar)[rule if type(rule) is str else plain_argument(rule, "rule")]


def table_of_rule(grammar: str, rule: str) -> Any:
    """The table of a rule of a bundled grammar; None without the kernel."""
    found = rule_of(grammar, rule)
    return found.grammar.compilation.table(found.key)


def judging(
    table: Any, slow: Callable[..., bool], travel: tuple[Any, ...], others: dict[str, Any]
) -> Callable[..., bool]:
    """A verdict written in C. ``table`` may be what gives one when it is needed; ``slow`` is for what is no
    plain str, and for another rule; ``travel`` makes an object with a function ``is_valid`` like this. A call
    with the name of another rule uses the verdict in ``others``.
    """
    judge: Callable[..., bool] = compiled.Verdict(table, slow, travel, others).is_valid
    return judge


@cache
def _grammar(name: str) -> Grammar:
    # Looking a bundled name up costs several times what a verdict does.
    return load(name)


def component_rules(rule: Rule) -> list[str]:
    """The rules that a rule uses, itself included, and that are components of a URI, by key."""
    reachable = rule.grammar.facts.reachable(rule.name.lower())
    return [key for key in reachable if key in _COMPONENTS or key.removeprefix("i") in _COMPONENTS]
