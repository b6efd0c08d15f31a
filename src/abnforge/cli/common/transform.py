"""Verbs that make one URI of each string: what they made, or why they refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from abnforge.cli.common.inputs import Record, Unreadable
from abnforge.cli.common.masking import Mask, masked_error, masked_like, masked_record


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a record: a component object, called ``name``, or the reason why there is none."""

    record: Record
    name: str
    value: Any = None
    error: ValueError | None = None

    @property
    def valid(self) -> bool:
        return self.error is None and not isinstance(self.record, Unreadable)

    def to_dict(self) -> dict[str, Any]:
        """``source``, ``line``, ``input``; then ``name`` and ``components``, or ``error``."""
        plain: dict[str, Any] = {"source": self.record.source, "line": self.record.line}
        if isinstance(self.record, Unreadable):
            return plain | {"input": None, "error": self.record.message}
        plain |= {"input": self.record.text}
        if self.error is not None:
            return plain | {"error": str(self.error)}
        return plain | {self.name: str(self.value), "components": self.value.to_dict()}


def transform(
    records: Iterable[Record],
    function: Callable[[str], Any],
    name: str,
    parse: Callable[[str], Any],
    mask: Mask | None = None,
) -> Iterator[Result]:
    """What ``function`` makes of each string; it gives a component object and raises ValueError.

    With a ``mask``, ``parse`` makes the component objects of what is shown: a masked URI is as valid as it
    was.
    """
    for record in records:
        shown = record if mask is None else masked_record(record, mask)
        if isinstance(record, Unreadable):
            yield Result(shown, name)
            continue
        try:
            value = function(record.text)
        except ValueError as error:
            if mask is not None:
                error = masked_error(error, mask)
                shown = masked_like(shown, error)
            yield Result(shown, name, error=error)
        else:
            yield Result(shown, name, value if mask is None else parse(mask(str(value))))
