"""What pictures have in common."""

from __future__ import annotations

from abnforge.teaching.pictures.drawing import number, safe, shown


def test_text_is_safe() -> None:
    assert safe("<a b='&\"'>\x00\u202e\ud800") == "&lt;a b=&#x27;&amp;&quot;&#x27;&gt;\\0\\u202e\\ud800"


def test_of_a_long_text_the_beginning_is_shown() -> None:
    assert shown("abcdef", 1, 4, 3) == '"bcd"'
    assert shown("abcdef", 1, 5, 3) == '"bcd..."'


def test_numbers_are_short() -> None:
    assert [number(value) for value in (1, 1.0, 1.25, -0.04)] == ["1", "1", "1.2", "-0"]
