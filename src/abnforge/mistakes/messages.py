"""The sentence of a mistake: its template with the slots' texts put in."""

from __future__ import annotations

import re

from abnforge.drawing import escape
from abnforge.mistakes.model import ALL, Mistake, Slot

MAX_SHOWN = 40
"""Characters of a slot that a sentence shows: more would hide the rest of it."""

_PART = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")


def slots_said(mistake: Mistake) -> tuple[Slot, ...]:
    """The slots that a mistake's sentence shows."""
    found = (_slot(match[1]) for match in _PART.finditer(mistake.say or "") if match[1])
    return tuple(slot for slot in found if slot.name != ALL)


def fill(template: str, texts: dict[Slot, str]) -> str:
    """A template with texts for its slots; those that a text does not use are empty."""

    def put(match: re.Match[str]) -> str:
        return match[0][0] if match[1] is None else shown(texts.get(_slot(match[1]), ""))

    return _PART.sub(put, template)


def outline(template: str) -> str:
    """A template with what is said of a certain text left out."""
    return _PART.sub(lambda match: match[0][0] if match[1] is None else "...", template)


def shown(text: str) -> str:
    """A text as a sentence shows it: escaped, and shortened in its middle."""
    if len(text) > MAX_SHOWN:
        half = MAX_SHOWN // 2
        text = f"{text[:half]}...{text[-half:]}"
    return escape(text)


def _slot(name: str) -> Slot:
    name, _, turn = name.partition(".")
    return Slot(name, int(turn or 1))
