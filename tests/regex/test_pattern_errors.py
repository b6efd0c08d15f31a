"""What is said of patterns that are not read."""

from __future__ import annotations

import re

import pytest

from abnforge.conformance import PatternError, pattern
from abnforge.errors import LimitExceeded
from tests.law import each_row
from tests.raising import raises


@each_row(
    ("text", "dialect", "construct", "offset"),
    [
        (r"(a)\1", "python", "a back reference", None),
        (r"(a)?(?(1)b|c)", "python", "a conditional group", None),
        (r"(a)\1", "javascript", "a back reference", 3),
        (r"(a)\1", "re2", "a back reference", 3),
        (r"(?<n>a)\k<n>", "java", "a back reference", 7),
        (r"(?<n>a)(?&n)", "pcre", "a call of a group", 7),
        (r"(a(?R)?b)", "pcre", "a call of the pattern", 2),
        (r"(?(?=a)b|c)", "pcre", "a conditional group", 0),
        (r"(*UTF8)a", "pcre", "a verb", 0),
        (r"a\Kb", "pcre", r"\K", 1),
        ("(a", "pcre", None, 1),
        ("a)", "java", None, 1),
        ("[a", "re2", None, 2),
        ("*", "python", None, 0),
    ],
)
def test_what_is_refused_is_named(text: str, dialect: str, construct: str | None, offset: int | None) -> None:
    with pytest.raises(PatternError) as caught:
        pattern(text, dialect)
    assert caught.value.construct == construct
    assert caught.value.offset == offset
    if construct is not None:
        assert construct in str(caught.value)
        assert "conformance.run" in str(caught.value)


@each_row("dialect", ["python", "javascript", "pcre", "java", "re2"])
@each_row("count", [101, 10_000])
def test_nesting_has_a_limit(dialect: str, count: int) -> None:
    with raises(LimitExceeded, "pattern-too-deep", limit=100):
        pattern("(" * count + "a" + ")" * count, dialect)


def test_nesting_below_the_limit_is_read() -> None:
    assert pattern("(" * 98 + "a" + ")" * 98).automaton.accepts("a")
    assert not re.compile("(" * 98 + "a" + ")" * 98).fullmatch("b")
