"""The grammars that the PyPI package ``abnf`` ships, read by our reader.

Only the texts are taken: ``Rule.grammar`` of each module of ``abnf.grammars``, and the list of rules that
a module imports from others.

The package is imported only when one of these functions is called.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import Any

from abnforge.abnf.binding import bind
from abnforge.abnf.imports import Imports
from abnforge.abnf.names import BoundGrammar
from abnforge.abnf.reader import read
from abnforge.errors import UnknownName
from abnforge.late import importing
from abnforge.near_misses import near_misses

_PREFIX = "abnf.grammars."
_NOT_GRAMMARS = frozenset({"misc"})  # the package's own helpers


def package_names() -> list[str]:
    """The names of the shipped grammars, sorted. Imports the package, but none of its grammars."""
    with importing:
        grammars = importlib.import_module("abnf.grammars")
    return sorted(
        module.name for module in pkgutil.iter_modules(grammars.__path__) if module.name not in _NOT_GRAMMARS
    )


def load_package(name: str) -> BoundGrammar:
    """A shipped grammar by name (``"rfc9110"``), bound together with what it imports.

    Raises :class:`UnknownName` for a name that is not in :func:`package_names`. Cost: reading the grammar
    and those it imports from, once in a process.
    """
    names = package_names()
    if name not in names:
        near = near_misses(name, names)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
        raise UnknownName(f'the abnf package has no grammar "{name}"; {hint}')
    with importing:
        module = importlib.import_module(_PREFIX + name)
    return _load(module.Rule)


def _text(grammar: str | list[str]) -> str:
    """The text of a shipped grammar: a module holds it whole or rule by rule."""
    return grammar if isinstance(grammar, str) else "\n".join(rule.strip() for rule in grammar) + "\n"


@cache
def _load(rule_class: Any) -> BoundGrammar:
    """The grammar of a class: ``Rule`` of a module, or one that the module uses beside it (``LocalRule``)."""
    name = rule_class.__module__.removeprefix(_PREFIX)
    if rule_class.__name__ != "Rule":
        name += "-" + rule_class.__name__.removesuffix("Rule").lower()
    rulelist = read(_text(rule_class.grammar), f"abnf:{name}", "abnf")
    imports = Imports(rulelist)
    for imported, source in getattr(rule_class, "_imported_rules", ()):
        origin: Any = type(source)
        # Core rules live on the package's base class, outside of any grammar.
        if origin.__module__.startswith(_PREFIX):
            imports.announce(imported, _load(origin), source.name)
    return bind(rulelist, name=name, imports=imports.collect())
