"""The verbs of RFC 2396 on strings.

``URI-reference`` is what :func:`parse` reads. What RFC 2396 calls a URI is its rule ``absoluteURI``: "'the
URI' that results from such a reference includes only the absolute URI after the fragment identifier (if any)
is removed" (section 4); so that is what the other verbs ask about unless told otherwise.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, overload

from abnforge.arguments import Text, given
from abnforge.late import importing
from abnforge.rejection import Rejection
from abnforge.uri.common.grammars import explain_text, matches_text, parse_text
from abnforge.uri.rfc2396.components import Reference, RegName, Server
from abnforge.uri.rfc2396.find_components import reader

if TYPE_CHECKING:
    from abnforge.uri.rfc2396.transformer import URITransformer

GRAMMAR = "rfc2396"


@overload
def parse(value: Text, rule: Literal["URI-reference", "absoluteURI", "relativeURI"] = ...) -> Reference: ...
@overload
def parse(value: Text, rule: Literal["authority"]) -> Server | RegName: ...
@overload
def parse(value: Text, rule: str) -> Reference | Server | RegName | str: ...
def parse(value: Text, rule: str = "URI-reference") -> Reference | Server | RegName | str:
    """Read a text as ``rule`` of RFC 2396; ``str`` of the result is the text.

    Gives a :class:`Reference` for URI-reference, absoluteURI and relativeURI, a :class:`Server` or
    :class:`RegName` for authority and server, and the text itself for every other rule.

    Raises :class:`abnforge.Rejected` when the rule does not derive the text, KeyError for a rule that does
    not exist, TypeError for a value that is neither a str, UTF-8 as bytes, nor a component object. Cost:
    linear; for references one walk, for authority and server that of building the parse tree.
    """
    read = reader(GRAMMAR, rule) if isinstance(rule, str) else None
    if read is not None:
        it = given(value, "value")
        found = read(it.text) if it.broken is None else None
        if found is not None:
            return found
    result: Reference | Server | RegName | str = _transformer().transform(parse_text(GRAMMAR, rule, value))
    return result


def is_valid(value: Text, rule: str = "absoluteURI") -> bool:
    """Whether ``rule`` derives the text. Errors as for :func:`parse`, but never Rejected. Cost: linear."""
    return matches_text(GRAMMAR, rule, value)


def explain(value: Text, rule: str = "absoluteURI") -> Rejection | None:
    """Why ``rule`` does not derive the text; None when it does. Errors as for :func:`is_valid`."""
    return explain_text(GRAMMAR, rule, value)


@cache
def _transformer() -> URITransformer:
    # Imported on first use: lark takes longer to import than everything here together.
    with importing:
        from abnforge.uri.rfc2396.transformer import URITransformer

    return URITransformer()
