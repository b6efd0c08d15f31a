"""ABNF text to the surface model, to the letter: RFC 5234, RFC 7405's string prefixes, the "|" notation.

The text is cut into chunks of one rule each and these into tokens (``abnf.lexing``); each rule is then read
on its own. Brackets are kept on an explicit stack: no nesting in the text becomes nesting of Python calls.
Nothing here knows which names are defined (see ``abnf.names``).

Cost: linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.abnf import lexing
from abnforge.abnf.dialects import DIALECTS, detect_dialect
from abnforge.abnf.lexing import Chunk, Token, comment_text, section_of
from abnforge.abnf.messages import message
from abnforge.abnf.model import (
    Alternation,
    Comment,
    Concatenation,
    Element,
    Group,
    Option,
    Repetition,
    Rule,
    Rulelist,
    RuleName,
)
from abnforge.abnf.syntax_errors import CLOSER, REPEATS, STARTS_ELEMENT, SyntaxErrors
from abnforge.abnf.terminals import Terminals
from abnforge.arguments import choice_argument
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.records import dataclass, field
from abnforge.source import Source, Span
from abnforge.uncollected import uncollected

MAX_NESTING = 50
"""Brackets inside brackets. Published grammars need six; comparing, printing and compiling a model may
recurse, and this many levels stay well within CPython's default recursion limit."""


def parse(
    text: str | Source, name: str = "<string>", dialect: str | None = None
) -> tuple[Rulelist, list[GrammarError]]:
    """The rules that are well-formed, and an error for each that is not, in source order.

    ``name`` stands for the text in messages, unless that is a Source, which has its own; ``dialect`` is
    ``"abnf"``, ``"rfc822"`` or None to recognise it.
    A rule whose text can be understood but must not be written so (``5*3ALPHA``, ``%x5A-41``) is in the model
    *and* has an error. Raises ValueError for an unknown dialect. Cost: linear.
    """
    if dialect is not None:
        choice_argument(dialect, "dialect", DIALECTS)
    source = Source(text, name) if isinstance(text, str) else text
    reader = _Reader(source, dialect or detect_dialect(source.text))
    with uncollected(len(source.text)):
        items = tuple(reader.items())
    recognized = dialect is None and reader.dialect != "abnf"
    return Rulelist(items, reader.dialect, reader.errors.source, recognized), reader.errors.errors


@dataclass(slots=True)
class _Draft:
    """A concatenation being read."""

    items: list[Repetition] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Level:
    """An alternation being read: that of the rule (``opener`` is "") or of a bracket and its repeat."""

    opener: str
    opened: int
    repeat: tuple[int, int | None]
    listed: bool
    start: int
    drafts: list[_Draft] = field(default_factory=lambda: [_Draft()])

    def add_comment(self, text: str) -> None:
        """A comment belongs to the alternative before it, or to the first one."""
        draft = self.drafts[-1]
        if not draft.items and len(self.drafts) > 1:
            draft = self.drafts[-2]
        draft.comments.append(text)

    def alternation(self) -> Alternation:
        alternatives = tuple(
            Concatenation(
                tuple(draft.items),
                tuple(draft.comments),
                Span(draft.items[0].span.start, draft.items[-1].span.end),
            )
            for draft in self.drafts
        )
        return Alternation(alternatives, Span(alternatives[0].span.start, alternatives[-1].span.end))


class _Reader:
    def __init__(self, source: Source, dialect: str) -> None:
        self.text = source.text
        self.dialect = dialect
        self.errors = SyntaxErrors(source)
        self.terminals = Terminals(dialect, self.errors)

    def items(self) -> Iterator[Rule | Comment]:
        section: str | None = None
        for part in lexing.parts(self.text):
            if isinstance(part, Comment):
                section = section_of(part.text) or section
                yield part
                continue
            self.errors.rule = None
            try:
                yield self._rule(part, section)
            except GrammarError as error:
                self.errors.report(error)

    def _rule(self, chunk: Chunk, section: str | None) -> Rule:
        """rule = rulename defined-as elements c-nl ; RFC 5234, section 4"""
        tokens = lexing.tokens(self.text, chunk.start, chunk.end, self.dialect)
        name = next(tokens)
        if name.kind != "name":
            raise self.errors.unexpected(name, self.errors.at_rule(name))
        self.errors.rule = written = self.text[name.start : name.end]
        level = _Level("", name.start, (1, 1), False, name.start)
        defined_as = next(tokens)
        while defined_as.kind == "comment":
            level.add_comment(comment_text(self.text, defined_as.start, defined_as.end))
            defined_as = next(tokens)
        if defined_as.kind not in ("=", "=/"):
            raise self.errors.unexpected(defined_as, self.errors.at_defined_as(written, defined_as))
        elements = self._elements(tokens, level, defined_as)
        return Rule(
            written,
            elements,
            defined_as.kind == "=/",
            section,
            Span(name.start, elements.span.end),
            Span(name.start, name.end),
        )

    def _elements(self, tokens: Iterator[Token], level: _Level, before: Token) -> Alternation:
        """elements = alternation *c-wsp ; the levels below it stand on ``outer``"""
        outer: list[_Level] = []
        touching = -1  # where the last element ended: another one must not follow at once
        for token in tokens:
            kind = token.kind
            draft = level.drafts[-1]
            if kind == "comment":
                level.add_comment(comment_text(self.text, token.start, token.end))
                continue
            if kind in ("/", "|") and (kind == "/" or self.dialect == "rfc822"):
                if not draft.items:
                    raise self.errors.unexpected(token, self.errors.element_missing(before, token))
                level.drafts.append(_Draft())
            elif kind in (")", "]", "end"):
                if not draft.items:
                    raise self.errors.unexpected(token, self.errors.element_missing(before, token), level)
                if CLOSER.get(level.opener, "end") != kind:
                    raise self.errors.unbalanced(token, level)
                if kind == "end":
                    return level.alternation()
                inner, level = level, outer.pop()
                span = Span(inner.opened, token.end)
                wrap = Group if inner.opener == "(" else Option
                element: Element = wrap(inner.alternation(), span)
                level.drafts[-1].items.append(
                    Repetition(element, *inner.repeat, Span(inner.start, token.end), inner.listed)
                )
                touching = token.end
            else:
                start = token.start
                if start == touching and self.dialect == "abnf" and kind in STARTS_ELEMENT:
                    problem = message("whitespace-missing", found=self.errors.found(token))
                    raise self.errors.error(token, problem)
                repeat: tuple[int, int | None] = (1, 1)
                listed = kind == "list"
                if kind in REPEATS:
                    repeat = self.terminals.repeat(token)
                    following = next(tokens)
                    if following.start != token.end or following.kind not in STARTS_ELEMENT - REPEATS:
                        problem = self.errors.at_repeat(before, token, following)
                        raise self.errors.unexpected(following, problem)
                    token, kind = following, following.kind
                if kind in CLOSER:
                    if len(outer) >= MAX_NESTING:
                        raise LimitExceeded(
                            message("nesting-limit", limit=MAX_NESTING),
                            operation="reading brackets",
                            used=MAX_NESTING + 1,
                            limit=MAX_NESTING,
                            setting="MAX_NESTING",
                            code="nesting-too-deep",
                            source=self.errors.source,
                            span=Span(token.start, token.end),
                            rule=self.errors.rule,
                        )
                    outer.append(level)
                    level = _Level(kind, token.start, repeat, listed, start)
                    touching = -1
                else:
                    element, end = self._element(token)
                    draft.items.append(Repetition(element, *repeat, Span(start, end), listed))
                    touching = end
            before = token
        raise AssertionError("the end token ends every rule")

    def _element(self, token: Token) -> tuple[Element, int]:
        """element = rulename / char-val / num-val / prose-val, and the offset behind it"""
        span = Span(token.start, token.end)
        text = self.text[token.start : token.end]
        if token.kind == "name":
            if self.text[token.end : token.end + 1] == "_":
                place = Token("other", token.end, token.end + 1)
                raise self.errors.error(place, message("rule-name-underscore", name=text))
            return RuleName(text, span=span), token.end
        if token.kind == "string":
            return self.terminals.char_val(text, span), token.end
        if token.kind == "number":
            return self.terminals.num_val(token), token.end
        if token.kind == "prose":
            return self.terminals.prose_val(text, span), token.end
        raise self.errors.unexpected(token, self.errors.in_elements(token))
