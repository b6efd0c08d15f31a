"""What the component objects of RFC 3986 and of RFC 2396 have in common: a text that they stand for."""

from __future__ import annotations

from abnforge.uri.common.mask import mask_userinfo


class Component:
    """A value that was read from a text and gives exactly that text back by ``str``."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The class and the text; a password is replaced by ``***``, since a repr ends up in logs."""
        return f"{type(self).__name__}({mask_userinfo(str(self), '***', keep_length=False)!r})"


class AuthorityComponent(Component):
    """A component that stands behind the two slashes of a URI."""

    __slots__ = ()

    def __repr__(self) -> str:
        # The slashes that a password is recognised by are not part of the text.
        return f"{type(self).__name__}({mask_userinfo(f'//{self}', '***', keep_length=False)[2:]!r})"


def recompose(
    scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    """The reference with these components (RFC 3986, section 5.3; RFC 2396, section 5.2, step 7)."""
    text = path if authority is None else f"//{authority}{path}"
    if scheme is not None:
        text = f"{scheme}:{text}"
    if query is not None:
        text = f"{text}?{query}"
    return text if fragment is None else f"{text}#{fragment}"


def text_of(value: object) -> str:
    """The text that a caller means: a str as it is, a component object as it was written.

    Raises TypeError for anything else, naming what is accepted.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, Component):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(
            f"expected a str or a component object, not {type(value).__name__}: "
            'decode the bytes first, for instance with bytes.decode("ascii")'
        )
    raise TypeError(f"expected a str or a component object, not {type(value).__name__}")
