"""Patterns parsed again: the meaning of each notation in each dialect, and unsupported notation."""

from __future__ import annotations

import pytest

from abnforge.charset import CharSet
from abnforge.regex.ast import (
    EPSILON,
    Alternatives,
    AtomicGroup,
    CharacterClass,
    Concat,
    Iteration,
    Regex,
    children,
    postorder,
)
from abnforge.regex.dialects import DIALECTS
from abnforge.regex.errors import UnreadError
from abnforge.regex.reading import MAX_OPEN_GROUPS, NOTATIONS, read
from tests.law import each_row
from tests.raising import raises

A, B = CharacterClass(CharSet.of("a")), CharacterClass(CharSet.of("b"))

READ: list[tuple[str, str, Regex]] = [
    ("python", "", EPSILON),
    ("python", "a", A),
    ("python", "ab", Concat((A, B))),
    ("python", "a|", Alternatives((A, EPSILON))),
    ("python", "(?:a|b)?+", AtomicGroup(Iteration(Alternatives((A, B)), 0, 1))),
    ("python", "(?>a)b", Concat((AtomicGroup(A), B))),
    ("python", "a{2,}", Iteration(A, 2, None)),
    ("java", "a{2,3}+", AtomicGroup(Iteration(A, 2, 3))),
    ("re2", "(?P<name>a)*", Iteration(A, 0, None)),
    ("pcre2", "(*NO_AUTO_POSSESS)a{3}+", AtomicGroup(Iteration(A, 3, 3))),
    ("python", r"[\-\]a-c\x00\u1234\U0010FFFF]", CharacterClass(CharSet.of("-]abc\0\u1234\U0010ffff"))),
    ("rust", r"[\x{1F600}\xFF]", CharacterClass(CharSet.of("\U0001f600\xff"))),
    ("ecmascript", r"[\u{1F600}\u00FF]", CharacterClass(CharSet.of("\U0001f600\xff"))),
]


@each_row(("dialect", "pattern", "tree"), READ)
def test_trees(dialect: str, pattern: str, tree: Regex) -> None:
    assert read(pattern, NOTATIONS[dialect], anchored=False) == tree


UNREAD = [
    *[
        ("python", text)
        for text in ("(a)", "(?=a)", "(?i:a)", "a*?", "a**", "a{2}{2}", ".", r"\d", r"\w", "a b")
    ],
    *[
        ("python", text)
        for text in ("(a", "(?:a", "a)", "[a", "[]", "[]a]", "[^a]", "[b-a]", "[a&&b]", "[--a]")
    ],
    *[
        ("python", text)
        for text in ("{2}", "?", "a{,2}", "a{3,2}", "a{2", "(?P<a>b)(?P<a>b)", "^a", "a$", "é", "\\")
    ],
    *[(name, "a++") for name in ("re2", "rust", "ecmascript", "sql")],
    *[(name, "(?>a)") for name in ("re2", "rust", "ecmascript", "sql")],
    ("re2", "a{1001}"),
    ("sql", "a{256}"),
    ("sql", "(?P<a>b)"),
    ("pcre2", "a{65536}"),
    ("java", "(?P<a>b)"),
    ("python", r"[\x{41}]"),
    ("rust", r"[\x{110000}]"),
    ("ecmascript", r"[\U00000041]"),
]


@each_row(("dialect", "pattern"), UNREAD)
def test_nothing_is_guessed(dialect: str, pattern: str) -> None:
    with pytest.raises(UnreadError):
        read(pattern, NOTATIONS[dialect], anchored=False)


@each_row(("dialect", "pattern"), [
    ("python", r"\Aa\Z"),
    ("python", r"\Aa|b\Z"),
    ("python", r"\A(?:a)|(?:b)\Z"),
    ("python", r"\A(?:a)*\Z"),
    ("python", r"(?:a)\Z"),
    ("python", r"\A(?:a)"),
    ("python", r"\A(?:a)\z"),
    ("ecmascript", r"\A(?:a)$"),
])  # fmt: skip
def test_anchors_are_around_one_group(dialect: str, pattern: str) -> None:
    with pytest.raises(UnreadError) as caught:
        read(pattern, NOTATIONS[dialect], anchored=True)
    assert caught.value.code in ("regex-anchors", "regex-anchors-group")


@each_row("dialect", DIALECTS)
def test_every_dialect_has_its_notation(dialect: str) -> None:
    """The anchors of each dialect are exact: nothing can follow the enclosed part."""
    notation, written = NOTATIONS[dialect], DIALECTS[dialect]
    assert read(f"{written.options}{written.start}(?:a){written.end}", notation, anchored=True) == A
    assert notation.possessive is written.possessive
    assert notation.max_count == written.max_count
    assert (notation.group is None) is (written.group is None)


def test_nesting_is_limited() -> None:
    notation = NOTATIONS["python"]
    assert read("(?:" * 100 + "a" + ")" * 100, notation, anchored=False) == A
    for depth in (MAX_OPEN_GROUPS, 100_000):
        with raises(UnreadError, "regex-nesting", limit=MAX_OPEN_GROUPS):
            read("(?:" * depth + "a" + ")" * depth, notation, anchored=False)


def test_parts_come_after_what_they_are_made_of() -> None:
    tree = read("(?:a|b)*a", NOTATIONS["python"], anchored=False)
    assert children(tree) == (Iteration(Alternatives((A, B)), 0, None), A)
    either = Alternatives((A, B))
    assert list(postorder(tree)) == [A, B, either, Iteration(either, 0, None), A, tree]
