"""Dot-segments are removed as the two buffers of section 5.2.4 do it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from abnforge import uri
from tests.law import each_row
from tests.reference import resolve as literal


@given(st.text("./a:", max_size=12))
def test_dot_segments_by_the_two_buffers(path: str) -> None:
    assert uri.remove_dot_segments(path) == literal.remove_dot_segments(path)


@each_row(
    ("path", "result"),
    [
        ("/a/b/c/./../../g", "/a/g"),  # 5.2.4
        ("mid/content=5/../6", "mid/6"),
        ("", ""),
        (".", ""),
        ("../..", ""),
        ("/..", "/"),
        ("a/..", "/"),
        ("a/../b", "/b"),
        ("..//c", "/c"),
        ("/a/..//c", "//c"),
        ("/...", "/..."),
        ("/%2E/a", "/%2E/a"),
    ],
)
def test_remove_dot_segments(path: str, result: str) -> None:
    assert uri.remove_dot_segments(path) == literal.remove_dot_segments(path) == result
