"""References that are known to be valid: their five components, and objects of texts made of such.

Algorithms on components need neither a tree nor an object for each step: in a text that the grammar
derives, the regular expression of appendix B finds the grammar's components.
"""

from __future__ import annotations

from abnforge.arguments import text_argument
from abnforge.uri.common.components import Component
from abnforge.uri.common.recompose import Five
from abnforge.uri.rfc3986.components import URI, Reference, RelativeRef
from abnforge.uri.rfc3986.parse import parse
from abnforge.uri.rfc3986.split import split_text


def five_components(value: str | Component, name: str) -> Five:
    """Scheme, authority, path, query and fragment of a URI-reference; ``name`` is the parameter's.

    Raises Rejected for a text that is none, TypeError as :func:`text_argument` does.
    """
    return split_text(str(value if isinstance(value, Reference) else parse(text_argument(value, name))))


def known_uri(text: str) -> URI:
    """The URI with a text that an algorithm made of valid components."""
    return parse(text, "URI")


def known_relative_ref(text: str) -> RelativeRef:
    """The same for a relative reference."""
    return parse(text, "relative-ref")
