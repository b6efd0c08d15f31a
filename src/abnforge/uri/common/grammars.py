"""Where the verbs on URIs meet the engine: a bundled grammar's rule, applied to what the caller passed."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import load
from abnforge.engine.rule import Rule
from abnforge.rejection import Rejection
from abnforge.uri.common.components import text_of

if TYPE_CHECKING:  # lark is slow to import, and many a caller only wants a verdict
    from lark import Token, Tree


def parse_text(grammar: str, rule: str, value: object) -> Tree[Token]:
    """The parse tree of a text or component object; raises Rejected, KeyError, TypeError."""
    text = text_of(value)
    return rule_of(grammar, rule).parse(text)


def matches_text(grammar: str, rule: str, value: object) -> bool:
    """Whether the rule derives a text or component object; raises KeyError, TypeError."""
    text = text_of(value)
    return rule_of(grammar, rule).matches(text)


def explain_text(grammar: str, rule: str, value: object) -> Rejection | None:
    """Why the rule does not derive a text or component object; raises KeyError, TypeError."""
    text = text_of(value)
    return rule_of(grammar, rule).explain(text)


def rule_of(grammar: str, rule: str) -> Rule:
    """A rule of a bundled grammar; raises KeyError with near misses."""
    return _grammar(grammar)[rule]


@cache
def _grammar(name: str) -> Grammar:
    # Looking a bundled name up costs several times what a verdict does.
    return load(name)
