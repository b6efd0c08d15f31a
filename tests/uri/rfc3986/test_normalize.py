"""Normalization (section 6.2): its examples, each step alone, and laws."""

from __future__ import annotations

from importlib import import_module

import pytest

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import Step
from abnforge.uri.rfc3986.normalize import SECTIONS
from tests.law import each_row
from tests.raising import raises
from tests.reference.examples import examples
from tests.reference.references import references


@pytest.mark.requirement("6-1")
@pytest.mark.parametrize(("text", "normal"), examples("rfc3986", "equivalent"))
def test_examples_of_6_2(text: str, normal: str) -> None:
    assert str(uri.normalize(text, scheme=True)) == normal
    assert uri.equivalent(text, normal)
    assert not uri.equivalent(text, normal, "string")


USUAL = ["http://h/", "http://h:/", "http://H/", "HTTP://h/", "a:./b", "a:b", "a:/./b", "//h", "/p", "."]
USUAL += ["http://h/%41", "http://h/%3a", "http://h:1/", "..", "", "x/../y", "a:", "http://h/../p"]


@pytest.mark.parametrize("native", [True, False])
def test_the_usual_steps_are_the_steps_one_by_one(native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The C extension, the quick check in Python and the general code have the same result."""
    if not native:
        monkeypatch.setattr(import_module("abnforge.uri.rfc3986.normalize"), "normalized", None)
    for text in USUAL:
        assert uri.normalize(text) == uri.normalize(text, steps=list(uri.SYNTAX_BASED)), text


STEPS = [  # string, step, normal form after only this step
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


@each_row(("text", "step", "normal"), STEPS)
def test_each_step_on_its_own(text: str, step: str, normal: str | None) -> None:
    if normal is None:
        with pytest.raises(Rejected):
            uri.normalize(text, steps=[step])
    else:
        assert str(uri.normalize(text, steps=[step])) == normal


def test_without_steps_the_scheme_is_not_asked() -> None:
    assert str(uri.normalize("HTTP://h:80")) == "http://h:80"
    assert str(uri.normalize("HTTP://h:80", scheme=True)) == "http://h/"


def test_a_default_port_of_zero() -> None:
    schemes = {"x": uri.Scheme(default_port="0")}
    assert str(uri.normalize("x://h:000", scheme=True, schemes=schemes)) == "x://h/"
    assert str(uri.normalize("x://h:0001", scheme=True, schemes=schemes)) == "x://h:0001/"


def test_each_step_has_the_section_that_licenses_it() -> None:
    assert {step.value: section for step, section in SECTIONS.items()} == {
        "case": "6.2.2.1",
        "percent-encoding": "6.2.2.2",
        "dot-segments": "6.2.2.3",
        "empty-port": "3.2",
        "scheme": "6.2.3",
        "protocol": "6.2.4",
        "ipv6": "RFC 5952, 4",
    }


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
        for height in range(len(rungs)):  # pairs that are equal on one rung are equal on the rungs above
            lower = uri.normalize(u, steps=rungs[:height])
            assert uri.normalize(lower, steps=rungs) == uri.normalize(u, steps=rungs)


def test_normalizing_after_resolving_loses_nothing() -> None:
    """A reference can be normalized before it is resolved if its target is then normalized.

    Percent-encoded dot-segments are an exception, since resolution does not decode them (section 5.2.1).
    """
    for ref in references(6, 500):
        if "%2e" in ref.lower():
            continue
        before = uri.normalize(uri.resolve("http://a/b/c", uri.normalize(ref)))
        assert before == uri.normalize(uri.resolve("http://a/b/c", ref)), ref


def test_misuse() -> None:
    with raises(ValueError, "argument-choice", name="each of steps", value="cases"):
        uri.normalize("a:b", steps=["cases"])
    with pytest.raises(TypeError):
        uri.normalize(None)  # type: ignore[arg-type]
