"""Component objects, with and without the C extension, and paths that look like an authority."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import abnforge
from abnforge._native import compiled
from abnforge.uri.common import component_rules, components
from abnforge.uri.common.components import OnAmbiguous, PlainParts, guarded, plain_kind, plain_part
from tests.law import each_row
from tests.raising import raises

# A class, and the functions that define its parts and kinds.
PLAIN = (PlainParts, plain_part, plain_kind)
FORMS = [pytest.param(PLAIN, id="plain")]
if compiled is not None:
    FORMS.append(pytest.param((compiled.Parts, compiled.Part, compiled.Kind), id="compiled"))
SOME = ("key=valué", "pair", (0, 3, 4, 9, -1, -1), (2, 0))


def made(form: Any) -> Any:
    base, part, kind = form

    class Pair(base):  # type: ignore[misc]
        __slots__ = ()

        key = part(0, "What stands before.")
        value = part(1, "What stands behind.")
        comment = part(2, "What is not there.")
        beyond = part(30, "A part that nobody told of.")
        first = kind(0, (None, "a", "b"), "A kind.")
        second = kind(1, (None, "a", "b"), "Another.")

    return Pair


@pytest.mark.parametrize("form", FORMS)
def test_parts_are_cut_out_of_the_text(form: Any) -> None:
    pair = made(form)(*SOME)
    assert (pair.key, pair.value, pair.comment) == ("key", "valué", None)
    assert (pair.first, pair.second) == ("b", None)
    assert (str(pair), pair.rule) == ("key=valué", "pair")
    assert pair._places == SOME[2]
    assert pair._kinds[:2] == SOME[3]
    with pytest.raises(IndexError):
        _ = pair.beyond
    assert made(form).key.__doc__ == "What stands before."
    assert made(form).first.__doc__ == "A kind."


@each_row("form", FORMS)
@each_row(
    "places",
    [(), (0, 3), (-1, -1), (0, 3, 4, 9, -1, -1), (0, 9, 0, 0, 9, 9, 7, 8), (0, 1) * 31],
)
def test_all_parts_as_one_tuple(form: Any, places: tuple[int, ...]) -> None:
    pair = made(form)(SOME[0], SOME[1], places, ())
    result = pair.parts()
    assert type(result) is tuple
    pieces = zip(places[::2], places[1::2], strict=True)
    assert result == tuple(None if end < 0 else SOME[0][begin:end] for begin, end in pieces)
    with pytest.raises(TypeError):
        pair.parts("key")


@each_row("form", FORMS)
@each_row("name", ["key", "first", "rule", "other"])
def test_nothing_can_be_set_or_deleted(form: Any, name: str) -> None:
    pair = made(form)(*SOME)
    with pytest.raises(AttributeError):
        setattr(pair, name, "x")
    with pytest.raises(AttributeError):
        delattr(pair, name)
    assert (pair.key, pair.first, pair.rule) == ("key", "b", "pair")


@pytest.mark.usefixtures("little_garbage")
@pytest.mark.parametrize("form", FORMS)
def test_a_class_with_a_dictionary(form: Any) -> None:
    class Loose(made(form)):  # type: ignore[misc]
        pass

    pair = Loose(*SOME)
    pair.note = ["x"]
    pair.__dict__["key"] = "hidden"
    assert (pair.note, pair.key, pair.value) == (["x"], "key", "valué")
    pair.note.append(pair)  # a circle
    alive = weakref.ref(pair)
    del pair
    gc.collect()
    assert alive() is None


@pytest.mark.usefixtures("little_garbage")
@pytest.mark.parametrize("form", FORMS)
def test_weak_references(form: Any) -> None:
    died: list[object] = []
    pair = made(form)(*SOME)
    alive = weakref.ref(pair, died.append)
    assert alive() is pair
    del pair
    gc.collect()
    assert alive() is None
    assert died == [alive]


@each_row("form", FORMS)
@each_row(
    ("arguments", "error"),
    [
        ((), TypeError),
        (("a",), TypeError),
        ((b"a", "r", (), ()), TypeError),
        (("a", "r", [], ()), TypeError),
        (("a", "r", (), []), TypeError),
        (("a", "r", ("0", "1"), ()), TypeError),
        (("a", "r", (0,), ()), ValueError),
        (("a", "r", (0, 2), ()), ValueError),
        (("a", "r", (1, 0), ()), ValueError),
        (("a", "r", (-1, 0), ()), ValueError),
        (("a", "r", (0, -1), ()), ValueError),
        (("a", "r", (-2, -2), ()), ValueError),
        (("a", "r", (0, 1) * 32, ()), ValueError),
        (("a", "r", (), (0,) * 17), ValueError),
        (("a", "r", (), (-1,)), ValueError),
        (("a", "r", (), (256,)), ValueError),
    ],
)
def test_invalid_arguments(form: Any, arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        made(form)(*arguments)


@pytest.mark.parametrize("form", FORMS)
def test_as_many_parts_and_kinds_as_there_may_be(form: Any) -> None:
    pair = made(form)("a", "r", (0, 1) * 31, (255,) * 16)
    assert (pair.key, pair.value, pair.beyond) == ("a", "a", "a")
    with pytest.raises(IndexError):
        _ = pair.first  # the class does not define a value for this kind number


@pytest.mark.parametrize("form", FORMS)
def test_a_text_of_an_own_class(form: Any) -> None:
    class Own(str):
        pass

    assert made(form)(Own("key=value"), "pair", (0, 3), ()).key == "key"


@pytest.mark.usefixtures("little_garbage")
@pytest.mark.parametrize("form", FORMS)
def test_a_class_is_given_back(form: Any) -> None:
    """Descriptors do not keep classes alive after serving objects of them."""

    def use() -> list[weakref.ref[Any]]:
        kind = made(form)
        derived = type("Derived", (kind,), {})
        for each in (kind, derived):
            each.example = each(*SOME)
            assert each.example.parts() == (each.example.key, each.example.value, None)
        return [weakref.ref(kind), weakref.ref(derived)]

    alive = use()
    gc.collect()
    assert [each() for each in alive] == [None, None]


def test_what_is_found_later_is_found_once() -> None:
    calls = []

    class Finder:
        def places(self, clue: object) -> tuple[int, ...]:
            calls.append(("places", clue))
            return SOME[2]

        def kinds(self, clue: object) -> tuple[int, ...]:
            calls.append(("kinds", clue))
            return SOME[3]

    pair = components.lazy_component(made(PLAIN), SOME[0], SOME[1], Finder(), "clue")
    assert (str(pair), pair.rule, calls) == ("key=valué", "pair", [])
    assert (pair.value, pair.key, pair._places, calls) == ("valué", "key", SOME[2], [("places", "clue")])
    assert (pair.first, pair.second, calls[1:]) == ("b", None, [("kinds", "clue")])


def test_parts_ask_a_finder_once() -> None:
    calls = []

    class Finder:
        def places(self, clue: object) -> tuple[int, ...]:
            calls.append(clue)
            return SOME[2]

        def kinds(self, clue: object) -> tuple[int, ...]:
            raise AssertionError(clue)

    pair = components.lazy_component(made(PLAIN), SOME[0], SOME[1], Finder(), "clue")
    assert (pair.parts(), pair.parts(), pair.value) == (("key", "valué", None),) * 2 + ("valué",)
    assert calls == ["clue"]


@pytest.mark.skipif(compiled is None, reason="there is no kernel")
@pytest.mark.parametrize(("make", "most"), [("Part", 30), ("Kind", 15)])
def test_the_extension_has_so_many_numbers(make: str, most: int) -> None:
    between = ((),) if make == "Kind" else ()
    made = getattr(compiled, make)
    assert made(most, *between, "doc").__doc__ == "doc"
    for number in (-1, most + 1):
        with pytest.raises(ValueError, match=f"{most}, not {number}"):
            made(number, *between, "doc")
    with pytest.raises(TypeError):
        made(0, *between, "doc").__get__("a text")


def test_the_extension_serves_where_there_is_one() -> None:
    assert components.Parts is (PlainParts if compiled is None else compiled.Parts)


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


def test_component_rules() -> None:
    uri = set(component_rules(abnforge.load("rfc3986")["URI"]))
    assert {"scheme", "authority", "host", "port", "path-abempty", "fragment"} <= uri
    assert not uri & {"uri", "hier-part", "segment", "pchar"}
    assert {"ihost", "iquery", "port"} <= set(component_rules(abnforge.load("rfc3987")["IRI"]))
    assert component_rules(abnforge.load("rfc3986")["host"]) == ["host"]
    assert component_rules(abnforge.load("rfc5234")["rulelist"]) == []
