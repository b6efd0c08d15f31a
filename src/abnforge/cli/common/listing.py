"""``list``: the grammars that load by name."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Listed:
    """A grammar that loads by name; ``origin`` is the package that ships it.

    ``rules``, their number, and ``default_rule`` are None where they are not known without loading it.
    """

    name: str
    origin: str
    rules: int | None = None
    default_rule: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def listed() -> list[Listed]:
    """Every grammar that loads by name, the bundled ones first."""
    import abnforge

    # The package's grammars are not loaded for their rules: that takes seconds for all of them.
    bundled = [abnforge.load(name) for name in abnforge.grammar_names()]
    return [
        *(Listed(g.name, "abnforge", len(g.own_rules), g.start.name) for g in bundled),
        *(Listed(name, "abnf") for name in abnforge.package_names()),
    ]
