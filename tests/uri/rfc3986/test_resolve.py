"""Resolution by RFC 3986: its examples, a transcription of its pseudocode, and what no pseudocode says."""

from __future__ import annotations

import random

import pytest

from abnforge import uri
from tests.law import each_row
from tests.raising import raises
from tests.reference import resolve as literal
from tests.reference.examples import BASE, examples
from tests.reference.references import reference
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
                continue  # "identical" there is a question of case
            assert str(target) == literal.recompose(expected), (base, ref)
            assert (target.scheme, target.path) == (expected.scheme, expected.path)


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
    """Ten times the input is at most ten times the work, and a regular expression does no more than that."""

    def work(size: int) -> int:
        return steps(uri.resolve, "http://a/b", unit * (size // len(unit)))

    assert work(200_000) < 11 * work(20_000)
    assert finishes(uri.resolve, "http://a/b", unit * 500_000)
