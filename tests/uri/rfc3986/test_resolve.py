"""Resolution by RFC 3986, dot segments, and relative references as the inverse of resolution."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge import uri
from tests.law import each_row
from tests.raising import raises
from tests.reference import resolve as literal
from tests.reference.examples import BASE, examples
from tests.reference.references import reference, references
from tests.work import finishes, steps


@each_row(("ref", "target"), examples("rfc3986", "target"))
def test_examples_of_5_4(ref: str, target: str) -> None:
    assert str(uri.resolve(BASE, ref)) == target
    assert uri.resolve(uri.parse(BASE), uri.parse(ref)) == uri.parse(target, "URI")


@pytest.mark.parametrize(("ref", "target"), examples("rfc3986", "target_nonstrict"))
def test_examples_of_5_4_2_for_non_strict_parsers(ref: str, target: str) -> None:
    assert str(uri.resolve(BASE, ref, strict=False)) == target


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_pseudocode_agrees(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(20_000 if seed else 1_000):
        base, ref = reference(source, scheme=True), reference(source)
        for strict in (True, False):
            target = uri.resolve(base, ref, strict, on_ambiguous="literal")
            expected = literal.transform(literal.parse(base), literal.parse(ref), strict)
            if not strict and ref.partition(":")[0] != base.partition(":")[0]:
                continue  # "identical" in the RFC refers to case
            assert str(target) == literal.recompose(expected), (base, ref)
            assert (target.scheme, target.path) == (expected.scheme, expected.path)


AMBIGUOUS = [
    ("a:/b", "..//c", "a:/.//c", "a://c"),
    ("a:/b", ".//c:x", "a:/.//c:x", "a://c:x"),  # the unescaped string is not a URI
    ("a:/b", "/..//c", "a:/.//c", "a://c"),
    ("x:", "a:/.//c", "a:/.//c", "a://c"),
    ("a:b/c", "..//d?q#f", "a:/.//d?q#f", "a://d?q#f"),
    ("a://h/b", "..//c", "a://h//c", None),
    ("a:/.//c", "", "a:/.//c", None),
    ("a:/.//c", "d", "a:/.//d", "a://d"),
]


@each_row(("base", "ref", "guarded", "verbatim"), AMBIGUOUS)
def test_a_path_never_becomes_an_authority_silently(
    base: str, ref: str, guarded: str, verbatim: str | None
) -> None:
    target = uri.resolve(base, ref)
    assert str(target) == guarded
    assert uri.parse(guarded).to_dict() | {"rule": "URI"} == target.to_dict()
    asked = uri.resolve(base, ref, on_ambiguous="literal")
    assert str(asked) == (verbatim or guarded)
    if verbatim is None:
        assert uri.resolve(base, ref, on_ambiguous="error") == target
    else:
        assert (asked.authority, asked.path_kind) == (None, uri.PathKind.ABEMPTY)
        with raises(ValueError, "path-reads-as-authority"):
            uri.resolve(base, ref, on_ambiguous="error")


@each_row(
    ("base", "ref", "strict", "target"),
    [
        ("http://a/b#frag", "", True, "http://a/b"),  # 5.1: without the fragment
        ("http://a/b#frag", "#g", True, "http://a/b#g"),
        ("http://a", "b", True, "http://a/b"),  # 5.2.3: authority and an empty path
        ("http://a", "?q", True, "http://a?q"),
        ("urn:x", "e", True, "urn:e"),
        ("urn:", "e", True, "urn:e"),
        ("urn:a:b", "../c/d", True, "urn:c/d"),
        ("http://a/b", "HTTP:c", False, "http://a/c"),
        ("http://a/b", "https:c", False, "https:c"),
        ("http://a/b/../c", "", True, "http://a/b/../c"),  # only the path of the reference is changed
    ],
)
def test_resolve(base: str, ref: str, strict: bool, target: str) -> None:
    assert str(uri.resolve(base, ref, strict)) == target


def test_refusals_do_not_show_passwords() -> None:
    with raises(ValueError, "base-relative", base="//user:***@h/") as caught:
        uri.resolve("//user:secret@h/", "a")
    assert "secret" not in str(caught.value)


def test_misuse() -> None:
    with raises(TypeError, "argument-bytes", name="ref", type="bytes"):
        uri.resolve("a:b", b"c")  # type: ignore[arg-type]
    with raises(ValueError, "argument-choice", name="on_ambiguous", value="other"):
        uri.resolve("a:/b", "c", on_ambiguous="other")  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", ["/..", "/.", "/a/..", "../", "/a"])
def test_work_is_linear(unit: str) -> None:
    """Ten times the input takes at most ten times the work, and a regular expression takes no more."""

    def work(size: int) -> int:
        return steps(uri.resolve, "http://a/b", unit * (size // len(unit)))

    assert work(200_000) < 11 * work(20_000)
    assert finishes(uri.resolve, "http://a/b", unit * 500_000)


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
    rejected = 0
    for base, target in zip(references(3, 1500, scheme=True), targets, strict=True):
        try:
            ref = uri.relativize(base, target)
        except ValueError:
            rejected += 1
            assert not {".", ".."}.isdisjoint(uri.parse(target).segments)
            assert str(uri.resolve(base, target)) != target
        else:
            assert uri.resolve(base, ref) == uri.parse(target)
    assert rejected < 1000


def test_relativize_gives_a_shortest_reference() -> None:
    """Every shorter string over these characters resolves to another target."""
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


def test_relativize_rejects() -> None:
    with raises(ValueError, "target-relative", target="c"):
        uri.relativize("a:b", "c")
    with raises(ValueError, "base-relative", base="b"):
        uri.relativize("b", "a:c")
    with raises(ValueError, "target-dot-segments", target="a:/c/../d"):
        uri.relativize("a:b", "a:/c/../d")
