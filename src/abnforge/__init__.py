"""abnforge: ABNF in, exact validators that explain every rejection out."""

import typing as _typing

from abnforge.engine.grammar import Grammar, Rule
from abnforge.engine.loading import grammar_names, load, loads, package_names
from abnforge.errors import GrammarError, LimitExceeded, Rejected, UnknownName
from abnforge.rejection import Edit, Expected, Hypothesis, Rejection, Suggestion

if _typing.TYPE_CHECKING:
    from abnforge.analysis.lint.finding import Finding
    from abnforge.engine.compare import Comparison, compare
    from abnforge.engine.linting import lint

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Edit",
    "Expected",
    "Finding",
    "Grammar",
    "GrammarError",
    "Hypothesis",
    "LimitExceeded",
    "Rejected",
    "Rejection",
    "Rule",
    "Suggestion",
    "UnknownName",
    "compare",
    "grammar_names",
    "lint",
    "load",
    "loads",
    "package_names",
]

# What checks grammars is imported when first asked for: a program that checks strings starts without it.
_LATE = {
    "Comparison": "abnforge.engine.compare",
    "Finding": "abnforge.analysis.lint.finding",
    "compare": "abnforge.engine.compare",
    "lint": "abnforge.engine.linting",
}


def __getattr__(name: str) -> _typing.Any:
    if name not in _LATE:
        raise AttributeError(f"module 'abnforge' has no attribute {name!r}")
    from importlib import import_module

    value = globals()[name] = getattr(import_module(_LATE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
