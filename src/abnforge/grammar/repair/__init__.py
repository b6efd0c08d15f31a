"""What people write instead of ABNF: where a text does that, and the edits that say the same in ABNF.

A text that does not read is gone through by passes, one a kind of mistake: first over its lines, then over
each rule that cannot be read. A pass sees the text as the earlier ones have left it. Edits are *certain*, and
offered, only for a rule that reads once all of them are made; for another, what a pass has seen is said, and
no more.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from abnforge.catalog import Message
from abnforge.errors import GrammarError, moved, span_of
from abnforge.grammar import lexer
from abnforge.grammar.messages import message
from abnforge.grammar.parser import core_rules, parse
from abnforge.grammar.repair import notations, values
from abnforge.grammar.repair.names import WORDS
from abnforge.grammar.source_map import (
    NotationError,
    OverlapError,
    SourceMap,
    disjoint,
    edits_in_order,
    separate,
)
from abnforge.grammar.syntax import (
    Alternation,
    Comment,
    Concatenation,
    Element,
    Group,
    Option,
    RuleDefinition,
    Rulelist,
    RuleName,
    elements,
)
from abnforge.grammar.syntax_errors import MAX_ERRORS, MAX_RELATED, and_more
from abnforge.records import replace
from abnforge.rejection import Edit
from abnforge.text import Span

AT_THE_HEAD = frozenset({"definition", "angle-definition", "white-space", "entity"})
"""Kinds of mistakes that can precede the elements of a rule."""

MAX_REPAIRED = 2_000
"""The most rules of a grammar that are fixed. A grammar of another notation has some hundreds at most."""

_DEFINITIONS = frozenset({"definition", "angle-definition"})
"""Kinds of mistakes whose edits remove the signs of another notation."""

MAX_RULE = 20_000
"""Characters of a rule that is fixed: what is longer is a list, or no grammar."""

_ROUNDS = 2  # `[0-9]+` within braces and the like: what one pass uncovers for an earlier one

Pass = Callable[[SourceMap], Iterable[NotationError]]

_LINES: tuple[Pass, ...] = (notations.fences, notations.block_comments)

_DEFINED = re.compile(r"^[ \t]*<?([A-Za-z][A-Za-z0-9_-]*)>?[ \t]*(?:=|:|->|\u2192)", re.MULTILINE)


class Mending:
    """The slips of one text; ``dialect`` is the one that it is read in."""

    def __init__(self, text: str, dialect: str) -> None:
        self.draft = SourceMap(text)
        self._dialect = dialect
        rules = [text[part.start : part.end] for part in lexer.parts(text) if isinstance(part, lexer.Chunk)]
        self.is_iso = bool(rules) and all(map(values.is_terminated, rules))
        signs = values.definition_signs(text)
        # Where rules are defined by "=", too, the text is ABNF in part: "text" means what it does in ABNF.
        self._tells_case = self.is_iso or (bool(signs) and not values.has_abnf_rule(text))
        # A backslash is a character in BNF, W3C's EBNF and ISO's, if their authors keep to the letter.
        self._escapes = not self.is_iso and signs <= {":", "<-", "<--", "\u2190"}

    def lines(self) -> list[NotationError]:
        """Whole lines that are no grammar, in offsets of the author's text. The draft is fixed."""
        return self._made((*_LINES, lambda draft: notations.line_comments(draft, self.known)))

    def layout(self) -> list[NotationError]:
        """Lines with the wrong indentation, likewise."""
        known = self.known
        return self._made((lambda draft: notations.continuations(draft, known), notations.definitions))

    def _made(self, passes: Iterable[Pass]) -> list[NotationError]:
        found: list[NotationError] = []
        for look in passes:
            try:
                found += _told(self.draft, list(look(self.draft)))
            except OverlapError:
                continue  # what an earlier pass has written is not looked at once more
        return found

    @property
    def known(self) -> frozenset[str]:
        """The names that the text defines, in whatever notation, and those of the core rules."""
        return frozenset(core_rules()) | {name.lower() for name in _DEFINED.findall(self.draft.text)}

    def rule(self, start: int, end: int, known: frozenset[str]) -> tuple[list[NotationError], SourceMap]:
        """What is wrong with one rule of the draft, in offsets of the author's text, and the rule fixed."""
        draft = self.draft.part(start, end)
        found: list[NotationError] = []
        if end - start > MAX_RULE:
            return found, draft
        tells_case = self.is_iso or bool(values.definition_signs(draft.text))
        for look in self._passes(known, tells_case):
            try:
                found += _told(draft, list(look(draft)))
            except OverlapError:
                found.append(NotationError("overlap", *draft.span(0, 0), Message("", "", {})))
        return found, draft

    def letters(self, start: int, end: int) -> tuple[list[NotationError], SourceMap]:
        """Return the strings of a rule that is ABNF, and ISO EBNF as well, likewise."""
        draft = self.draft.part(start, end)
        return _told(draft, list(values.letters(draft, self._escapes))), draft

    def _passes(self, known: frozenset[str], tells_case: bool) -> Iterator[Pass]:
        yield values.spaces
        yield values.entities
        yield notations.definition
        yield notations.repeated_name
        yield notations.regex
        yield values.quoted_classes
        yield _parting(lambda draft: values.classes(draft, known))
        yield _parting(lambda draft: values.ranges(draft, known))
        yield values.braced
        yield values.values
        yield notations.counts
        yield _parting(values.escapes)
        yield _parting(lambda draft: values.single_quotes(draft, self._escapes, tells_case))
        yield _parting(lambda draft: values.curly_quotes(draft, known, tells_case))
        if self._tells_case:
            yield _parting(lambda draft: values.letters(draft, self._escapes))
        yield values.markdown
        yield lambda draft: notations.bars(draft, single=self._dialect == "abnf")
        if self._dialect == "abnf":
            yield lambda draft: notations.underscores(draft, known)
        yield notations.terminators
        yield notations.commas
        for _ in range(_ROUNDS):
            yield _parting(lambda draft: notations.postfix(draft, known))
        yield notations.braces
        yield notations.lone_characters
        yield lambda draft: notations.repeat_gaps(draft, known)
        if self._dialect == "abnf":
            yield lambda draft: notations.touching(draft, known)


def _parting(look: Pass) -> Pass:
    """Return a pass whose edits write elements: none becomes one word with what stands beside it."""
    return lambda draft: separate(draft, list(look(draft)))


def keeps_names(draft: SourceMap, known: frozenset[str]) -> bool:
    """Return whether each name of a fixed rule is a rule's, or stands so in the author's text."""
    names = known | {name.replace("_", "-") for name in known}
    for token in lexer.tokens(draft.text, 0, len(draft.text), "rfc822"):
        name = draft.text[token.start : token.end]
        if token.kind == "name" and name.lower() not in names:
            places = draft.at[token.start : token.end]
            if not all(draft.own[token.start : token.end]) or places[-1] - places[0] >= len(places):
                return False
    return True


def _told(draft: SourceMap, slips: Sequence[NotationError]) -> list[NotationError]:
    """Slips in offsets of the author's text; their edits are made in the draft. Raises OverlapError."""
    told = [
        NotationError(
            slip.kind,
            *draft.span(slip.start, slip.end),
            slip.message,
            tuple(edits_in_order(draft.original(edit) for edit in slip.edits)),
        )
        for slip in slips
    ]
    edits = edits_in_order(edit for slip in slips for edit in slip.edits)
    if not disjoint(edits):
        raise OverlapError
    draft.apply(edits)
    return told


def all_edits(slips: Iterable[NotationError]) -> tuple[Edit, ...]:
    """Return the edits of slips of one kind."""
    return tuple(edits_in_order(edit for slip in slips for edit in slip.edits))


def repaired(rulelist: Rulelist) -> tuple[Rulelist, list[GrammarError]]:
    """Return the rules of a text with errors that are well-formed, or would be with the edits of the errors,
    and the errors in source order, as ``reader.read_partial`` does.
    """
    found = _Mended(rulelist, layout=True)
    return (found if found.certain else _Mended(rulelist, layout=False)).result()


class _Mended:
    """A grammar with errors, read again with fixes; ``layout`` fixes the indentation, too."""

    def __init__(self, strict: Rulelist, layout: bool) -> None:
        self.strict = strict
        self.source = strict.source
        self.dialect = strict.dialect
        self.mending = Mending(self.source.text, self.dialect)
        self.items: list[RuleDefinition | Comment] = []
        self.errors: list[GrammarError] = []
        self.slips: dict[str, list[tuple[NotationError, str | None]]] = {}
        self.unread: list[Span] = []
        self.unclear = False  # a string means one thing in ABNF, and may mean another in this notation
        lines = self.mending.lines()
        self.moved_lines = self.mending.layout() if layout else []
        for slip in (*lines, *self.moved_lines):
            self._keep(slip, None)
        self._read()

    @property
    def certain(self) -> bool:
        """True if every line whose indentation was fixed belongs to a rule that can be parsed."""
        starts = sorted(slip.start for slip in self.moved_lines)
        return not any(
            bisect_left(starts, span.start) < bisect_right(starts, span.end) for span in self.unread
        )

    def _read(self) -> None:
        known = self.mending.known
        text = self.mending.draft.text
        left = MAX_REPAIRED
        for part in lexer.parts(text):
            if isinstance(part, Comment):
                self.items.append(part)
                continue
            parsed, errors = parse(text[part.start : part.end], dialect=self.dialect)
            slips: list[NotationError] = []
            mended: SourceMap | None = None
            remaining: list[GrammarError] = []
            draft = self.mending.draft.part(part.start, part.end)
            if not errors and self.mending.is_iso:
                slips, mended = self.mending.letters(part.start, part.end)
                self.unclear = self.unclear or _is_unclear(slips)
                parsed, draft = parse(mended.text, dialect=self.dialect)[0], mended
            if errors and not left:
                self.unclear = True
            elif errors:
                left -= 1
                slips, mended = self.mending.rule(part.start, part.end, known)
                self.unclear = self.unclear or _is_unclear(slips)
                if slips and all(slip.edits for slip in slips):
                    again, remaining = parse(mended.text, dialect=self.dialect)
                    if not remaining and keeps_names(mended, known) and _plausible(again, slips, known):
                        parsed, errors, draft = again, [], mended
            rule = next(iter(parsed.rules), None)
            self.items += [_placed(each, draft) for each in parsed.rules]
            if not errors:
                for slip in slips:
                    self._keep(slip, rule.name if rule else None)
            else:
                self.unread.append(Span(*draft.span(0, len(draft.text))))
                if self._unmended(errors, slips, draft):
                    self._reason(slips, mended, remaining)

    def _keep(self, slip: NotationError, rule: str | None) -> None:
        self.slips.setdefault(slip.kind, []).append((slip, rule))

    def _unmended(self, errors: list[GrammarError], slips: list[NotationError], draft: SourceMap) -> bool:
        """The errors of a rule whose mistakes are not known for certain: what stands where reading ended
        tells more than what was expected there. Returns whether that could be corrected by itself.
        """
        first, *others = (
            moved(error, self.source, lambda span: Span(*draft.span(span.start, span.end)))
            for error in errors
        )
        start = self._offset(first)
        near = [
            slip for slip in slips if slip.message and slip.start <= start < max(slip.end, slip.start + 1)
        ]
        if "=" not in draft.text[: max(0, start - draft.at[0])]:
            # No element can be wrong before there is one.
            near = [slip for slip in near if slip.kind in AT_THE_HEAD]
        if near and first.code == "syntax-error":
            slip = max(near, key=lambda slip: (not slip.edits, slip.start))
            first = self._error(replace(slip, edits=()), first.rule)
            self.errors += [first, *others]
            return bool(slip.edits)
        self.errors += [first, *others]
        return False

    def _reason(
        self, slips: list[NotationError], mended: SourceMap | None, remaining: list[GrammarError]
    ) -> None:
        """Add the error that keeps a rule from being corrected, if another one is reported before it."""
        reason = next((self._error(slip, None) for slip in slips if slip.message and not slip.edits), None)
        if reason is None and mended is not None and remaining:
            draft = mended
            reason = moved(remaining[0], self.source, lambda span: Span(*draft.span(span.start, span.end)))
        if reason is not None and self._offset(reason) >= self._end(self.errors[-1]):
            self.errors.append(reason)

    def _offset(self, error: GrammarError) -> int:
        span = span_of(error)
        return span.start if span else 0

    def _end(self, error: GrammarError) -> int:
        span = span_of(error)
        return span.end if span else 0

    def _error(
        self,
        slip: NotationError,
        rule: str | None,
        others: Iterable[NotationError] = (),
        more: Iterable[Edit] = (),
    ) -> GrammarError:
        others = list(others)
        note = message("further-place")
        related = [(Span(each.start, each.end), note) for each in others[:MAX_RELATED]]
        edits = all_edits([slip, *others])
        edits = tuple(edits_in_order([*edits, *more])) if edits else edits
        return GrammarError(
            and_more(slip.message, len(others)),
            source=self.source,
            span=Span(slip.start, slip.end),
            rule=rule,
            related=related,
            edits=edits if disjoint(edits) else (),
        )

    def result(self) -> tuple[Rulelist, list[GrammarError]]:
        """Return the rules that read now, and the errors in source order."""
        # Without the other marks of its notation, a text no longer shows that case matters.
        case = all_edits(slip for slip, _ in self.slips.get("case", ()))
        # In a text that still has the other marks, a backslash in an ABNF string would be read as an escape.
        marks = all_edits(slip for kind in _DEFINITIONS for slip, _ in self.slips.get(kind, ()))
        for kept in self.slips.values():
            (first, rule), *others = sorted(kept, key=lambda pair: (pair[0].start, pair[0].end))
            slips = [slip for slip, _ in others]
            has_backslash = any("\\" in edit.text for slip in (first, *slips) for edit in slip.edits)
            error = self._error(first, rule, slips, (*case, *marks) if has_backslash else case)
            if self.unclear and (self.mending.is_iso or first.kind in _DEFINITIONS):
                error.edits = ()  # the rest would be ABNF then, in which every string has one meaning
            self.errors.append(error)
        self.errors.sort(key=lambda error: (error.line, error.column))
        return replace(self.strict, items=tuple(self.items)), self.errors[:MAX_ERRORS]


def _is_unclear(slips: Iterable[NotationError]) -> bool:
    return any(slip.kind == "backslash" and not slip.edits for slip in slips)


def _plausible(rulelist: Rulelist, slips: Iterable[NotationError], known: frozenset[str]) -> bool:
    """Whether a rule that reads now is likely to be one: prose with an apostrophe or a colon reads, too."""
    all_elements = list(elements(rulelist.rules[0].elements)) if len(rulelist.rules) == 1 else []
    names = (element.name.lower() for element in all_elements if isinstance(element, RuleName))
    strange = [name for name in names if name not in known]
    weak = {"definition", "touching", "comma", "single-quotes", "terminator"}
    if not all_elements or WORDS.intersection(strange):
        return False
    return 2 * len(strange) <= len(all_elements) or not {slip.kind for slip in slips} & weak


def _placed(rule: RuleDefinition, draft: SourceMap) -> RuleDefinition:
    """Return a rule of a draft with the spans of the author's text."""

    def span(old: Span) -> Span:
        return Span(*draft.span(old.start, old.end))

    def alternation(old: Alternation) -> Alternation:
        return Alternation(tuple(concatenation(each) for each in old.alternatives), span(old.span))

    def concatenation(old: Concatenation) -> Concatenation:
        items = tuple(
            replace(item, element=element(item.element), span=span(item.span)) for item in old.items
        )
        return replace(old, items=items, span=span(old.span))

    def element(old: Element) -> Element:
        if isinstance(old, Group | Option):
            return replace(old, alternation=alternation(old.alternation), span=span(old.span))
        return replace(old, span=span(old.span))

    return replace(
        rule, elements=alternation(rule.elements), span=span(rule.span), name_span=span(rule.name_span)
    )
