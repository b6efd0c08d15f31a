"""A rejection told in the grammar's words: offset, what was found and expected, and the mistake.

The offset and the expected set are facts, which a lane hands over as a ``Failure``. The mistake is a
judgement, and a rule: the cheapest reading of the text by the grammar and the mistakes that people make
in it (``mistakes.reader``) tells its code, place and sentence, and a fix that is known to be valid. Where a
text has no such reading, the facts are told, with a code for the rule that could not be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Protocol

from abnforge._lazy import importing
from abnforge.catalog import listed
from abnforge.charset import CharSet, union
from abnforge.explain.bind import BoundMistakes
from abnforge.explain.error_grammar import UNIT
from abnforge.explain.fixes import Fixer
from abnforge.explain.mistakes import Mistake, quoted
from abnforge.explain.reading import FoundMistake, Interpretation, Interpreter, unreadable
from abnforge.rejection import CODE_POINTS, Expected, Hypothesis, OtherMistake, Rejection, Suggestion
from abnforge.text import show_char

if TYPE_CHECKING:
    from abnforge.automata.derivatives import Derivatives, StateSet
    from abnforge.explain.lessons import Lesson
    from abnforge.grammar.facts import LanguageBounds
    from abnforge.grammar.syntax import BoundGrammar
    from abnforge.parsing.stop import Expectations, Failure


# Readings by derived mistakes that the facts about an input refute, or that are further from it than these.
#
# Up to the exact offset an input can be read unchanged, for nothing. So a mistake without a fix that is
# done with before that place is none, and what it says cannot stand somewhere can, if the input is read
# further.
#
# A reading that finds something wrong before that, and is done with it there, must be cheap: one slip, as
# where a comma is missing and only the next sign shows it. A story of more is less likely than that the
# input ends too early, or that one character is not allowed. Those are facts, and so they are told first.


CHEAP = 1
"""What a reading may cost before the exact offset."""

NEAR = (CHEAP + 1) * UNIT - 1
"""The weight up to which a reading by derived mistakes is far only if its mistake is refuted."""


def is_refutable(mistake: Mistake) -> bool:
    """Whether facts can refute a mistake: not one that is declared, nor one that has a fix."""
    return mistake.derived and mistake.fix is None


def is_refuted(found: FoundMistake, offset: int) -> bool:
    """Return whether the input can be read further, up to ``offset``, than its first mistake says."""
    if found.mistake is not None and not is_refutable(found.mistake):
        return False
    return _stops(found) < offset


def is_past(found: FoundMistake, offset: int) -> bool:
    """Return whether a mistake is without a fix, and the input can be read beyond it."""
    return (found.mistake is None or found.mistake.fix is None) and _stops(found) < offset


def is_implausible(reading: Interpretation, offset: int) -> bool:
    """Whether a reading by derived mistakes is further from its text than that reading stops at ``offset``,
    the length of the longest viable prefix.

    None is whose first mistake reaches there, and none of which every mistake has a fix: what makes the text
    valid tells what was meant. Cost: linear in the mistakes.
    """
    if not reading.found or is_refuted(reading.found[0], offset):
        return bool(reading.found)
    every = [each.mistake for each in reading.all_found]
    if all(each is not None and each.fix is not None for each in every):
        return False
    first = reading.found[0]
    if first.mistake is not None and first.mistake.reach is not None and _stops(first) < offset:
        return True
    if first.end >= offset:
        return False
    before = [each.mistake for each in reading.all_found if each.start < offset]
    return None in before or sum(each.cost for each in before if each is not None) > CHEAP


def _stops(found: FoundMistake) -> int:
    """The place beyond which, as a mistake has it, nothing can be read."""
    if found.mistake is None or found.mistake.reach is None:
        return found.end
    return found.span[0] + found.mistake.reach


# Doubtful fixes: where another reading of a text costs no more, two people would mend it differently.


MAX_RIVALS = 4
"""Other readings that are looked at."""


def fix_is_ambiguous(
    reader: Interpreter, fixer: Fixer, reading: Interpretation, around: int | None = None
) -> bool:
    """Whether a reading has a mistake whose fix is doubtful, and another reading costs no more and would
    mend the text otherwise, or not at all.

    ``around`` is as it was when the text was read. Cost: some more readings, where there is doubt.
    """
    if not any(each.mistake is not None and each.mistake.is_ambiguous for each in reading.all_found):
        return False
    meant = fixer.mend(reading)
    for other in islice(reader.in_turn(reading.text, around), 1, MAX_RIVALS + 1):
        if other.cost > reading.cost:
            return False
        mended = fixer.mend(other)
        if mended is None or meant is None or mended.text != meant.text:
            return True
    return False


_BLANKS = CharSet.of("\t\n\v\f\r ")
_SHOWN = CharSet.from_ranges([(0x21, 0x7E)])
_MOST_NEXT = 3


class GrammarStates(Protocol):
    """The states of a grammar's rules, made when the facts about an input are first needed."""

    @property
    def derivatives(self) -> Derivatives:
        """The states."""

    @property
    def expectations(self) -> Expectations:
        """The rules and characters that they expect."""


class Explainer:
    """Explains what one rule rejects.

    ``reader`` reads by the rule and its mistakes; None where the rule's recursion is not read with them.
    """

    def __init__(
        self,
        states: GrammarStates,
        grammar: BoundGrammar,
        key: str,
        mistakes: BoundMistakes,
        reader: Interpreter | None,
    ) -> None:
        self._states = states
        self._bound = grammar
        self._grammar = grammar.name
        self._rule = grammar.outline[key].name
        self._mistakes = mistakes
        self._reader = reader
        self._fixer = Fixer(mistakes)
        self._shapes: Mapping[str, LanguageBounds] | None = None

    def explain(
        self,
        text: str,
        failure: Failure,
        derives: Callable[[str], bool],
        *,
        suggest: bool = True,
        hypotheses: int = 1,
    ) -> Rejection:
        """The rejection of a text: ``failure`` is where a lane stopped reading it, ``derives`` that lane's
        verdict of another text. At most so many ``hypotheses`` are told.
        """
        return self._explained(text, failure, derives, suggest, hypotheses)[0]

    def explain_mistake(
        self,
        text: str,
        offset: int,
        derives: Callable[[str], bool],
        *,
        suggest: bool,
    ) -> Rejection | None:
        """The same if a declared mistake is the reason, else None. The offset is enough to know that: the
        rejection comes without the facts, which the caller attaches.
        """
        if self._reader is None:
            return None
        reading = self._reader.read(text, offset)
        if not reading.found or (mistake := reading.found[0].mistake) is None:
            return None
        if self._is_far(reading, offset):
            return None
        found = reading.found[0]
        start, end = found.span
        message = found.message(text)
        told = Hypothesis._with_late(
            rule_path=found.rule_path, offset=start, end=end, message=message, code=found.code
        )
        return Rejection._with_late(
            grammar=self._grammar,
            rule=self._rule,
            input=text,
            offset=offset,
            found=text[offset] if offset < len(text) else None,
            section=self._mistakes.section(mistake),
            message=message,
            hypotheses=(told,),
            suggestion=self._suggestion(reading, offset, derives) if suggest else None,
            offset_unit=CODE_POINTS,
            code=found.code,
            other_mistakes=_other_mistakes(reading),
        )

    def facts(
        self, failure: Failure, start: int, rule_path: tuple[str, ...]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The facts of a rejection, and those of its hypothesis of a mistake that starts at an offset."""
        facts = {
            "expected": failure.expected,
            "rule_path": self._rule_path(failure),
            "end_expected": failure.may_end,
        }
        return facts, {"expected": self._expected(failure, start, rule_path)}

    def _explained(
        self, text: str, failure: Failure, derives: Callable[[str], bool], suggest: bool, hypotheses: int
    ) -> tuple[Rejection, Interpretation | None]:
        """The rejection of a text, and the reading that it tells."""
        offset = failure.offset
        readings: Sequence[Interpretation] = ()
        if self._reader is not None:
            readings = self._reader.readings(text, hypotheses, offset)
        told = [
            self._hypothesis(text, reading.found[0], failure)
            for number, reading in enumerate(readings)
            if reading.found and self._is_told(reading.found[0], number, offset)
        ]
        best = readings[0] if readings and readings[0].found else None
        if best is not None and self._is_far(best, offset):
            best = None
            told = [self._plain(text, failure), *told][:hypotheses]
        first = told[0] if told else self._plain(text, failure)
        mistake = best.found[0].mistake if best is not None else None
        section = self._mistakes.section(mistake) if mistake is not None else self._section(first.rule_path)
        rejection = Rejection(
            grammar=self._grammar,
            rule=self._rule,
            input=text,
            offset=offset,
            found=text[offset] if offset < len(text) else None,
            expected=failure.expected,
            rule_path=self._rule_path(failure),
            section=section,
            message=first.message,
            hypotheses=tuple(told) or (first,),
            suggestion=self._suggestion(best, offset, derives) if suggest and best is not None else None,
            end_expected=failure.may_end,
            code=first.code,
            other_mistakes=_other_mistakes(best) if best is not None else (),
        )
        return rejection, best

    def first_mistakes(self, column: Any, offsets: Any, answers: Any) -> Sequence[Mistake | None] | None:
        """The first mistakes of rows of a column, as ``Interpreter.first_mistakes`` tells them."""
        if self._reader is None:
            return None
        heaviest = None if self._mistakes.has_declared else NEAR
        return self._reader.first_mistakes(column, offsets, answers, heaviest)

    def section(self, mistake: Mistake) -> str | None:
        """The section of the specification that a mistake is against."""
        return self._mistakes.section(mistake)

    def lesson(self, text: str, failure: Failure, derives: Callable[[str], bool]) -> Lesson:
        """The rejection of a text as steps."""
        with importing:
            from abnforge.explain.codes import declared
            from abnforge.explain.lessons import Lesson, Part, at_offset, read_as

        rejection, reading = self._explained(text, failure, derives, True, 1)
        rule = at_offset(rejection).rule_path[-1].lower()
        parts = read_as(self._states.derivatives, text, failure.reached, failure.offset, rule)
        found = None if reading is None else reading.found[0]
        if found is None or found.mistake is None:
            return Lesson(rejection, parts, None, ())
        names = self._mistakes.names
        slots = tuple(Part(each.start, each.end, (names[each.slot.name],)) for each in found.slots)
        return Lesson(rejection, parts, declared(self._mistakes, found.mistake), slots)

    def _is_far(self, reading: Interpretation, offset: int) -> bool:
        """Whether the facts are told first. What somebody declared is known to be written, at any cost."""
        if self._mistakes.has_declared:
            return bool(reading.found) and is_refuted(reading.found[0], offset)
        return is_implausible(reading, offset)

    @staticmethod
    def _is_told(found: FoundMistake, number: int, offset: int) -> bool:
        """Whether the first mistake of the reading of that number is a hypothesis."""
        if is_refuted(found, offset):
            return False
        # That anything at all may stand somewhere is no further hypothesis.
        return number == 0 or (found.mistake is not None and not is_past(found, offset))

    def _suggestion(
        self, reading: Interpretation, offset: int, derives: Callable[[str], bool]
    ) -> Suggestion | None:
        """The text without its mistakes, where a person would want that."""
        mended = self._fixer.mend(reading)
        # Fixes are proved for the mistakes that we ship; those of others are as good as their authors.
        if mended is None or not derives(mended.text):
            return None
        if self._reader is not None and fix_is_ambiguous(self._reader, self._fixer, reading, offset):
            return None
        return Suggestion(mended.text, mended.edits, reading.cost)

    def _hypothesis(self, text: str, found: FoundMistake, failure: Failure) -> Hypothesis:
        if found.mistake is None and found.start <= failure.offset <= found.end:
            # Anything at all may stand there: the facts say more.
            return self._plain(text, failure, found.code)
        start, end = found.span
        return Hypothesis(
            rule_path=found.rule_path,
            offset=start,
            end=end,
            expected=self._expected(failure, start, found.rule_path),
            message=found.message(text),
            code=found.code,
        )

    def _plain(self, text: str, failure: Failure, code: str | None = None) -> Hypothesis:
        """Where reading ends, and in what."""
        offset = failure.offset
        rule_path = self._rule_path(failure)
        end = min(len(text), offset + 1)
        if offset < len(text):
            message = f"{show_char(text[offset])} is not allowed in {self._shared(failure)} here"
        elif chars := self._next(text, failure):
            message = f"{chars} is missing after {quoted(_last_word(text))}"
        else:
            message = f"the input ends before {self._shared(failure, arcs=True)} is complete"
        return Hypothesis(rule_path, offset, end, failure.expected, message, code or unreadable(self._rule))

    def _expected(self, failure: Failure, offset: int, rule_path: tuple[str, ...]) -> tuple[Expected, ...]:
        """What could stand at an offset, in the reading of a rule if that is under way there."""
        if offset == failure.offset:
            return failure.expected
        if offset >= len(failure.reached):
            return ()
        states = failure.reached[offset].states
        rule = rule_path[-1].lower()
        within = tuple(state for state in states if rule in state.reading)
        return self._states.expectations.of(within or states)

    def _rule_path(self, failure: Failure) -> tuple[str, ...]:
        """The rules that are being read where reading ends."""
        keys = _innermost(failure.reached)
        names = self._states.derivatives.core.names
        return tuple(names[key] for key in keys) or (self._rule,)

    def _shared(self, failure: Failure, arcs: bool = False) -> str:
        """The innermost rule that is open however the text is read to where reading ends; with ``arcs``, and
        however it goes on: that rule is not complete.
        """
        derivatives = self._states.derivatives
        states = failure.reached[-1].states if failure.reached else ()
        rule_paths = [state.reading for state in states]
        if arcs:
            rule_paths += [arc.rule_path for state in states for arc in derivatives.arcs(state)]
        shared = list(takewhile(lambda level: len(set(level)) == 1, zip(*rule_paths, strict=False)))
        keys = (level[0] for level in reversed(shared) if not self._is_part(level[0]))
        return derivatives.core.names[key] if (key := next(keys, None)) is not None else self._rule

    def _is_part(self, key: str) -> bool:
        """Whether a rule has single characters or whitespace alone: a person names a rule around it."""
        if self._shapes is None:
            with importing:
                from abnforge.grammar.facts import language_bounds

            self._shapes = language_bounds(self._states.derivatives.facts)
        shape = self._shapes[key]
        return shape.length == 1 or not shape.alphabet - _BLANKS

    def _next(self, text: str, failure: Failure) -> str:
        """The characters that must follow the input, as a message lists them; "" if they are many."""
        if not text or len(failure.reached) != len(text) + 1:
            return ""
        derivatives = self._states.derivatives
        arcs = [arc for state in failure.reached[-1].states for arc in derivatives.arcs(state)]
        chars = union([arc.charset for arc in arcs])
        if len(chars) > 2 * _MOST_NEXT or chars - _SHOWN:
            return ""
        cases: dict[str, list[str]] = {}
        for char in map(chr, chars):
            cases.setdefault(char.lower(), []).append(char)
        small = text[-1].islower()
        named = [low if small and len(each) > 1 else each[0] for low, each in cases.items()]
        if len(named) > _MOST_NEXT:
            return ""
        return listed([f'"{char}"' if char == "'" else f"'{char}'" for char in named], "or")

    def _section(self, rule_path: Iterable[str]) -> str | None:
        for name in reversed(tuple(rule_path)):
            rule = self._bound.outline.get(name.lower())
            if rule is not None and rule.section is not None:
                return rule.section
        return None


def _other_mistakes(reading: Interpretation) -> tuple[OtherMistake, ...]:
    return tuple([OtherMistake(each.code, *each.span) for each in reading.all_found[1:]])


def _last_word(text: str) -> str:
    """Return the letters, digits and dots at the end of a string, or its last character."""
    start = len(text)
    while start and (text[start - 1].isalnum() or text[start - 1] == "."):
        start -= 1
    return text[start:] or text[-1]


def _innermost(reached: Sequence[StateSet]) -> tuple[str, ...]:
    return reached[-1].states[0].reading if reached else ()
