"""Link a grammar: its text, the grammars that it imports, and the rules that the caller defines.

A name that the text uses and does not define is looked up in the imports, in order, and comes with all
rules that it needs from there (``grammar.closure``). A text may name imports itself, in structured comments
on lines of their own::

    ;@ import rfc3986: URI-reference, host
    ;@ import ./common.abnf

The rules to import follow a colon; without it, every undefined name of the text is looked up. Grammars are
found by name (bundled, or of the package ``abnf``) or by path.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

from abnforge._arguments import choice_argument, names_argument, plain_argument, sequence_argument
from abnforge._lazy import importing
from abnforge.catalog import ArgumentTypeError
from abnforge.errors import GrammarError, UnknownNameError
from abnforge.grammar.annotations import ImportDirective, import_directives
from abnforge.grammar.binding import SPACE, BindOptions, bind, binding_errors, lists
from abnforge.grammar.binding import lists as lists_of
from abnforge.grammar.closure import Imports, has_rule, same_rule
from abnforge.grammar.messages import message
from abnforge.grammar.parser import core_rules
from abnforge.grammar.reader import read
from abnforge.grammar.shipped import PACKAGE_PREFIX, bundled_names, generated
from abnforge.grammar.syntax import (
    LISTS,
    RECIPIENT,
    BoundGrammar,
    BoundRule,
    ProseVal,
    Rulelist,
    RuleName,
    elements,
    is_prose_only,
)
from abnforge.messages import message as _message
from abnforge.records import dataclass, replace
from abnforge.text import Source, Span, near_misses

if TYPE_CHECKING:
    from pathlib import Path


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


MAX_IMPORT_DEPTH = 20
"""Files that import files: a specification takes rules from two or three others, and these from one."""


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
    return any(next(lists_of(rule.elements), None) is not None for rule in own)


def grammar_at(
    source: str | os.PathLike[str], folder: Path | None = None, under: tuple[str, ...] = ()
) -> BoundGrammar:
    """A grammar by its bundled name, as ``abnf:NAME``, or by its path from a folder, for others to take rules
    from: names that it does not define are no error there. ``under`` are the files that lead to it.

    Raises UnknownNameError, OSError, GrammarError.
    """
    if isinstance(source, str):
        if source in bundled_names():
            return bundled_grammar(source)
        if source.startswith(PACKAGE_PREFIX):
            with importing:
                from abnforge.grammar.abnf_package import load_package

            return load_package(source.removeprefix(PACKAGE_PREFIX))
    with importing:
        from pathlib import Path

        from abnforge.grammar.files import read_grammar

    path = (folder or Path()) / source
    if isinstance(source, str) and not path.exists() and not looks_like_path(source):
        head, *more = source.split(maxsplit=1)
        if more:
            problem = message("import-colon-missing", found=source, grammar=head, rules=more[0])
        elif near := _near(source):
            problem = message("import-unknown-near", grammar=source, near=near)
        else:
            problem = message("import-unknown", grammar=source)
        raise UnknownNameError(problem)
    real = os.path.realpath(path)
    if real in under or len(under) >= MAX_IMPORT_DEPTH:
        way = " > ".join(
            Path(each).name for each in (*under[under.index(real) if real in under else 0 :], real)
        )
        problem = (
            message("import-cycle", chain=way)
            if real in under
            else message("import-limit", limit=MAX_IMPORT_DEPTH, chain=way)
        )
        raise GrammarError(problem, code="import-directive", path=str(path))
    rulelist = read(read_grammar(path), str(path))
    linking = resolve_imports(rulelist, LinkOptions(allow_undefined=True), path.parent, (*under, real))
    return link(rulelist, path.stem, linking)


def _near(name: str) -> tuple[str, ...]:
    """Return the grammars whose names are close to a name that no bundled grammar has."""
    with importing:
        from abnforge.grammar.abnf_package import package_names

    if name in package_names():
        return (PACKAGE_PREFIX + name,)
    return tuple(near_misses(name, bundled_names()))


def resolve_imports(
    rulelist: Rulelist, linking: LinkOptions, folder: Path, under: tuple[str, ...] = ()
) -> LinkOptions:
    """The linking with what the text itself imports, which comes first. Raises GrammarError, which says where
    an import stands that cannot be had.
    """
    found = tuple(_resolve(directive, folder, under) for directive in import_directives(rulelist))
    return replace(linking, imports=(*found, *linking.imports)) if found else linking


def _resolve(directive: ImportDirective, folder: Path, under: tuple[str, ...]) -> Import:
    try:
        return Import(grammar_at(directive.grammar, folder, under), directive.rules, directive)
    except (UnknownNameError, OSError) as error:
        problem = (
            error.message
            if isinstance(error, UnknownNameError)
            else message("import-unreadable", file=directive.grammar, reason=error.strerror or str(error))
        )
        raise GrammarError(
            problem, code="import-directive", source=directive.source, span=directive.span
        ) from None


class _HasBound(Protocol):
    """What a loaded grammar was made of."""

    bound: BoundGrammar


class HasBoundGrammar(Protocol):
    """A grammar that is loaded, as callers have it."""

    compilation: _HasBound


GrammarSource = HasBoundGrammar | str | os.PathLike[str]
"""What rules can be taken from: a grammar, its name, or a file."""


def linked(
    imports: Sequence[GrammarSource] = (),
    define: Iterable[str] = (),
    allow_undefined: bool = False,
    lists: str = RECIPIENT,
) -> LinkOptions:
    """What a grammar is put together with, out of a caller's arguments. Raises TypeError and ValueError for
    what is none, and what :func:`grammar_at` raises.
    """
    sequence_argument(imports, "imports", object, "grammar, name or path")
    texts = names_argument(define, "define", "texts of rules")
    form = choice_argument(lists, "lists", LISTS)
    return LinkOptions(tuple(map(_import, imports)), texts, bool(allow_undefined), form)


def _import(source: GrammarSource) -> Import:
    if isinstance(source, str):
        return Import(grammar_at(plain_argument(source, "imports")))
    if isinstance(source, os.PathLike):
        return Import(grammar_at(source))
    bound = getattr(getattr(source, "compilation", None), "bound", None)
    if not isinstance(bound, BoundGrammar):
        expected = "a sequence of Grammar, str or Path"
        raise ArgumentTypeError(
            _message("argument-type", name="imports", expected=expected, type=type(source).__name__)
        )
    return Import(bound)


def looks_like_path(source: str) -> bool:
    """Return whether a text that is not a grammar's name is meant as a file's."""
    with importing:
        from abnforge.grammar.files import is_document_name

    return (
        os.path.exists(source)
        or os.sep in source
        or source.lower().endswith(".abnf")
        or is_document_name(source)
    )
