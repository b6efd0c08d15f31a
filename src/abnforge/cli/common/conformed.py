"""``conform``: what goes from the verb to a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abnforge.conformance.causes import Deviation
    from abnforge.conformance.known import Known, Sorted
    from abnforge.conformance.running import Report

MOST_SHOWN = 20
"""Deviations of each kind that people are shown, unless they ask for all."""


@dataclass(frozen=True)
class Conformed:
    """What an implementation, called ``name``, did; ``most`` deviations of each kind are shown to people."""

    report: Report
    sorted: Sorted
    name: str
    most: int | None = MOST_SHOWN

    @property
    def kinds(self) -> Sequence[tuple[str, Sequence[Deviation]]]:
        """What is new, by what the implementation does wrong."""
        return (
            ("accepted, but invalid", [each for each in self.sorted.new if not each.valid]),
            ("rejected, but valid", [each for each in self.sorted.new if each.valid]),
        )

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the report's keys, ``implementation``, and what was known."""
        reasons = {each.cause: reason for each, reason in self.sorted.accepted}
        deviations = [{**each.to_dict(), "known": reasons.get(each.cause)} for each in self.report.deviations]
        return {
            "implementation": self.name,
            **self.report.to_dict(),
            "deviations": deviations,
            "vanished": [told(each) for each in self.sorted.vanished],
        }


def told(known: Known) -> dict[str, Any]:
    """A known deviation, as plain data."""
    return {"text": known.text, "valid": known.valid, "reason": known.reason}
