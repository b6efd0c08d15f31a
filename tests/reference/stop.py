"""Where the pushdown recognizer stops, without the explanation that takes most of the time."""

from __future__ import annotations

import abnforge


def stop(rule: abnforge.Rule, text: str) -> tuple[bool, int]:
    """Whether a rule derives a text, and how many characters were read."""
    with rule.grammar.readers.taken() as readers:
        reading = readers.machine.read(rule.key, [text])
        return reading.accepting, reading.offset
