"""Grammars and rules as callers see them."""

from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import grammar_names, load, loads, package_names
from abnforge.engine.rule import ENGINES, Rule

__all__ = ["ENGINES", "Grammar", "Rule", "grammar_names", "load", "loads", "package_names"]
