"""attrs: ``url: str = field(validator=abnf("rfc3986:URI"))``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule


@dataclass(frozen=True)
class abnf:
    """A validator: raises Rejected, a ValueError, for a text that the rule does not derive.

    ``optional`` lets None pass. Raises TypeError for what is no text, and as ``abnforge.rule``.
    """

    rule: Rule | str
    optional: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", given_rule(self.rule))

    def __call__(self, instance: Any, attribute: Any, value: Any) -> None:
        if value is not None or not self.optional:
            given_rule(self.rule).check(value)
