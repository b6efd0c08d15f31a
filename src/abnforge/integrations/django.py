"""Django: ``models.TextField(validators=[AbnfValidator("rfc3986:URI")])``; also for fields of forms."""

from __future__ import annotations

from typing import Any

from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule, needs

with needs("django"):
    from django.core.exceptions import ValidationError
    from django.utils.deconstruct import deconstructible


@deconstructible
class AbnfValidator:
    """A text that a rule derives. A ValidationError has the rejection's code and sentence.

    The rule is given by its name, ``GRAMMAR:RULE``, where migrations are to hold it. Raises as
    ``abnforge.rule`` does.
    """

    def __init__(self, rule: Rule | str) -> None:
        self.rule = given_rule(rule)

    def __call__(self, value: Any) -> None:
        rejection = self.rule.explain(str(value))
        if rejection is not None:
            raise ValidationError(
                "%(reason)s", rejection.code, {"reason": rejection.message_with_position, "value": value}
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbnfValidator) and self.rule == other.rule

    def __hash__(self) -> int:
        return hash(self.rule)
