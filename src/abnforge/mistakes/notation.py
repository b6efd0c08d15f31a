"""A file of mistakes read: ABNF with directives above its rules, to a ``Mistakes`` of ``mistakes.model``.

The text is ABNF, which the reader of grammars reads; directives are comments. What can be said without
the grammar that the mistakes are about is checked here, the rest in ``mistakes.binding``. Cost: linear, times
the members of families.
"""

from __future__ import annotations

from dataclasses import replace

from abnforge.errors import GrammarError
from abnforge.grammar import lexer
from abnforge.grammar.annotations import EXAMPLES, Directive
from abnforge.grammar.reader import read_partial
from abnforge.grammar.syntax import Comment, Rule, Rulelist
from abnforge.mistakes.adoption import adoption
from abnforge.mistakes.directives import ADOPTING, COMPLETE, MAY_DECLARE, Arguments, directives, error
from abnforge.mistakes.drafts import Draft
from abnforge.mistakes.messages import message
from abnforge.mistakes.model import Adoption, Mistake, Mistakes
from abnforge.source import Source, Span
from abnforge.uncollected import uncollected


def read_mistakes(text: str | Source, name: str = "<mistakes>") -> Mistakes:
    """Read a file of mistakes; ``name`` stands for the text in messages.

    Raises :class:`~abnforge.errors.GrammarError` with every error found (``.errors``): those of ABNF, and
    those of directives, whose code is ``mistake-directive``.
    """
    with uncollected(len(text if isinstance(text, str) else text.text)):
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
    items = tuple(item for item in rulelist.items if not isinstance(item, Rule) or id(item) in kept)
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
        self.helpers: list[Rule] = []  # with directives of their own: families
        self.plain: list[Rule] = []
        self.adopts: list[Adoption] = []
        self.complete = False
        self._defined: dict[str, Span] = {}
        waiting: list[Directive] = []
        for item in rulelist.items:
            if isinstance(item, Rule):
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
            Arguments(self.source, directive).end()
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

    def _rule(self, rule: Rule, waiting: list[Directive]) -> None:
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
            draft = Draft(self.source, rule, waiting)
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

    def _define(self, rule: Rule) -> None:
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
