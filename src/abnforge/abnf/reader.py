"""ABNF text to the surface model, with every mistake that can be told, and how it is corrected.

What reads to the letter (``abnf.parsing``) is all that counts as ABNF. For a text that does not,
``abnf.mending`` looks for what its author took from other notations; rules that read once that is mended take
part in the checks that follow, so that nothing new comes to light when the edits are made.

Cost: linear in the length of the text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from abnforge.abnf import lexing
from abnforge.abnf.draft import Draft, Slip, disjoint, in_order
from abnforge.abnf.mending import Mending, all_edits, keeps_names
from abnforge.abnf.model import Alternation, Comment, Concatenation, Element, Group, Option, Rule, Rulelist
from abnforge.abnf.name_slips import WORDS
from abnforge.abnf.parsing import parse
from abnforge.abnf.syntax_errors import MAX_ERRORS, MAX_RELATED
from abnforge.errors import GrammarError, moved, span_of
from abnforge.records import replace
from abnforge.rejection import Edit
from abnforge.source import Source, Span

AT_THE_HEAD = frozenset({"definition", "angle-definition", "white-space", "entity"})
"""Kinds of slips that may stand before the elements of a rule."""

MAX_MENDED = 500
"""Rules of one text that are mended: a grammar of another notation has some hundreds at most."""


def read(text: str | Source, name: str = "<string>", dialect: str | None = None) -> Rulelist:
    """Read a grammar.

    ``name`` stands for the text in messages; a Source has one, and tells its own places. ``dialect`` is
    ``"abnf"``, ``"rfc822"`` or None: then a ``|`` between elements, or a ``_`` in the name of a rule being
    defined, tells that it is ``"rfc822"``.
    A text without rules is an empty model.

    Raises :class:`GrammarError` with every error found (``.errors``, at most
    :data:`~abnforge.abnf.syntax_errors.MAX_ERRORS`); :class:`LimitExceeded` when the first one is a limit.
    Cost: linear.
    """
    rulelist, errors = read_partial(text, name, dialect)
    if errors:
        raise GrammarError.combine(errors)
    return rulelist


def read_partial(
    text: str | Source, name: str = "<string>", dialect: str | None = None
) -> tuple[Rulelist, list[GrammarError]]:
    """Read what can be read: the rules that are well-formed, or would be with the edits of the errors, and
    the errors in source order.

    A rule whose text can be understood but must not be written so (``5*3ALPHA``, ``%x5A-41``) is in the model
    *and* has an error. What was written in another notation in several places is one error, which has the
    edits of all of them.
    """
    rulelist, errors = parse(text, name, dialect)
    if not errors:
        return rulelist, errors
    mended = _Mended(rulelist, layout=True)
    return (mended if mended.certain else _Mended(rulelist, layout=False)).result()


class _Mended:
    """A text that does not read, gone through once more; with ``layout``, indentation is corrected, too."""

    def __init__(self, strict: Rulelist, layout: bool) -> None:
        self.strict = strict
        self.source = strict.source
        self.dialect = strict.dialect
        self.mending = Mending(self.source.text, self.dialect)
        self.items: list[Rule | Comment] = []
        self.errors: list[GrammarError] = []
        self.slips: dict[str, list[tuple[Slip, str | None]]] = {}
        self.unread: list[Span] = []
        lines = self.mending.lines()
        self.moved_lines = self.mending.layout() if layout else []
        for slip in (*lines, *self.moved_lines):
            self._keep(slip, None)
        self._read()

    @property
    def certain(self) -> bool:
        """Whether every line whose indentation was corrected belongs to a rule that reads."""
        starts = sorted(slip.start for slip in self.moved_lines)
        return not any(
            bisect_left(starts, span.start) < bisect_right(starts, span.end) for span in self.unread
        )

    def _read(self) -> None:
        known = self.mending.known
        text = self.mending.draft.text
        left = MAX_MENDED
        for part in lexing.parts(text):
            if isinstance(part, Comment):
                self.items.append(part)
                continue
            parsed, errors = parse(text[part.start : part.end], dialect=self.dialect)
            slips: list[Slip] = []
            mended: Draft | None = None
            remaining: list[GrammarError] = []
            draft = self.mending.draft.part(part.start, part.end)
            if not errors and self.mending.is_iso:
                slips, mended = self.mending.letters(part.start, part.end)
                parsed, draft = parse(mended.text, dialect=self.dialect)[0], mended
            if errors and left:
                left -= 1
                slips, mended = self.mending.rule(part.start, part.end, known)
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

    def _keep(self, slip: Slip, rule: str | None) -> None:
        self.slips.setdefault(slip.kind, []).append((slip, rule))

    def _unmended(self, errors: list[GrammarError], slips: list[Slip], draft: Draft) -> bool:
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

    def _reason(self, slips: list[Slip], mended: Draft | None, remaining: list[GrammarError]) -> None:
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
        self, slip: Slip, rule: str | None, others: Iterable[Slip] = (), more: Iterable[Edit] = ()
    ) -> GrammarError:
        others = list(others)
        related = [(Span(each.start, each.end), "here, too") for each in others[:MAX_RELATED]]
        edits = all_edits([slip, *others])
        edits = tuple(in_order([*edits, *more])) if edits else edits
        return GrammarError(
            slip.message + (f" ({len(others)} more)" if others else ""),
            source=self.source,
            span=Span(slip.start, slip.end),
            rule=rule,
            related=related,
            edits=edits if disjoint(edits) else (),
        )

    def result(self) -> tuple[Rulelist, list[GrammarError]]:
        """The rules that read now, and the errors in source order."""
        # Without the other marks of its notation, a text no longer shows that case matters.
        case = all_edits(slip for slip, _ in self.slips.get("case", ()))
        for kept in self.slips.values():
            (first, rule), *others = sorted(kept, key=lambda pair: (pair[0].start, pair[0].end))
            self.errors.append(self._error(first, rule, [slip for slip, _ in others], case))
        self.errors.sort(key=lambda error: (error.line, error.column))
        return replace(self.strict, items=tuple(self.items)), self.errors[:MAX_ERRORS]


def _plausible(rulelist: Rulelist, slips: Iterable[Slip], known: frozenset[str]) -> bool:
    """Whether a rule that reads now is likely to be one: prose with an apostrophe or a colon reads, too."""
    elements = list(_elements(rulelist.rules[0].elements)) if len(rulelist.rules) == 1 else []
    names = [each for each in elements if not each[1]]
    strange = [name for name, _ in names if name not in known]
    weak = {"definition", "touching", "comma", "single-quotes", "terminator"}
    if not elements or WORDS.intersection(strange):
        return False
    return 2 * len(strange) <= len(elements) or not {slip.kind for slip in slips} & weak


def _elements(alternation: Alternation) -> Iterable[tuple[str, bool]]:
    """Each element but brackets: a rule's name and False, or another one's text and True."""
    for alternative in alternation.alternatives:
        for item in alternative.items:
            if isinstance(item.element, Group | Option):
                yield from _elements(item.element.alternation)
            else:
                name = getattr(item.element, "name", None)
                yield (name.lower(), False) if name is not None else ("", True)


def _placed(rule: Rule, draft: Draft) -> Rule:
    """A rule of a draft with the spans of the author's text."""

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
