"""abnforge: ABNF in, exact validators that explain every rejection out."""

from abnforge.engine.compare import Comparison, compare
from abnforge.engine.grammar import Grammar, Rule
from abnforge.engine.loading import grammar_names, load, loads, package_names
from abnforge.errors import GrammarError, LimitExceeded, Rejected, UnknownName
from abnforge.rejection import Edit, Expected, Hypothesis, Rejection, Suggestion

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Edit",
    "Expected",
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
    "load",
    "loads",
    "package_names",
]
