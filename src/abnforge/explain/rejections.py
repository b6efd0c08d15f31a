"""A rejection told in the grammar's words: offset, what was found and expected, and the likely mistake.

The offset and the expected set are facts, which a lane hands over as a ``Failure``. The hypotheses are a
judgement: each is a reading of the input with the mistake under that reading, ranked by what it costs to
repair (``repair``), or, without that search, by how far the reading got.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from abnforge.automaton.derivative import Derivatives
from abnforge.automaton.states import LiveSet
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.drawing import escape, show_char
from abnforge.errors import LimitExceeded
from abnforge.explain.edits import Repair, Step, merge
from abnforge.explain.encoding import Encoder
from abnforge.explain.expectations import Expectations
from abnforge.explain.failure import Failure
from abnforge.explain.readings import MAX_LOOK_BACK, readings
from abnforge.explain.reasons import Kind
from abnforge.explain.repair import Repairer
from abnforge.rejection import Edit, Hypothesis, Rejection, Suggestion, applied

# Hypotheses told, readings beside repairs.
MAX_HYPOTHESES = 5
# What finding out where else the missing text could be missing may take of an explanation's budget.
REREAD_SHARE = 0.1
# A longer input is not read again for every place at which something may be missing.
MAX_REREAD = 400
# How much of the input a message quotes.
MAX_QUOTED = 24
MAX_SHOWN = 72  # and of its percent-encoded form, which is up to twelve times as long


class Explainer:
    """Explains what one rule rejects. ``sections`` gives a rule's section of the specification, by key."""

    def __init__(
        self,
        derivatives: Derivatives,
        expectations: Expectations,
        grammar: str,
        key: str,
        sections: Mapping[str, str | None],
        budget: Budget = DEFAULT,
    ) -> None:
        self._budget = budget
        self._derivatives = derivatives
        self._grammar = grammar
        self._key = key
        self._names = derivatives.core.names
        self._sections = sections
        self._expectations = expectations
        self._repairer = Repairer(derivatives, key)
        self._encoder = Encoder(derivatives, key, self._repairer.alphabet)

    def explain(self, text: str, failure: Failure, *, suggest: bool = True) -> Rejection:
        """The rejection of a text, ``failure`` being where a lane stopped reading it."""
        offset, reached = failure.offset, failure.reached
        meter = self._budget.meter(f"explaining why {self._names[self._key]} rejects the input")
        exact = len(reached) == offset + 1
        obvious = self._encoder.repair(text, reached) if exact else None
        if obvious is not None:
            repairs = [obvious]
        else:
            repairs = self._repairer.repairs(text, reached, meter) if suggest and exact else []
        hypotheses = [self._hypothesis(text, repair, meter) for repair in repairs]
        if exact and (suggest or obvious is None):
            for reading in self._readings(text, reached, 1 if obvious else MAX_LOOK_BACK):
                if all((h.trail, h.offset) != (reading.trail, reading.offset) for h in hypotheses):
                    hypotheses.append(reading)
        trail = self._trail(reached[-1].states[0].reading if reached else ())
        found = text[offset] if offset < len(text) else None
        return Rejection(
            grammar=self._grammar,
            rule=self._names[self._key],
            input=text,
            offset=offset,
            found=found,
            expected=failure.expected,
            trail=trail,
            section=self._section(hypotheses[0].trail if hypotheses else trail),
            message=hypotheses[0].message if hypotheses else self._plain_message(found, trail),
            hypotheses=tuple(hypotheses[:MAX_HYPOTHESES]),
            suggestion=_suggestion(text, repairs),
            end_expected=failure.may_end,
        )

    def _trail(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self._names[key] for key in keys) or (self._names[self._key],)

    def _section(self, trail: Sequence[str]) -> str | None:
        for name in reversed(trail):
            if (section := self._sections.get(name.lower())) is not None:
                return section
        return None

    def _readings(self, text: str, reached: Sequence[LiveSet], look_back: int) -> list[Hypothesis]:
        """Where each alternative broke off and what it lacked, the likeliest first."""
        result: list[Hypothesis] = []
        for reading in readings(self._derivatives, text, reached, look_back):
            trail = self._trail(reading.trail)
            end = min(len(text), reading.offset + 1)
            found = text[reading.start : end] or None
            result.append(
                Hypothesis(
                    trail=trail,
                    offset=reading.start,
                    end=end,
                    expected=self._expectations.of((reading.state,)),
                    message=self._plain_message(found, trail),
                )
            )
        return result

    def _plain_message(self, found: str | None, trail: Sequence[str]) -> str:
        if found is None:
            return f"the input ends before {trail[-1]} is complete"
        return f"{_quote(found)} is not allowed in {trail[-1]} here"

    def _hypothesis(self, text: str, repair: Repair, meter: Meter) -> Hypothesis:
        first = repair.first[0]
        offset, end = repair.span
        if first.kind is Kind.INSERT and len(repair.first) == len(repair.steps):
            offset = self._earliest(text, repair, offset, meter)
        trail = self._trail(first.trail)
        return Hypothesis(
            trail=trail,
            offset=offset,
            end=end,
            expected=self._expectations.of((first.state,)),
            message=self._message(text, repair, trail[-1]),
        )

    def _earliest(self, text: str, repair: Repair, offset: int, meter: Meter) -> int:
        """The first place at which the missing text could as well be missing, within the same rule."""
        missing = "".join(step.edit.text for step in repair.first)
        rule = repair.first[0].trail[-1]
        state = repair.first[0].state
        if rule not in state.trail or self._derivatives.accepts(state) or len(text) > MAX_REREAD:
            return offset
        best = offset
        with suppress(LimitExceeded):
            part = meter.share("reading again what may have been meant", REREAD_SHARE)
            for place in range(offset - 1, max(-1, offset - MAX_LOOK_BACK), -1):
                if self._repairer.accepts(applied(text, [Edit(place, place, missing)]), part):
                    best = place
        return best

    def _message(self, text: str, repair: Repair, rule: str) -> str:
        steps = repair.first
        first = steps[0]
        written = text[first.edit.start : steps[-1].edit.end]
        meant = "".join(step.edit.text for step in steps)
        if first.kind is Kind.INSERT:
            return self._missing(text, first, meant, rule)
        return first.kind.sentence(
            written=_quote(written),
            meant=_quote(meant),
            encoded=_shorten(meant),
            rule=rule,
            start=self._names[self._key],
        )

    def _missing(self, text: str, first: Step, meant: str, rule: str) -> str:
        if any(map(str.isalnum, meant)):
            # A letter or a digit stands for any other that could be here.
            if len(first.trail) > 1 and first.trail[-1] not in first.state.trail:
                return f"{rule} is missing here"
            what = f"more, such as {_quote(meant)}"
        else:
            what = _quote(meant)
        if first.edit.start == len(text):
            return f"the input ends where {rule} still needs {what}"
        return Kind.INSERT.sentence(rule=rule, meant=what)


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


def _quote(text: str) -> str:
    if len(text) == 1:
        return show_char(text)
    return f'"{escape(text)}"' if len(text) <= MAX_QUOTED else f'"{escape(text[:MAX_QUOTED])}..."'


def _suggestion(text: str, repairs: Sequence[Repair]) -> Suggestion | None:
    for repair in repairs:
        if repair.text is not None:
            edits = merge([step.edit for step in repair.steps])
            return Suggestion(repair.text, edits, round(repair.cost, 3))
    return None
