"""The messages of the modules next to this one: arguments, budgets, errors."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "argument-bytes": "{name} must be {expected}, not {type}; decode it first",
        "argument-choice": "{name} must be {choices:or}, not {value:quoted}",
        "argument-empty": "{name} must not be empty",
        "argument-type": "{name} must be {expected}, not {type}",
        "argument-value": "{name} must be {expected}, not {value}",
    }
)
