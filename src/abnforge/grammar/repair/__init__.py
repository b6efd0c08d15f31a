"""Fix notations other than ABNF: find where a grammar uses them, and edits that express the same in ABNF.

Read first: this file, which orders the passes and selects their edits; then ``notations`` (comments,
definitions, operators, repeats), ``values`` (strings, ranges, classes) and ``names`` (undefined and repeated
names). A grammar that does not parse is examined by passes, one for each kind of mistake: first over its
lines, then over each malformed rule. A pass reads the draft that earlier passes produced
(``grammar.source_map``). Edits are offered only for a rule that parses with all of its edits; for other
rules, a mistake is reported without an edit. This package does not depend on how a grammar is bound or
matched.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

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
from abnforge.grammar.syntax import Comment, RuleDefinition, Rulelist, RuleName, elements, map_parts
from abnforge.grammar.syntax_errors import MAX_ERRORS, MAX_RELATED, and_more
from abnforge.records import replace
from abnforge.rejection import Edit
from abnforge.text import Span

AT_THE_HEAD = frozenset({"definition", "angle-definition", "white-space", "entity"})
"""Kinds of mistakes that can come before the elements of a rule."""

MAX_REPAIRED = 2_000
"""The maximum number of rules to fix. A grammar in another notation has a few hundred at most."""

_DEFINITIONS = frozenset({"definition", "angle-definition"})
"""Kinds of mistakes whose edits remove the signs of another notation."""

MAX_RULE = 20_000  # characters; a longer rule is not fixed: it is a list or not part of a grammar

_ROUNDS = 2  # runs of ``postfix``: `[0-9]+` may occur within braces

Pass = Callable[[SourceMap], Iterable[NotationError]]

_LINES: tuple[Pass, ...] = (notations.fences, notations.block_comments)

_DEFINED = re.compile(r"^[ \t]*<?([A-Za-z][A-Za-z0-9_-]*)>?[ \t]*(?:=|:|->|<-|\u2190|\u2192)", re.MULTILINE)


class NotationRepair:
    """The mistakes of a grammar; ``dialect`` is the notation that the parser used."""

    def __init__(self, text: str, dialect: str) -> None:
        self.draft = SourceMap(text)
        self._dialect = dialect
        rules = [text[part.start : part.end] for part in lexer.parts(text) if isinstance(part, lexer.Chunk)]
        self.is_iso = bool(rules) and all(map(values.is_terminated, rules))
        signs = values.definition_signs(text)
        # If some rules are defined by "=", the grammar is partly ABNF, and strings mean the same as in ABNF.
        self._tells_case = self.is_iso or (bool(signs) and not values.has_abnf_rule(text))
        # Strictly, a backslash is an ordinary character in BNF, W3C EBNF and ISO EBNF.
        self._escapes = not self.is_iso and signs <= {":", "<-", "<--", "\u2190"}

    def lines(self) -> list[NotationError]:
        """Return mistakes in whole lines, with offsets in the author's text, and fix them in the draft."""
        return self._run((*_LINES, lambda draft: notations.line_comments(draft, self.known)))

    def layout(self) -> list[NotationError]:
        """Return indentation mistakes, with offsets in the author's text, and fix them in the draft."""
        known = self.known
        return self._run((lambda draft: notations.continuations(draft, known), notations.definitions))

    def _run(self, passes: Iterable[Pass]) -> list[NotationError]:
        mistakes: list[NotationError] = []
        for find in passes:
            try:
                mistakes += _apply(self.draft, list(find(self.draft)))
            except OverlapError:
                continue  # the pass would change text that an earlier pass wrote
        return mistakes

    @property
    def known(self) -> frozenset[str]:
        """Lower-case names of the core rules and of all rules that the grammar defines in any notation."""
        return frozenset(core_rules()) | {name.lower() for name in _DEFINED.findall(self.draft.text)}

    def rule(self, start: int, end: int, known: frozenset[str]) -> tuple[list[NotationError], SourceMap]:
        """Return the mistakes in a rule of the draft, with the author's offsets, and the fixed rule."""
        draft = self.draft.part(start, end)
        mistakes: list[NotationError] = []
        if end - start > MAX_RULE:
            return mistakes, draft
        tells_case = self.is_iso or bool(values.definition_signs(draft.text))
        for find in self._passes(known, tells_case):
            try:
                mistakes += _apply(draft, list(find(draft)))
            except OverlapError:
                mistakes.append(NotationError("overlap", *draft.span(0, 0), Message("", "", {})))
        return mistakes, draft

    def letters(self, start: int, end: int) -> tuple[list[NotationError], SourceMap]:
        """Return the mistakes in the strings of a rule that is both ABNF and ISO EBNF, and the fixed rule."""
        draft = self.draft.part(start, end)
        return _apply(draft, list(values.letters(draft, self._escapes))), draft

    def _passes(self, known: frozenset[str], tells_case: bool) -> Iterator[Pass]:
        yield values.spaces
        yield values.entities
        yield notations.definition
        yield notations.repeated_name
        yield notations.regex
        yield values.quoted_classes
        yield _spaced(lambda draft: values.classes(draft, known))
        yield _spaced(lambda draft: values.ranges(draft, known))
        yield values.braced
        yield values.values
        yield notations.counts
        yield _spaced(lambda draft: values.escapes(draft, self._tells_case))
        yield _spaced(lambda draft: values.single_quotes(draft, self._escapes, tells_case))
        yield _spaced(lambda draft: values.curly_quotes(draft, known, tells_case))
        if self._tells_case:
            yield _spaced(lambda draft: values.letters(draft, self._escapes))
        yield values.markdown
        yield lambda draft: notations.bars(draft, single=self._dialect == "abnf")
        if self._dialect == "abnf":
            yield lambda draft: notations.underscores(draft, known)
        yield notations.terminators
        yield notations.commas
        for _ in range(_ROUNDS):
            yield _spaced(lambda draft: notations.postfix(draft, known))
        yield notations.braces
        yield notations.lone_characters
        yield lambda draft: notations.repeat_gaps(draft, known)
        if self._dialect == "abnf":
            yield lambda draft: notations.touching(draft, known)


def _spaced(find: Pass) -> Pass:
    """Return a pass whose edits keep spaces between new elements and their neighbors."""
    return lambda draft: separate(draft, list(find(draft)))


def keeps_names(draft: SourceMap, known: frozenset[str]) -> bool:
    """Return whether each name in a fixed rule is a known rule name or occurs in the author's text."""
    names = known | {name.replace("_", "-") for name in known}
    for token in lexer.tokens(draft.text, 0, len(draft.text), "rfc822"):
        name = draft.text[token.start : token.end]
        if token.kind == "name" and name.lower() not in names:
            places = draft.at[token.start : token.end]
            if not all(draft.own[token.start : token.end]) or places[-1] - places[0] >= len(places):
                return False
    return True


def _apply(draft: SourceMap, mistakes: Sequence[NotationError]) -> list[NotationError]:
    """Apply the edits of mistakes; return the mistakes with the author's offsets. Raises OverlapError."""
    result = [
        NotationError(
            mistake.kind,
            *draft.span(mistake.start, mistake.end),
            mistake.message,
            tuple(edits_in_order(draft.original(edit) for edit in mistake.edits)),
        )
        for mistake in mistakes
    ]
    edits = edits_in_order(edit for mistake in mistakes for edit in mistake.edits)
    if not disjoint(edits):
        raise OverlapError
    draft.apply(edits)
    return result


def all_edits(mistakes: Iterable[NotationError]) -> tuple[Edit, ...]:
    """Return the edits of mistakes of one kind."""
    return tuple(edits_in_order(edit for mistake in mistakes for edit in mistake.edits))


def repaired(rulelist: Rulelist) -> tuple[Rulelist, list[GrammarError]]:
    """Return the rules of a grammar with errors: the rules that parse, some after the edits of the errors.

    The second value is the list of errors in source order, as for ``reader.read_partial``.
    """
    grammar = _RepairedGrammar(rulelist, layout=True)
    return (grammar if grammar.certain else _RepairedGrammar(rulelist, layout=False)).result()


class _RepairedGrammar:
    """A grammar with errors, parsed again with fixes; with ``layout``, indentation is also fixed."""

    def __init__(self, strict: Rulelist, layout: bool) -> None:
        self.strict = strict
        self.source = strict.source
        self.dialect = strict.dialect
        self.repair = NotationRepair(self.source.text, self.dialect)
        self.items: list[RuleDefinition | Comment] = []
        self.errors: list[GrammarError] = []
        self.mistakes: dict[str, list[tuple[NotationError, str | None]]] = {}
        self.unread: list[Span] = []
        self.unclear = False  # a string may have another meaning in ABNF than in this notation
        lines = self.repair.lines()
        self.moved_lines = self.repair.layout() if layout else []
        for mistake in (*lines, *self.moved_lines):
            self._keep(mistake, None)
        self._read()

    @property
    def certain(self) -> bool:
        """True if all rules with fixed indentation parse."""
        starts = sorted(mistake.start for mistake in self.moved_lines)
        return not any(
            bisect_left(starts, span.start) < bisect_right(starts, span.end) for span in self.unread
        )

    def _read(self) -> None:
        known = self.repair.known
        text = self.repair.draft.text
        remaining_rules = MAX_REPAIRED
        for part in lexer.parts(text):
            if isinstance(part, Comment):
                self.items.append(part)
                continue
            parsed, errors = parse(text[part.start : part.end], dialect=self.dialect)
            mistakes: list[NotationError] = []
            fixed: SourceMap | None = None
            remaining_errors: list[GrammarError] = []
            draft = self.repair.draft.part(part.start, part.end)
            if not errors and self.repair.is_iso:
                mistakes, fixed = self.repair.letters(part.start, part.end)
                self.unclear = self.unclear or _is_unclear(mistakes)
                parsed, draft = parse(fixed.text, dialect=self.dialect)[0], fixed
            if errors and not remaining_rules:
                self.unclear = True
            elif errors:
                remaining_rules -= 1
                mistakes, fixed = self.repair.rule(part.start, part.end, known)
                self.unclear = self.unclear or _is_unclear(mistakes)
                if mistakes and all(mistake.edits for mistake in mistakes):
                    fixed_rulelist, remaining_errors = parse(fixed.text, dialect=self.dialect)
                    if (
                        not remaining_errors
                        and keeps_names(fixed, known)
                        and _plausible(fixed_rulelist, mistakes, known)
                    ):
                        parsed, errors, draft = fixed_rulelist, [], fixed
            rule = next(iter(parsed.rules), None)
            self.items += [_placed(parsed_rule, draft) for parsed_rule in parsed.rules]
            if not errors:
                for mistake in mistakes:
                    self._keep(mistake, rule.name if rule else None)
            else:
                self.unread.append(Span(*draft.span(0, len(draft.text))))
                if self._report(errors, mistakes, draft):
                    self._reason(mistakes, fixed, remaining_errors)

    def _keep(self, mistake: NotationError, rule: str | None) -> None:
        self.mistakes.setdefault(mistake.kind, []).append((mistake, rule))

    def _report(self, errors: list[GrammarError], mistakes: list[NotationError], draft: SourceMap) -> bool:
        """Report the errors of a rule without a certain fix; return whether the first mistake has edits."""
        first, *others = (moved(error, self.source, draft.place) for error in errors)
        start = _span(first).start
        near = [
            mistake
            for mistake in mistakes
            if mistake.message and mistake.start <= start < max(mistake.end, mistake.start + 1)
        ]
        if "=" not in draft.text[: max(0, start - draft.at[0])]:
            # Before "=", the mistake cannot be in an element.
            near = [mistake for mistake in near if mistake.kind in AT_THE_HEAD]
        if near and first.code == "syntax-error":
            mistake = max(near, key=lambda mistake: (not mistake.edits, mistake.start))
            first = self._error(replace(mistake, edits=()), first.rule)
            self.errors += [first, *others]
            return bool(mistake.edits)
        self.errors += [first, *others]
        return False

    def _reason(
        self, mistakes: list[NotationError], fixed: SourceMap | None, remaining_errors: list[GrammarError]
    ) -> None:
        """Add the error that prevents the fix of a rule, if it comes after the reported error."""
        reason = next(
            (self._error(mistake, None) for mistake in mistakes if mistake.message and not mistake.edits),
            None,
        )
        if reason is None and fixed is not None and remaining_errors:
            reason = moved(remaining_errors[0], self.source, fixed.place)
        if reason is not None and _span(reason).start >= _span(self.errors[-1]).end:
            self.errors.append(reason)

    def _error(
        self,
        mistake: NotationError,
        rule: str | None,
        others: Iterable[NotationError] = (),
        more: Iterable[Edit] = (),
    ) -> GrammarError:
        others = list(others)
        note = message("further-place")
        related = [(Span(other.start, other.end), note) for other in others[:MAX_RELATED]]
        edits = all_edits([mistake, *others])
        edits = tuple(edits_in_order([*edits, *more])) if edits else edits
        return GrammarError(
            and_more(message, mistake.message, len(others)),
            source=self.source,
            span=Span(mistake.start, mistake.end),
            rule=rule,
            related=related,
            edits=edits if disjoint(edits) else (),
        )

    def result(self) -> tuple[Rulelist, list[GrammarError]]:
        """Return the rules that parse now, and the errors in source order."""
        # After the other marks of the notation are removed, nothing shows that strings are case-sensitive.
        case = all_edits(mistake for mistake, _ in self.mistakes.get("case", ()))
        # While the other marks remain, a backslash in a string would be taken for an escape.
        marks = all_edits(mistake for kind in _DEFINITIONS for mistake, _ in self.mistakes.get(kind, ()))
        for entries in self.mistakes.values():
            (first, rule), *others = sorted(entries, key=lambda pair: (pair[0].start, pair[0].end))
            mistakes = [mistake for mistake, _ in others]
            has_backslash = any("\\" in edit.text for mistake in (first, *mistakes) for edit in mistake.edits)
            error = self._error(first, rule, mistakes, (*case, *marks) if has_backslash else case)
            if self.unclear and (self.repair.is_iso or first.kind in _DEFINITIONS):
                error.edits = ()  # the other rules would become ABNF, and their strings case-insensitive
            self.errors.append(error)
        self.errors.sort(key=lambda error: (error.line, error.column))
        return replace(self.strict, items=tuple(self.items)), self.errors[:MAX_ERRORS]


def _span(error: GrammarError) -> Span:
    return span_of(error) or Span(0, 0)


def _is_unclear(mistakes: Iterable[NotationError]) -> bool:
    return any(mistake.kind == "backslash" and not mistake.edits for mistake in mistakes)


def _plausible(rulelist: Rulelist, mistakes: Iterable[NotationError], known: frozenset[str]) -> bool:
    """Return whether a fixed rule is likely to be one: prose with an apostrophe or a colon can parse."""
    all_elements = list(elements(rulelist.rules[0].elements)) if len(rulelist.rules) == 1 else []
    names = (element.name.lower() for element in all_elements if isinstance(element, RuleName))
    strange = [name for name in names if name not in known]
    weak = {"definition", "touching", "comma", "single-quotes", "terminator"}
    if not all_elements or WORDS.intersection(strange):
        return False
    return 2 * len(strange) <= len(all_elements) or not {mistake.kind for mistake in mistakes} & weak


def _placed(node: Any, draft: SourceMap) -> Any:
    """Return a node of a draft with spans in the author's text."""
    if isinstance(node, Span):
        return draft.place(node)
    return map_parts(node, lambda part: _placed(part, draft))
