"""``compare --between``: a string and what changes for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.inputs import Item

if TYPE_CHECKING:  # it takes longer to import than a --help should take
    from abnforge.uri.editions import Between


@dataclass(frozen=True, slots=True)
class Changed:
    """A string for which something changes from one RFC to the other."""

    record: Item
    found: Between

    def to_dict(self) -> dict[str, Any]:
        """``source`` and ``line``, then what the library says. Passwords are as they are."""
        return {"source": self.record.source, "line": self.record.line, **self.found.to_dict()}
