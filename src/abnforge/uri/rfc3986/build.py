"""Build a reference from its components (RFC 3986, section 5.3), each validated by its rule."""

from __future__ import annotations

from dataclasses import replace

from abnforge._arguments import optional_argument, plain_argument, wrong_type
from abnforge.catalog import ArgumentError
from abnforge.errors import Rejected
from abnforge.uri.common.components import recompose, recompose_authority
from abnforge.uri.common.messages import message
from abnforge.uri.rfc3986.components import URI, PathKind, RelativeRef
from abnforge.uri.rfc3986.parse import explain, is_valid, parse, percent

# Python limits the conversion of an int to a str.
_MOST_DIGITS = 1000
_MOST_PORT = 10**_MOST_DIGITS


def build(
    *,
    scheme: str | None = None,
    userinfo: str | None = None,
    host: str | None = None,
    port: str | int | None = None,
    path: str = "",
    query: str | None = None,
    fragment: str | None = None,
    encode: bool = False,
) -> URI | RelativeRef:
    """Return the reference with exactly these components: None is undefined, ``""`` is empty.

    A host that is an IP-literal includes its brackets. With ``encode``, characters that are not allowed in a
    component are percent-encoded as UTF-8, also a ":" in the first segment of a relative path. Existing
    triplets stay: encode data that contains "%" by :func:`abnforge.uri.percent.encode` first. Delimiters are
    not encoded: a path that starts with "//" without an authority is rejected.

    Raises: Rejected for a component that is not allowed in its place; ValueError for userinfo or port without
    a host; TypeError.
    Complexity: linear.
    """
    scheme, userinfo = optional_argument(scheme, "scheme"), optional_argument(userinfo, "userinfo")
    host, path = optional_argument(host, "host"), plain_argument(path, "path")
    query, fragment = optional_argument(query, "query"), optional_argument(fragment, "fragment")
    if host is None and (userinfo is not None or port is not None):
        name = "userinfo" if userinfo is not None else "port"
        raise ArgumentError(message("build-without-host", name=name))
    authority = None
    if scheme is not None:
        _check("scheme", scheme, "scheme")
    if host is not None:
        host = _host(host, encode)
        if userinfo is not None:
            userinfo = _component("userinfo", userinfo, encode)
        authority = recompose_authority(userinfo, host, None if port is None else _port(port))
    path = _path(scheme, authority, path, encode)
    if query is not None:
        query = _component("query", query, encode)
    if fragment is not None:
        fragment = _component("fragment", fragment, encode)
    return parse(recompose(scheme, authority, path, query, fragment))


def _component(name: str, value: str, encode: bool) -> str:
    if encode:
        value = percent.encode(value, name, keep_triplets=True)
    _check(name, value, name)
    return value


def _host(host: str, encode: bool) -> str:
    if is_valid(f"[{host}]", "IP-literal"):
        _check("host", host, "host", message("build-brackets", host=host))
    return _component("host", host, encode and not host.startswith("["))


def _port(port: str | int) -> str:
    if isinstance(port, bool) or not isinstance(port, str | int):
        raise wrong_type("port", "a str or an int", port)
    if isinstance(port, int) and abs(port) >= _MOST_PORT:
        raise ArgumentError(message("port-too-long", most=_MOST_DIGITS))
    text = plain_argument(port, "port") if isinstance(port, str) else str(port)
    _check("port", text, "port")
    return text


def _path(scheme: str | None, authority: str | None, path: str, encode: bool) -> str:
    if encode:
        first, slash, others = path.partition("/")
        rule = "segment" if scheme is not None or authority is not None else "segment-nz-nc"
        first = percent.encode(first, rule, keep_triplets=True)
        path = first + slash + percent.encode(others, "path", keep_triplets=True)
    # Reasons that depend on the components before the path, which the rule of a path does not know.
    reason = ""
    if authority is not None:
        kind = PathKind.ABEMPTY
        if not path.startswith("/"):
            reason = message("build-path-after-authority")
    elif not path:
        kind = PathKind.EMPTY
    elif path.startswith("/"):
        kind = PathKind.ABSOLUTE
        if path.startswith("//"):
            reason = message("build-path-absolute")
    elif scheme is not None:
        kind = PathKind.ROOTLESS
    else:
        kind = PathKind.NOSCHEME
        if ":" in path.partition("/")[0]:
            reason = message("build-path-colon")
    _check("path", path, kind.value, reason)
    return path


def _check(name: str, value: str, rule: str, reason: str = "") -> None:
    """Raise Rejected unless the rule derives the value."""
    rejection = explain(value, rule)
    if rejection is None:
        return
    if not reason:
        best = rejection.hypotheses[:1]
        reason = best[0].message if best else rejection.message
    raise Rejected(replace(rejection, message=f"{name}: {reason}"))
