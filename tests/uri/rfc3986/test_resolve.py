"""Resolution: the examples of both RFCs, a transcription of the pseudocode, and what no pseudocode says."""

from __future__ import annotations

import itertools
import random
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import rfc2396
from tests.places import DATA
from tests.reference import resolve as literal
from tests.reference.references import reference, references
from tests.work import steps

BASE = "http://a/b/c/d;p?q"


def examples(name: str, key: str) -> list[Any]:
    cases = tomllib.loads((DATA / f"examples_{name}.toml").read_text("utf-8"))["case"]
    found = [pytest.param(case["text"], case[key], id=case["name"]) for case in cases if key in case]
    assert found
    return found


@pytest.mark.parametrize(("ref", "target"), examples("rfc3986", "target"))
def test_examples_of_5_4(ref: str, target: str) -> None:
    assert str(uri.resolve(BASE, ref)) == target
    assert uri.resolve(uri.parse(BASE), uri.parse(ref)) == uri.parse(target, "URI")


@pytest.mark.parametrize(("ref", "target"), examples("rfc3986", "target_nonstrict"))
def test_examples_of_5_4_2_for_non_strict_parsers(ref: str, target: str) -> None:
    assert str(uri.resolve(BASE, ref, strict=False)) == target


@pytest.mark.requirement("3.1-2")
@pytest.mark.requirement("3.3-5")
@pytest.mark.parametrize(("ref", "target"), examples("rfc2396", "target"))
def test_examples_of_rfc2396_appendix_c(ref: str, target: str) -> None:
    assert str(rfc2396.resolve(BASE, ref)) == target


@pytest.mark.parametrize(("ref", "target"), examples("rfc2396", "target_nonstrict"))
def test_examples_of_rfc2396_for_non_strict_parsers(ref: str, target: str) -> None:
    assert str(rfc2396.resolve(BASE, ref, strict=False)) == target


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_the_pseudocode_agrees(seed: int) -> None:
    source = random.Random(seed)
    for _ in range(100_000 if seed else 2_000):
        base, ref = reference(source, scheme=True), reference(source)
        for strict in (True, False):
            target = uri.resolve(base, ref, strict, on_ambiguous="literal")
            expected = literal.transform(literal.parse(base), literal.parse(ref), strict)
            if not strict and ref.partition(":")[0] != base.partition(":")[0]:
                continue  # "identical" there is a question of case
            assert str(target) == literal.recompose(expected), (base, ref)
            assert (target.scheme, target.path) == (expected.scheme, expected.path)


@given(st.text("./a:", max_size=12))
def test_dot_segments_by_the_two_buffers(path: str) -> None:
    assert uri.remove_dot_segments(path) == literal.remove_dot_segments(path)


@pytest.mark.parametrize(
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


AMBIGUOUS = [
    ("a:/b", "..//c", "a:/.//c", "a://c"),
    ("a:/b", ".//c:x", "a:/.//c:x", "a://c:x"),  # the literal text is no URI at all
    ("a:/b", "/..//c", "a:/.//c", "a://c"),
    ("x:", "a:/.//c", "a:/.//c", "a://c"),
    ("a:b/c", "..//d?q#f", "a:/.//d?q#f", "a://d?q#f"),
    ("a://h/b", "..//c", "a://h//c", None),
    ("a:/.//c", "", "a:/.//c", None),
    ("a:/.//c", "d", "a:/.//d", "a://d"),
]


@pytest.mark.parametrize(("base", "ref", "guarded", "verbatim"), AMBIGUOUS)
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
        with pytest.raises(ValueError, match="on_ambiguous"):
            uri.resolve(base, ref, on_ambiguous="error")


@pytest.mark.parametrize(
    ("base", "ref", "strict", "target"),
    [
        ("http://a/b#frag", "", True, "http://a/b"),  # 5.1: stripped of any fragment
        ("http://a/b#frag", "#g", True, "http://a/b#g"),
        ("http://a", "b", True, "http://a/b"),  # 5.2.3: authority and an empty path
        ("http://a", "?q", True, "http://a?q"),
        ("urn:x", "e", True, "urn:e"),
        ("urn:", "e", True, "urn:e"),
        ("urn:a:b", "../c/d", True, "urn:c/d"),
        ("http://a/b", "HTTP:c", False, "http://a/c"),
        ("http://a/b", "https:c", False, "https:c"),
        ("http://a/b/../c", "", True, "http://a/b/../c"),  # only the reference's path is worked on
    ],
)
def test_resolve(base: str, ref: str, strict: bool, target: str) -> None:
    assert str(uri.resolve(base, ref, strict)) == target


@pytest.mark.parametrize("base", ["", "/a", "a/b", "//h/", "?q", "#f"])
def test_a_relative_base_is_refused_with_what_is_allowed(base: str) -> None:
    for resolve in (uri.resolve, rfc2396.resolve):
        if resolve is rfc2396.resolve and base == "?q":
            continue  # no reference there
        with pytest.raises(ValueError, match=r"a base is an absolute-?URI.*http://example\.com/a/"):
            resolve(base, "a")


def test_refusals_do_not_show_passwords() -> None:
    with pytest.raises(ValueError, match="base") as caught:
        uri.resolve("//user:secret@h/", "a")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("base", "ref"), [("http://a b/", "c"), ("http://a/", "c d"), ("http://a/", "\ud800")]
)
def test_texts_that_are_not_valid(base: str, ref: str) -> None:
    for resolve in (uri.resolve, rfc2396.resolve):
        with pytest.raises(Rejected):
            resolve(base, ref)


def test_misuse() -> None:
    with pytest.raises(TypeError, match="decode the bytes"):
        uri.resolve("a:b", b"c")  # type: ignore[arg-type]
    for option in ("on_ambiguous", "excess"):
        with pytest.raises(ValueError, match=f"{option} is one of"):
            rfc2396.resolve("a:/b", "c", **{option: "other"})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="guard, literal, error"):
        uri.resolve("a:/b", "c", on_ambiguous="other")  # type: ignore[arg-type]


DIFFERENT = [  # base, reference, target by RFC 2396 and by RFC 3986
    (BASE, "?y", "http://a/b/c/?y", "http://a/b/c/d;p?y"),
    (BASE, "../../../g", "http://a/../g", "http://a/g"),
    (BASE, "/./g", "http://a/./g", "http://a/g"),
    (BASE, "http:/../g", "http:/../g", "http:/g"),
    (BASE, "", "http://a/b/c/d;p?q", "http://a/b/c/d;p?q"),
    (BASE, "#s", "http://a/b/c/d;p?q#s", "http://a/b/c/d;p?q#s"),
    ("http://a", "g", "http://a/g", "http://a/g"),
    ("a:/x/b", "..//c", "a:/.//c", "a:/.//c"),
]


@pytest.mark.parametrize(("base", "ref", "old", "new"), DIFFERENT)
def test_the_two_algorithms(base: str, ref: str, old: str, new: str) -> None:
    assert (str(rfc2396.resolve(base, ref)), str(uri.resolve(base, ref))) == (old, new)


@pytest.mark.parametrize(
    ("excess", "target"), [("keep", "http://a/../../g"), ("discard", "http://a/g"), ("error", None)]
)
def test_the_three_ways_of_step_6g(excess: Any, target: str | None) -> None:
    if target is None:
        with pytest.raises(ValueError, match="step 6g"):
            rfc2396.resolve("http://a/b/c", "../../../g", excess=excess)
    else:
        assert str(rfc2396.resolve("http://a/b/c", "../../../g", excess=excess)) == target


def test_a_path_joined_to_an_authority_in_rfc2396() -> None:
    assert str(rfc2396.resolve("http://a", "g", on_ambiguous="literal")) == "http://ag"
    with pytest.raises(ValueError, match="part of the authority"):
        rfc2396.resolve("http://a", "g", on_ambiguous="error")


@pytest.mark.requirement("3-3")
def test_an_opaque_base_in_rfc2396() -> None:
    assert str(rfc2396.resolve("mailto:a", "#f")) == "mailto:a#f"
    assert str(rfc2396.resolve("mailto:a", "http://h/")) == "http://h/"
    for ref in ("b", "/b", "//b", "?b"):
        with pytest.raises(ValueError, match="opaque"):
            rfc2396.resolve("mailto:a", ref)


@pytest.mark.parametrize(
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
    with pytest.raises(ValueError, match="target"):
        uri.relativize("a:b", "c")
    with pytest.raises(ValueError, match="base"):
        uri.relativize("b", "a:c")
    with pytest.raises(ValueError, match="dot-segments"):
        uri.relativize("a:b", "a:/c/../d")


@pytest.mark.parametrize("unit", ["/..", "/.", "/a/..", "../", "/a"])
def test_work_is_linear(unit: str) -> None:
    """Ten times the input is at most ten times the work."""

    def work(size: int) -> int:
        return steps(uri.resolve, "http://a/b", unit * (size // len(unit)))

    assert work(200_000) < 11 * work(20_000)
