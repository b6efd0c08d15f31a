"""msgspec: URIs, and types made by ``text_type``, as types of fields.

``msgspec.json.decode(data, type=Row, dec_hook=dec_hook)``; msgspec makes a ValidationError with the path of
what they raise. ``Meta(pattern=...)`` would show the whole pattern instead of a reason.
"""

from __future__ import annotations

from typing import Any

from abnforge import uri
from abnforge.integrations.rules import CheckedText, format_of, text_type

__all__ = ["dec_hook", "enc_hook", "schema_hook", "text_type"]

_RULES: dict[Any, str] = {uri.URI: "URI", uri.RelativeRef: "relative-ref"}


def dec_hook(kind: Any, value: Any) -> Any:
    """A field of such a type out of a text; raises Rejected, and NotImplementedError for other types."""
    if kind in _RULES:
        return uri.parse(value, _RULES[kind])
    if issubclass(kind, CheckedText):
        return kind(value)
    raise NotImplementedError(f"no hook for {kind}")


def enc_hook(value: Any) -> str:
    """The text of such a field; raises NotImplementedError for other types."""
    if isinstance(value, uri.Reference | CheckedText):
        return str(value)
    raise NotImplementedError(f"no hook for {type(value)}")


def schema_hook(kind: Any) -> dict[str, str]:
    """The JSON Schema of such a field; raises NotImplementedError for other types."""
    if kind is uri.URI:
        return {"type": "string", "format": "uri"}
    if kind is uri.RelativeRef:
        return {"type": "string"}
    if issubclass(kind, CheckedText):
        known = format_of(kind.rule)
        return {"type": "string"} if known is None else {"type": "string", "format": known}
    raise NotImplementedError(f"no hook for {kind}")
