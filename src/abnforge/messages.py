"""The messages of the modules next to this one: arguments, budgets, errors."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "argument-bytes": "{name} must be {expected}, not {type}; decode it first",
        "argument-choice": "{name} must be {choices:or}, not {value:quoted}",
        "argument-type": "{name} must be {expected}, not {type}",
        "errors-empty": "errors must not be empty",
    }
)
