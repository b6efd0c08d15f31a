"""abnforge: ABNF in, exact validators that explain every rejection out."""

from abnforge.analysis.lint.finding import Finding
from abnforge.engine.compare import Comparison, compare
from abnforge.engine.grammar import Grammar, Rule
from abnforge.engine.linting import lint
from abnforge.engine.loading import grammar_names, load, loads, package_names
from abnforge.errors import GrammarError, LimitExceeded, Rejected, UnknownName
from abnforge.rejection import Edit, Expected, Hypothesis, Rejection, Suggestion

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
