"""A path that would read as an authority, and what resolution and normalization do about it."""

from __future__ import annotations

from typing import Literal, get_args

# What to do about a path that recomposition would turn into an authority; see :func:`guarded`.
OnAmbiguous = Literal["guard", "literal", "error"]


def guarded(path: str, on_ambiguous: OnAmbiguous) -> str:
    """A path that is to stand without an authority, by the option chosen for one that cannot.

    Without an authority a path cannot begin with "//" (section 3.3): what follows would be read as an
    authority. ``guard`` puts "/." before such a path, which resolution takes away again; ``literal`` leaves
    it; ``error`` raises ValueError.
    """
    if on_ambiguous not in get_args(OnAmbiguous):
        raise ValueError(f"on_ambiguous is one of {', '.join(get_args(OnAmbiguous))}, not {on_ambiguous!r}")
    if not path.startswith("//") or on_ambiguous == "literal":
        return path
    if on_ambiguous == "error":
        raise ValueError(
            f'the resulting path begins with "//" and has no authority before it, so that "{path[2:22]}" '
            "would be read as one (RFC 3986, section 3.3); "
            'on_ambiguous="guard" writes "/./" for the first "/", '
            '"literal" leaves the path as it is'
        )
    return "/." + path
