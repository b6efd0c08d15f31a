"""Reference resolution (RFC 3986, section 5.2), on the five components of appendix B.

Both texts are validated first, and in a valid text the split of appendix B finds the grammar's components.
"""

from __future__ import annotations

from functools import lru_cache

from abnforge.arguments import text_argument
from abnforge.catalog import ArgumentError
from abnforge.uri.common.ambiguous_path import OnAmbiguous, ambiguous_argument, guarded
from abnforge.uri.common.components import Component
from abnforge.uri.common.messages import message
from abnforge.uri.common.password import without_password
from abnforge.uri.common.recompose import recompose
from abnforge.uri.rfc3986.components import URI, PathKind
from abnforge.uri.rfc3986.dot_segments import remove_dot_segments
from abnforge.uri.rfc3986.known_valid import five_components, known_uri, reference, resolved
from abnforge.uri.rfc3986.split import split_text

# Documents have many references and one base. Few bases are in use at a time, and each may be long.
BASES_KEPT = 8


def resolve(
    base: str | Component,
    ref: str | Component,
    strict: bool = True,
    *,
    on_ambiguous: OnAmbiguous = "guard",
) -> URI:
    """The target URI of a reference, by the algorithm of section 5.2.2.

    ``base`` is an absolute URI; a fragment on it has no effect (section 5.1). ``strict=False`` ignores a
    scheme in the reference that is the base's (compared without regard to case, section 3.1), as old
    software expects.

    The algorithm can give a path that begins with "//" and no authority: ``a:/b`` with ``..//c`` becomes
    ``a://c``, where "c" is an authority. ``on_ambiguous`` tells what to do then: ``"guard"``, the default,
    gives ``a:/.//c``, whose components are the algorithm's but for the "/." that every resolution removes;
    ``"literal"`` gives the algorithm's components, whose text reads as something else and may not even be
    valid; ``"error"`` raises ValueError.

    Raises ValueError for a base without a scheme, Rejected (a ValueError) for a text that is no
    URI-reference, TypeError for a value that is neither a str nor a component object. Cost: linear.
    """
    if resolved is not None and strict and on_ambiguous == "guard":
        target = resolved(base, ref)
        if target is not None:
            return target
    ambiguous_argument(on_ambiguous)
    base_scheme, base_authority, base_path, base_query = _base(text_argument(base, "base"))
    given = reference(ref, "ref")
    if strict and given.scheme is not None and _is_plain(given.path, given.host):
        return known_uri(str(given))  # it is its own target, as most are that have a scheme
    scheme, authority, path, query, fragment = split_text(str(given))
    if not strict and scheme is not None and scheme.lower() == base_scheme.lower():
        scheme = None
    if scheme is not None or authority is not None:
        path = remove_dot_segments(path)
    else:
        authority = base_authority
        if not path:
            path = base_path
            query = base_query if query is None else query
        else:
            merged = path if path[0] == "/" else _merge(authority, base_path, path)
            path = remove_dot_segments(merged)
    scheme = base_scheme if scheme is None else scheme
    if authority is None:
        path = guarded(path, on_ambiguous)
        if path.startswith("//"):
            return URI(scheme, None, path, PathKind.ABEMPTY, query, fragment, "URI")
    return known_uri(recompose(scheme, authority, path, query, fragment))


def _is_plain(path: str, host: str | None) -> bool:
    """Whether a path surely has no dot-segments, and reads as no authority."""
    return "/." not in path and path[:1] != "." and (host is not None or path[:2] != "//")


@lru_cache(maxsize=BASES_KEPT)
def _base(text: str) -> tuple[str, str | None, str, str | None]:
    """The components of a base that resolution needs (section 5.2.1)."""
    scheme, authority, path, query, _ = five_components(text, "base")
    if scheme is None:
        raise ArgumentError(message("base-relative", base=without_password(text)))
    return scheme, authority, path, query


def _merge(base_authority: str | None, base_path: str, path: str) -> str:
    """A relative path behind the base's, in place of the base's last segment (section 5.2.3)."""
    if base_authority is not None and not base_path:
        return "/" + path
    return base_path[: base_path.rfind("/") + 1] + path
