"""All adapters: rules by name, formats, and missing libraries."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import abnforge
from abnforge import uri
from abnforge.integrations.rules import format_of, given_rule, label, pattern_of
from tests.raising import raises

URI = abnforge.rule("rfc3986:URI")


def test_formats_are_those_of_what_a_rule_is_made_of() -> None:
    assert format_of(URI) == "uri"
    assert format_of(uri.policy(schemes=["http"], max_length=9).rule(URI)) == "uri"
    assert format_of(abnforge.rule("rfc5321:Mailbox")) == "email"
    assert format_of(~URI) is None
    assert format_of(abnforge.rule("rfc3986:host")) is None


def test_patterns_where_there_are_some() -> None:
    assert pattern_of(abnforge.rule("rfc3986:port"), "ecmascript") == "^(?:[0-9]*)$"
    assert pattern_of(abnforge.loads('s = "(" [ s ] ")"\n')["s"], "ecmascript") is None


def test_rules_by_name() -> None:
    assert given_rule("rfc3986:URI") is URI
    assert label(URI) == "rfc3986:URI"
    with raises(
        TypeError, "argument-type", name="rule", expected="a Rule, or a str such as 'rfc3986:URI'", type="int"
    ):
        given_rule(3)  # type: ignore[arg-type]
    with raises(abnforge.GrammarError, "prose-val"):
        given_rule(abnforge.loads("s = <something in words>\n")["s"])


@pytest.mark.parametrize(
    ("name", "imported"),
    [
        *((name, name) for name in ("duckdb", "jsonschema", "pandera")),
        ("pydantic", "pydantic_core"),
    ],
)
def test_without_its_library_an_adapter_says_what_to_install(
    name: str, imported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, f"abnforge.integrations.{name}", raising=False)
    for module in [each for each in sys.modules if each.partition(".")[0] == imported]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, imported, None)
    with raises(ModuleNotFoundError, "package-missing") as caught:
        import_module(f"abnforge.integrations.{name}")
    assert caught.value.name == imported or caught.value.name.startswith(f"{imported}.")
