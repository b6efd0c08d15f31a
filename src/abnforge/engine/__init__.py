"""Grammars and rules as callers see them: load, compile, match, parse, explain, combine.

Read first: ``rule`` has the methods that take a string, and ``loading`` turns a name, path or string into a
``Grammar``. ``compilation`` builds the objects for these methods, or reads them from ``stores`` (the built-in
grammars) and ``cache`` (the user's disk). ``readers`` has the states that calls share. ``sets`` has the rules
that set algebra defines, by the expressions of ``set_algebra``.

This package knows all engines and chooses one. It must not depend on arrays, data files, notebooks, the
command line or the meaning of a rule: URIs have their own package.
"""

from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import grammar_names, load, loads, package_names
from abnforge.engine.rule import ENGINES, Rule

__all__ = ["ENGINES", "Grammar", "Rule", "grammar_names", "load", "loads", "package_names"]
