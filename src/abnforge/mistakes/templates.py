"""The message of a mistake: the template of its ``say`` directive, filled with the strings of its slots.

A slot that is a word of the message is quoted, and a single character is named unless it is plain ASCII. A
slot that touches other characters (``[{host}]``, ``{year}-{month}``) is not quoted.
"""

from __future__ import annotations

from functools import lru_cache

from abnforge.drawing import shortened, show_char
from abnforge.mistakes.model import Mistake, Slot
from abnforge.once import lazy_pattern

MAX_SHOWN = 40
"""Characters of a slot that a sentence shows: more would hide the rest of it."""

_PART = lazy_pattern(r"\{\{|\}\}|\{([^{}]+)\}")
_RUN = lazy_pattern(r"\{\{|\}\}|(?P<slots>(?:\{[^{}]+\})+)")
_NAME = lazy_pattern(r"\{([^{}]+)\}")
_BEHIND = lazy_pattern(r"[,.;:)]*(?: |$)")  # what may follow a word


def slots_said(mistake: Mistake) -> tuple[Slot, ...]:
    """The slots that a mistake's sentence shows, and the word that stands for all of it."""
    return tuple([_slot(match[1]) for match in _PART.finditer(mistake.say or "") if match[1]])


def fill(template: str, texts: dict[Slot, str]) -> str:
    """A template with texts for its slots; those that a text does not use are empty."""
    said: list[str] = []
    for text, slots, is_word in _parts(template):
        said.append(text)
        if slots:
            found = "".join([texts.get(slot, "") for slot in slots])
            said.append(quoted(found) if is_word else shortened(found, MAX_SHOWN))
    return "".join(said)


@lru_cache(maxsize=1024)
def _parts(template: str) -> tuple[tuple[str, tuple[Slot, ...], bool], ...]:
    """What a template says as it is, each part with the slots behind it, and whether these are a word."""
    parts: list[tuple[str, tuple[Slot, ...], bool]] = []
    at = 0
    for match in _RUN.finditer(template):
        text = template[at : match.start()]
        at = match.end()
        if match["slots"] is None:
            parts.append((text + match[0][0], (), False))
        else:
            slots = tuple([_slot(name) for name in _NAME.findall(match["slots"])])
            before = template[: match.start()][-1:]
            parts.append((text, slots, before in " (" and _BEHIND.match(template, match.end()) is not None))
    return (*parts, (template[at:], (), False))


def quoted(text: str) -> str:
    """Return a string as a word of a message: in quotes, a single character by its name; "" for none."""
    if len(text) == 1:
        return show_char(text)
    mark = "'" if '"' in text else '"'
    return f"{mark}{shortened(text, MAX_SHOWN)}{mark}" if text else ""


def outline(template: str) -> str:
    """A template with the names of slots in the place of their texts."""
    return _PART.sub(lambda match: match[0][0] if match[1] is None else f"<{match[1]}>", template)


def _slot(name: str) -> Slot:
    name, _, turn = name.partition(".")
    return Slot(name, int(turn or 1))
