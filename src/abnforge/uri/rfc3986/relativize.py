"""The inverse of resolution: a short reference for a URI and a base."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from abnforge.catalog import ArgumentError
from abnforge.uri.common.components import Component
from abnforge.uri.common.messages import message
from abnforge.uri.common.password import without_password
from abnforge.uri.rfc3986.components import URI, RelativeRef
from abnforge.uri.rfc3986.dot_segments import remove_dot_segments
from abnforge.uri.rfc3986.known_valid import five_components
from abnforge.uri.rfc3986.parse import parse
from abnforge.uri.rfc3986.resolve import resolve
from abnforge.uri.rfc3986.split import Split


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
