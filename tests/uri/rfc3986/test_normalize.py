"""Normalization and the comparison ladder: section 6.2, laws, and what is not licensed."""

from __future__ import annotations

import tomllib

import pytest

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import Scheme, Step
from tests.places import DATA
from tests.reference.references import references

CASES = tomllib.loads((DATA / "examples_rfc3986.toml").read_text("utf-8"))["case"]
EQUIVALENT = [pytest.param(c["text"], c["equivalent"], id=c["name"]) for c in CASES if "equivalent" in c]


@pytest.mark.requirement("6-1")
@pytest.mark.parametrize(("text", "normal"), EQUIVALENT)
def test_examples_of_6_2(text: str, normal: str) -> None:
    assert str(uri.normalize(text, scheme=True)) == normal
    assert uri.equivalent(text, normal)
    assert not uri.equivalent(text, normal, "string")


STEPS = [  # text, step, normal form by this step alone
    ("HTTP://U@EXAMPLE.com:/%3a%7e?%aB#%c", "case", None),
    ("HTTP://U@EXAMPLE%6a.com:/%3a%7e?%aB#%cd", "case", "http://U@example%6A.com:/%3A%7E?%AB#%CD"),
    ("HTTP://%55@h%41/%3a%7E?%61#%2d", "percent-encoding", "HTTP://U@hA/%3a~?a#-"),
    ("a:%2541", "percent-encoding", "a:%2541"),
    ("a:/b/../%2E/c", "dot-segments", "a:/%2E/c"),
    ("a:b/../c", "dot-segments", "a:/c"),
    ("a:/b/..//c", "dot-segments", "a:/.//c"),
    ("../a/./b", "dot-segments", "../a/./b"),
    ("//u@h:?", "empty-port", "//u@h?"),
    ("//[::]:", "empty-port", "//[::]"),
    ("//[0:0::FFFF:1.2.3.4]", "ipv6", "//[::ffff:1.2.3.4]"),
    ("//u@[1:0:0:2:0:0:0:a]:1/", "ipv6", "//u@[1:0:0:2::a]:1/"),
    ("//[v1.A]", "ipv6", "//[v1.A]"),
    ("HTTP://h:080", "scheme", "HTTP://h/"),
    ("http://h:00", "scheme", "http://h:00/"),
    ("https://h:80/", "scheme", "https://h:80/"),
    ("http:a", "scheme", "http:a"),
    ("file://LOCALHOST/a", "scheme", "file:///a"),
    ("file:/a", "scheme", "file:///a"),
    ("file:a", "scheme", "file:a"),
    ("file://u@/a", "scheme", "file://u@localhost/a"),
    ("file://h/a", "scheme", "file://h/a"),
    ("mailto:A@B.C,D@E%2f?to=X@Y", "scheme", "mailto:A@b.c,D@e%2F?to=X@Y"),
    ("mailto:A", "scheme", "mailto:A"),
    ("urn:ISBN:A", "scheme", "urn:isbn:A"),
    ("unheard-of://h:80", "scheme", "unheard-of://h:80/"),
    ("//h:80", "scheme", "//h:80"),
]


@pytest.mark.parametrize(("text", "step", "normal"), STEPS)
def test_each_step_on_its_own(text: str, step: str, normal: str | None) -> None:
    if normal is None:
        with pytest.raises(Rejected):
            uri.normalize(text, steps=[step])
    else:
        assert str(uri.normalize(text, steps=[step])) == normal


NOT_LICENSED = [
    ("http://example.com/?", "http://example.com/"),  # 6.2.3
    ("http://example.com/#", "http://example.com/"),
    ("http://@h/", "http://h/"),
    ("http://u:@h/", "http://u@h/"),
    ("http://u@h/", "http://U@h/"),
    ("http://h/a", "http://h/A"),
    ("http://h/a/", "http://h/a"),
    ("http://h/%2F", "http://h//"),
    ("http://h/%2B", "http://h/+"),  # 2.2: reserved characters
    ("http://h.", "http://h"),
    ("http://h:443/", "https://h/"),
    ("a://[::1]", "a://[0:0:0:0:0:0:0:1]"),
    ("mailto:a@h", "mailto:A@h"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
]


@pytest.mark.parametrize(("left", "right"), NOT_LICENSED)
def test_what_is_not_licensed_stays(left: str, right: str) -> None:
    assert not uri.equivalent(left, right)
    assert uri.equivalent(left, right).differences


def test_laws() -> None:
    every = [step for step in Step if step is not Step.PROTOCOL]
    rungs = (*uri.SYNTAX_BASED, Step.SCHEME)
    for text in references(5, 1000):
        u = uri.parse(text)
        for steps, scheme in ((uri.SYNTAX_BASED, False), (uri.SYNTAX_BASED, True), (every, False)):
            normal = uri.normalize(u, steps=steps, scheme=scheme)
            assert uri.normalize(normal, steps=steps, scheme=scheme) == normal
            again = uri.parse(str(normal))
            assert again.to_dict() | {"rule": normal.rule} == normal.to_dict()
            assert type(again) is type(u)
            for name in ("query", "fragment", "userinfo"):
                assert (getattr(normal, name) is None) == (getattr(u, name) is None)
        for height in range(len(rungs)):  # what is equal on one rung is equal on those above
            lower = uri.normalize(u, steps=rungs[:height])
            assert uri.normalize(lower, steps=rungs) == uri.normalize(u, steps=rungs)


def test_normalizing_after_resolving_loses_nothing() -> None:
    """A reference may be normalized before it is resolved, if its target is normalized anyway.

    With dot-segments that are percent-encoded it may not: resolution does not decode (section 5.2.1).
    """
    for ref in references(6, 500):
        if "%2e" in ref.lower():
            continue
        before = uri.normalize(uri.resolve("http://a/b/c", uri.normalize(ref)))
        assert before == uri.normalize(uri.resolve("http://a/b/c", ref)), ref


def test_a_registry_of_one_s_own() -> None:
    mine = {**uri.SCHEMES, "x": Scheme("99", path=str.lower, rooted=False)}
    assert str(uri.normalize("X://h:99/A", scheme=True, schemes=mine)) == "x://h/a"
    assert str(uri.normalize("x://h", scheme=True, schemes=mine)) == "x://h"
    assert uri.equivalent("x:A", "x:a", schemes=mine)
    broken = {"x": Scheme(path=lambda path: path + " ")}
    with pytest.raises(Rejected):
        uri.normalize("x:a", scheme=True, schemes=broken)
    for port in ("x", "080", ""):
        with pytest.raises(ValueError, match="default port"):
            Scheme(port)
    assert all(facts.source.startswith("RFC") for facts in uri.SCHEMES.values())


def test_the_protocol_is_the_caller_s() -> None:
    def directory(u: uri.URI) -> str:
        return str(u) if u.path.endswith("/") else f"{u}/"

    left, right = "http://example.com/data", "HTTP://example.com/data/"  # 6.2.4
    assert not uri.equivalent(left, right)
    found = uri.equivalent(left, right, protocol=directory)
    assert (found.step, found.section, found.needed) == ("protocol", "6.2.4", (Step.CASE, Step.PROTOCOL))
    assert str(uri.normalize(left, protocol=directory)) == left + "/"
    for call in (
        lambda: uri.equivalent("a:", "b:", "protocol"),
        lambda: uri.normalize("a:", steps=["protocol"]),
    ):
        with pytest.raises(ValueError, match="needs a function"):
            call()


LADDER: list[tuple[str, str, str | None, str | None]] = [
    ("http://a/", "http://a/", "string", "6.2.1"),
    ("http://a/", "HTTP://a/", "case", "6.2.2.1"),
    ("http://a/%3a", "http://a/%3A", "case", "6.2.2.1"),
    ("http://a/%7E", "http://a/~", "percent-encoding", "6.2.2.2"),
    ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D", "dot-segments", "6.2.2.3"),
    ("http://a:/", "http://a/", "empty-port", "3.2"),
    ("http://a:80/", "http://a", "scheme", "6.2.3"),
    ("http://a/b", "http://a/c", None, None),
]


@pytest.mark.requirement("6-2")
@pytest.mark.requirement("6-3")
@pytest.mark.parametrize(("left", "right", "step", "section"), LADDER)
def test_the_rung_that_shows_it(left: str, right: str, step: str | None, section: str | None) -> None:
    found = uri.equivalent(left, right)
    assert (found.step, found.section, bool(found)) == (step, section, step is not None)
    assert bool(found.differences) is not bool(found)
    assert (found.normal_left == found.normal_right) is bool(found)
    turned = uri.equivalent(right, left)
    assert (turned.step, turned.needed) == (found.step, found.needed)
    reached = False
    for level in ("string", *uri.SYNTAX_BASED, "scheme"):
        reached |= level == step
        assert bool(uri.equivalent(left, right, level)) is reached
    assert found.to_dict()["equivalent"] is bool(found)


def test_needed_steps() -> None:
    found = uri.equivalent("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D")
    assert found.needed == (Step.CASE, Step.PERCENT_ENCODING, Step.DOT_SEGMENTS)


def test_differences_are_of_the_normal_forms() -> None:
    found = uri.equivalent("HTTP://u:secret@a/?", "http://u:other@a/#f")
    assert [d.component for d in found.differences] == ["userinfo", "query", "fragment"]
    assert found.differences[1][1:] == ("", None)
    assert "secret" not in found.message
    assert "secret" not in repr(found)


def test_relative_references_and_fragments() -> None:
    assert uri.equivalent("a", "a").same_base
    assert not uri.equivalent("a", "./a")
    assert uri.equivalent("a", "./a", base="http://h/")
    assert not uri.equivalent("a", "./a", base="http://h/").same_base
    assert uri.equivalent("http://h/#a", "http://h/", fragment=False)
    assert not uri.equivalent("http://h/", "//h/")


def test_misuse() -> None:
    with pytest.raises(ValueError, match=r"unknown step 'cases'; there are case, "):
        uri.normalize("a:b", steps=["cases"])
    with pytest.raises(ValueError, match=r"unknown level 'all'; there are string, case, "):
        uri.equivalent("a:b", "a:b", "all")
    with pytest.raises(TypeError):
        uri.normalize(None)  # type: ignore[arg-type]
    with pytest.raises(Rejected):
        uri.equivalent("a:b", "a b")
