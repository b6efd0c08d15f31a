"""References that are known to be valid: their five components, and objects of texts made of such.

Algorithms on components need neither a tree nor an object for each step: in a text that the grammar
derives, the regular expression of appendix B finds the grammar's components.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from abnforge._kernel.loaded import compiled
from abnforge.arguments import text_argument
from abnforge.uri.common.components import Component
from abnforge.uri.common.recompose import Five
from abnforge.uri.rfc3986.components import URI, Reference, RelativeRef
from abnforge.uri.rfc3986.find_components import reader, table_of
from abnforge.uri.rfc3986.parse import GRAMMAR, parse
from abnforge.uri.rfc3986.split import split_text


def five_components(value: str | Component, name: str) -> Five:
    """Scheme, authority, path, query and fragment of a URI-reference; ``name`` is the parameter's.

    Raises Rejected for a text that is none, TypeError as :func:`text_argument` does.
    """
    return split_text(str(reference(value, name)))


def reference(value: str | Component, name: str) -> Reference:
    """The same as an object."""
    return value if isinstance(value, Reference) else parse(text_argument(value, name))


def known_uri(text: str) -> URI:
    """The URI with a text that an algorithm made of valid components."""
    return _read("URI")(text)  # type: ignore[no-any-return]


def known_relative_ref(text: str) -> RelativeRef:
    """The same for a relative reference."""
    return _read("relative-ref")(text)  # type: ignore[no-any-return]


@cache
def _read(rule: str) -> Callable[[str], Any]:
    read = reader(GRAMMAR, rule)
    assert read is not None
    return read


# What the kernel makes of references by the usual options, None for what it leaves to others; without the
# kernel there are no such functions.
normalized: Callable[[object], URI | RelativeRef | None] | None = None
resolved: Callable[[object, object], URI | None] | None = None
if compiled is not None:
    _rules = ("URI-reference", "URI", "relative-ref")  # of what is read, and of what is made
    _resolver = compiled.Resolver(partial(table_of, GRAMMAR, _rules[0]), (URI, RelativeRef), _rules)
    normalized, resolved = _resolver.normalized, _resolver.resolved
