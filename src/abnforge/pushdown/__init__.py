"""Rules that recurse, read by one deterministic pushdown recogniser that is built as inputs lead there."""
