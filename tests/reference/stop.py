"""The position where the recognizer stops, without an explanation, which would take most of the time."""

from __future__ import annotations

import abnforge


def stop(rule: abnforge.Rule, text: str) -> tuple[bool, int]:
    """Return whether a rule matches a string, and the number of characters that the recognizer read."""
    with rule.grammar.readers.taken() as readers:
        reading = readers.machine.read(rule.key, [text])
        return reading.accepting, reading.offset
