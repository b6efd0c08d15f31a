"""The bundled grammars in the matcher of the ``abnf`` package, which shares no code with this project."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import abnf

from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read


@cache
def _matcher(grammar: str) -> tuple[Any, re.Pattern[str]]:
    """Return the matcher of a grammar, and a pattern for the rule names that get a prefix in the matcher.

    The package shares the core rules between all grammars, and rejects grammars that define them.
    """
    restated = {rule.name.lower() for rule in read(grammar).rules} & core_rules().keys()
    pattern = re.compile(rf"(?<![A-Za-z-])({'|'.join(restated) or '(?!)'})(?![A-Za-z0-9-])", re.IGNORECASE)
    loaded: Any = type("Loaded", (abnf.Rule,), {})
    loaded.load_grammar(pattern.sub(r"own-\1", grammar).replace("\n", "\r\n"))
    return loaded, pattern


def matches(grammar: str, rule: str, text: str) -> bool:
    """Return whether a rule in a grammar source matches a string."""
    loaded, restated = _matcher(grammar)
    try:
        loaded(restated.sub(r"own-\1", rule)).parse_all(text)
    except abnf.ParseError:
        return False
    return True
