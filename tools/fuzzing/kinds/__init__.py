"""The kinds of cases, each with its laws."""

from __future__ import annotations

from fuzzing.kind import Kind
from fuzzing.kinds import (
    algebra,
    documents,
    hostile,
    long,
    patterns,
    recursive,
    regular,
    short,
    strings,
    text,
)

# Hostile cases first: their processes are forked from this one, which has started no engine yet.
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        hostile.KIND,
        regular.KIND,
        recursive.KIND,
        short.KIND,
        documents.KIND,
        long.KIND,
        patterns.KIND,
        strings.KIND,
        algebra.KIND,
        text.KIND,
    )
}
