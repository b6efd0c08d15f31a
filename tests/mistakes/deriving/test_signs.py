"""Sets of characters in the words of a message."""

from __future__ import annotations

import string

import pytest

from abnforge.charset import CharSet
from abnforge.mistakes.deriving.signs import described

VISIBLE = "".join(map(chr, range(0x21, 0x7F)))


@pytest.mark.parametrize(
    ("characters", "words"),
    [
        (VISIBLE, "visible characters"),
        (VISIBLE + " ", "visible characters and spaces"),
        (VISIBLE + " \t", "visible characters and blanks"),
        (string.digits + "+-.", "digits and any of +-."),
        (string.ascii_letters + string.digits, "letters and digits"),
        (string.hexdigits, "hexadecimal digits"),
        ("", "nothing"),
    ],
)
def test_described(characters: str, words: str) -> None:
    assert described(CharSet.of(characters)) == words
