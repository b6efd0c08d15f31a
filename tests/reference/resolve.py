"""The pseudocode of RFC 3986, sections 5.2.2 to 5.2.4 and 5.3, line by line.

The code is independent of abnforge. ``parse`` uses the regular expression in appendix B.
"""

from __future__ import annotations

import re
from typing import NamedTuple

APPENDIX_B = re.compile(r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?", re.DOTALL)


class Reference(NamedTuple):
    """The components of a URI reference; None if undefined."""

    scheme: str | None
    authority: str | None
    path: str
    query: str | None
    fragment: str | None


def parse(text: str) -> Reference:
    match = APPENDIX_B.match(text)
    assert match is not None
    return Reference(match[2], match[4], match[5], match[7], match[9])


def transform(base: Reference, r: Reference, strict: bool) -> Reference:
    """Return the target of a reference (section 5.2.2)."""
    if (not strict) and (r.scheme == base.scheme):
        r = r._replace(scheme=None)
    if r.scheme is not None:
        t_scheme = r.scheme
        t_authority = r.authority
        t_path = remove_dot_segments(r.path)
        t_query = r.query
    else:
        if r.authority is not None:
            t_authority = r.authority
            t_path = remove_dot_segments(r.path)
            t_query = r.query
        else:
            if r.path == "":
                t_path = base.path
                t_query = r.query if r.query is not None else base.query
            else:
                if r.path.startswith("/"):
                    t_path = remove_dot_segments(r.path)
                else:
                    t_path = merge(base, r.path)
                    t_path = remove_dot_segments(t_path)
                t_query = r.query
            t_authority = base.authority
        assert base.scheme is not None
        t_scheme = base.scheme
    t_fragment = r.fragment
    return Reference(t_scheme, t_authority, t_path, t_query, t_fragment)


def merge(base: Reference, path: str) -> str:
    """Return the merged path (section 5.2.3)."""
    if base.authority is not None and base.path == "":
        return "/" + path
    return "".join(base.path.rpartition("/")[:2]) + path


def remove_dot_segments(path: str) -> str:
    """Return the path without dot segments (section 5.2.4)."""
    source = path  # step 1
    output = ""
    while source != "":  # step 2
        if source.startswith("../"):  # A
            source = source[3:]
        elif source.startswith("./"):
            source = source[2:]
        elif source.startswith("/./"):  # B
            source = "/" + source[3:]
        elif source == "/.":
            source = "/"
        elif source.startswith("/../"):  # C
            source = "/" + source[4:]
            output = output[: output.rfind("/")] if "/" in output else ""
        elif source == "/..":
            source = "/"
            output = output[: output.rfind("/")] if "/" in output else ""
        elif source in (".", ".."):  # D
            source = ""
        else:  # E
            end = source.find("/", 1)
            end = len(source) if end < 0 else end
            output += source[:end]
            source = source[end:]
    return output  # step 3


def recompose(t: Reference) -> str:
    """Recompose a URI from its components (section 5.3)."""
    result = ""
    if t.scheme is not None:
        result += t.scheme
        result += ":"
    if t.authority is not None:
        result += "//"
        result += t.authority
    result += t.path
    if t.query is not None:
        result += "?"
        result += t.query
    if t.fragment is not None:
        result += "#"
        result += t.fragment
    return result


def resolve(base: str, ref: str, strict: bool) -> str:
    return recompose(transform(parse(base), parse(ref), strict))
