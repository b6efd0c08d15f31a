"""Bundled grammars, known by stored facts on their rules.

A verdict needs no more of a grammar than this and the rule's stored automaton. abnforge reads and binds the
grammar file when a caller needs a definition, a span or a warning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from abnforge._lazy import cached_property, importing
from abnforge.errors import GrammarError
from abnforge.grammar.shipped import generated
from abnforge.grammar.syntax import Annotation, BoundGrammar, BoundRule, RuleOutline
from abnforge.text import Source


def outline_data(grammar: BoundGrammar, formal: frozenset[str]) -> dict[str, object]:
    """The outline of a grammar as data, which ``tools/build_grammars.py`` stores. ``formal`` are the keys of
    the rules that need no prose-val.
    """
    rules = {
        key: [rule.name, rule.origin, rule.section, key in formal] for key, rule in grammar.rules.items()
    }
    return {"exceptions": grammar.has_exceptions, "rules": rules}


def outlined_grammar(name: str) -> BoundGrammar:
    """Return a bundled grammar that reads its file when its definitions are needed, or at once where no
    outline is stored that can be read.
    """
    try:
        return _OutlinedGrammar(name, json.loads(generated().joinpath(f"{name}.outline.json").read_bytes()))
    except (OSError, ValueError, LookupError, TypeError):
        return _bundled(name)


def _bundled(name: str) -> BoundGrammar:
    with importing:
        from abnforge.grammar.imports import bundled_grammar

    return bundled_grammar(name)


class _OutlinedGrammar(BoundGrammar):
    """A bundled grammar. It equals the bound one, which it loads when needed."""

    def __init__(self, name: str, data: Mapping[str, Any]) -> None:
        rules = data["rules"]
        self.__dict__.update(
            name=name,
            outline={key: RuleOutline(*each[:3]) for key, each in rules.items()},
            formal=frozenset(key for key, each in rules.items() if each[3]),
            has_exceptions=data["exceptions"],
        )

    @cached_property
    def _bound(self) -> BoundGrammar:
        return _bundled(self.name)

    @property
    def source(self) -> Source:
        """The content of the grammar file."""
        return self._bound.source

    @property
    def rules(self) -> Mapping[str, BoundRule]:
        """The rules with their definitions."""
        return self._bound.rules

    @property
    def warnings(self) -> tuple[GrammarError, ...]:
        """Remarks on the grammar file."""
        return self._bound.warnings

    @property
    def recognized(self) -> bool:
        """True if the "|" notation was recognized."""
        return self._bound.recognized

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        """The structured comments of the grammar file."""
        return self._bound.annotations

    def __eq__(self, other: object) -> bool:
        return self._bound == (other._bound if isinstance(other, _OutlinedGrammar) else other)

    def __hash__(self) -> int:
        return hash(self._bound)

    def __reduce__(self) -> tuple[Callable[..., BoundGrammar], tuple[object, ...]]:
        return self._bound.__reduce__()
