"""argparse: ``parser.add_argument("url", type=abnf("rfc3986:URI"))``. The value stays as it is."""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass

from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule


@dataclass(frozen=True)
class abnf:
    """A text that a rule derives; the program ends with the reason where it does not.

    Raises as ``abnforge.rule`` does.
    """

    rule: Rule | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", given_rule(self.rule))

    def __call__(self, text: str) -> str:
        rejection = given_rule(self.rule).explain(text)
        if rejection is not None:
            raise ArgumentTypeError(rejection.message_with_position)
        return text
