"""What people write instead of ABNF: where a text does that, and the edits that say the same in ABNF.

A text that does not read is gone through by passes, one a kind of mistake: first over its lines, then over
each rule that cannot be read. A pass sees the text as the earlier ones have left it. Edits are *certain*, and
offered, only for a rule that reads once all of them are made; for another, what a pass has seen is said, and
no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from abnforge.abnf import (
    foreign_lines,
    foreign_operators,
    foreign_repeats,
    foreign_text,
    foreign_values,
    lexing,
)
from abnforge.abnf.core_rules import core_rules
from abnforge.abnf.draft import Draft, Overlap, Slip, disjoint, in_order, parted
from abnforge.rejection import Edit

MAX_RULE = 20_000
"""Characters of a rule that is mended: what is longer is a list, or no grammar."""

_ROUNDS = 2  # `[0-9]+` within braces and the like: what one pass uncovers for an earlier one

Pass = Callable[[Draft], Iterable[Slip]]

_LINES: tuple[Pass, ...] = (
    foreign_lines.fences,
    foreign_lines.block_comments,
)

_DEFINED = re.compile(r"^[ \t]*<?([A-Za-z][A-Za-z0-9_-]*)>?[ \t]*(?:=|:|->|\u2192)", re.MULTILINE)


class Mending:
    """The slips of one text; ``dialect`` is the one that it is read in."""

    def __init__(self, text: str, dialect: str) -> None:
        self.draft = Draft(text)
        self._dialect = dialect
        rules = [text[part.start : part.end] for part in lexing.parts(text) if isinstance(part, lexing.Chunk)]
        self.is_iso = bool(rules) and all(map(foreign_text.is_terminated, rules))
        signs = foreign_text.definition_signs(text)
        # Where rules are defined by "=", too, the text is ABNF in part: "text" means what it does in ABNF.
        self._tells_case = self.is_iso or (bool(signs) and not foreign_text.has_abnf_rule(text))
        # A backslash is a character in BNF, W3C's EBNF and ISO's, if their authors keep to the letter.
        self._escapes = not self.is_iso and signs <= {":", "<-", "<--", "\u2190"}

    def lines(self) -> list[Slip]:
        """Whole lines that are no grammar, in offsets of the author's text. The draft is mended."""
        return self._made((*_LINES, lambda draft: foreign_lines.line_comments(draft, self.known)))

    def layout(self) -> list[Slip]:
        """Lines with the wrong indentation, likewise."""
        known = self.known
        return self._made(
            (lambda draft: foreign_lines.continuations(draft, known), foreign_lines.definitions)
        )

    def _made(self, passes: Iterable[Pass]) -> list[Slip]:
        found: list[Slip] = []
        for look in passes:
            try:
                found += _told(self.draft, list(look(self.draft)))
            except Overlap:
                continue  # what an earlier pass has written is not looked at once more
        return found

    @property
    def known(self) -> frozenset[str]:
        """The names that the text defines, in whatever notation, and those of the core rules."""
        return frozenset(core_rules()) | {name.lower() for name in _DEFINED.findall(self.draft.text)}

    def rule(self, start: int, end: int, known: frozenset[str]) -> tuple[list[Slip], Draft]:
        """What is wrong with one rule of the draft, in offsets of the author's text, and the rule mended."""
        draft = self.draft.part(start, end)
        found: list[Slip] = []
        if end - start > MAX_RULE:
            return found, draft
        tells_case = self.is_iso or bool(foreign_text.definition_signs(draft.text))
        for look in self._passes(known, tells_case):
            try:
                found += _told(draft, list(look(draft)))
            except Overlap:
                found.append(Slip("overlap", *draft.span(0, 0), ""))
        return found, draft

    def letters(self, start: int, end: int) -> tuple[list[Slip], Draft]:
        """The strings of a rule that is ABNF, and ISO EBNF as well, likewise."""
        draft = self.draft.part(start, end)
        return _told(draft, list(foreign_text.letters(draft, self._escapes))), draft

    def _passes(self, known: frozenset[str], tells_case: bool) -> Iterator[Pass]:
        yield foreign_text.spaces
        yield foreign_text.entities
        yield foreign_operators.definition
        yield foreign_operators.repeated_name
        yield foreign_operators.regex
        yield foreign_values.quoted_classes
        yield _parting(lambda draft: foreign_values.classes(draft, known))
        yield _parting(lambda draft: foreign_values.ranges(draft, known))
        yield foreign_values.braced
        yield foreign_values.values
        yield foreign_repeats.counts
        yield _parting(foreign_text.escapes)
        yield _parting(lambda draft: foreign_text.single_quotes(draft, self._escapes, tells_case))
        yield _parting(lambda draft: foreign_text.curly_quotes(draft, known, tells_case))
        if self._tells_case:
            yield _parting(lambda draft: foreign_text.letters(draft, self._escapes))
        yield foreign_text.markdown
        yield lambda draft: foreign_operators.bars(draft, single=self._dialect == "abnf")
        if self._dialect == "abnf":
            yield lambda draft: foreign_operators.underscores(draft, known)
        yield foreign_operators.terminators
        yield foreign_operators.commas
        for _ in range(_ROUNDS):
            yield _parting(lambda draft: foreign_repeats.postfix(draft, known))
        yield foreign_repeats.braces
        yield foreign_operators.lone_characters
        yield lambda draft: foreign_repeats.repeat_gaps(draft, known)
        if self._dialect == "abnf":
            yield lambda draft: foreign_operators.touching(draft, known)


def _parting(look: Pass) -> Pass:
    """A pass whose edits write elements: none becomes one word with what stands beside it."""
    return lambda draft: parted(draft, list(look(draft)))


def keeps_names(draft: Draft, known: frozenset[str]) -> bool:
    """Whether each name of a mended rule is a rule's, or stands so in the author's text."""
    names = known | {name.replace("_", "-") for name in known}
    for token in lexing.tokens(draft.text, 0, len(draft.text), "rfc822"):
        name = draft.text[token.start : token.end]
        if token.kind == "name" and name.lower() not in names:
            places = draft.at[token.start : token.end]
            if not all(draft.own[token.start : token.end]) or places[-1] - places[0] >= len(places):
                return False
    return True


def _told(draft: Draft, slips: Sequence[Slip]) -> list[Slip]:
    """Slips in offsets of the author's text; their edits are made in the draft. Raises Overlap."""
    told = [
        Slip(
            slip.kind,
            *draft.span(slip.start, slip.end),
            slip.message,
            tuple(in_order(draft.original(edit) for edit in slip.edits)),
        )
        for slip in slips
    ]
    edits = in_order(edit for slip in slips for edit in slip.edits)
    if not disjoint(edits):
        raise Overlap
    draft.apply(edits)
    return told


def all_edits(slips: Iterable[Slip]) -> tuple[Edit, ...]:
    """The edits of slips of one kind."""
    return tuple(in_order(edit for slip in slips for edit in slip.edits))
