"""From a valid reference to its five components, and from a text made of them to an object.

Algorithms on components need neither a tree nor an object for each step: in a text that the grammar
derives, the regular expression of appendix B finds the grammar's components.
"""

from __future__ import annotations

from abnforge.uri.common.component import Component
from abnforge.uri.common.mask import mask_userinfo
from abnforge.uri.rfc3986.api import parse
from abnforge.uri.rfc3986.components import URI, Parts, Reference, RelativeRef
from abnforge.uri.rfc3986.split import PATTERN

Five = tuple[str | None, str | None, str, str | None, str | None]

SHOWN = 60  # characters of a text in a message


def five_components(value: str | Component) -> Five:
    """Scheme, authority, path, query and fragment of a URI-reference.

    Raises Rejected for a text that is none, TypeError as :func:`text_of` does.
    """
    return split_known(str(value if isinstance(value, Reference) else parse(value)))


def split_known(text: str) -> Five:
    """The same of a text that is known to be valid."""
    match = PATTERN.fullmatch(text)
    assert match is not None, "the pattern of appendix B matches every text"
    return match.groups()  # type: ignore[return-value]  # five groups, of which only the path always takes part


def known_uri(text: str) -> URI:
    """The URI with a text that an algorithm made of valid components, not read before somebody asks."""
    return URI.lazy(text, _uri_parts, text, "URI")


def known_relative_ref(text: str) -> RelativeRef:
    """The same for a relative reference."""
    return RelativeRef.lazy(text, _relative_parts, text, "relative-ref")


def _uri_parts(text: str) -> Parts:
    return _parts(parse(text, "URI"))


def _relative_parts(text: str) -> Parts:
    return _parts(parse(text, "relative-ref"))


def _parts(u: Reference) -> Parts:
    return Parts(u.scheme, u.authority_parts, u.path, u.path_kind, u.query, u.fragment)


def quoted(text: str) -> str:
    """A URI in an error message: without its password, and not at length."""
    shown = mask_userinfo(text[: 4 * SHOWN], "***", keep_length=False)
    return repr(shown if len(shown) <= SHOWN else shown[:SHOWN] + "...")
