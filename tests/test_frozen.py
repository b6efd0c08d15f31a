"""Values with a dictionary of their own that never change."""

from __future__ import annotations

import pytest

from abnforge._lazy import cached_property
from abnforge.records import Frozen


class Value(Frozen):
    name: str

    def __init__(self, name: str) -> None:
        self._fill(name=name)

    @cached_property
    def twice(self) -> str:
        return self.name * 2


def test_attributes_cannot_be_assigned_or_deleted() -> None:
    value = Value("a")
    for name in ("name", "twice", "other"):
        with pytest.raises(AttributeError, match=f"'{name}'"):
            setattr(value, name, "b")
        with pytest.raises(AttributeError, match=f"'{name}'"):
            delattr(value, name)
    assert (value.name, value.twice) == ("a", "aa")


def test_what_is_computed_once_is_kept() -> None:
    value = Value("a")
    assert value.twice is value.twice
