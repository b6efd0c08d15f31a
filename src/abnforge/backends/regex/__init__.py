"""Is this pattern right? Rules as regular expressions: which of them are safe to match, and their text."""
