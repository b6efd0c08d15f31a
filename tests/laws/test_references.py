"""The C extension normalizes and resolves references like Python: equal rules, identity and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from random import Random

import pytest
from hypothesis import strategies as st

from abnforge import uri
from abnforge._native import compiled
from abnforge.uri import PathKind, Reference
from tests.law import each_row, law, one_in
from tests.places import SHARED
from tests.reference.examples import BASE, cases
from tests.reference.references import references

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")

# The package has functions with these names.
NORMALIZE, RESOLVE = (import_module(f"abnforge.uri.rfc3986.{name}") for name in ("normalize", "resolve"))
CORPUS = SHARED / "corpus" / "real-uris.txt"
BASES = (
    *(BASE, "http://a", "http://a?q", "HTTP://u@[::1]:/%7e/b?x#f", "a:", "a:b", "a:b/c/", "a:/", "a:/.//c"),
    *(
        "a:/b/../c//",
        "x-y:///a//b",
        "mailto:A@b",
        "http://h/é",
        "//h/",
        "a/b",
        "",
        "http://[::g]/",
        "a:\ud800",
    ),
)

Value = str | Reference


@contextmanager
def in_python() -> Iterator[None]:
    """Run a block without the C extension."""
    before = NORMALIZE.normalized, RESOLVE.resolved
    NORMALIZE.normalized = RESOLVE.resolved = None
    try:
        yield
    finally:
        NORMALIZE.normalized, RESOLVE.resolved = before


def outcome(call: Callable[..., Reference], *values: Value) -> tuple[tuple[object, ...], bool]:
    """Return everything that a caller sees of a result, and whether it shares its string with the input."""
    try:
        result = call(*values)
    except ValueError as error:
        return (type(error), str(error)), False
    again = uri.parse(str(result))
    assert (result._places, result._kinds) == (again._places, again._kinds), (call, values)
    assert type(result) is type(again)
    assert again == result
    is_same = result is values[-1] or str(result) is values[-1]
    return (type(result), str(result), result.rule, result._places, result._kinds), is_same


def check(call: Callable[..., Reference], *values: Value) -> bool:
    """Compare both implementations, and return whether the call has a result."""
    result, same = outcome(call, *values)
    with in_python():
        expected, has_to_be_same = outcome(call, *values)
    assert result == expected, (call, values)
    assert same >= has_to_be_same, (call, values)
    return len(result) > 2


def check_all(text: str, bases: tuple[str, ...]) -> bool:
    """Check a string, and its object if there is one, by itself and with each base."""
    values: list[Value] = [text]
    if uri.is_valid(text, "URI-reference"):
        values.append(uri.parse(text))
    for value in values:
        check(uri.normalize, value)
        for base in bases:
            check(uri.resolve, base, value)
            if uri.is_valid(base, "URI-reference"):
                check(uri.resolve, uri.parse(base), value)
    return len(values) > 1


def test_the_extension_answers() -> None:
    """Otherwise, the comparisons would not test anything."""
    assert NORMALIZE.normalized("HTTP://a") == uri.parse("http://a", "URI")
    assert RESOLVE.resolved("a:b", "c") == uri.parse("a:c", "URI")


@each_row("text", one_in(3, sorted({case["text"] for case in cases("rfc3986")})))
def test_examples_of_the_specification(text: str) -> None:
    check_all(text, BASES)


@pytest.mark.parametrize("count", [200, pytest.param(6_000, marks=pytest.mark.slow)])
def test_random_references(count: int) -> None:
    source = Random(count)
    for text in references(count, count):
        assert check_all(text, tuple(source.sample(BASES, 3)))


ANY = st.text("aZ0.%/:?#[]@-~v1 \u00e9\ud800", max_size=12)
PIECES = st.sampled_from(
    [
        "",
        ".",
        "..",
        "/",
        "//",
        "a",
        "A",
        "%2e",
        "%2E",
        "%7e",
        "%c3",
        "%",
        "%4",
        ":",
        "?",
        "#",
        "@",
        "[::A]",
        "é",
    ]
)
TEXTS = st.one_of(ANY, st.lists(PIECES, max_size=10).map("".join))


@law(TEXTS, TEXTS, few=25, many=1_000)
def test_any_texts(base: str, text: str) -> None:
    check_all(text, (BASE, base, "a:" + base, "A://" + base))


@pytest.mark.parametrize("every", [150, pytest.param(5, marks=pytest.mark.slow)])
def test_real_strings(every: int) -> None:
    if not CORPUS.is_file():
        pytest.skip("there is no corpus")
    lines = CORPUS.read_bytes().decode(errors="surrogateescape").split("\n")[:-1][::every]
    valid = sum(check_all(line, (BASE, lines[number - 1])) for number, line in enumerate(lines))
    assert valid > len(lines) / 2


@each_row("size", one_in(3, [500, 1021, 1022, 1023, 1024, 1025, 3000, 20_000]))
@each_row("piece", ["a", "%7e", "%7f", "/.", "/..", "/a/..", "/", "A/"])
def test_strings_of_any_length(piece: str, size: int) -> None:
    text = (piece * size)[: size // len(piece) * len(piece)]
    for before in ("", "A:", "a:/", "//", "x://H/", "x://h/?"):
        assert check_all(before + text, (BASE, "x:" + text)) or piece == "/." or before == "//"


def test_objects_whose_parts_are_not_where_their_text_has_them() -> None:
    """``on_ambiguous="literal"`` returns such an object."""
    literal = uri.resolve("a:/b", "..//C", on_ambiguous="literal")
    assert literal.path == "//C"
    other = uri.URI("a", None, "//C/%7e", PathKind.ABEMPTY, None, None)
    for value in (literal, other):
        check(uri.normalize, value)
        check(uri.resolve, BASE, value)
        check(uri.resolve, value, "b")


class Own(uri.URI):
    """A user-defined class."""


def test_other_values_are_left_to_python() -> None:
    own = Own("HTTP", None, "/a/../b", PathKind.ABSOLUTE, None, None)
    assert NORMALIZE.normalized(own) is None
    assert RESOLVE.resolved(BASE, own) is None
    assert RESOLVE.resolved(own, "a") is None
    assert check(uri.normalize, own)
    assert check(uri.resolve, BASE, own)
    assert check(uri.resolve, own, "a")
    for value in (None, 1, b"a:b", uri.parse("a", "authority"), uri.rfc2396.parse("http://A")):
        assert NORMALIZE.normalized(value) is None
        assert RESOLVE.resolved(BASE, value) is None
        assert RESOLVE.resolved(value, "a") is None
