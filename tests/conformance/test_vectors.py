"""Test vectors, and files that contain them."""

from __future__ import annotations

import json

import abnforge
from abnforge.conformance.vectors import Recorded, Vector, lines, record, recorded
from tests.law import each_row

PORT = abnforge.load("rfc3986")["port"]


def test_they_are_values() -> None:
    assert Vector("80", True, "loops") == Vector("80", True, "loops")
    assert len({Vector("80", True, "loops"), Vector("80", True, "loops")}) == 1


def test_a_line() -> None:
    assert record(PORT, "8x", False) == {
        "id": "port-08d31cf5c3c9",
        "text": "8x",
        "rule": "rfc3986:port",
        "valid": False,
        "code": "port-not-digits",
        "section": "3.2.3",
    }
    assert record(PORT, "80", True)["code"] is None


@each_row("text", ["", "80", "\ud800", 'a"\n\\', "é\U0001f600", "\0"])
def test_there_and_back(text: str) -> None:
    [line] = lines(PORT, [Vector(text, PORT.matches(text), "loops")])
    assert line.isascii()
    assert line.count("\n") == 1
    assert ("base64" in json.loads(line)) is (text == "\ud800")
    [result] = recorded(["\n", line])
    assert (result.text, result.rule, result.valid, result.line) == (
        text,
        "rfc3986:port",
        PORT.matches(text),
        2,
    )
    assert result.id == record(PORT, text, result.valid)["id"]


def test_missing_keys_have_defaults() -> None:
    [result] = recorded(['{"text": "x", "rule": "a:b", "valid": false}'])
    assert result == Recorded("line-1", "x", "a:b", False, None, None, 1)
