"""What is said of a text that a rule derives, and that a rule made of it leaves out."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from abnforge.late import importing
from abnforge.once import once
from abnforge.records import dataclass, fields


@dataclass(frozen=True)
class Refusal:
    """The code of a refusal, what the code means, and what is said of a text.

    ``says`` is a sentence in which ``{text}`` is the part that is blamed, and ``{length}`` how many code
    points the whole text has; ``missing`` is the one where the part is not there. None says why the other
    operand rejects the text. ``splitter`` is a rule whose tree has the
    ``part``, a key: the last place of the rule of that name is blamed; without one it is all of the text.
    """

    code: str
    meaning: str
    says: str | None = None
    missing: str | None = None
    splitter: Any = None
    part: str | None = None

    def place(self, text: str) -> tuple[int, int] | None:
        """What is blamed, in code points; None where it is not there, or where the text has no such parts."""
        if self.splitter is None or self.part is None:
            return 0, len(text)
        found = self._splitting.find(text)
        if found is None:
            return None
        (start, end), _ = found
        return (start, end) if end >= 0 else None

    @once
    def _splitting(self) -> Any:
        """The table that tells where the part is."""
        assert self.part is not None
        table = self.splitter.grammar.compilation.tagged_table(
            self.splitter.key, {self.part: (self.part,)}, {}
        )
        assert table is not None, "the rule of a splitter is regular"
        return table

    def __reduce__(self) -> tuple[type[Refusal], tuple[object, ...]]:
        return Refusal, tuple(getattr(self, each.name) for each in fields(self))

    def message(self, text: str, place: tuple[int, int] | None) -> str | None:
        """The sentence about a text of which that is blamed."""
        if place is None and self.missing is not None:
            return self.missing
        if self.says is None:
            return None
        start, end = place or (0, len(text))
        return _filled(self.says.replace("{length}", f"{len(text):,}"), text[start:end])


@lru_cache(maxsize=1024)
def _filled(says: str, text: str) -> str:
    with importing:
        from abnforge.explain.mistakes import Slot, fill

    return fill(says, {Slot("text", 1): text})
