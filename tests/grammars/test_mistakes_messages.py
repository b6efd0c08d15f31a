"""The messages of the files of mistakes, rendered: what a person reads is in a snapshot.

``pytest --snapshot-update`` writes the snapshot again after a message was reworded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import pytest
from syrupy.assertion import SnapshotAssertion

from abnforge.explain.mistakes import MAX_SHOWN, Mistake, fill, message_slots
from tests.grammars.test_mistakes import NAMES, declared, read, written

MAX_WORDS = 14  # of a template: a slot can have several words
# Two messages of a mistake are shown: the shortest and the longest of its examples.
HOSTILE = "\x1b[2J\u202e{all}\"'\n<b>"
TEXTS = {"long": "abc " * 100, "empty": "", "hostile": HOSTILE}


def rendered(name: str, mistake: Mistake) -> Iterator[str]:
    """The messages of the examples of a mistake that differ, each after its example."""
    known: dict[str, str] = {}
    for example in mistake.examples:
        reading, _ = read(name, example.rule, example.wrong)
        for found in reading.all_mistakes:
            if found.mistake is not None and written(found.mistake) == written(mistake):
                known.setdefault(found.message(example.wrong), f"{found.code} {example.wrong!r}")
    shown = sorted(known, key=len)
    for message in dict.fromkeys((shown[0], shown[-1])):
        assert message == message.strip()
        yield f"{known[message]}: {message}"


@pytest.mark.parametrize("name", NAMES)
def test_messages(name: str, snapshot: SnapshotAssertion) -> None:
    lines = [line for mistake in declared(name) for line in rendered(name, mistake)]
    assert "\n".join(lines) == snapshot


@pytest.mark.parametrize("name", NAMES)
def test_messages_can_be_read_whatever_their_slots_hold(name: str) -> None:
    for mistake in declared(name):
        say = mistake.say or ""
        slots = message_slots(mistake)
        assert len(say.split()) <= MAX_WORDS, say
        assert re.match(r"[a-z{'H%]|[A-Z]", say), say
        assert not say.endswith("."), say
        for text in TEXTS.values():
            message = fill(say, dict.fromkeys(slots, text))
            # Control characters and directions are escaped, and long slots are shortened.
            assert not [char for char in message if unicodedata.category(char) in ("Cc", "Cf")], message
            assert len(message) <= len(say) + len(slots) * 6 * MAX_SHOWN
