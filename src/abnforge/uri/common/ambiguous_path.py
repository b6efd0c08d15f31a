"""A path that would read as an authority, and what resolution and normalization do about it."""

from __future__ import annotations

from typing import Literal, get_args

from abnforge.arguments import choice_argument
from abnforge.catalog import ArgumentError
from abnforge.uri.common.messages import message

# What to do about a path that recomposition would turn into an authority; see :func:`guarded`.
OnAmbiguous = Literal["guard", "literal", "error"]


def ambiguous_argument(value: object) -> None:
    """Refuse what is none of the options: TypeError for what is no str, else ValueError."""
    if value != "guard":
        choice_argument(value, "on_ambiguous", get_args(OnAmbiguous))


def guarded(path: str, on_ambiguous: OnAmbiguous) -> str:
    """A path that is to stand without an authority, by the option chosen for one that cannot.

    Without an authority a path cannot begin with "//" (section 3.3): what follows would be read as an
    authority. ``guard`` puts "/." before such a path, which resolution takes away again; ``literal`` leaves
    it; ``error`` raises ValueError.
    """
    ambiguous_argument(on_ambiguous)
    if not path.startswith("//") or on_ambiguous == "literal":
        return path
    if on_ambiguous == "error":
        raise ArgumentError(message("path-reads-as-authority", path=path))
    return "/." + path
