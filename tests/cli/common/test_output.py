"""What is written, and for whom."""

from __future__ import annotations

import io
import json
import sys

import pytest

from abnforge.cli.common.output import PLAIN, Style, complain, dumps, write


def test_what_an_encoding_lacks_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    write("a\u20ac")
    sys.stdout.flush()
    assert raw.getvalue() == b"a\\u20ac"


def test_json_is_printable_ascii() -> None:
    text = dumps({"a": "\x7f\x1b\u202e\u20ac"})
    assert text.isascii()
    assert text.isprintable()
    assert json.loads(text) == {"a": "\x7f\x1b\u202e\u20ac"}


def test_complaints_are_one_safe_line(capsys: pytest.CaptureFixture[str]) -> None:
    complain("a\x1b\nb")
    assert capsys.readouterr().err == "abnforge: a\\x1b\\nb\n"


def test_colour_is_all_that_style_adds() -> None:
    assert [PLAIN.error("a"), PLAIN.good("a"), PLAIN.strong("a"), PLAIN.faint("a")] == ["a"] * 4
    assert Style(colour=True).error("a") != "a"
    assert Style(colour=True).error("") == ""
