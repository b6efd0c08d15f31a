"""cattrs: URIs, and types made by ``text_type``, structured from texts and unstructured to them."""

from __future__ import annotations

from typing import Any

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.integrations.rules import CheckedText, needs, text_type

with needs("cattrs"):
    from cattrs.v import format_exception as usual

__all__ = ["format_exception", "register", "text_type"]


def register(converter: Any) -> Any:
    """Teach a converter ``uri.URI``, ``uri.RelativeRef`` and every type of ``text_type``; it is given back.

    A wrong text raises Rejected, a ValueError, which cattrs puts with the path that led there.
    """
    for kind, rule in ((uri.URI, "URI"), (uri.RelativeRef, "relative-ref")):
        converter.register_structure_hook(kind, lambda text, _, rule=rule: uri.parse(text, rule))
        converter.register_unstructure_hook(kind, str)
    converter.register_structure_hook_func(_is_checked, lambda text, kind: kind(text))
    converter.register_unstructure_hook_func(_is_checked, str)
    return converter


def format_exception(error: BaseException, kind: type | None) -> str:
    """The sentence of an error, for ``cattrs.transform_error(error, format_exception=format_exception)``."""
    return str(error) if isinstance(error, Rejected) else usual(error, kind)


def _is_checked(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, CheckedText)
