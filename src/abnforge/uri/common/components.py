"""What the component objects of RFC 3986 and of RFC 2396 have in common: a text that they stand for."""

from __future__ import annotations

from abnforge.arguments import Written
from abnforge.late import importing
from abnforge.uri.common.password import without_password


class Component(Written):
    """A value that was read from a text and gives exactly that text back by ``str``."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The class and the text; a password is replaced by ``***``, since a repr ends up in logs."""
        return f"{type(self).__name__}({without_password(str(self))!r})"

    def _repr_html_(self) -> str | None:
        """For notebooks; as the repr, it has no password."""
        try:
            with importing:
                from abnforge.uri.common.notebook import component_html
            return component_html(self)
        except Exception:  # whatever it is: the repr is still there
            return None


class AuthorityComponent(Component):
    """A component that stands behind the two slashes of a URI."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({without_password(str(self), 'authority')!r})"
