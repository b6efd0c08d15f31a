"""Grammars and rules as callers see them: load, compile, match, parse, explain, combine.

Read first: ``rule`` has the methods that take a string, and ``loading`` turns a name, path or string into a
``Grammar``. ``compilation`` builds the objects for these methods, or reads them from ``stores`` (the built-in
grammars) and ``cache`` (the user's disk). Then ``readers``, the states that calls share, and ``sets``, the
rules that set algebra defines by the expressions of ``set_algebra``.

This package knows every engine, and chooses one. It must not know arrays, files of data, notebooks or the
command line, nor the meaning of a rule: URIs have a package of their own.
"""

from abnforge.engine.grammar import Grammar
from abnforge.engine.loading import grammar_names, load, loads, package_names
from abnforge.engine.rule import ENGINES, Rule

__all__ = ["ENGINES", "Grammar", "Rule", "grammar_names", "load", "loads", "package_names"]
