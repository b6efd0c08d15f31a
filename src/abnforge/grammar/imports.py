"""Link a grammar with the grammars that it imports and the rules that the caller defines.

A name that the grammar uses and does not define is looked up in the imports, in order. With an imported rule,
only the rules that it needs from its own grammar are imported. If the importing grammar defines another rule
of the same name, the imported rule is renamed after its origin: RFC 9110 defines ``Host``, so RFC 3986's
``host`` becomes ``host-rfc3986`` there. A rule that is imported in two ways stays one rule.

A grammar may name imports itself, in structured comments on separate lines (``grammar.annotations``)::

    ;@ import rfc3986: URI-reference, host
    ;@ import ./common.abnf

The rules to import follow a colon; without a colon, every undefined name is looked up.
``grammar.files`` finds the grammars.

Cost: linear in the imported rules, times the closures that are compared when names collide.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from abnforge._lazy import lazy
from abnforge.errors import GrammarError
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

with lazy:
    from abnforge.grammar import annotations as grammar_annotations
    from abnforge.grammar import printer
    from abnforge.grammar import prose as grammar_prose

if TYPE_CHECKING:
    from abnforge.grammar.annotations import ImportDirective


_Lookup = Callable[[str], Alternation | None]


class Imports:
    """The rules that a grammar imports from other grammars, under unused names.

    A rule is identified by its original grammar and its lower-case name in that grammar.
    """

    def __init__(self, rulelist: Rulelist, others: Sequence[BoundGrammar] = ()) -> None:
        self.own: dict[str, Alternation] = {}
        for rule in rulelist.rules:
            if not rule.incremental and not is_prose_only(rule.elements):
                self.own.setdefault(rule.name.lower(), rule.elements)
        self.others = others
        self.missing: list[tuple[BoundGrammar, str]] = []  # required but undefined rules
        self.announced: list[tuple[str, BoundGrammar, str]] = []
        self.taken: dict[str, tuple[BoundGrammar, str]] = {}  # name here -> identity
        self.names: dict[tuple[str, str], str] = {}  # identity -> name here

    def announce(self, name: str, origin: BoundGrammar, source: str) -> None:
        """Import rule ``source`` of ``origin`` as ``name``, unless the grammar defines that name."""
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
        """Import rule ``key`` of ``origin`` next to the grammar's rule of that name; return its new name."""
        name = self._name_for(origin, key)
        self.announce(name, origin, key)
        return name

    def collect(self) -> Mapping[str, BoundRule]:
        """Return all imported rules and the rules that they need, by lower-case name."""
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
                key = reference.name.lower()
                if origin.rules[key].origin == "core":
                    return reference
                new = self._name_for(origin, key)
                if new.lower() not in result and new.lower() not in self.own:
                    pending.append((new, origin, key))
                return reference if new.lower() == key else replace(reference, name=new)

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
        """Return the name of a required rule in the importing grammar; the first call chooses the name."""
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
        """Return whether a name is unused here, or already refers to the same rule."""
        if name in self.own:
            return name == key and _is_same(_bound_lookup(origin), self.own.get, key)
        if name in self.taken:
            other, other_key = self.taken[name]
            return key == other_key and same_rule(origin, other, key)
        return name not in core_rules()


def has_rule(grammar: BoundGrammar, key: str) -> bool:
    """Return whether a grammar defines a rule that is neither prose alone nor a core rule."""
    rule = grammar.rules.get(key)
    return rule is not None and rule.origin not in ("core", UNDEFINED) and not is_prose_only(rule.elements)


def same_rule(one: BoundGrammar, other: BoundGrammar, key: str) -> bool:
    """Return whether a rule and all rules that it needs have the same definitions in two grammars."""
    return one is other or _is_same(_bound_lookup(one), _bound_lookup(other), key)


def _bound_lookup(grammar: BoundGrammar) -> _Lookup:
    def lookup(name: str) -> Alternation | None:
        rule = grammar.rules[name]
        return None if rule.origin == "core" else rule.elements

    return lookup


def _is_same(one: _Lookup, other: _Lookup, start: str) -> bool:
    """Return whether the lookups agree on a rule and all rules that it needs; None must match None."""
    seen = {start}
    pending = [start]
    while pending:
        name = pending.pop()
        elements = one(name)
        if elements != other(name):
            return False
        for reference in references(elements) if elements is not None else ():
            if (key := reference.name.lower()) not in seen:
                seen.add(key)
                pending.append(key)
    return True


FROM_DEFINE = "<define>"  # the name of the ``define`` strings in messages


@dataclass(frozen=True)
class Import:
    """A grammar and the names of its imported rules, or None for all required rules.

    ``directive`` is the structured comment that names the import, or None.
    """

    grammar: BoundGrammar
    rules: tuple[str, ...] | None = None
    directive: ImportDirective | None = None


@dataclass(frozen=True)
class LinkOptions:
    """The options of :func:`link`; see ``abnforge.load``."""

    imports: tuple[Import, ...] = ()
    define: tuple[str, ...] = ()
    allow_undefined: bool = False
    lists: str = RECIPIENT
    alphabet: str | None = None


def link(rulelist: Rulelist, name: str, linking: LinkOptions) -> BoundGrammar:
    """Bind a grammar with its imports and definitions. Raises GrammarError."""
    return bind(rulelist, name=name, options=bind_options(rulelist, linking))


def link_errors(rulelist: Rulelist, linking: LinkOptions) -> list[GrammarError]:
    """Return the errors of :func:`link` in source order."""
    try:
        return binding_errors(rulelist, bind_options(rulelist, linking))
    except GrammarError as error:
        return list(error.errors)


def bind_options(rulelist: Rulelist, linking: LinkOptions) -> BindOptions:
    """Return the options for binding a grammar.

    Raises GrammarError for an invalid ``define`` string, and for an import of an undefined rule.
    """
    define = tuple(read(text, FROM_DEFINE, "abnf") for text in linking.define)
    if not linking.imports:
        return BindOptions({}, define, linking.allow_undefined, linking.lists, alphabet=linking.alphabet)
    whole = replace(rulelist, items=(*rulelist.items, *(rule for extra in define for rule in extra.rules)))
    imports = Imports(whole, [source.grammar for source in linking.imports])
    warnings = []
    for source in linking.imports:
        for rule in source.rules or ():
            imports.announce(rule, source.grammar, _imported_key(source, rule))
    for key, spelling in _needed(whole).items():
        if key in imports.taken:
            continue
        having = [
            source for source in linking.imports if source.rules is None and has_rule(source.grammar, key)
        ]
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
            source
            for source in linking.imports
            if (source.rules is None or key in map(str.lower, source.rules)) and has_rule(source.grammar, key)
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
    directives = {id(source.grammar): source.directive for source in linking.imports}
    places = {
        key: (directive.source, directive.span)
        for key, (origin, _) in imports.taken.items()
        if (directive := directives.get(id(origin))) is not None
    }
    return BindOptions(
        rules,
        define,
        linking.allow_undefined,
        linking.lists,
        tuple(warnings),
        cited,
        linking.alphabet,
        places,
    )


def _defined(rulelist: Rulelist) -> set[str]:
    return {
        rule.name.lower()
        for rule in rulelist.rules
        if not rule.incremental and not is_prose_only(rule.elements)
    }


def _cited(rulelist: Rulelist) -> dict[str, None]:
    """Return names that a grammar defines and that its prose also cites from another specification."""
    defined = _defined(rulelist)
    prose = (
        element.text
        for rule in rulelist.rules
        for element in elements(rule.elements)
        if isinstance(element, ProseVal) and grammar_prose.cites(element.text)
    )
    names = ((grammar_prose.named_rule(text) or "").lower() for text in prose)
    return {name: None for name in names if name in defined}


def _needed(rulelist: Rulelist) -> dict[str, str]:
    """Return the names that a grammar uses but does not define, by lower-case name, as first spelled."""
    defined = _defined(rulelist)
    needed: dict[str, str] = {}
    for rule in rulelist.rules:
        names = [rule.name]
        for element in elements(rule.elements):
            if isinstance(element, RuleName):
                names.append(element.name)
            elif isinstance(element, ProseVal) and (name := grammar_prose.named_rule(element.text)):
                names.append(name)
        if next(lists(rule.elements), None):
            names.append(SPACE)
        for name in names:
            key = name.lower()
            if key not in defined and key not in core_rules():
                needed.setdefault(key, name)
    return needed


def _imported_key(imported: Import, name: str) -> str:
    """Return the key of a rule that an import names."""
    if has_rule(imported.grammar, name.lower()):
        return name.lower()
    names = [rule.name for rule in imported.grammar.rules.values() if rule.origin == "file"]
    directive = imported.directive
    raise GrammarError(
        message(
            "import-rule-unknown",
            name=name,
            grammar=imported.grammar.name,
            near=tuple(near_misses(name, names)),
        ),
        code="import-directive",
        source=directive.source if directive else None,
        span=directive.span if directive else None,
    )


def _collision(source: Source, name: str, first: BoundGrammar, other: Import) -> GrammarError:
    """Return the warning about a rule in two imports, at the second import's directive, if any."""
    here = other.directive is not None and other.directive.source == source
    return GrammarError(
        message("import-conflict", name=name, grammar=first.name, other=other.grammar.name),
        code="import-collision",
        source=source,
        span=other.directive.span if here and other.directive else Span(0, 0),
        rule=name,
    )


def bundled_grammar(name: str, form: str = RECIPIENT) -> BoundGrammar:
    """Return a built-in grammar, bound with its imports; ``form`` is the form of expanded lists."""
    return _bundled(name, form)


@cache
def _bundled(name: str, form: str) -> BoundGrammar:
    folder = generated()
    rulelist = read(folder.joinpath(f"{name}.abnf").read_text("utf-8"), f"{name}.abnf")
    stored = folder.joinpath(f"{name}.imports.json")
    # The imported rules are stored, because reading all of their grammars takes half as long as a verdict.
    if form == RECIPIENT and stored.is_file():
        return bind(rulelist, name=name, options=_taken(stored.read_text("utf-8"), name))
    # tools/build_grammars.py checks that these imports have no cycle.
    imports = tuple(
        Import(_bundled(directive.grammar, form), directive.rules, directive)
        for directive in grammar_annotations.import_directives(rulelist)
    )
    return link(rulelist, name, LinkOptions(imports, lists=form))


def taken_data(options: BindOptions) -> dict[str, dict[str, object]]:
    """Return the imported rules of a grammar as data that ``tools/build_grammars.py`` stores."""
    rules: dict[str, object] = {}
    for each in options.imports.values():
        rule = replace(each.rule, name=each.name, elements=each.elements, incremental=False)
        rules[each.name] = [printer.print_rule(rule) + "\n", each.section]
    return {"rules": rules, "cited": dict(options.cited)}


def _taken(data: str, name: str) -> BindOptions:
    stored = json.loads(data)
    rulelist = read("".join(text for text, _ in stored["rules"].values()), f"{name}.imports", "abnf")
    sections = {rule: section for rule, (_, section) in stored["rules"].items()}
    rules = {
        rule.name.lower(): BoundRule(rule.name, rule.elements, "import", sections[rule.name], rule)
        for rule in rulelist.rules
    }
    return BindOptions(rules, cited=stored["cited"])


def has_lists(grammar: BoundGrammar) -> bool:
    """Return whether the rules of a grammar have lists: ``1#element``."""
    own = (rule.rule for rule in grammar.rules.values() if rule.origin == "file")
    return any(next(lists(rule.elements), None) is not None for rule in own)
