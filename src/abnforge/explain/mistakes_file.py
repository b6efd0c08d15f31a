"""A file of mistakes read: ABNF with directives above its rules, to a ``Mistakes`` of ``mistakes.model``.

The text is ABNF, which the reader of grammars reads; directives are comments. What can be said without
the grammar that the mistakes are about is checked here, the rest in ``mistakes.binding``. Cost: linear, times
the members of families.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from abnforge._lazy import gc_paused
from abnforge.errors import GrammarError
from abnforge.explain.declare import (
    ADOPTING,
    COMPLETE,
    MAY_DECLARE,
    DirectiveArguments,
    DirectiveBlock,
    directives,
    error,
)
from abnforge.explain.messages import message
from abnforge.explain.mistakes import ALL, Adoption, FixPart, Mapped, Mistake, Mistakes, Slot, Substituted
from abnforge.grammar import lexer
from abnforge.grammar.annotations import EXAMPLES, Directive
from abnforge.grammar.reader import read_partial
from abnforge.grammar.syntax import (
    Alternation,
    Comment,
    RuleDefinition,
    Rulelist,
    RuleName,
    map_names,
    references,
)
from abnforge.text import Source, Span, citation, near_misses

# Mistakes of one grammar taken over by another, which has its rules under other names, but for some of
# them.
#
# RFC 3987 has the rules of RFC 3986 with an "i" before their names: what people write instead of a query,
# they write instead of an iquery. A file of mistakes says so at its head; fixes are proved again for its
# grammar.


_SLOT = re.compile(r"\{\{|\}\}|\{([^{}.]+)(\.[0-9]+)?\}")


def adoption(source: Source, found: list[Directive]) -> Adoption:
    """What ``adopt``, ``without``, ``without-example``, ``only`` and ``as`` say. Raises DirectiveError."""
    grammar: str | None = None
    some: dict[str, list[str]] = {"without": [], "only": []}
    names: list[tuple[str, str]] = []
    left_out: list[str] = []
    for directive in found:
        arguments = DirectiveArguments(source, directive)
        if directive.word == "adopt" and grammar is None:
            grammar = arguments.take("name").text
            arguments.end()
        elif directive.word in some:
            some[directive.word].append(arguments.take("name").text)
            while arguments.more:
                some[directive.word].append(arguments.take("name").text)
        elif directive.word == "without-example":
            left_out.append(arguments.text())
            arguments.end()
        elif directive.word == "as":
            names.append((arguments.take("name").text, arguments.take("name").text))
            while arguments.more:
                names.append((arguments.take("name").text, arguments.take("name").text))
        else:
            raise error(
                source,
                directive.span,
                message("directive-misplaced", word=directive.word, first=found[0].word),
            )
    if grammar is None:
        raise error(source, found[0].span, message("directive-without-adopt", word=found[0].word))
    return Adoption(
        grammar, tuple(some["without"]), tuple(some["only"]), tuple(names), tuple(left_out), found[0].span
    )


def with_adopted(mistakes: Mistakes, find: Callable[[str], Mistakes | None]) -> Mistakes:
    """Mistakes with those that they take over behind them; ``find`` gives those of a grammar by its name.

    Raises :class:`GrammarError` for a grammar that has none, and for names that those do not have. Cost:
    linear.
    """
    for adoption in mistakes.adopts:
        others = find(adoption.grammar)
        if others is None:
            raise GrammarError(
                message("adopted-grammar-unknown", grammar=adoption.grammar),
                code="mistake-directive",
                source=mistakes.source,
                span=adoption.span,
            )
        mistakes = mistakes.followed_by(_adopted(mistakes, others, adoption))
    return mistakes


def behind(mistakes: Mistakes, others: Mistakes) -> Mistakes:
    """Mistakes with others behind them, as a user's are before those that are shipped: of the same name, a
    mistake of the first stands for the other one, and a helper of the others has another name.
    """
    taken = {rule.name.lower() for rule in (*mistakes.helpers, *(each.rule for each in mistakes.mistakes))}
    kept = tuple(each for each in others.mistakes if each.key not in taken)
    known = taken | {rule.name.lower() for rule in others.helpers} | {each.key for each in kept}
    names: dict[str, str] = {}
    for rule in others.helpers:
        if rule.name.lower() in taken:
            number = next(n for n in count(2) if f"{rule.name.lower()}-{n}" not in known)
            names[rule.name.lower()] = f"{rule.name}-{number}"
            known.add(f"{rule.name.lower()}-{number}")
    if names:
        kept = tuple(_renamed(each, names, None) for each in kept)
    renamed = tuple(
        replace(_rule(rule, names), name=names.get(rule.name.lower(), rule.name)) for rule in others.helpers
    )
    return mistakes.followed_by(replace(others, mistakes=kept, helpers=renamed))


def _adopted(mistakes: Mistakes, others: Mistakes, adoption: Adoption) -> Mistakes:
    known = {mistake.rule.name.lower(): mistake.rule.name for mistake in others.mistakes}
    for name in (*adoption.without, *adoption.only):
        if name.lower() not in known:
            near = near_misses(name, known.values())
            raise GrammarError(
                message("adopted-mistake-unknown", name=name, grammar=adoption.grammar, near=near),
                code="mistake-directive",
                source=mistakes.source,
                span=adoption.span,
            )
    without = {name.lower() for name in adoption.without}
    only = {name.lower() for name in adoption.only} or known.keys()
    written = {example.wrong for mistake in others.mistakes for example in mistake.examples}
    for text in adoption.omitted_examples:
        if text not in written:
            raise GrammarError(
                message("adopted-example-unknown", grammar=adoption.grammar, example=text),
                code="mistake-directive",
                source=mistakes.source,
                span=adoption.span,
            )
    kept = [mistake for mistake in others.mistakes if mistake.key in only - without]
    names = {old.lower(): new for old, new in adoption.names}
    helpers = _needed(kept, {rule.name.lower(): rule for rule in others.helpers})
    return replace(
        others,
        mistakes=tuple(
            _without(_renamed(mistake, names, adoption.grammar), adoption.omitted_examples)
            for mistake in kept
        ),
        helpers=tuple(_rule(rule, names) for rule in helpers),
        complete=False,  # the other file states it about its own grammar
    )


def _without(mistake: Mistake, texts: tuple[str, ...]) -> Mistake:
    """A mistake without the examples that are none where it is taken over."""
    return replace(mistake, examples=tuple(each for each in mistake.examples if each.wrong not in texts))


def _needed(mistakes: list[Mistake], helpers: Mapping[str, RuleDefinition]) -> list[RuleDefinition]:
    """The helpers that some mistakes use, directly or not, in their order."""
    waiting = [key for mistake in mistakes for key in (*_named(mistake.rule.elements), *_sets(mistake))]
    found: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key in helpers and key not in found:
            found.add(key)
            waiting += _named(helpers[key].elements)
    return [rule for key, rule in helpers.items() if key in found]


def _named(elements: Alternation) -> Iterator[str]:
    return (reference.name.lower() for reference in references(elements))


def _sets(mistake: Mistake) -> Iterator[str]:
    for part in mistake.fix or ():
        if isinstance(part, Mapped) and part.rule is not None:
            yield part.rule


def _rule(rule: RuleDefinition, names: Mapping[str, str]) -> RuleDefinition:
    def change(name: RuleName) -> RuleName:
        return replace(name, name=names.get(name.name.lower(), name.name))

    return replace(rule, elements=map_names(rule.elements, change))


def _renamed(mistake: Mistake, names: Mapping[str, str], grammar: str | None) -> Mistake:
    """A mistake of a grammar over rules of other names. Its code is what it was, and what it cites."""

    def key(old: str) -> str:
        return names.get(old, old).lower()

    def some(old: str | None) -> str | None:
        return None if old is None else key(old)

    def slot(old: Slot) -> Slot:
        return old._replace(name=key(old.name)) if old.turn else old

    def part(old: FixPart) -> FixPart:
        match old:
            case Slot():
                return slot(old)
            case Mapped():
                return old._replace(slot=slot(old.slot), rule=some(old.rule))
            case Substituted(pairs=pairs):
                return Substituted(tuple((key(name), text) for name, text in pairs))
            case _:
                return old

    def said(match: re.Match[str]) -> str:
        return (
            match[0]
            if match[1] is None or match[0] == f"{{{ALL}}}"
            else f"{{{key(match[1])}{match[2] or ''}}}"
        )

    return replace(
        mistake,
        rule=_rule(mistake.rule, names),
        targets=tuple(dict.fromkeys(map(key, mistake.targets))),
        blame=tuple(map(slot, mistake.blame)),
        fix=None if mistake.fix is None else tuple(map(part, mistake.fix)),
        about=some(mistake.about),
        section=mistake.section
        and (mistake.section if grammar is None else citation(grammar, mistake.section)),
        inner=frozenset(map(key, mistake.inner)),
        say=None if mistake.say is None else _SLOT.sub(said, mistake.say),
        examples=tuple(each._replace(rule=some(each.rule)) for each in mistake.examples),
        near=tuple(each._replace(rule=some(each.rule)) for each in mistake.near),
    )


def read_mistakes(text: str | Source, name: str = "<mistakes>") -> Mistakes:
    """Read a file of mistakes; ``name`` stands for the text in messages.

    Raises :class:`~abnforge.errors.GrammarError` with every error found (``.errors``): those of ABNF, and
    those of directives, whose code is ``mistake-directive``.
    """
    with gc_paused(len(text if isinstance(text, str) else text.text)):
        rulelist, errors = read_partial(text, name, "abnf")
        reader = _Reader(rulelist, alone=True)
    if errors or reader.errors:
        raise GrammarError.combine([*errors, *reader.errors])
    helpers = (*reader.helpers, *reader.plain)
    return Mistakes(
        name, tuple(reader.mistakes), helpers, reader.source, tuple(reader.adopts), reader.complete
    )


def apart(rulelist: Rulelist, name: str) -> tuple[Rulelist, Mistakes | None]:
    """The rules of a grammar, and the mistakes that its text declares among them; None if it has none.

    ``name`` is the grammar's. Raises GrammarError for directives that cannot be understood.
    """
    if not MAY_DECLARE.search(rulelist.source.text):
        return rulelist, None
    reader = _Reader(rulelist, alone=False)
    if reader.errors:
        raise GrammarError.combine(reader.errors)
    kept = set(map(id, reader.plain))
    items = tuple(item for item in rulelist.items if not isinstance(item, RuleDefinition) or id(item) in kept)
    mistakes = Mistakes(
        name,
        tuple(reader.mistakes),
        tuple(reader.helpers),
        reader.source,
        tuple(reader.adopts),
        reader.complete,
    )
    return replace(rulelist, items=items), mistakes


class _Reader:
    def __init__(self, rulelist: Rulelist, *, alone: bool) -> None:
        self._alone = alone  # not among the rules of a grammar, which may be continued by "=/"
        self.source = rulelist.source
        self.errors: list[GrammarError] = []
        self.mistakes: list[Mistake] = []
        self.helpers: list[RuleDefinition] = []  # with directives of their own: families
        self.plain: list[RuleDefinition] = []
        self.adopts: list[Adoption] = []
        self.complete = False
        self._defined: dict[str, Span] = {}
        waiting: list[Directive] = []
        for item in rulelist.items:
            if isinstance(item, RuleDefinition):
                self._rule(item, waiting)
                waiting = []
            elif item.text.startswith("@"):
                waiting += self._directives(item.span)
            elif not item.text and waiting:
                self._lost(waiting)
                waiting = []
        self._lost(waiting)
        self._hidden()

    def _directives(self, span: Span) -> list[Directive]:
        try:
            return list(directives(self.source, span.start + 2, span.end))
        except GrammarError as found:
            self.errors.append(found)
            return []

    def _lost(self, waiting: list[Directive]) -> None:
        """Directives that no rule follows at once."""
        for directive in waiting:
            if directive.word == COMPLETE:
                self._complete(directive)
        waiting = [directive for directive in waiting if directive.word != COMPLETE]
        if waiting and waiting[0].word in ADOPTING:
            self._adopt(waiting)
        elif waiting:
            misplaced = message("directive-without-rule", word=waiting[0].word)
            self.errors.append(error(self.source, waiting[0].span, misplaced))

    def _adopt(self, found: list[Directive]) -> None:
        """What a file takes over: ``adopt`` and what is said of it."""
        try:
            self.adopts.append(adoption(self.source, found))
        except GrammarError as error_found:
            self.errors.append(error_found)

    def _complete(self, directive: Directive) -> None:
        try:
            DirectiveArguments(self.source, directive).end()
            if self.complete:
                raise error(self.source, directive.span, message("directive-repeated", word=COMPLETE))
        except GrammarError as found:
            self.errors.append(found)
        self.complete = True

    def _hidden(self) -> None:
        """Directives that are part of a rule, being indented or behind something."""
        text = self.source.text
        for part in lexer.parts(text):
            if isinstance(part, Comment):
                continue
            for token in lexer.tokens(text, part.start, part.end, "abnf"):
                if token.kind == "comment" and text.startswith(";@", token.start):
                    if EXAMPLES.match(text, token.start):
                        continue  # those are of the rule that they stand in
                    span = Span(token.start, token.start + 2)
                    self.errors.append(error(self.source, span, message("directive-in-rule")))

    def _rule(self, rule: RuleDefinition, waiting: list[Directive]) -> None:
        try:
            for directive in waiting:
                if directive.word in (*ADOPTING, COMPLETE):
                    misplaced = message("directive-of-file", word=directive.word)
                    raise error(self.source, directive.span, misplaced)
            if not waiting:
                self.plain.append(rule)
                if self._alone:
                    self._define(rule)
                return
            draft = DirectiveBlock(self.source, rule, waiting)
            for member in draft.members:
                made = draft.mistake(member, len(self.mistakes))
                if made is None:
                    self._define(helper := draft.renamed(member))
                    self.helpers.append(helper)
                else:
                    self._define(made.rule)
                    self.mistakes.append(made)
        except GrammarError as found:
            self.errors.append(found)

    def _define(self, rule: RuleDefinition) -> None:
        key = rule.name.lower()
        if key in self._defined:
            raise GrammarError(
                message("rule-duplicate", rule=rule.name),
                code="duplicate-rule",
                source=self.source,
                span=rule.name_span,
                rule=rule.name,
                related=[(self._defined[key], message("first-defined-here"))],
            )
        self._defined[key] = rule.name_span
