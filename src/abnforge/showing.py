"""Values that notebooks show as HTML. What they look like is said by rooms above those that make them.

A room imports from those below it alone; a value asks for its page by a function that is put here once the
package is there (``abnforge/__init__.py``). Without one, and wherever it fails, a notebook shows the repr:
one that raised would hide the value.
"""

from __future__ import annotations

from collections.abc import Callable

Draw = Callable[[object], str | None]


class _Drawing:
    """The function that draws; None before there is one."""

    draw: Draw | None = None


def drawn_by(draw: Draw) -> None:
    """Say what draws values from now on."""
    _Drawing.draw = staticmethod(draw)


class Shown:
    """A value that Jupyter and IPython show as HTML, beside its repr."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        draw = _Drawing.draw
        if draw is None:
            return None
        try:
            return draw(self)
        except Exception:  # whatever it is: the repr is still there
            return None
