"""Random valid references that exercise resolution and normalization."""

from __future__ import annotations

import random
from collections.abc import Iterator

from abnforge import uri

SEGMENTS = ["", ".", "..", "a", "b", "c:d", ";x=1", "...", "%2e", "%2E%2e", "%7E", "%3a", "A", "x@"]
AUTHORITIES = [
    "",
    "h",
    "H.example",
    "u:p@h:80",
    "[::1]:",
    "h:",
    "%41",
    "1.2.3.%34",
    "[v1.Ab]",
    "localhost",
    "@h",
]
SCHEMES = ["a", "http", "HTTP", "file", "urn", "mailto"]
TAILS = ["", "", "", "?", "?q/../x", "#", "#f/./g", "?%7eq#%3a"]


def reference(source: random.Random, *, scheme: bool | None = None) -> str:
    """Return a URI reference with a scheme, without one, or either."""
    while True:
        text = "/".join(source.choices(SEGMENTS, k=source.randrange(6)))
        if source.random() < 0.5:
            text = f"//{source.choice(AUTHORITIES)}{text and '/'}{text}"
        elif source.random() < 0.3:
            text = "/" + text
        if scheme or (scheme is None and source.random() < 0.5):
            text = f"{source.choice(SCHEMES)}:{text}"
        text += source.choice(TAILS)
        rule = {True: "URI", False: "relative-ref", None: "URI-reference"}[scheme]
        if uri.is_valid(text, rule):
            return text


def references(seed: int, count: int, *, scheme: bool | None = None) -> Iterator[str]:
    source = random.Random(seed)
    return (reference(source, scheme=scheme) for _ in range(count))
