"""Parse mistakes files (ABNF with directives above its rules) to ``Mistakes``, and inherit mistakes.

The grammar parser reads the ABNF; directives are comments. This module makes the checks that do not require
the grammar; ``explain.bind`` makes the others. Cost: linear, for each member of a family.

A file can inherit the mistakes of another grammar with renamed rules: RFC 3987 has the rules of RFC 3986 with
an "i" before their names. The fixes for inherited mistakes are proved again for the new grammar.
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
from abnforge.messages import message
from abnforge.text import Source, Span, citation, near_misses

_SLOT = re.compile(r"\{\{|\}\}|\{([^{}.]+)(\.[0-9]+)?\}")


def read_mistakes(text: str | Source, name: str = "<mistakes>") -> Mistakes:
    """Parse a mistakes file; ``name`` is its name in messages.

    Raises :class:`~abnforge.errors.GrammarError` with all errors (``.errors``) in the ABNF and in directives;
    the latter have the code ``mistake-directive``.
    """
    with gc_paused(len(text if isinstance(text, str) else text.text)):
        rulelist, errors = read_partial(text, name, "abnf")
        reader = _Reader(rulelist, is_file=True)
    if errors or reader.errors:
        raise GrammarError.combine([*errors, *reader.errors])
    helpers = (*reader.helpers, *reader.plain)
    return Mistakes(
        name,
        tuple(reader.mistakes),
        helpers,
        reader.source,
        tuple(reader.adopts),
        reader.complete,
        tuple(reader.withheld),
    )


def split_mistakes(rulelist: Rulelist, name: str) -> tuple[Rulelist, Mistakes | None]:
    """Return a grammar's rules, and the mistakes that it declares or None.

    ``name`` is the grammar's name. Raises GrammarError for invalid directives.
    """
    if not MAY_DECLARE.search(rulelist.source.text):
        return rulelist, None
    reader = _Reader(rulelist, is_file=False)
    if reader.errors:
        raise GrammarError.combine(reader.errors)
    plain_ids = set(map(id, reader.plain))
    items = tuple(
        item for item in rulelist.items if not isinstance(item, RuleDefinition) or id(item) in plain_ids
    )
    mistakes = Mistakes(
        name,
        tuple(reader.mistakes),
        tuple(reader.helpers),
        reader.source,
        tuple(reader.adopts),
        reader.complete,
        tuple(reader.withheld),
    )
    return replace(rulelist, items=items), mistakes


def with_inherited(mistakes: Mistakes, find: Callable[[str], Mistakes | None]) -> Mistakes:
    """Return mistakes followed by inherited mistakes.

    ``find`` returns a grammar's mistakes by its name.

    Raises :class:`GrammarError` for a grammar without mistakes, and for unknown names. Cost: linear.
    """
    for adoption in mistakes.adopts:
        inherited = find(adoption.grammar)
        if inherited is None:
            raise GrammarError(
                message("adopted-grammar-unknown", grammar=adoption.grammar),
                code="mistake-directive",
                source=mistakes.source,
                span=adoption.span,
            )
        mistakes = mistakes.followed_by(_inherited(mistakes, inherited, adoption))
    return mistakes


def combined(mistakes: Mistakes, others: Mistakes) -> Mistakes:
    """Return mistakes followed by others, such as custom mistakes followed by built-in ones.

    A mistake replaces a mistake of the same name in ``others``; conflicting helpers of ``others`` are
    renamed.
    """
    own_keys = {rule.name.lower() for rule in (*mistakes.helpers, *(each.rule for each in mistakes.mistakes))}
    others_kept = tuple(each for each in others.mistakes if each.key not in own_keys)
    used_keys = own_keys | {rule.name.lower() for rule in others.helpers} | {each.key for each in others_kept}
    renames: dict[str, str] = {}
    for rule in others.helpers:
        if rule.name.lower() in own_keys:
            suffix = next(n for n in count(2) if f"{rule.name.lower()}-{n}" not in used_keys)
            renames[rule.name.lower()] = f"{rule.name}-{suffix}"
            used_keys.add(f"{rule.name.lower()}-{suffix}")
    if renames:
        others_kept = tuple(_renamed(each, renames, None) for each in others_kept)
        others = replace(others, withheld=tuple(renames.get(key, key).lower() for key in others.withheld))
    renamed = tuple(
        replace(_rule(rule, renames), name=renames.get(rule.name.lower(), rule.name))
        for rule in others.helpers
    )
    return mistakes.followed_by(replace(others, mistakes=others_kept, helpers=renamed))


class _Reader:
    def __init__(self, rulelist: Rulelist, *, is_file: bool) -> None:
        self._is_file = is_file  # in a grammar, "=/" may extend rules
        self.source = rulelist.source
        self.errors: list[GrammarError] = []
        self.mistakes: list[Mistake] = []
        self.helpers: list[RuleDefinition] = []  # helper rules, each possibly a family
        self.plain: list[RuleDefinition] = []
        self.adopts: list[Adoption] = []
        self.complete = False
        self.withheld: list[str] = []
        self._defined: dict[str, Span] = {}
        waiting: list[Directive] = []
        for item in rulelist.items:
            if isinstance(item, RuleDefinition):
                self._rule(item, waiting)
                waiting = []
            elif item.text.startswith("@"):
                waiting += self._directives(item.span)
            elif not item.text and waiting:
                self._end_block(waiting)
                waiting = []
        self._end_block(waiting)
        self._reject_indented()

    def _directives(self, span: Span) -> list[Directive]:
        try:
            return list(directives(self.source, span.start + 2, span.end))
        except GrammarError as exception:
            self.errors.append(exception)
            return []

    def _end_block(self, waiting: list[Directive]) -> None:
        """Handle directives that are not directly above a rule."""
        for directive in waiting:
            if directive.word == COMPLETE:
                self._complete(directive)
        waiting = [directive for directive in waiting if directive.word != COMPLETE]
        if waiting and waiting[0].word in ADOPTING:
            self._adopt(waiting)
        elif waiting:
            misplaced = message("directive-without-rule", word=waiting[0].word)
            self.errors.append(error(self.source, waiting[0].span, misplaced))

    def _adopt(self, block: list[Directive]) -> None:
        """Parse the directives about inheritance."""
        try:
            self.adopts.append(adoption(self.source, block))
        except GrammarError as exception:
            self.errors.append(exception)

    def _complete(self, directive: Directive) -> None:
        try:
            DirectiveArguments(self.source, directive).end()
            if self.complete:
                raise error(self.source, directive.span, message("directive-repeated", word=COMPLETE))
        except GrammarError as exception:
            self.errors.append(exception)
        self.complete = True

    def _reject_indented(self) -> None:
        """Report directives that are indented or follow other characters, and so are part of a rule."""
        text = self.source.text
        for part in lexer.parts(text):
            if isinstance(part, Comment):
                continue
            for token in lexer.tokens(text, part.start, part.end, "abnf"):
                if token.kind == "comment" and text.startswith(";@", token.start):
                    if EXAMPLES.match(text, token.start):
                        continue  # examples belong to their rule
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
                if self._is_file:
                    self._define(rule)
                return
            block = DirectiveBlock(self.source, rule, waiting)
            for member in block.members:
                mistake = block.mistake(member, len(self.mistakes))
                if mistake is None:
                    self._define(helper := block.renamed(member))
                    self.helpers.append(helper)
                    self.withheld += [helper.name.lower()] if block.withholds else []
                else:
                    self._define(mistake.rule)
                    self.mistakes.append(mistake)
        except GrammarError as exception:
            self.errors.append(exception)

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


def adoption(source: Source, block: list[Directive]) -> Adoption:
    """Parse ``adopt``, ``without``, ``without-example``, ``only`` and ``as``. Raises DirectiveError."""
    grammar: str | None = None
    names_by_word: dict[str, list[str]] = {"without": [], "only": []}
    renames: list[tuple[str, str]] = []
    omitted: list[str] = []
    for directive in block:
        arguments = DirectiveArguments(source, directive)
        if directive.word == "adopt" and grammar is None:
            grammar = arguments.take("name").text
            arguments.end()
        elif directive.word in names_by_word:
            names_by_word[directive.word].append(arguments.take("name").text)
            while arguments.more:
                names_by_word[directive.word].append(arguments.take("name").text)
        elif directive.word == "without-example":
            omitted.append(arguments.text())
            arguments.end()
        elif directive.word == "as":
            renames.append((arguments.take("name").text, arguments.take("name").text))
            while arguments.more:
                renames.append((arguments.take("name").text, arguments.take("name").text))
        else:
            raise error(
                source,
                directive.span,
                message("directive-misplaced", word=directive.word, first=block[0].word),
            )
    if grammar is None:
        raise error(source, block[0].span, message("directive-without-adopt", word=block[0].word))
    return Adoption(
        grammar,
        tuple(names_by_word["without"]),
        tuple(names_by_word["only"]),
        tuple(renames),
        tuple(omitted),
        block[0].span,
    )


def _inherited(mistakes: Mistakes, others: Mistakes, adoption: Adoption) -> Mistakes:
    known_names = {mistake.rule.name.lower(): mistake.rule.name for mistake in others.mistakes}
    for name in (*adoption.without, *adoption.only):
        if name.lower() not in known_names:
            near = near_misses(name, known_names.values())
            raise GrammarError(
                message("adopted-mistake-unknown", name=name, grammar=adoption.grammar, near=near),
                code="mistake-directive",
                source=mistakes.source,
                span=adoption.span,
            )
    without = {name.lower() for name in adoption.without}
    included = {name.lower() for name in adoption.only} or known_names.keys()
    examples = {example.wrong for mistake in others.mistakes for example in mistake.examples}
    for text in adoption.omitted_examples:
        if text not in examples:
            raise GrammarError(
                message("adopted-example-unknown", grammar=adoption.grammar, example=text),
                code="mistake-directive",
                source=mistakes.source,
                span=adoption.span,
            )
    mistakes_kept = [mistake for mistake in others.mistakes if mistake.key in included - without]
    renames = {old.lower(): new for old, new in adoption.names}
    own_keys = {rule.name.lower() for rule in mistakes.helpers}  # helpers replace inherited ones
    others_by_key = {rule.name.lower(): rule for rule in others.helpers}
    needed = _needed(mistakes_kept, others_by_key, others.withheld)
    helpers = [rule for rule in needed if rule.name.lower() not in own_keys]
    return replace(
        others,
        mistakes=tuple(
            _without_examples(_renamed(mistake, renames, adoption.grammar), adoption.omitted_examples)
            for mistake in mistakes_kept
        ),
        helpers=tuple(_rule(rule, renames) for rule in helpers),
        complete=False,  # the other file declares this for its own grammar
    )


def _without_examples(mistake: Mistake, texts: tuple[str, ...]) -> Mistake:
    """Return a mistake without the examples that do not apply to the inheriting grammar."""
    return replace(mistake, examples=tuple(each for each in mistake.examples if each.wrong not in texts))


def _needed(
    mistakes: list[Mistake], helpers: Mapping[str, RuleDefinition], withheld: tuple[str, ...]
) -> list[RuleDefinition]:
    """Return the withheld helpers and those that some mistakes use, directly or indirectly, in order."""
    waiting = [*withheld]
    waiting += [key for mistake in mistakes for key in (*_named(mistake.rule.elements), *_sets(mistake))]
    needed: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key in helpers and key not in needed:
            needed.add(key)
            waiting += _named(helpers[key].elements)
    return [rule for key, rule in helpers.items() if key in needed]


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
    """Rename the rules of a mistake. Its code is unchanged, and its section cites the other grammar."""

    def key(old: str) -> str:
        return names.get(old, old).lower()

    def optional_key(old: str | None) -> str | None:
        return None if old is None else key(old)

    def slot(old: Slot) -> Slot:
        return old._replace(name=key(old.name)) if old.turn else old

    def part(old: FixPart) -> FixPart:
        match old:
            case Slot():
                return slot(old)
            case Mapped():
                return old._replace(slot=slot(old.slot), rule=optional_key(old.rule))
            case Substituted(pairs=pairs):
                return Substituted(tuple((key(name), text) for name, text in pairs))
            case _:
                return old

    def placeholder(match: re.Match[str]) -> str:
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
        about=optional_key(mistake.about),
        section=mistake.section
        and (mistake.section if grammar is None else citation(grammar, mistake.section)),
        inner=frozenset(map(key, mistake.inner)),
        say=None if mistake.say is None else _SLOT.sub(placeholder, mistake.say),
        examples=tuple(each._replace(rule=optional_key(each.rule)) for each in mistake.examples),
        near=tuple(each._replace(rule=optional_key(each.rule)) for each in mistake.near),
    )
