"""The grammars that the PyPI package ``abnf`` ships, read by our reader.

Only the texts are taken: ``Rule.grammar`` of each module of ``abnf.grammars``, and the list of rules that
a module imports from others. An imported rule brings the rules it needs from its own grammar. Where one
of those has the name of something else in the importing grammar, it is renamed after its origin:
RFC 9110 defines ``Host``, so RFC 3986's ``host`` becomes ``host-rfc3986`` there. The same rule
reached on two ways stays one rule.

The package is imported only when one of these functions is called.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from abnforge.abnf.core_rules import core_rules
from abnforge.abnf.model import Alternation, Rulelist, RuleName
from abnforge.abnf.names import (
    BoundGrammar,
    BoundRule,
    bind,
    is_prose_only,
    map_names,
    references,
)
from abnforge.abnf.reader import read
from abnforge.citation import citation
from abnforge.errors import UnknownName
from abnforge.late import importing
from abnforge.near_misses import near_misses

_PREFIX = "abnf.grammars."
_NOT_GRAMMARS = frozenset({"misc"})  # the package's own helpers

_Lookup = Callable[[str], Alternation | None]


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
    imports = _Imports(rulelist)
    for imported, source in getattr(rule_class, "_imported_rules", ()):
        origin: Any = type(source)
        # Core rules live on the package's base class, outside of any grammar.
        if origin.__module__.startswith(_PREFIX):
            imports.announce(imported, _load(origin), source.name)
    return bind(rulelist, name=name, imports=imports.collect())


class _Imports:
    """The rules that one grammar takes from others, under names that are free in it.

    A rule is identified by the grammar it was taken from and its lower-case name there.
    """

    def __init__(self, rulelist: Rulelist) -> None:
        self.own: dict[str, Alternation] = {}
        for rule in rulelist.rules:
            if not is_prose_only(rule.elements):
                self.own.setdefault(rule.name.lower(), rule.elements)
        self.announced: list[tuple[str, BoundGrammar, str]] = []
        self.taken: dict[str, tuple[BoundGrammar, str]] = {}  # name here -> identity
        self.names: dict[tuple[str, str], str] = {}  # identity -> name here

    def announce(self, name: str, origin: BoundGrammar, source: str) -> None:
        """Rule ``source`` of ``origin`` is wanted as ``name``, unless the grammar really defines that."""
        key = source.lower()
        if name.lower() in self.own:
            return
        self.announced.append((name, origin, key))
        self.taken[name.lower()] = (origin, key)
        if name.lower() == key:
            self.names[origin.name, key] = name
        else:
            self.names.setdefault((origin.name, key), name)

    def collect(self) -> Mapping[str, BoundRule]:
        """Every imported rule and all that they need, by lower-case name."""
        result: dict[str, BoundRule] = {}
        pending = list(self.announced)
        while pending:
            name, origin, key = pending.pop(0)
            if name.lower() in result:
                continue
            bound = origin.rules[key]

            def rename(reference: RuleName, origin: BoundGrammar = origin) -> RuleName:
                wanted = reference.name.lower()
                if origin.rules[wanted].origin == "core":
                    return reference
                new = self._name_for(origin, wanted)
                if new.lower() not in result and new.lower() not in self.own:
                    pending.append((new, origin, wanted))
                return reference if new.lower() == wanted else replace(reference, name=new)

            result[name.lower()] = replace(
                bound,
                name=name,
                elements=map_names(bound.elements, rename),
                origin="import",
                section=bound.section and citation(origin.name, bound.section),
            )
        return result

    def _name_for(self, origin: BoundGrammar, key: str) -> str:
        """What a needed rule is called in the importing grammar, chosen at the first request."""
        identity = (origin.name, key)
        if identity not in self.names:
            spelling = origin.rules[key].name
            name, tries = spelling, 0
            while not self._is_free(name.lower(), origin, key):
                tries += 1
                name = f"{spelling}-{origin.name}" + (f"-{tries}" if tries > 1 else "")
            self.names[identity] = name
            self.taken.setdefault(name.lower(), (origin, key))
        return self.names[identity]

    def _is_free(self, name: str, origin: BoundGrammar, key: str) -> bool:
        """Whether nothing has the name here, or what has it is the same rule."""
        wanted = _closure(_bound_lookup(origin), key)
        if name in self.own:
            return wanted == _closure(self.own.get, name)
        if name in self.taken:
            other, other_key = self.taken[name]
            return wanted == _closure(_bound_lookup(other), other_key)
        return name not in core_rules()


def _bound_lookup(grammar: BoundGrammar) -> _Lookup:
    def lookup(name: str) -> Alternation | None:
        rule = grammar.rules[name]
        return None if rule.origin == "core" else rule.elements

    return lookup


def _closure(lookup: _Lookup, start: str) -> dict[str, Alternation | None]:
    """A rule with all that it refers to, by name: equal closures mean equal rules.

    ``lookup`` gives None for a rule that lies elsewhere; core rules do for every grammar.
    """
    found: dict[str, Alternation | None] = {}
    pending = [start]
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = elements = lookup(name)
            if elements is not None:
                pending.extend(reference.name.lower() for reference in references(elements))
    return found
