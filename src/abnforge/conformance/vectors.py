"""A test vector: a string, and whether the rule derives it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vector:
    """``text`` is a string, ``valid`` what the rule says of it; ``why`` is the pass that asks for it."""

    text: str
    valid: bool
    why: str
