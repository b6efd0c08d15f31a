"""``uri.URI``, ``RelativeRef`` and ``Reference`` as types of fields in pydantic models.

pydantic asks a type how it is validated by a method of a name of its own. The classes get it here, since they
know nothing of parsers; pydantic itself is imported when it asks. A value is taken as an object or as a
text, which is kept as it is: nothing is decoded, lower-cased or repaired.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abnforge._lazy import importing
from abnforge.errors import Rejected
from abnforge.rejection import Rejection
from abnforge.uri.rfc3986 import URI, Reference, RelativeRef, parse

_RULES: dict[type[Reference], str] = {
    URI: "URI",
    RelativeRef: "relative-ref",
    Reference: "URI-reference",
}
_FORMATS = {"URI": "uri", "URI-reference": "uri-reference"}


def pydantic_error(rejection: Rejection) -> Any:
    """A rejection as pydantic's error: its type is the code, and ``ctx`` says where and by which rule."""
    with importing:
        from pydantic_core import PydanticCustomError

    start, end = rejection.span
    context = {
        "reason": rejection.message_with_position,
        "grammar": rejection.grammar,
        "rule": rejection.rule,
        "offset": rejection.offset,
        "start": start,
        "end": end,
    }
    if rejection.section is not None:
        context["section"] = rejection.section
    if rejection.suggestion is not None:
        context["suggestion"] = rejection.suggestion.text
    return PydanticCustomError(rejection.code, "{reason}", context)


def _core_schema(cls: type[Reference], source: object, handler: object) -> Any:
    """How pydantic validates a field of one of the classes, and writes it."""
    with importing:
        from pydantic_core import core_schema

    rule = next(each for kind, each in _RULES.items() if issubclass(cls, kind))

    def read(value: object, text: Callable[[object], str]) -> Reference:
        if isinstance(value, cls):
            return value
        try:
            return parse(text(value), rule)  # type: ignore[return-value]
        except Rejected as error:
            raise pydantic_error(error.rejection) from None

    written = core_schema.to_string_ser_schema()
    return core_schema.no_info_wrap_validator_function(read, core_schema.str_schema(), serialization=written)


def _json_schema(cls: type[Reference], core: Any, handler: Any) -> Any:
    """The JSON Schema of such a field."""
    found = handler(core)
    rule = next(each for kind, each in _RULES.items() if issubclass(cls, kind))
    return {**found, "format": _FORMATS[rule]} if rule in _FORMATS else found


def _teach(kind: type[Any]) -> None:
    kind.__get_pydantic_core_schema__ = classmethod(_core_schema)
    kind.__get_pydantic_json_schema__ = classmethod(_json_schema)


_teach(Reference)
