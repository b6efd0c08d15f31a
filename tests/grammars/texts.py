"""The grammar files as sources and as models, and the verdicts of another implementation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from abnforge.grammar.reader import read
from abnforge.grammar.syntax import Alternation, Concatenation, Group, Option, RuleDefinition, Rulelist
from tests.places import ROOT
from tests.reference import abnf_package

# A mistakes file is not a grammar without the grammar that it belongs to.
FILES = sorted((ROOT / "grammars").glob("*.abnf"))
NAMES = [path.stem for path in FILES if not path.name.endswith(".mistakes.abnf")]


@cache
def text_of(name: str) -> str:
    return (ROOT / "grammars" / f"{name}.abnf").read_text(encoding="ascii")


@cache
def model(name: str) -> Rulelist:
    return read(text_of(name), name)


def rules_of(rulelist: Rulelist) -> dict[str, RuleDefinition]:
    return {rule.name.lower(): rule for rule in rulelist.rules}


def matches(grammar: str, rule: str, text: str) -> bool:
    """Return whether a rule matches a string. ``grammar`` is the name of a bundled grammar or a source."""
    return abnf_package.matches(text_of(grammar) if grammar in NAMES else grammar, rule, text)


def bare(node: Any) -> Any:
    """Return a definition as nested tuples, without comments and layout."""
    if isinstance(node, Alternation):
        return tuple(bare(item) for item in node.alternatives)
    if isinstance(node, Concatenation):
        return tuple((item.min, item.max, bare(item.element)) for item in node.items)
    if isinstance(node, Group | Option):
        return (type(node).__name__, bare(node.alternation))
    return node


def differing(left: Mapping[str, RuleDefinition], right: Mapping[str, RuleDefinition]) -> set[str]:
    """Return the rule names that both sides define differently."""
    return {
        name for name in left.keys() & right.keys() if bare(left[name].elements) != bare(right[name].elements)
    }
