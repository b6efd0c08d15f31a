"""Resolution by RFC 2396: its examples, and the choices that the RFC leaves open."""

from __future__ import annotations

from typing import Any

import pytest

from abnforge.uri import rfc2396
from tests.raising import raises
from tests.reference.examples import BASE, examples


@pytest.mark.requirement("3.1-2")
@pytest.mark.requirement("3.3-5")
@pytest.mark.parametrize(("ref", "target"), examples("rfc2396", "target"))
def test_examples_of_rfc2396_appendix_c(ref: str, target: str) -> None:
    assert str(rfc2396.resolve(BASE, ref)) == target


@pytest.mark.parametrize(("ref", "target"), examples("rfc2396", "target_nonstrict"))
def test_examples_of_rfc2396_for_non_strict_parsers(ref: str, target: str) -> None:
    assert str(rfc2396.resolve(BASE, ref, strict=False)) == target


@pytest.mark.parametrize(
    ("excess", "target"), [("keep", "http://a/../../g"), ("discard", "http://a/g"), ("error", None)]
)
def test_the_three_ways_of_step_6g(excess: Any, target: str | None) -> None:
    if target is None:
        with raises(ValueError, "path-above-root", path="/b/c"):
            rfc2396.resolve("http://a/b/c", "../../../g", excess=excess)
    else:
        assert str(rfc2396.resolve("http://a/b/c", "../../../g", excess=excess)) == target


def test_a_path_joined_to_an_authority_in_rfc2396() -> None:
    assert str(rfc2396.resolve("http://a", "g", on_ambiguous="literal")) == "http://ag"
    with raises(ValueError, "path-joins-authority", path="g", authority="a"):
        rfc2396.resolve("http://a", "g", on_ambiguous="error")


@pytest.mark.requirement("3-3")
def test_an_opaque_base_in_rfc2396() -> None:
    assert str(rfc2396.resolve("mailto:a", "#f")) == "mailto:a#f"
    assert str(rfc2396.resolve("mailto:a", "http://h/")) == "http://h/"
    for ref in ("b", "/b", "//b", "?b"):
        with raises(ValueError, "base-opaque", base="mailto:a"):
            rfc2396.resolve("mailto:a", ref)


def test_misuse() -> None:
    for option in ("on_ambiguous", "excess"):
        with raises(ValueError, "argument-choice", value="other"):
            rfc2396.resolve("a:/b", "c", **{option: "other"})  # type: ignore[arg-type]
