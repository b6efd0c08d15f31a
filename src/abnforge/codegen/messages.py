"""The messages of source code export."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "code-differs": "the {target} file of {rule} differs from the rule; report this fault of abnforge",
        "code-name": "name must be an identifier of ASCII letters, digits and underscores, not {name:quoted}",
        "code-part-unused": "{rule} does not use {unused:list}; omit it from parts",
        "code-parts-recursive": "{rule} is recursive; omit parts",
        "code-parts-too-large": "{rule} with parts exceeds the limits of its automaton; name fewer parts",
        "code-too-large": "{rule} has {number:,} {unit}s; the limit is {limit:,}",
    }
)
