"""A path that would read as an authority, by each of the three options."""

from __future__ import annotations

from abnforge.uri.common.components import OnAmbiguous, guarded
from tests.law import each_row
from tests.raising import raises


@each_row(
    ("path", "option", "result"),
    [
        ("//a", "guard", "/.//a"),
        ("//a", "literal", "//a"),
        ("//", "guard", "/.//"),
        ("/a//b", "guard", "/a//b"),
        ("/a//b", "error", "/a//b"),
        ("", "error", ""),
    ],
)
def test_guarded(path: str, option: OnAmbiguous, result: str) -> None:
    assert guarded(path, option) == result


def test_an_error_says_what_would_be_read() -> None:
    with raises(ValueError, "path-reads-as-authority", path="//a/b"):
        guarded("//a/b", "error")
