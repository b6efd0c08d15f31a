"""Reference resolution (RFC 3986, section 5.2), on the five components of appendix B.

Both texts are validated first, and in a valid text the split of appendix B finds the grammar's components.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import takewhile

from abnforge._arguments import plain_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.uri.common.components import Component, OnAmbiguous, ambiguous_argument, guarded, recompose
from abnforge.uri.common.messages import message
from abnforge.uri.common.password import without_password
from abnforge.uri.rfc3986.components import URI, PathKind, RelativeRef
from abnforge.uri.rfc3986.parse import parse
from abnforge.uri.rfc3986.split import Split, five_components, known_uri, reference, resolved, split_text

# Removing the dot-segments of a path (RFC 3986, section 5.2.4).


_DOT_SEGMENTS = re.compile(r"(?:/\.\.?(?![^/]))*+")


def remove_dot_segments(path: str) -> str:
    """The path without its segments "." and ".." (section 5.2.4), which rules there are or not.

    The result is that of the section's two buffers, for every str: surplus ".." are dropped, and a path that
    ends in a dot-segment ends in "/" afterwards. It may begin with "//" where the path did not.

    Raises TypeError for what is no str. Cost: linear, also in a path of dot-segments alone.
    """
    if type(path) is not str:
        path = plain_argument(path, "path")
    if "/." not in path and path[:1] != ".":
        return path
    if path[0] == "/":
        # Steps B and C while nothing has been moved to the output: a long run of them costs no list.
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
    # What the output buffer holds, cut at each "/": the first segment moves there as it is (step E).
    output = [segments[first]]
    for segment in segments[first + 1 :]:
        if segment == "..":  # step C
            if len(output) > 1:
                output.pop()
            else:
                output[0] = ""  # what follows brings its "/" along
        elif segment != ".":  # step B drops "."
            output.append(segment)
    if first < last and segments[last] in (".", ".."):
        output.append("")
    return "/".join(output)


def _dot_segments(path: str) -> int:
    """The length of the complete dot-segments at the start, each with the "/" before it."""
    match = _DOT_SEGMENTS.match(path)
    return match.end() if match is not None else 0


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


# The inverse of resolution: a short reference for a URI and a base.


def relativize(base: str | Component, target: str | Component) -> URI | RelativeRef:
    """The shortest reference that resolves to ``target`` from ``base``, both absolute URIs.

    ``resolve(base, relativize(base, target)) == target``. Of references that are equally short, the one that
    says less about the base comes first: a query or fragment alone, a relative path, an absolute path,
    ``//`` and an authority, the target itself.

    Raises ValueError if ``target`` has no scheme, or if no reference resolves to it: resolution removes the
    dot-segments that its path has. Errors as for :func:`abnforge.uri.resolve` otherwise. Cost: linear.
    """
    wanted = Split(*five_components(target, "target"))
    text = str(wanted)
    if wanted.scheme is None:
        raise ArgumentError(message("target-relative", target=without_password(text)))
    resolve(base, "")  # a base that is none is an error, whatever the target
    candidates = map(str, _candidates(_base_path(base), wanted))
    for candidate in sorted(dict.fromkeys(candidates), key=len):
        if str(resolve(base, candidate)) == text:
            return parse(candidate)
    raise ArgumentError(message("target-dot-segments", target=without_password(text)))


def _candidates(base_path: str, target: Split) -> Iterator[Split]:
    """References that may resolve to the target, among them a shortest one that does."""
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
    return path or ("/" if authority is not None else "")  # as merging takes it (section 5.2.3)


def _relative_paths(base: str, target: str) -> Iterator[str]:
    """Relative paths from the base's directory to the target's path."""
    directory = remove_dot_segments(base[: base.rfind("/") + 1]).split("/")[:-1]
    *parents, name = target.split("/")
    pairs = zip(directory, parents, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    up = ["..", *[".."] * (len(directory) - shared - 1)] if len(directory) > shared else []
    down = [*parents[shared:], name]
    if down == [""]:
        yield "/".join(up) or "."  # a dot-segment at the end leaves its "/"
    elif up or (down[0] and ":" not in down[0]):
        yield "/".join([*up, *down])
    else:
        yield "/".join([".", *down])  # else it would begin with "/" or read as a scheme
