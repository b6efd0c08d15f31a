"""Grammars and rules as callers see them."""

from abnforge.engine.grammar import ENGINES, Grammar, Rule
from abnforge.engine.loading import grammar_names, load, loads, package_names

__all__ = ["ENGINES", "Grammar", "Rule", "grammar_names", "load", "loads", "package_names"]
