"""SQLAlchemy: ``mapped_column(AbnfText("rfc3986:URI"))`` judges what goes to the database."""

from __future__ import annotations

from typing import Any

from abnforge.engine.rule import Rule
from abnforge.integrations.rules import given_rule, needs

with needs("sqlalchemy"):
    from sqlalchemy import Text, TypeDecorator


class AbnfText(TypeDecorator[str]):
    """Text that a rule derives; Rejected comes as the cause of SQLAlchemy's StatementError.

    What comes out of the database is not judged. Raises as ``abnforge.rule`` does.
    """

    impl = Text
    cache_ok = True

    def __init__(self, rule: Rule | str) -> None:
        super().__init__()
        self.rule = given_rule(rule)

    def coerce_compared_value(self, op: Any, value: Any) -> Any:
        """What a column is compared with is text of any kind: a pattern, the beginning of a URI."""
        return Text()

    def process_bind_param(self, value: Any, dialect: Any) -> Any:
        """The value as it is, if the rule derives it."""
        if value is not None:
            self.rule.check(value)
        return value
