"""Resolving relative references by RFC 2396 (section 5.2), which gives other results than RFC 3986.

A query alone replaces the last segment of the base's path, surplus ".." stay in the path, and a path that the
reference gives in full is taken as it is.
"""

from __future__ import annotations

from typing import Literal, get_args

from abnforge._arguments import choice_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.errors import Rejected
from abnforge.uri.common.components import (
    Component,
    Five,
    OnAmbiguous,
    ambiguous_argument,
    guarded,
    recompose,
)
from abnforge.uri.common.messages import message
from abnforge.uri.common.password import without_password
from abnforge.uri.rfc2396.components import Reference
from abnforge.uri.rfc2396.parse import explain, parse

# What step 6g allows to do with ".." at the beginning of a path.
Excess = Literal["keep", "discard", "error"]


def resolve(
    base: str | Component,
    ref: str | Component,
    strict: bool = True,
    *,
    excess: Excess = "keep",
    on_ambiguous: OnAmbiguous = "guard",
) -> Reference:
    """The absolute form of a reference, by the seven steps of section 5.2.

    ``base`` is an absoluteURI; a fragment on it has no effect. ``strict=False`` ignores a scheme in the
    reference that is the base's (step 3, without regard to case). A reference to the current document (empty,
    or a fragment alone; step 2) gives the base with that fragment; ``ref.is_same_document`` tells them. A
    reference of a query alone is resolved as appendix C.1 does, although no rule of the grammar derives it.

    ``excess`` chooses between the three ways of step 6g to treat ".." segments for which the base has no
    parents: ``"keep"``, as appendix C.2 does, ``"discard"``, or ``"error"``. ``on_ambiguous`` is about paths
    that recomposition would join to what stands before them: one that begins with "//" and has no authority
    (see :func:`abnforge.uri.resolve`), and one without "/" behind an authority, as step 6 makes it of
    ``http://a`` and ``g``: ``"guard"`` puts a "/" there, ``"literal"`` gives ``http://ag``.

    Raises ValueError for a base without a scheme, and for an opaque base of a relative reference (section 5);
    Rejected (a ValueError) for texts that are not valid, or for a literal result that is not; TypeError for a
    value that is neither a str nor a component object. Cost: linear.
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
    """The components of a reference, also of one that is a query alone."""
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
    """Step 6: the path behind all but the last segment of the base's, without segments that cancel out."""
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
    # A segment that was removed from the end leaves the "/" before it.
    if segments[-1] == "." or (segments[-1] == ".." and output[-1:] != [".."]):
        output.append("")
    return root + "/".join(output)


def _separated(path: str, authority: str, on_ambiguous: OnAmbiguous) -> str:
    """A path without "/" behind an authority, by the option chosen."""
    guarded("", on_ambiguous)  # refuses an unknown option
    if on_ambiguous == "error":
        authority = without_password(authority, "authority")
        raise ArgumentError(message("path-joins-authority", path=path, authority=authority))
    return path if on_ambiguous == "literal" else "/" + path
