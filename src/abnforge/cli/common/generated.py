"""``generate``: what goes from the verb to a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule


@dataclass(frozen=True, slots=True)
class Generated:
    """A string, and whether ``rule`` derives it; ``both`` tells that there are some of each."""

    rule: Rule
    text: str
    valid: bool
    both: bool = False

    def to_dict(self) -> dict[str, Any]:
        """A test vector (``abnforge.conformance.vectors``)."""
        from abnforge.conformance.vectors import record

        return record(self.rule, self.text, self.valid)
