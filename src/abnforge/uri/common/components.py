"""Base of component objects, and component recomposition (RFC 3986, section 5.3; RFC 2396, section 5.2)."""

from __future__ import annotations

from typing import Literal, get_args

from abnforge._arguments import TextLike, choice_argument
from abnforge._lazy import NotebookView
from abnforge.catalog import ArgumentError
from abnforge.uri.common.messages import message
from abnforge.uri.common.password import without_password


class Component(NotebookView, TextLike):
    """A value that was parsed from a string, which ``str`` returns exactly."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the class and the string, with ``***`` for a password, since reprs end up in logs."""
        return f"{type(self).__name__}({without_password(str(self))!r})"


class AuthorityComponent(Component):
    """A component after the two slashes of a URI."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({without_password(str(self), 'authority')!r})"


# Scheme, authority, path, query and fragment. None is an undefined component, without delimiter; "" is empty.
Five = tuple[str | None, str | None, str, str | None, str | None]


def recompose(
    scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    """Return the reference with these components."""
    text = path if authority is None else f"//{authority}{path}"
    if scheme is not None:
        text = f"{scheme}:{text}"
    if query is not None:
        text = f"{text}?{query}"
    return text if fragment is None else f"{text}#{fragment}"


def recompose_authority(userinfo: str | None, host: str, port: str | None) -> str:
    """Return the authority with these components (RFC 3986, section 3.2; RFC 2396, section 3.2.2)."""
    text = host if userinfo is None else f"{userinfo}@{host}"
    return text if port is None else f"{text}:{port}"


# Treatment of a path that recomposition would turn into an authority; see :func:`guarded`.
OnAmbiguous = Literal["guard", "literal", "error"]


def ambiguous_argument(value: object) -> None:
    """Raise TypeError or ValueError for a value that is not an option of ``OnAmbiguous``."""
    if value != "guard":
        choice_argument(value, "on_ambiguous", get_args(OnAmbiguous))


def guarded(path: str, on_ambiguous: OnAmbiguous) -> str:
    """Return a path for a reference without an authority.

    Such a path cannot start with "//" (RFC 3986, section 3.3), which would start an authority. ``guard``
    prepends "/.", which resolution removes again; ``literal`` keeps the path; ``error`` raises ValueError.
    """
    ambiguous_argument(on_ambiguous)
    if not path.startswith("//") or on_ambiguous == "literal":
        return path
    if on_ambiguous == "error":
        raise ArgumentError(message("path-reads-as-authority", path=path))
    return "/." + path
