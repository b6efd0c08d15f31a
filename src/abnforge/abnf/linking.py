"""A grammar put together: its text, the grammars that it takes rules from, and what is given beside it.

A name that the text uses and does not define is looked up in the imports, in order, and comes with all that
it needs from there (``abnf.imports``). A text may name imports itself, in structured comments that stand on
lines of their own::

    ;@ import rfc3986: URI-reference, host
    ;@ import ./common.abnf

Behind a colon stand the rules that are wanted; without it, whatever the text does not define is looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from abnforge.abnf.binding import Given, bind, binding_errors
from abnforge.abnf.core_rules import core_rules
from abnforge.abnf.imports import Imports, has_rule, same_rule
from abnforge.abnf.lists import RECIPIENT, SPACE, lists
from abnforge.abnf.messages import message
from abnforge.abnf.model import Comment, ProseVal, Rulelist, RuleName
from abnforge.abnf.names import BoundGrammar, elements, is_prose_only
from abnforge.abnf.reader import read
from abnforge.errors import GrammarError
from abnforge.late import importing
from abnforge.near_misses import near_misses
from abnforge.once import lazy_pattern
from abnforge.records import dataclass, replace
from abnforge.source import Source, Span

_WORD = lazy_pattern(r";@[ \t]*([A-Za-z-]+)")
_LIKENESS = 0.8
"""How alike a misspelt word is at least: "imports", "improt"."""
IMPORT = lazy_pattern(r";@[ \t]*import\b[ \t]*(?P<from>[^\n]*?)[ \t\r]*")
_NAMES = lazy_pattern(r"[A-Za-z][A-Za-z0-9_-]*(?:[ \t]*,[ \t]*[A-Za-z][A-Za-z0-9_-]*)*")

FROM_DEFINE = "<define>"
"""What the texts given as ``define`` are called in messages."""


@dataclass(frozen=True)
class Wish:
    """An import that a text names: the grammar as it is called there, and the rules, or None for any."""

    grammar: str
    rules: tuple[str, ...] | None
    source: Source
    span: Span


@dataclass(frozen=True)
class Import:
    """A grammar that rules are taken from: those that are named, or whatever is needed. ``wish`` is what
    asked for it, if the text did.
    """

    grammar: BoundGrammar
    rules: tuple[str, ...] | None = None
    wish: Wish | None = None


@dataclass(frozen=True)
class Linking:
    """What a grammar is put together with; see ``abnforge.load``."""

    imports: tuple[Import, ...] = ()
    define: tuple[str, ...] = ()
    allow_undefined: bool = False
    lists: str = RECIPIENT


def wishes(rulelist: Rulelist) -> Iterator[Wish]:
    """The imports that a text names. Raises GrammarError for one that cannot be understood."""
    for item in rulelist.items:
        if not isinstance(item, Comment) or not item.text.startswith("@"):
            continue
        match = IMPORT.fullmatch(rulelist.source.text, item.span.start, item.span.end)
        if match is None:
            _misspelt(rulelist.source, item.span)
            continue
        span = Span(*match.span("from"))
        grammar, rules = _parted(match["from"])
        if not grammar or (rules is not None and not _NAMES.fullmatch(rules)):
            raise GrammarError(
                message("import-malformed"),
                code="import-directive",
                source=rulelist.source,
                span=span if span.end > span.start else item.span,
            )
        names = None if rules is None else tuple(each.strip() for each in rules.split(","))
        yield Wish(grammar, names, rulelist.source, span)


def _misspelt(source: Source, span: Span) -> None:
    """Raise GrammarError for a comment that would be an import if its word were not misspelt."""
    word = _WORD.match(source.text, span.start, span.end)
    if word and _is_like_import(word[1]):
        raise GrammarError(
            message("directive-misspelled", word=word[1], near=("import",)),
            code="import-directive",
            source=source,
            span=Span(*word.span(1)),
        )


@lru_cache
def _is_like_import(word: str) -> bool:
    return word != "import" and bool(near_misses(word, ("import",), _LIKENESS))


def _parted(text: str) -> tuple[str, str | None]:
    """A grammar and names of rules: ``abnf:rfc9110`` and a drive's letter have a colon, too."""
    head, colon, tail = text.rpartition(":")
    if not colon or head in ("", "abnf") or tail.startswith(("/", "\\")):
        return text, None
    return head.strip(), tail.strip()


def link(rulelist: Rulelist, name: str, linking: Linking) -> BoundGrammar:
    """Bind a grammar with what it is put together with. Raises GrammarError."""
    return bind(rulelist, name=name, given=given(rulelist, linking))


def link_errors(rulelist: Rulelist, linking: Linking) -> list[GrammarError]:
    """What :func:`link` would refuse, in source order."""
    try:
        return binding_errors(rulelist, given(rulelist, linking))
    except GrammarError as error:
        return list(error.errors)


def given(rulelist: Rulelist, linking: Linking) -> Given:
    """What the grammar is bound with. Raises GrammarError for a text of ``define`` that is none, and for a
    rule that an import names and that is not there.
    """
    define = tuple(read(text, FROM_DEFINE, "abnf") for text in linking.define)
    if not linking.imports:
        return Given({}, define, linking.allow_undefined, linking.lists)
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
    return Given(rules, define, linking.allow_undefined, linking.lists, tuple(warnings), cited)


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
        from abnforge.abnf.prose import cites, named_rule

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
    """Names that a text uses and does not define, as they are spelt first, by lower-case name."""
    with importing:
        from abnforge.abnf.prose import named_rule

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
    """The key of a rule that an import names."""
    if has_rule(imported.grammar, name.lower()):
        return name.lower()
    known = [rule.name for rule in imported.grammar.rules.values() if rule.origin == "file"]
    wish = imported.wish
    raise GrammarError(
        message(
            "import-rule-unknown",
            name=name,
            grammar=imported.grammar.name,
            near=tuple(near_misses(name, known)),
        ),
        code="import-directive",
        source=wish.source if wish else None,
        span=wish.span if wish else None,
    )


def _collision(source: Source, name: str, first: BoundGrammar, other: Import) -> GrammarError:
    """A warning where the other grammar is asked for, if that is in the text."""
    here = other.wish is not None and other.wish.source == source
    return GrammarError(
        message("import-conflict", name=name, grammar=first.name, other=other.grammar.name),
        code="import-collision",
        source=source,
        span=other.wish.span if here and other.wish else Span(0, 0),
        rule=name,
    )
