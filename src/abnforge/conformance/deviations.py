"""In what an implementation differs from a rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from abnforge._lazy import cached_property
from abnforge.comparison.rules import quoted, reason
from abnforge.engine.rule import Rule
from abnforge.rejection import Rejection
from abnforge.text import escape


@dataclass(frozen=True)
class Deviation:
    """A way in which an implementation differs: ``text`` is the shortest string found, ``valid`` what the
    rule says of it. ``count`` strings of the suite have this cause; ``error`` is what the implementation
    failed with, which counts as no. ``offset`` is where the two part: what stands there the one of them still
    reads and the other does not. Deviations with the same rule and class of character have the same
    ``cause``. With ``everything`` the implementation says no to every string.
    """

    rule: Rule
    text: str
    valid: bool
    count: int
    offset: int
    error: str | None = None
    cause: tuple[object, ...] = field(default=(), repr=False)
    everything: bool = field(default=False, repr=False)

    @cached_property
    def rejection(self) -> Rejection | None:
        """Why the rule does not derive the string, if it does not."""
        return None if self.valid else self.rule.explain(self.text)

    @cached_property
    def rule_path(self) -> tuple[str, ...]:
        """The rules that are being read where the two part, from the start rule to the innermost one."""
        if self.rejection is not None:
            return tuple((self.rejection.hypotheses or (self.rejection,))[0].rule_path)
        names = []
        # Preorder: of the rules around a place the outer ones come first. At the end, what ends there counts.
        place = min(self.offset, max(0, len(self.text) - 1))
        last = len(self.text)
        for name, start, end in self.rule.events(self.text):
            if start <= place < end <= last or not self.text:
                names.append(name)
                last = end
        return tuple(names)

    @property
    def section(self) -> str | None:
        """The section of the specification that says what is right."""
        if self.rejection is not None:
            return self.rejection.section
        for name in reversed(self.rule_path):
            inside = self.rule.grammar[name]
            if inside.section is not None and inside.origin != "core":
                return inside.section
        return self.rule.section

    @property
    def code(self) -> str | None:
        """The code of the rule's rejection."""
        return None if self.rejection is None else self.rejection.code

    @property
    def reason(self) -> str:
        """What the rule says of the string, in a sentence."""
        if self.everything:
            return "the implementation rejects every string"
        if self.rejection is not None:
            return reason(self.rejection)
        inside = self.rule_path[-1] if self.rule_path else self.rule.name
        return f"{self.rule.name} matches the string" + (f" ({inside})" if inside != self.rule.name else "")

    def to_dict(self) -> dict[str, Any]:
        """For JSON: stable keys."""
        return {
            "text": self.text,
            "valid": self.valid,
            "count": self.count,
            "offset": self.offset,
            "code": self.code,
            "rule_path": list(self.rule_path),
            "section": self.section,
            "message": self.reason,
            "error": self.error,
        }

    def __str__(self) -> str:
        said = "wrongly rejects" if self.valid else "wrongly accepts"
        more = f" and {self.count - 1:,} more" if self.count > 1 else ""
        failed = f" [{escape(self.error)}]" if self.error else ""
        return f"{said} {quoted(self.text)}{more}: {escape(self.reason)}{failed}"
