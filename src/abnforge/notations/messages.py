"""The messages of the export to other notations."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "notation-copies": "{rule} repeats an item {count:count time}; the limit is {limit:,}, since {notation} copies it",
        "notation-empty": "{rule} matches no string that {notation} supports",
        "notation-left": "{rule} is left-recursive, which {notation} does not support; rewrite it as a repetition",
        "notation-size": "{rule} exceeds {limit:count node} in {notation}; export a smaller rule",
    }
)
