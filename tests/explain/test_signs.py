"""Sets of characters in messages."""

from __future__ import annotations

import string

import pytest
from syrupy.assertion import SnapshotAssertion

from abnforge.charset import CharSet
from abnforge.explain.signs import described
from tests.explain.derive.expected import named

VISIBLE = "".join(map(chr, range(0x21, 0x7F)))


@pytest.mark.parametrize(
    "characters",
    [
        VISIBLE,
        VISIBLE + " ",
        VISIBLE + " \t",
        string.digits + "+-.",
        string.digits + "+",
        string.ascii_letters + string.digits,
        string.ascii_uppercase + "_",
        string.ascii_lowercase + "bdfx\n",
        string.hexdigits,
        "",
    ],
)
def test_described(characters: str, snapshot: SnapshotAssertion) -> None:
    charset = CharSet.of(characters)
    assert f"{described(charset)} | {described(charset, several=True)}" == snapshot
    assert not charset or not charset - named(described(charset))
