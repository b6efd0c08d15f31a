"""pydantic 2: ``Annotated[str, Abnf("rfc3986:URI")]`` is a field that must match a rule.

The type and the message of an error are the code and the message of the rejection; ``ctx`` has the grammar,
the rule, the offset and the span. Values are unchanged. ``abnforge.uri.URI`` can itself be the type of a
field.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from abnforge.engine.rule import Rule
from abnforge.integrations.rules import format_of, given_rule, needs, pattern_of
from abnforge.rejection import NOT_TEXT
from abnforge.uri.rfc3986.parse import pydantic_error

with needs("pydantic"):
    from pydantic_core import PydanticCustomError, core_schema


@dataclass(frozen=True)
class Abnf:
    """A rule for a field of str or bytes: a Rule, or a name ``GRAMMAR:RULE``.

    Its JSON Schema has the format of the rule, or else its ECMAScript pattern, if there is one. ``suggest``
    adds suggestions to ``ctx``. Raises the errors of ``abnforge.rule``.
    """

    rule: Rule | str
    suggest: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", given_rule(self.rule))

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        explain = given_rule(self.rule).explain

        def validate(text: Any) -> Any:
            if text is None:  # the type of the field decides whether None is valid
                return text
            if not isinstance(text, str | bytes):
                kind = type(text).__name__
                raise PydanticCustomError(
                    NOT_TEXT, "value must be a string or bytes, not {kind}", {"kind": kind}
                )
            rejection = explain(text, suggest=self.suggest)
            if rejection is not None:
                raise pydantic_error(rejection)
            return text

        return core_schema.no_info_after_validator_function(validate, handler(source))

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> Any:
        schema, rule = handler(core), given_rule(self.rule)
        format_name = format_of(rule)
        pattern = None if format_name is not None else pattern_of(rule, "ecmascript")
        keys = {"format": format_name, "pattern": pattern}
        return {**schema, **{key: value for key, value in keys.items() if value is not None}}
