"""click: ``type=AbnfType("rfc3986:URI")`` of an option or argument. The value stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule

if TYPE_CHECKING:  # generic since click 8.4
    _ParamType = click.ParamType[Any]
else:
    _ParamType = click.ParamType


class AbnfType(_ParamType):
    """A text that a rule derives; the command ends with the reason where it does not.

    Raises as ``abnforge.rule`` does.
    """

    def __init__(self, rule: Rule | str) -> None:
        self.rule = given_rule(rule)
        self.name = self.rule.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value, if the rule derives it."""
        rejection = self.rule.explain(value)
        if rejection is not None:
            self.fail(rejection.message_with_position, param, ctx)
        return value
