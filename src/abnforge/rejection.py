"""Rejections: the explanation of an invalid input, shared by engines, interfaces and file formats.

Offsets are 0-based. They count code points of ``input``, or bytes if the input was bytes. Lines and columns
count from 1, columns in code points; lines end at LF only. The keys of :meth:`Rejection.to_dict` are stable;
the wording of ``message`` may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from abnforge._lazy import NotebookView
from abnforge.charset import BYTES as OF_BYTES
from abnforge.charset import UNICODE
from abnforge.families import family_of
from abnforge.records import attributes, dataclass, default_of, field, replace
from abnforge.records import fields as fields_of
from abnforge.text import ByteText, position, several_lines, where, with_bytes

CODE_POINTS = "code points"  # the unit of offsets
BYTES = "bytes"  # the unit if the input was bytes

UNREADABLE = "unreadable"  # the code if no mistake is known, only the offset
NOT_UTF8 = "not-utf-8"  # the code of bytes that are not UTF-8

# Codes of rows that are rejected before a rule is applied.
MALFORMED_ROW, TOO_LONG, NULL, NOT_TEXT = "malformed-row", "too-long", "null", "not-text"
MASKED = "masked"
UNDECIDED = "limit-exceeded"
NOT_EXPLAINED = "not-explained"
ROW_CODES: Mapping[str, str] = MappingProxyType(
    {
        MALFORMED_ROW: "The row is malformed: wrong number of fields, or invalid JSON.",
        NOT_UTF8: "The row is not valid UTF-8.",
        TOO_LONG: "The row exceeds the maximum size of a row.",
        NULL: "The value is missing, and the column must have one.",
        NOT_TEXT: "The value is not a string.",
        MASKED: "The row is masked and cannot be validated.",
        UNDECIDED: "The value was not validated: it exceeds the budget.",
        NOT_EXPLAINED: "The row was counted without an explanation.",
    }
)
"""The codes of rows that are rejected without a rule; ``Grammar.codes`` has all others."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Expected:
    r"""Characters that a rule allows at the offset: ``rule`` is the innermost rule that names them.

    ``chars`` is a character class without brackets (``A-Za-z``, ``\-._~``).
    """

    rule: str
    chars: str


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Edit:
    """Replace ``input[start:end]`` by ``text``. An empty text is a deletion, an empty span an insertion."""

    start: int
    end: int
    text: str


def applied(text: str, edits: Iterable[Edit | RepairEdit]) -> str:
    """Return the string after edits that are in order and do not overlap. Complexity: linear."""
    parts: list[str] = []
    position = 0
    for edit in edits:
        parts += (text[position : edit.start], edit.text)
        position = edit.end
    return "".join([*parts, text[position:]])


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Suggestion:
    """A similar valid string, its edits (left to right, disjoint), and their cost."""

    text: str
    edits: tuple[Edit, ...]
    cost: float


@dataclass(frozen=True, slots=True, weakref_slot=True)
class RepairEdit:
    """Insert, delete or replace one character: replace ``input[start:end]`` by ``text``.

    ``text`` is an example of the characters ``chars`` (a class as in :class:`Expected`), which are all
    possible. Both are empty for a deletion.
    """

    start: int
    end: int
    text: str
    chars: str


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Repair:
    """A cheapest repair: a valid string, and its edits of one character each, from left to right."""

    text: str
    edits: tuple[RepairEdit, ...]

    @property
    def cost(self) -> int:
        """The number of inserted, deleted and replaced characters."""
        return len(self.edits)


FindRepairs = Callable[[str, "tuple[int, int]", "Suggestion | None"], "tuple[tuple[Repair, ...], bool]"]
"""Return the repairs of a string whose mistake has a span and a suggestion, and whether they are all."""

FindSuggestion = Callable[["Rejection", "Suggestion | None"], "Suggestion | None"]
"""Return the suggestion for a rejection whose mistake has a suggestion or none."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Alternative:
    """A failed attempt to match one alternative of a rule from ``start`` on.

    ``source`` is the alternative in ABNF, and ``rule`` its name if it is a rule. Its strings begin with
    ``input[start:offset]``; ``complete`` is whether that is one of them. ``expected`` is the class of the
    characters that can follow (as in :class:`Expected`). ``message`` describes the mistake in this
    alternative; it is empty if only the parts after the alternative fail.
    """

    source: str
    rule: str | None
    start: int
    offset: int
    complete: bool
    expected: str
    message: str


class LazyFacts:
    """Facts about a rejection that are computed once, when one of them is first read.

    ``find`` returns the missing fields of the rejection, and those of its hypothesis. It does not refer to
    either of them, which avoids a reference cycle.
    """

    __slots__ = ("_find", "_found")

    def __init__(self, find: Callable[[], tuple[dict[str, Any], dict[str, Any]]]) -> None:
        self._find = find
        self._found: tuple[dict[str, Any], dict[str, Any]] | None = None

    @property
    def of_rejection(self) -> dict[str, Any]:
        """The fields of the rejection."""
        return self._all[0]

    @property
    def of_hypothesis(self) -> dict[str, Any]:
        """The fields of its hypothesis."""
        return self._all[1]

    @property
    def _all(self) -> tuple[dict[str, Any], dict[str, Any]]:
        if self._found is None:
            self._found = self._find()
        return self._found


_FOUND_LATE = frozenset(["expected", "rule_path", "section", "end_expected"])


class _LazyFields:
    """A value that computes some of its fields when one of them is first read.

    ``_facts`` computes them. It is attached later, and is not a field, so copies of the fields do not have
    it.
    """

    __slots__ = ("_facts",)

    _facts: LazyFacts | None

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # Python calls this only for missing attributes: never if all fields were passed.
            if name == "suggestion" and hasattr(self, "_find_suggestion"):
                find, proved = self._find_suggestion
                self._settle(suggestion=find(self, proved))
                return object.__getattribute__(self, name)
            if name in _FOUND_LATE and hasattr(self, "_facts"):
                facts = self._facts
                if facts is not None:
                    self._settle(**self._asked_of(facts), _facts=None)  # in this order, for other threads
                return object.__getattribute__(self, name)
            self._settle(**{name: default_of(type(self), name)})
            return object.__getattribute__(self, name)

    @classmethod
    def _with_late(cls, **fields: object) -> Self:
        """Return a value that has only these fields; ``_facts`` finds late ones, and others are defaults."""
        rejection = object.__new__(cls)
        for name, value in fields.items():
            object.__setattr__(rejection, name, value)
        return rejection

    def _settle(self, **facts: object) -> None:
        for name, value in facts.items():
            object.__setattr__(self, name, value)


_REPAIR_EDIT = "start end text chars"
_ALTERNATIVE = "source rule start offset complete expected message"

FindAttempts = Callable[[str, tuple[str, ...]], tuple[Alternative, ...]]


class _LazyResults(_LazyFields):
    """Attempts, repairs and the suggestion, found when they are first read.

    ``_find_...`` are attached as ``_facts`` is. ``_find_suggestion`` has the suggestion of a mistake, too.
    """

    __slots__ = ("_attempts", "_find_attempts", "_find_repairs", "_find_suggestion", "_repairs")

    _attempts: tuple[Alternative, ...]
    _find_attempts: FindAttempts
    _find_repairs: FindRepairs
    _find_suggestion: tuple[FindSuggestion, Suggestion | None]
    _repairs: tuple[tuple[Repair, ...], bool]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Hypothesis(_LazyFields):
    """One interpretation of the input, and the mistake in it.

    The mistake is from ``offset`` to ``end``, which are equal if something is missing there. It may be before
    the offset of the rejection. ``rule_path`` has the rules from the start rule to the innermost rule that
    was being parsed; ``expected`` has the characters allowed at ``offset``. ``code`` is one of the grammar's
    codes.
    """

    rule_path: tuple[str, ...]
    offset: int
    end: int
    expected: tuple[Expected, ...]
    message: str
    code: str = UNREADABLE

    _asked_of = staticmethod(attrgetter("of_hypothesis"))

    @property
    def rule(self) -> str:
        """The innermost rule of the rule path."""
        return self.rule_path[-1]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class OtherMistake:
    """Another mistake of the best interpretation: its code and its span."""

    code: str
    offset: int
    end: int


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Rejection(_LazyResults, NotebookView):
    """The explanation of one rejected input.

    ``offset`` is the length of the longest prefix that some valid string starts with. ``found`` is the
    character there, None at the end of the input. ``end_expected`` is whether the input could have ended at
    ``offset``. ``hypotheses`` are sorted, the best first; ``code``, ``section`` and ``message`` are those of
    the first one, regardless of the options passed. ``code`` is one of the grammar's codes
    (``Grammar.codes``), or ``not-utf-8`` for bytes that are not UTF-8. ``other_mistakes`` are further
    mistakes of the first hypothesis; a suggestion also fixes them. ``component`` is the rule that the code is
    about; it is the start rule for a mistake before or after the whole input.

    ``offset_unit`` is the unit of all offsets: ``"code points"``, or ``"bytes"`` for an input of bytes. Then
    ``input`` is decoded from UTF-8. Bytes that are not UTF-8 are U+DC80 to U+DCFF in it (PEP 383), so that
    ``input.encode(errors="surrogateescape")`` returns the original bytes. If ``alphabet`` is ``"bytes"``
    (docs/bytes.md), each character of ``input``, ``found`` and the suggestion is a byte, U+0000 to U+00FF,
    and ``bytes(input)`` returns the bytes.
    """

    grammar: str
    rule: str
    input: str
    offset: int
    found: str | None
    expected: tuple[Expected, ...]
    rule_path: tuple[str, ...]
    section: str | None
    message: str
    hypotheses: tuple[Hypothesis, ...] = ()
    suggestion: Suggestion | None = None
    end_expected: bool = field(default=False)
    offset_unit: str = CODE_POINTS
    code: str = UNREADABLE
    other_mistakes: tuple[OtherMistake, ...] = ()
    alphabet: str = UNICODE
    component: str | None = None

    _asked_of = staticmethod(attrgetter("of_rejection"))

    def _attach(self, facts: LazyFacts) -> None:
        """Let ``facts`` find the other fields, and those of the first hypothesis."""
        object.__setattr__(self, "_facts", facts)
        object.__setattr__(self.hypotheses[0], "_facts", facts)

    def _with_other_facts(self, facts: LazyFacts, **fields: object) -> Rejection:
        """Return a copy with changed fields, which must have the suggestion; ``facts`` finds late ones."""
        early = dict(zip(_EARLY, _early_values(self), strict=True))
        return self._with_late(**{**early, **fields}, _facts=facts)

    def _defer_suggestion(self, find: FindSuggestion) -> None:
        """Let ``find`` find the suggestion when it is first read; the current one is one candidate."""
        object.__setattr__(self, "_find_suggestion", (find, self.suggestion))
        object.__delattr__(self, "suggestion")

    @property
    def family(self) -> str:
        """The family of the code, one of ``abnforge.families.FAMILIES``."""
        return family_of(self.code)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All valid strings with the fewest inserted, deleted and replaced characters, the best first.

        The suggestion comes first if it is one of them, then repairs near the mistake. They are found when
        they are first read. Repairs beyond the budget, or beyond 250, are omitted. Bytes that are not UTF-8
        do not have repairs, nor do copies and pickles of a rejection.
        """
        return self._all_repairs[0]

    @property
    def repairs_complete(self) -> bool:
        """True if ``repairs`` are all of the cheapest repairs."""
        return self._all_repairs[1]

    @property
    def _all_repairs(self) -> tuple[tuple[Repair, ...], bool]:
        repairs = getattr(self, "_repairs", None)
        if repairs is None:
            find = getattr(self, "_find_repairs", None)
            repairs = ((), False) if find is None else self._found_repairs(find)
            self._settle(_repairs=repairs)
        return repairs

    def _found_repairs(self, find: FindRepairs) -> tuple[tuple[Repair, ...], bool]:
        start, end = self.span
        repairs, is_complete = find(
            self.input, (self._code_points(start), self._code_points(end)), self.suggestion
        )
        if self._is_utf8:
            at = octets_before(self.input)
            repairs = tuple(
                replace(each, edits=tuple(replace(e, start=at(e.start), end=at(e.end)) for e in each.edits))
                for each in repairs
            )
        elif self.alphabet != UNICODE:
            repairs = tuple(
                Repair(ByteText(each.text), tuple(replace(e, text=ByteText(e.text)) for e in each.edits))
                for each in repairs
            )
        return repairs, is_complete

    @property
    def attempts(self) -> tuple[Alternative, ...]:
        """The alternatives that are open at the offset, with the mistake of each.

        They are those of the innermost rule of the first hypothesis that has several, or of a rule that it
        calls. They are found when they are first read. The result is empty for set algebra, for exceptions,
        for long inputs, beyond the budget, and for copies and pickles of a rejection.
        """
        attempts: tuple[Alternative, ...] | None = getattr(self, "_attempts", None)
        if attempts is None:
            find: FindAttempts | None = getattr(self, "_find_attempts", None)
            attempts = () if find is None else find(self.input, self.hypotheses[0].rule_path)
            if self._is_utf8:
                at = octets_before(self.input)
                attempts = tuple(replace(a, start=at(a.start), offset=at(a.offset)) for a in attempts)
            elif self.alphabet != UNICODE:
                attempts = tuple(replace(a, message=with_bytes(a.message)) for a in attempts)
            self._settle(_attempts=attempts)
        return attempts

    @property
    def _is_utf8(self) -> bool:
        """True if offsets count bytes of the input in UTF-8, and not its characters."""
        return self.offset_unit == BYTES and self.alphabet == UNICODE

    def to_byte_offsets(self) -> Rejection:
        """Return the rejection with all offsets in bytes of the input in UTF-8. Complexity: linear."""
        if self.offset_unit == BYTES:
            return self
        return self._in_bytes(octets_before(self.input), lambda message: message, str, UNICODE, None)

    def _of_bytes(self, correct: Callable[[str, Suggestion], Suggestion | None]) -> Rejection:
        """Return the rejection of a string whose characters are bytes. Complexity: linear.

        ``correct`` returns the suggestion without changes that are only right for Latin-1, or None.
        """
        return self._in_bytes(int, with_bytes, ByteText, OF_BYTES, correct)

    def _in_bytes(
        self,
        at: Callable[[int], int],
        say: Callable[[str], str],
        kind: type[str],
        alphabet: str,
        correct: Callable[[str, Suggestion], Suggestion | None] | None,
    ) -> Rejection:
        def corrected() -> Suggestion | None:
            suggestion = self.suggestion
            if correct is not None and suggestion is not None:
                suggestion = correct(self.input, suggestion)
            return _in_bytes(suggestion, at, kind)

        rejection = replace(
            self,
            input=kind(self.input),
            found=None if self.found is None else kind(self.found),
            offset=at(self.offset),
            message=say(self.message),
            hypotheses=tuple(
                replace(h, offset=at(h.offset), end=at(h.end), message=say(h.message))
                for h in self.hypotheses
            ),
            suggestion=None if hasattr(self, "_find_suggestion") else corrected(),
            offset_unit=BYTES,
            other_mistakes=tuple(
                replace(each, offset=at(each.offset), end=at(each.end)) for each in self.other_mistakes
            ),
            alphabet=alphabet,
        )
        finders = ("_find_attempts", "_find_repairs")
        rejection._settle(**{name: getattr(self, name) for name in finders if hasattr(self, name)})
        if hasattr(self, "_find_suggestion"):
            rejection._defer_suggestion(lambda *_: corrected())
        return rejection

    @property
    def line(self) -> int:
        """The line of ``offset``, from 1. Complexity: linear."""
        return position(self.input, self._code_points(self.offset))[0]

    @property
    def column(self) -> int:
        """The column of ``offset`` in its line, in code points from 1. Complexity: linear."""
        return position(self.input, self._code_points(self.offset))[1]

    def _code_points(self, offset: int) -> int:
        """Return an offset into the input in code points, for either unit."""
        if not self._is_utf8 or self.input.isascii():
            return offset
        octets = self.input.encode(errors="surrogateescape")
        return len(octets[:offset].decode(errors="surrogateescape"))

    @property
    def span(self) -> tuple[int, int]:
        """The span of the best hypothesis; without hypotheses, an empty span at ``offset``."""
        if not self.hypotheses:
            return self.offset, self.offset
        return self.hypotheses[0].offset, self.hypotheses[0].end

    @property
    def message_with_position(self) -> str:
        """The message, after its position if the input has several lines."""
        if not several_lines(self.input):
            return self.message
        return f"{where(self.input, self._code_points(self.span[0]))}: {self.message}"

    def to_dict(self, *, full: bool = True, repairs: bool = False, attempts: bool = False) -> dict[str, Any]:
        """Return the rejection as plain data, ready for ``json.dumps``. Its keys are stable.

        ``repairs`` adds ``repairs`` and ``repairs_complete``, and ``attempts`` adds ``attempts``. An input of
        several lines adds ``position``: the ``line`` and ``column`` of ``offset``. ``offset_unit`` and
        ``alphabet`` are omitted unless they are ``"bytes"``. If not ``full``, the long keys are omitted:
        ``expected``, ``end_expected``, ``rule_path``, ``hypotheses``, ``other_mistakes``.
        """
        plain: dict[str, Any] = {
            "code": self.code,
            "family": self.family,
            "component": self.component,
            "grammar": self.grammar,
            "rule": self.rule,
            "input": self.input,
            "offset": self.offset,
            "found": self.found,
        }
        if full:
            plain["expected"] = _expected(self.expected)
            plain["end_expected"] = self.end_expected
            plain["rule_path"] = list(self.rule_path)
        plain["section"] = self.section
        plain["message"] = self.message
        if full:
            plain["hypotheses"] = [
                {
                    "code": h.code,
                    "rule_path": list(h.rule_path),
                    "offset": h.offset,
                    "end": h.end,
                    "expected": _expected(h.expected),
                    "message": h.message,
                }
                for h in self.hypotheses
            ]
            plain["other_mistakes"] = [
                {"code": each.code, "offset": each.offset, "end": each.end} for each in self.other_mistakes
            ]
        plain["suggestion"] = None
        if self.suggestion is not None:
            edits = [{"start": e.start, "end": e.end, "text": e.text} for e in self.suggestion.edits]
            plain["suggestion"] = {"text": self.suggestion.text, "edits": edits, "cost": self.suggestion.cost}
        if repairs:
            plain["repairs"] = [
                {
                    "text": each.text,
                    "edits": [attributes(edit, _REPAIR_EDIT) for edit in each.edits],
                    "cost": each.cost,
                }
                for each in self.repairs
            ]
            plain["repairs_complete"] = self.repairs_complete
        if attempts:
            plain["attempts"] = [attributes(each, _ALTERNATIVE) for each in self.attempts]
        if self.offset_unit == BYTES:
            plain["offset_unit"] = BYTES
        if self.alphabet != UNICODE:
            plain["alphabet"] = self.alphabet
        if several_lines(self.input):
            plain["position"] = {"line": self.line, "column": self.column}
        return plain


_EARLY = [each.name for each in fields_of(Rejection) if each.name not in {*_FOUND_LATE, "suggestion"}]
_early_values = attrgetter(*_EARLY)


def _in_bytes(suggestion: Suggestion | None, at: Callable[[int], int], kind: type[str]) -> Suggestion | None:
    if suggestion is None:
        return None
    edits = tuple(Edit(at(e.start), at(e.end), kind(e.text)) for e in suggestion.edits)
    return replace(suggestion, text=kind(suggestion.text), edits=edits)


def octets_before(text: str) -> Callable[[int], int]:
    """Return a function from an offset in code points of a string to one in bytes."""
    if text.isascii():
        return int
    lengths = (len(char.encode(errors="surrogateescape")) for char in text)
    return list(accumulate(lengths, initial=0)).__getitem__


def _expected(expected: Iterable[Expected]) -> list[dict[str, str]]:
    return [{"rule": e.rule, "chars": e.chars} for e in expected]
