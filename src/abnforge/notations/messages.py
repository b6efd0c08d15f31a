"""The messages of the export to other notations."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "notation-bytes": "{rule} uses bytes beyond 7F, and {notation} has characters only; export source code",
        "notation-copies": "{rule} repeats an item {count:count time}; the limit is {limit:,}, since {notation} copies it",
        "notation-empty": "{rule} matches no string that {notation} supports",
        "notation-left": "{rule} is left-recursive, which {notation} does not support; rewrite it as a repetition",
        "notation-ordered": "{rule} is recursive, and the next character does not decide each choice in {notation};"
        " export another grammar or source code",
        "notation-size": "{rule} exceeds {limit:count node} in {notation}; export a smaller rule",
        "notation-states": "{rule} has {states:count state} in {notation}; the limit is {limit:,}",
    }
)
