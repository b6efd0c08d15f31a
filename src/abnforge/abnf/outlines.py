"""Bundled grammars by what is stored of their rules: names, origins, sections, and which need no prose.

A verdict needs no more of a grammar than this and the rule's stored automaton. The text is read, and its
names are bound, when a definition, a span or a notice is needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from abnforge.abnf.bundled import generated
from abnforge.abnf.names import BoundGrammar, BoundRule, RuleOutline
from abnforge.errors import GrammarError
from abnforge.late import importing
from abnforge.once import once
from abnforge.source import Source


def outline_data(grammar: BoundGrammar, formal: frozenset[str]) -> dict[str, object]:
    """The outline of a grammar as data, which ``tools/build_grammars.py`` stores. ``formal`` are the keys of
    the rules that need no prose-val.
    """
    rules = {
        key: [rule.name, rule.origin, rule.section, key in formal] for key, rule in grammar.rules.items()
    }
    return {"exceptions": grammar.has_exceptions, "rules": rules}


def outlined_grammar(name: str) -> BoundGrammar:
    """A bundled grammar whose text is read when its definitions are needed."""
    data = json.loads(generated().joinpath(f"{name}.outline.json").read_bytes())
    return _OutlinedGrammar(name, data)


class _OutlinedGrammar(BoundGrammar):
    """The grammar of that name; it equals the one that is bound at once."""

    def __init__(self, name: str, data: Mapping[str, Any]) -> None:
        rules = data["rules"]
        self.__dict__.update(
            name=name,
            outline={key: RuleOutline(*each[:3]) for key, each in rules.items()},
            formal=frozenset(key for key, each in rules.items() if each[3]),
            has_exceptions=data["exceptions"],
        )

    @once
    def _bound(self) -> BoundGrammar:
        with importing:
            from abnforge.abnf.sources import bundled_grammar

        return bundled_grammar(self.name)

    @property
    def source(self) -> Source:
        """The text."""
        return self._bound.source

    @property
    def rules(self) -> Mapping[str, BoundRule]:
        """The rules with their definitions."""
        return self._bound.rules

    @property
    def notices(self) -> tuple[GrammarError, ...]:
        """Remarks on the text."""
        return self._bound.notices

    @property
    def recognised(self) -> bool:
        """Whether the "|" notation was recognised."""
        return self._bound.recognised

    def __eq__(self, other: object) -> bool:
        return self._bound == (other._bound if isinstance(other, _OutlinedGrammar) else other)

    def __hash__(self) -> int:
        return hash(self._bound)

    def __reduce__(self) -> tuple[Callable[..., BoundGrammar], tuple[object, ...]]:
        return self._bound.__reduce__()
