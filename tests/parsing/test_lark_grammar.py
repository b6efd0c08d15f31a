"""Grammars as Lark text."""

from __future__ import annotations

import abnforge


def test_repetitions_in_repetitions_are_written_once() -> None:
    depth = 40
    text = abnforge.loads(f'r = {"*( " * depth}"a"{" )" * depth}\n')["r"].lark_text
    assert text.count("\n") < 2 * depth
    assert text.count("*") == depth
