"""Rules that a grammar takes from others.

An imported rule brings the rules that it needs from its own grammar, and no others. Where one of those has
the name of something else in the importing grammar, it is renamed after its origin: RFC 9110 defines
``Host``, so RFC 3986's ``host`` becomes ``host-rfc3986`` there. The same rule reached on two ways stays one
rule.

Cost: linear in the rules that come along, times the closures that are compared where names collide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from abnforge.grammar.parser import core_rules
from abnforge.grammar.syntax import (
    UNDEFINED,
    Alternation,
    BoundGrammar,
    BoundRule,
    Rulelist,
    RuleName,
    is_prose_only,
    map_names,
    references,
)
from abnforge.records import replace
from abnforge.text import citation

_Lookup = Callable[[str], Alternation | None]


class Imports:
    """The rules that one grammar takes from others, under names that are free in it.

    A rule is identified by the grammar it was taken from and its lower-case name there.
    """

    def __init__(self, rulelist: Rulelist, others: Sequence[BoundGrammar] = ()) -> None:
        self.own: dict[str, Alternation] = {}
        for rule in rulelist.rules:
            if not rule.incremental and not is_prose_only(rule.elements):
                self.own.setdefault(rule.name.lower(), rule.elements)
        self.others = others
        self.missing: list[tuple[BoundGrammar, str]] = []  # what was needed and is defined nowhere
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
            self.names[origin.source.name, key] = name
        else:
            self.names.setdefault((origin.source.name, key), name)

    def beside(self, origin: BoundGrammar, key: str) -> str:
        """Rule ``key`` of ``origin`` is wanted beside the grammar's own of that name; what it is called."""
        name = self._name_for(origin, key)
        self.announce(name, origin, key)
        return name

    def collect(self) -> Mapping[str, BoundRule]:
        """Return every imported rule and all that they need, by lower-case name."""
        result: dict[str, BoundRule] = {}
        pending = list(self.announced)
        while pending:
            name, origin, key = pending.pop(0)
            if name.lower() in result:
                continue
            if origin.rules[key].origin == UNDEFINED:
                others = (other for other in self.others if has_rule(other, key))
                origin, needing = next(others, origin), origin
                if origin is needing:
                    self.missing.append((origin, key))
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
                excepted=tuple(map(rename, bound.excepted)),
                origin="import",
                section=bound.section and citation(origin.name, bound.section),
            )
        return result

    def _name_for(self, origin: BoundGrammar, key: str) -> str:
        """What a needed rule is called in the importing grammar, chosen at the first request."""
        identity = (origin.source.name, key)
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
        """Return whether nothing has the name here, or what has it is the same rule."""
        wanted = _closure(_bound_lookup(origin), key)
        if name in self.own:
            return wanted == _closure(self.own.get, name)
        if name in self.taken:
            other, other_key = self.taken[name]
            return wanted == _closure(_bound_lookup(other), other_key)
        return name not in core_rules()


def has_rule(grammar: BoundGrammar, key: str) -> bool:
    """Return whether a grammar defines a rule, in more than words, that is none of the core rules."""
    rule = grammar.rules.get(key)
    return rule is not None and rule.origin not in ("core", UNDEFINED) and not is_prose_only(rule.elements)


def same_rule(one: BoundGrammar, other: BoundGrammar, key: str) -> bool:
    """Return whether a rule and all that it needs is written alike in two grammars."""
    return _closure(_bound_lookup(one), key) == _closure(_bound_lookup(other), key)


def _bound_lookup(grammar: BoundGrammar) -> _Lookup:
    def lookup(name: str) -> Alternation | None:
        rule = grammar.rules[name]
        return None if rule.origin == "core" else rule.elements

    return lookup


def _closure(lookup: _Lookup, start: str) -> dict[str, Alternation | None]:
    """Return a rule with all that it refers to, by name: equal closures mean equal rules.

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
