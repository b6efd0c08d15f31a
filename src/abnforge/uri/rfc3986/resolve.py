"""Reference resolution (RFC 3986, section 5.2) and its inverse, on the components of valid references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile

from abnforge._arguments import plain_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.messages import message
from abnforge.uri.common.components import Component, OnAmbiguous, ambiguous_argument, guarded, recompose
from abnforge.uri.common.password import without_password
from abnforge.uri.rfc3986.components import URI, PathKind, RelativeRef
from abnforge.uri.rfc3986.parse import parse
from abnforge.uri.rfc3986.split import Split, five_components, known_uri, reference, resolved, split_text

_DOT_SEGMENTS = re.compile(r"(?:/\.\.?(?![^/]))*+")


def remove_dot_segments(path: str) -> str:
    """Return a path without its segments "." and ".." (section 5.2.4), which may not be a valid path.

    Surplus ".." are dropped, and a final dot-segment becomes a final "/". The result may start with "//" even
    if the path does not.

    Raises: TypeError.
    Complexity: linear.
    """
    if type(path) is not str:
        path = plain_argument(path, "path")
    if "/." not in path and path[:1] != ".":
        return path
    if path[0] == "/":
        # Steps B and C before the first output, without a list for a long run of dot-segments.
        path = path[_dot_segments(path) :] or "/"
        if "/." not in path:
            return path
    segments = path.split("/")
    last = len(segments) - 1
    first = 0
    while first < last and segments[first] in (".", ".."):  # step A
        first += 1
    if first == last and segments[last] in (".", ".."):  # step D
        return ""
    output = [segments[first]]  # the output buffer, split at each "/" (step E)
    for segment in segments[first + 1 :]:
        if segment == "..":  # step C
            if len(output) > 1:
                output.pop()
            else:
                output[0] = ""  # the next segment adds its "/"
        elif segment != ".":  # step B drops "."
            output.append(segment)
    if first < last and segments[last] in (".", ".."):
        output.append("")
    return "/".join(output)


def _dot_segments(path: str) -> int:
    """Return the length of the complete dot-segments at the start, each with the "/" before it."""
    match = _DOT_SEGMENTS.match(path)
    return match.end() if match is not None else 0


BASES_KEPT = 8
"""The size of the cache of bases: a document has many references and one base, which may be long."""


def resolve(
    base: str | Component, ref: str | Component, strict: bool = True, *, on_ambiguous: OnAmbiguous = "guard"
) -> URI:
    """Return the target URI of a reference, by the algorithm of section 5.2.2.

    ``base`` is an absolute URI; its fragment is ignored (section 5.1). ``strict=False`` ignores the scheme of
    a reference if the base has the same one, in any case, as old software expects.

    The algorithm can return a path that starts with "//", without an authority: ``a:/b`` and ``..//c`` become
    ``a://c``, with the authority "c". ``on_ambiguous`` chooses the result then. ``"guard"`` returns
    ``a:/.//c``, where resolution removes the "/."; ``"literal"`` returns the components of the algorithm,
    although their string is parsed differently and may be invalid; ``"error"`` raises ValueError.

    Raises: ValueError for a base without a scheme; Rejected (a ValueError) for a string that is not a
    URI-reference; TypeError.
    Complexity: linear.
    """
    if resolved is not None and strict and on_ambiguous == "guard":
        target = resolved(base, ref)
        if target is not None:
            return target
    ambiguous_argument(on_ambiguous)
    base_scheme, base_authority, base_path, base_query = _base(text_argument(base, "base"))
    relative = reference(ref, "ref")
    if strict and relative.scheme is not None and _is_plain(relative.path, relative.host):
        return known_uri(str(relative))  # its own target, as most references with a scheme
    scheme, authority, path, query, fragment = split_text(str(relative))
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
    """Return whether a path certainly has no dot-segments, and is not parsed as an authority."""
    return "/." not in path and path[:1] != "." and (host is not None or path[:2] != "//")


@lru_cache(maxsize=BASES_KEPT)
def _base(text: str) -> tuple[str, str | None, str, str | None]:
    """Return the components of a base for resolution (section 5.2.1)."""
    scheme, authority, path, query, _ = five_components(text, "base")
    if scheme is None:
        raise ArgumentError(message("base-relative", base=without_password(text)))
    return scheme, authority, path, query


def _merge(base_authority: str | None, base_path: str, path: str) -> str:
    """Return the base path with its last segment replaced by a relative path (section 5.2.3)."""
    if base_authority is not None and not base_path:
        return "/" + path
    return base_path[: base_path.rfind("/") + 1] + path


def relativize(base: str | Component, target: str | Component) -> URI | RelativeRef:
    """Return the shortest reference that resolves to ``target`` from ``base``, both absolute URIs.

    ``resolve(base, relativize(base, target)) == target``. Among references of one length, the order is: a
    query or fragment, a relative path, an absolute path, ``//`` and an authority, the target itself.

    Raises: ValueError for a ``target`` without a scheme, or with dot-segments, which resolution removes; else
    as :func:`abnforge.uri.resolve`.
    Complexity: linear.
    """
    parts = Split(*five_components(target, "target"))
    text = str(parts)
    if parts.scheme is None:
        raise ArgumentError(message("target-relative", target=without_password(text)))
    resolve(base, "")  # raises the errors of the base
    candidates = map(str, _candidates(_base_path(base), parts))
    for candidate in sorted(dict.fromkeys(candidates), key=len):
        if str(resolve(base, candidate)) == text:
            return parse(candidate)
    raise ArgumentError(message("target-dot-segments", target=without_password(text)))


def _candidates(base_path: str, target: Split) -> Iterator[Split]:
    """Yield references that may resolve to the target, among them a shortest one that does."""
    _, authority, path, query, fragment = target
    yield Split(None, None, "", None, fragment)
    yield Split(None, None, "", query, fragment)
    for relative in _relative_paths(base_path, path):
        yield Split(None, None, relative, query, fragment)
    if path.startswith("//"):
        yield Split(None, None, "/." + path, query, fragment)
    elif path.startswith("/"):
        yield Split(None, None, path, query, fragment)
    if authority is not None:
        yield Split(None, authority, path, query, fragment)
    yield target


def _base_path(base: str | Component) -> str:
    _, authority, path, _, _ = five_components(base, "base")
    return path or ("/" if authority is not None else "")  # as in section 5.2.3


def _relative_paths(base: str, target: str) -> Iterator[str]:
    """Yield relative paths from the directory of the base to the path of the target."""
    directory = remove_dot_segments(base[: base.rfind("/") + 1]).split("/")[:-1]
    *parents, name = target.split("/")
    pairs = zip(directory, parents, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    up = ["..", *[".."] * (len(directory) - shared - 1)] if len(directory) > shared else []
    down = [*parents[shared:], name]
    if down == [""]:
        yield "/".join(up) or "."  # resolution keeps the "/" before a final dot-segment
    elif up or (down[0] and ":" not in down[0]):
        yield "/".join([*up, *down])
    else:
        yield "/".join([".", *down])  # else it would start with "/" or with a scheme
