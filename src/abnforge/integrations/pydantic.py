"""pydantic 2: ``Annotated[str, Abnf("rfc3986:URI")]`` is a field that a rule derives.

An error's type is the rejection's code, its message the rejection's sentence; ``ctx`` has the grammar, the
rule, the offset and what is blamed. The value stays as it is. ``abnforge.uri.URI`` is a type of fields by
itself.
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
    """Says of a field of str or bytes that a rule derives it: a Rule, or its name as ``GRAMMAR:RULE``.

    In JSON Schema it has the format of the rule, where there is one; else its pattern for ECMAScript, where
    one is known. ``suggest`` puts a suggestion into ``ctx``, where there is one. Raises as ``abnforge.rule``.
    """

    rule: Rule | str
    suggest: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rule", given_rule(self.rule))

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        explain = given_rule(self.rule).explain

        def validate(text: Any) -> Any:
            if text is None:  # whether it may be, the field's type says
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
        found, rule = handler(core), given_rule(self.rule)
        known = format_of(rule)
        pattern = None if known is not None else pattern_of(rule, "ecmascript")
        told = {"format": known, "pattern": pattern}
        return {**found, **{key: value for key, value in told.items() if value is not None}}
