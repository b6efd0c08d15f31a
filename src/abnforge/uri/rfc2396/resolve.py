"""Reference resolution by RFC 2396 (section 5.2), whose results differ from those of RFC 3986.

A query without a path replaces the last segment of the base path. Surplus ".." stay in the path. A path of
the reference that starts with "/" is not changed.
"""

from __future__ import annotations

from typing import Literal, get_args

from abnforge._arguments import choice_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.errors import Rejected
from abnforge.messages import message
from abnforge.uri.common.components import (
    Component,
    Five,
    OnAmbiguous,
    ambiguous_argument,
    guarded,
    recompose,
)
from abnforge.uri.common.password import without_password
from abnforge.uri.rfc2396.components import Reference
from abnforge.uri.rfc2396.parse import explain, parse

# The ways of step 6g to treat ".." at the start of a path.
Excess = Literal["keep", "discard", "error"]


def resolve(
    base: str | Component,
    ref: str | Component,
    strict: bool = True,
    *,
    excess: Excess = "keep",
    on_ambiguous: OnAmbiguous = "guard",
) -> Reference:
    """Return the absolute form of a reference, by the seven steps of section 5.2.

    ``base`` is an absoluteURI; its fragment is ignored. ``strict=False`` ignores the scheme of a reference if
    the base has the same one, in any case (step 3). A reference to the current document
    (``ref.is_same_document``) results in the base with its fragment (step 2). A query only, which
    does not match the grammar, is resolved as in appendix C.1.

    ``excess`` is the treatment of ".." segments above the root of the base (step 6g): ``"keep"`` as in
    appendix C.2, ``"discard"``, or ``"error"``. ``on_ambiguous`` is the treatment of paths that recomposition
    would join to an authority. For a path that starts with "//" without an authority, see
    :func:`abnforge.uri.resolve`. For a path without "/" after an authority (step 6 for ``http://a`` and
    ``g``), ``"guard"`` inserts "/", and ``"literal"`` returns ``http://ag``.

    Raises: ValueError for a base without a scheme, and for an opaque base of a relative reference (section
    5). Rejected (a ValueError) for an invalid string, or an invalid literal result. TypeError.
    Complexity: linear.
    """
    choice_argument(excess, "excess", get_args(Excess))
    ambiguous_argument(on_ambiguous)
    start = base if isinstance(base, Reference) else parse(text_argument(base, "base"))
    if start.scheme is None:
        raise ArgumentError(message("base-relative", base=without_password(str(start))))
    scheme, authority, path, query, fragment = _components(ref)
    if (scheme, authority, path, query) == (None, None, "", None):
        text = recompose(start.scheme, start.authority, start.path, start.query, fragment)
        return parse(text)
    if not strict and scheme is not None and scheme.lower() == start.scheme.lower():
        scheme = None
    if scheme is not None:
        return parse(text_argument(ref, "ref"))
    if start.is_opaque:
        raise ArgumentError(message("base-opaque", base=without_password(str(start))))
    if authority is None:
        authority = start.authority
        if not path.startswith("/"):
            path = _merge(start.path, path, excess)
    if authority is None:
        path = guarded(path, on_ambiguous)
    elif path and not path.startswith("/"):
        path = _separated(path, authority, on_ambiguous)
    return parse(recompose(start.scheme, authority, path, query, fragment))


def _components(ref: str | Component) -> Five:
    """Return the components of a reference, or of a query only."""
    if isinstance(ref, Reference):
        return ref.scheme, ref.authority, ref.path, ref.query, ref.fragment
    text = text_argument(ref, "ref")
    if not text.startswith("?"):
        return _components(parse(text))
    query, number_sign, fragment = text[1:].partition("#")
    for rule, part in (("query", query), ("fragment", fragment)):
        rejection = explain(part, rule)
        if rejection is not None:
            raise Rejected(rejection)
    return None, None, "", query, fragment if number_sign else None


def _merge(base: str, path: str, excess: Excess) -> str:
    """Return the path after the directory of the base, without segments that cancel each other (step 6)."""
    buffer = base[: base.rfind("/") + 1] + path
    root, segments = ("/", buffer[1:].split("/")) if buffer.startswith("/") else ("", buffer.split("/"))
    output: list[str] = []
    for segment in segments:
        if segment == ".." and output and output[-1] != "..":
            output.pop()
        elif segment == ".." and excess == "error":
            raise ArgumentError(message("path-above-root", path=base))
        elif segment != "." and not (segment == ".." and excess == "discard"):
            output.append(segment)
    # The "/" before a removed final segment stays.
    if segments[-1] == "." or (segments[-1] == ".." and output[-1:] != [".."]):
        output.append("")
    return root + "/".join(output)


def _separated(path: str, authority: str, on_ambiguous: OnAmbiguous) -> str:
    """Return a path without "/" that is to follow an authority, by the option ``on_ambiguous``."""
    if on_ambiguous == "error":
        authority = without_password(authority, "authority")
        raise ArgumentError(message("path-joins-authority", path=path, authority=authority))
    return path if on_ambiguous == "literal" else "/" + path
