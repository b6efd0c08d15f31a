"""What the component objects of RFC 3986 and of RFC 2396 have in common: a text that they stand for."""

from __future__ import annotations

from abnforge.uri.common.password import without_password


class Component:
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
