"""The messages of the package ``analysis``."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "size-negative": "size must be at least 0, not {size}",
        "string-size-limit": "{rule} does not match any string of up to {limit:,} characters and rules (MAX_SENTENCE)",
    }
)
