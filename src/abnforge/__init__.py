"""Compile ABNF grammars into exact validators that explain every rejection.

PYTEST_DONT_REWRITE: the plugin for pytest must not make pytest warn where this was imported before it.
"""

import typing as _typing

from abnforge._lazy import importing as _importing
from abnforge._lazy import set_notebook_view as _set_notebook_view
from abnforge._native import KERNEL
from abnforge.budget import Budget
from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import grammar_names, load, loads, package_names, rule
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded, Rejected, UnknownNameError
from abnforge.rejection import (
    ROW_CODES,
    Edit,
    Expected,
    Hypothesis,
    Rejection,
    Repair,
    RepairEdit,
    Suggestion,
)

if _typing.TYPE_CHECKING:
    from abnforge.comparison.rules import Comparison, compare
    from abnforge.engine.examples import ExampleResult
    from abnforge.grammar.annotations import Example
    from abnforge.grammar.formatter import format_abnf
    from abnforge.linting.finding import Finding
    from abnforge.linting.source import lint
    from abnforge.policies import policy

__version__ = "0.1.0"

__all__ = [
    "KERNEL",
    "ROW_CODES",
    "Budget",
    "Comparison",
    "Edit",
    "Example",
    "ExampleResult",
    "Expected",
    "Finding",
    "Grammar",
    "GrammarError",
    "Hypothesis",
    "LimitExceeded",
    "Rejected",
    "Rejection",
    "Repair",
    "RepairEdit",
    "Rule",
    "Suggestion",
    "UnknownNameError",
    "compare",
    "format_abnf",
    "grammar_names",
    "lint",
    "load",
    "loads",
    "package_names",
    "policy",
    "rule",
]

# The linter and the comparison are imported on first use, so a program that only validates strings starts
# faster.
_LATE = {
    "Comparison": "abnforge.comparison.rules",
    "Example": "abnforge.grammar.annotations",
    "ExampleResult": "abnforge.engine.examples",
    "Finding": "abnforge.linting.finding",
    "compare": "abnforge.comparison.rules",
    "format_abnf": "abnforge.grammar.formatter",
    "lint": "abnforge.linting.source",
    "policy": "abnforge.policies",
}


def _html(value: object) -> str | None:
    with _importing:
        from abnforge.teaching.notebook import html_of
    return html_of(value)


_set_notebook_view(_html)


def __getattr__(name: str) -> _typing.Any:
    if name not in _LATE:
        raise AttributeError(f"unknown attribute {name!r} of abnforge")
    with _importing:
        from importlib import import_module

        value = globals()[name] = getattr(import_module(_LATE[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
