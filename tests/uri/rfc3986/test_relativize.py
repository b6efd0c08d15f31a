"""The inverse of resolution: what it gives resolves to the target, and nothing shorter does."""

from __future__ import annotations

import itertools

from abnforge import uri
from tests.law import each_row
from tests.raising import raises
from tests.reference.examples import BASE
from tests.reference.references import references


@each_row(
    ("base", "target", "ref"),
    [
        (BASE, BASE, ""),
        (BASE, BASE + "#f", "#f"),
        (BASE, "http://a/b/c/d;p?y", "?y"),
        (BASE, "http://a/b/c/d;p", "d;p"),
        (BASE, "http://a/b/c/", "."),
        (BASE, "http://a/b/", ".."),
        (BASE, "http://a/", "/"),
        (BASE, "http://a/b/c/x:y", "./x:y"),
        (BASE, "http://a/b/c//x", ".//x"),
        (BASE, "http://a//x", "/.//x"),
        (BASE, "http://a", "//a"),
        (BASE, "http://g", "//g"),
        (BASE, "http://g/h?i#j", "//g/h?i#j"),
        ("http://a/b/c/d", "http://a/e?f#g", "/e?f#g"),
        (BASE, "g:h", "g:h"),
        ("a:b", "a:", "."),
    ],
)
def test_relativize(base: str, target: str, ref: str) -> None:
    assert str(uri.relativize(base, target)) == ref
    assert str(uri.resolve(base, ref)) == target


def test_relativize_is_the_inverse() -> None:
    targets = references(2, 1500, scheme=True)
    refused = 0
    for base, target in zip(references(3, 1500, scheme=True), targets, strict=True):
        try:
            ref = uri.relativize(base, target)
        except ValueError:
            refused += 1
            assert not {".", ".."}.isdisjoint(uri.parse(target).segments)
            assert str(uri.resolve(base, target)) != target
        else:
            assert uri.resolve(base, ref) == uri.parse(target)
    assert refused < 1000


def test_relativize_gives_a_shortest_reference() -> None:
    """Every shorter text over the characters in question resolves to something else."""
    short = [
        text
        for size in range(5)
        for text in map("".join, itertools.product("a./:?", repeat=size))
        if uri.is_valid(text, "URI-reference")
    ]
    for base in ("a:", "a:a", "a:/", "a:/a/a", "a://a", "a://a/a/", "a:a/a?", "a:/a/../a/"):
        best: dict[str, int] = {}
        for ref in short:
            best.setdefault(str(uri.resolve(base, ref)), len(ref))
        for target, length in best.items():
            assert len(str(uri.relativize(base, target))) == length, (base, target)


def test_relativize_refuses() -> None:
    with raises(ValueError, "target-relative", target="c"):
        uri.relativize("a:b", "c")
    with raises(ValueError, "base-relative", base="b"):
        uri.relativize("b", "a:c")
    with raises(ValueError, "target-dot-segments", target="a:/c/../d"):
        uri.relativize("a:b", "a:/c/../d")
