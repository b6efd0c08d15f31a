"""The split of any string by the regular expression of RFC 3986, appendix B."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from abnforge import uri
from tests.law import each_row
from tests.places import SHARED
from tests.raising import raises

CASES = SHARED / "cases" / "components_uritools.json"
COMPONENTS = ("scheme", "authority", "path", "query", "fragment")

# The expression of appendix B; the components are its groups 2, 4, 5, 7 and 9.
PRINTED = r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?"

TEXTS = st.text(alphabet="ab1:/?#@[]%.-_ \n|é", max_size=12)

# Results that uritools expects but that the expression in the RFC does not return. In uritools, a scheme must
# match the rule; in the expression, a scheme is everything before the first ":".
DEVIATIONS = {"_:": uri.Split("_", None, "", None, None)}

TABLE = [
    # appendix B
    (
        "http://www.ics.uci.edu/pub/ietf/uri/#Related",
        ("http", "www.ics.uci.edu", "/pub/ietf/uri/", None, "Related"),
    ),
    # section 3
    (
        "foo://example.com:8042/over/there?name=ferret#nose",
        ("foo", "example.com:8042", "/over/there", "name=ferret", "nose"),
    ),
    ("urn:example:animal:ferret:nose", ("urn", None, "example:animal:ferret:nose", None, None)),
    ("", (None, None, "", None, None)),
    ("//", (None, "", "", None, None)),
    ("?#", (None, None, "", "", "")),
    ("a#b#c?d", (None, None, "a", None, "b#c?d")),
    ("a:b\n#c\nd", ("a", None, "b\n", None, "c\nd")),
]


@each_row(("text", "components"), TABLE)
def test_split(text: str, components: tuple[str | None, ...]) -> None:
    assert uri.split(text) == components


@given(TEXTS.filter(lambda text: "\n" not in text))
def test_it_is_the_printed_expression(text: str) -> None:
    match = re.match(PRINTED, text)
    assert match
    assert match.end() == len(text)
    assert uri.split(text) == match.group(2, 4, 5, 7, 9)


@given(TEXTS)
@example("a:b\n#c\nd")
def test_nothing_is_lost(text: str) -> None:
    assert str(uri.split(text)) == text


@given(TEXTS)
@example("http://a/b?c#d")
def test_it_differs_from_the_grammar_exactly_where_the_text_is_not_valid(text: str) -> None:
    differences = uri.split_differences(text)
    assert (not differences) is uri.is_valid(text, "URI-reference")
    if not differences:
        u = uri.parse(text)
        assert uri.split(text) == tuple(getattr(u, name) for name in COMPONENTS)
    for component, result, rejection in differences:
        assert result == (text if component == "URI-reference" else getattr(uri.split(text), component))
        assert not uri.is_valid(result, rejection.rule)


@pytest.mark.parametrize(
    ("text", "differences"),
    [
        ("1:2", [("scheme", "1", 0)]),
        ("_:", [("scheme", "_", 0)]),
        ("http://[::1", [("authority", "[::1", 4)]),
        ("a b?c|d#%4", [("path", "a b", 1), ("query", "c|d", 1), ("fragment", "%4", 2)]),
        (":a", [("URI-reference", ":a", 0)]),
    ],
)
def test_differences(text: str, differences: list[tuple[str, str, int]]) -> None:
    result = uri.split_differences(text)
    assert [(d.component, d.text, d.rejection.offset) for d in result] == differences


def test_component_objects_are_taken_and_nothing_else() -> None:
    assert uri.split(uri.parse("a:b")) == ("a", None, "b", None, None)
    with raises(TypeError, "argument-bytes", name="value", type="bytes"):
        uri.split(b"a:b")  # type: ignore[arg-type]


def test_repr_hides_the_password() -> None:
    assert "secret" not in repr(uri.split("http://u:secret@h/"))


def shared() -> list[Any]:
    if not CASES.is_file():
        return []
    return [pytest.param(c["input"], c["components"], id=c["input"]) for c in json.loads(CASES.read_text())]


@pytest.mark.skipif(not CASES.is_file(), reason="no shared cases beside the project")
@pytest.mark.parametrize(("text", "components"), shared())
def test_cases_of_uritools(text: str, components: dict[str, str | None]) -> None:
    expected = DEVIATIONS.get(text, tuple(components[name] for name in COMPONENTS))
    assert uri.split(text) == expected
