"""What the component objects of RFC 3986 and of RFC 2396 have in common: a text that they stand for."""

from __future__ import annotations

from typing import Literal, get_args

from abnforge._arguments import TextLike, choice_argument
from abnforge._lazy import NotebookView
from abnforge.catalog import ArgumentError
from abnforge.uri.common.messages import message
from abnforge.uri.common.password import without_password


class Component(NotebookView, TextLike):
    """A value that was read from a text and gives exactly that text back by ``str``."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The class and the text; a password is replaced by ``***``, since a repr ends up in logs."""
        return f"{type(self).__name__}({without_password(str(self))!r})"


class AuthorityComponent(Component):
    """A component that stands behind the two slashes of a URI."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({without_password(str(self), 'authority')!r})"


# Component recomposition (RFC 3986, section 5.3; RFC 2396, section 5.2, step 7): components to text.
#
# None is a component that is undefined, whose delimiter is not there either; "" is one that is empty.


# Scheme, authority, path, query and fragment: what every reference consists of.
Five = tuple[str | None, str | None, str, str | None, str | None]


def recompose(
    scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    """The reference with these components."""
    text = path if authority is None else f"//{authority}{path}"
    if scheme is not None:
        text = f"{scheme}:{text}"
    if query is not None:
        text = f"{text}?{query}"
    return text if fragment is None else f"{text}#{fragment}"


def recompose_authority(userinfo: str | None, host: str, port: str | None) -> str:
    """The authority with these components (RFC 3986, section 3.2; RFC 2396, section 3.2.2)."""
    text = host if userinfo is None else f"{userinfo}@{host}"
    return text if port is None else f"{text}:{port}"


# A path that would read as an authority, and what resolution and normalization do about it.


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
