"""The messages of the comparison package."""

from __future__ import annotations

from abnforge.catalog import Catalog

message = Catalog(
    {
        "comparison-identical": "the definitions are identical, with all rules that they use",
        "comparison-renamed": "{left} is named {right} in the other grammar",
        "translation-malformed": "a translation must be NAME=ABNF, not {translation:quoted}",
    }
)
