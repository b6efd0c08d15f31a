"""Rules that recurse, read by one deterministic pushdown recognizer that is built as inputs lead there."""
