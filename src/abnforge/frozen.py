"""Values that never change, with a dictionary of their own: what is computed once can still be kept there."""

from __future__ import annotations

from typing import NoReturn

from abnforge.records import refuse_change


class Frozen:
    """Assigning to an attribute, or deleting one, raises FrozenInstanceError, as for a frozen dataclass.

    :class:`~abnforge.once.once` keeps its values in the dictionary itself. Reading costs nothing more.
    """

    def _fill(self, **values: object) -> None:
        """Set attributes, while the value is being made."""
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        refuse_change(f"cannot assign to {name!r}: a {type(self).__name__} never changes")

    def __delattr__(self, name: str) -> NoReturn:
        refuse_change(f"cannot delete {name!r}: a {type(self).__name__} never changes")
