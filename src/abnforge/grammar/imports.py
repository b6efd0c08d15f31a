"""Link a grammar: its text, the grammars that it imports, and the rules that the caller defines.

A name that the text uses and does not define is looked up in the imports, in order. An imported rule brings
the rules that it needs from its own grammar, and no others. If the importing grammar defines another rule of
the same name, the imported rule is renamed after its origin: RFC 9110 defines ``Host``, so RFC 3986's
``host`` becomes ``host-rfc3986`` there. A rule reached in two ways stays one rule.

A text may name imports itself, in structured comments on separate lines (``grammar.annotations``)::

    ;@ import rfc3986: URI-reference, host
    ;@ import ./common.abnf

The rules to import follow a colon; without a colon, every undefined name of the text is looked up.
``grammar.files`` finds the grammars.

Cost: linear in the imported rules, times the closures that are compared when names collide.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from abnforge._lazy import importing
from abnforge.errors import GrammarError
from abnforge.grammar.annotations import ImportDirective, import_directives
from abnforge.grammar.binding import SPACE, BindOptions, bind, binding_errors, lists
from abnforge.grammar.messages import message
from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read
from abnforge.grammar.shipped import generated
from abnforge.grammar.syntax import (
    RECIPIENT,
    UNDEFINED,
    Alternation,
    BoundGrammar,
    BoundRule,
    ProseVal,
    Rulelist,
    RuleName,
    elements,
    is_prose_only,
    map_names,
    references,
)
from abnforge.records import dataclass, replace
from abnforge.text import Source, Span, citation, near_misses

if TYPE_CHECKING:
    pass


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


FROM_DEFINE = "<define>"
"""What the texts given as ``define`` are called in messages."""


@dataclass(frozen=True)
class Import:
    """A grammar that rules are taken from: those that are named, or whatever is needed. ``directive`` is what
    asked for it, if the text did.
    """

    grammar: BoundGrammar
    rules: tuple[str, ...] | None = None
    directive: ImportDirective | None = None


@dataclass(frozen=True)
class LinkOptions:
    """What a grammar is put together with; see ``abnforge.load``."""

    imports: tuple[Import, ...] = ()
    define: tuple[str, ...] = ()
    allow_undefined: bool = False
    lists: str = RECIPIENT


def link(rulelist: Rulelist, name: str, linking: LinkOptions) -> BoundGrammar:
    """Bind a grammar with what it is put together with. Raises GrammarError."""
    return bind(rulelist, name=name, options=bind_options(rulelist, linking))


def link_errors(rulelist: Rulelist, linking: LinkOptions) -> list[GrammarError]:
    """What :func:`link` would refuse, in source order."""
    try:
        return binding_errors(rulelist, bind_options(rulelist, linking))
    except GrammarError as error:
        return list(error.errors)


def bind_options(rulelist: Rulelist, linking: LinkOptions) -> BindOptions:
    """What the grammar is bound with. Raises GrammarError for a text of ``define`` that is none, and for a
    rule that an import names and that is not there.
    """
    define = tuple(read(text, FROM_DEFINE, "abnf") for text in linking.define)
    if not linking.imports:
        return BindOptions({}, define, linking.allow_undefined, linking.lists)
    whole = replace(rulelist, items=(*rulelist.items, *(rule for each in define for rule in each.rules)))
    imports = Imports(whole, [each.grammar for each in linking.imports])
    warnings = []
    for each in linking.imports:
        for rule in each.rules or ():
            imports.announce(rule, each.grammar, _found(each, rule))
    for key, spelling in _wanted(whole).items():
        if key in imports.taken:
            continue
        having = [each for each in linking.imports if each.rules is None and has_rule(each.grammar, key)]
        if not having:
            continue
        first, *others = having
        imports.announce(spelling, first.grammar, key)
        for other in others:
            if not same_rule(first.grammar, other.grammar, key):
                warnings.append(_collision(rulelist.source, spelling, first.grammar, other))
                break
    cited = {}
    for key in _cited(whole):
        having = [
            each
            for each in linking.imports
            if (each.rules is None or key in map(str.lower, each.rules)) and has_rule(each.grammar, key)
        ]
        if having:
            cited[key] = imports.beside(having[0].grammar, key)
    rules = imports.collect()
    if imports.missing and not linking.allow_undefined:
        origin, key = imports.missing[0]
        raise GrammarError(
            message("imported-rule-undefined", name=origin.rules[key].name, grammar=origin.name),
            code="undefined-rule",
            source=rulelist.source,
            span=Span(0, 0),
        )
    return BindOptions(rules, define, linking.allow_undefined, linking.lists, tuple(warnings), cited)


def _defined(rulelist: Rulelist) -> set[str]:
    return {
        rule.name.lower()
        for rule in rulelist.rules
        if not rule.incremental and not is_prose_only(rule.elements)
    }


def _cited(rulelist: Rulelist) -> dict[str, None]:
    """Names that a text defines, and that prose takes from another specification: RFC 7230 has a rule Host,
    and ``uri-host = <host, see [RFC3986], Section 3.2.2>``.
    """
    with importing:
        from abnforge.grammar.prose import cites, named_rule

    defined = _defined(rulelist)
    prose = (
        element.text
        for rule in rulelist.rules
        for element in elements(rule.elements)
        if isinstance(element, ProseVal) and cites(element.text)
    )
    names = ((named_rule(text) or "").lower() for text in prose)
    return {name: None for name in names if name in defined}


def _wanted(rulelist: Rulelist) -> dict[str, str]:
    """Names that a text uses and does not define, as they are spelled first, by lower-case name."""
    with importing:
        from abnforge.grammar.prose import named_rule

    defined = _defined(rulelist)
    found: dict[str, str] = {}
    for rule in rulelist.rules:
        names = [rule.name]
        for element in elements(rule.elements):
            if isinstance(element, RuleName):
                names.append(element.name)
            elif isinstance(element, ProseVal) and (name := named_rule(element.text)):
                names.append(name)
        if next(lists(rule.elements), None):
            names.append(SPACE)
        for name in names:
            key = name.lower()
            if key not in defined and key not in core_rules():
                found.setdefault(key, name)
    return found


def _found(imported: Import, name: str) -> str:
    """Return the key of a rule that an import names."""
    if has_rule(imported.grammar, name.lower()):
        return name.lower()
    known = [rule.name for rule in imported.grammar.rules.values() if rule.origin == "file"]
    directive = imported.directive
    raise GrammarError(
        message(
            "import-rule-unknown",
            name=name,
            grammar=imported.grammar.name,
            near=tuple(near_misses(name, known)),
        ),
        code="import-directive",
        source=directive.source if directive else None,
        span=directive.span if directive else None,
    )


def _collision(source: Source, name: str, first: BoundGrammar, other: Import) -> GrammarError:
    """Return a warning where the other grammar is asked for, if that is in the text."""
    here = other.directive is not None and other.directive.source == source
    return GrammarError(
        message("import-conflict", name=name, grammar=first.name, other=other.grammar.name),
        code="import-collision",
        source=source,
        span=other.directive.span if here and other.directive else Span(0, 0),
        rule=name,
    )


def bundled_grammar(name: str, form: str = RECIPIENT) -> BoundGrammar:
    """Return a bundled grammar, bound, with what it takes from others; ``form`` is how lists are read."""
    return _bundled(name, form)


@cache
def _bundled(name: str, form: str) -> BoundGrammar:
    folder = generated()
    rulelist = read(folder.joinpath(f"{name}.abnf").read_text("utf-8"), f"{name}.abnf")
    stored = folder.joinpath(f"{name}.imports.json")
    # What is taken from others has been put together: reading all of them takes half as long as a verdict.
    if form == RECIPIENT and stored.is_file():
        return bind(rulelist, name=name, options=_taken(stored.read_text("utf-8"), name))
    # tools/build_grammars.py has seen to it that these lead in no circle.
    imports = tuple(
        Import(_bundled(directive.grammar, form), directive.rules, directive)
        for directive in import_directives(rulelist)
    )
    return link(rulelist, name, LinkOptions(imports, lists=form))


def taken_data(options: BindOptions) -> dict[str, dict[str, object]]:
    """The rules that a grammar takes from others, as data, which ``tools/build_grammars.py`` stores."""
    with importing:
        from abnforge.grammar.printer import print_rule

    rules: dict[str, object] = {}
    for each in options.imports.values():
        rule = replace(each.rule, name=each.name, elements=each.elements, incremental=False)
        rules[each.name] = [print_rule(rule) + "\n", each.section]
    return {"rules": rules, "cited": dict(options.cited)}


def _taken(data: str, name: str) -> BindOptions:
    found = json.loads(data)
    rulelist = read("".join(text for text, _ in found["rules"].values()), f"{name}.imports", "abnf")
    sections = {rule: section for rule, (_, section) in found["rules"].items()}
    rules = {
        rule.name.lower(): BoundRule(rule.name, rule.elements, "import", sections[rule.name], rule)
        for rule in rulelist.rules
    }
    return BindOptions(rules, cited=found["cited"])


def has_lists(grammar: BoundGrammar) -> bool:
    """Return whether the rules of a grammar have lists: ``1#element``."""
    own = (rule.rule for rule in grammar.rules.values() if rule.origin == "file")
    return any(next(lists(rule.elements), None) is not None for rule in own)
