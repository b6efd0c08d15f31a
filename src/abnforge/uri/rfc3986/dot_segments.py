"""Removing the dot-segments of a path (RFC 3986, section 5.2.4)."""

from __future__ import annotations

import re

from abnforge.arguments import plain_argument

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
