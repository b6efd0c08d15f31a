"""The verbs: what they take, what they refuse and how."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import rfc2396


@pytest.mark.parametrize(("module", "modules"), [(uri, {"percent", "rfc2396"}), (rfc2396, {"percent"})])
def test_exported_names(module: ModuleType, modules: set[str]) -> None:
    public = {name for name, value in vars(module).items() if not name.startswith("_")}
    submodules = {name for name in public if isinstance(getattr(module, name), ModuleType)}
    assert set(module.__all__) == (public - submodules) | modules


@pytest.mark.parametrize(
    ("text", "rule", "valid"),
    [
        ("http://h/", "URI", True),
        ("/a", "URI", False),
        ("/a", "URI-reference", True),
        ("/a", "relative-ref", True),
        ("a:b#c", "absolute-URI", False),
        ("a:b\n", "URI", False),
        (" a:b", "URI", False),
        ("[::1]", "host", True),
        ("::1", "host", False),
    ],
)
def test_is_valid_and_explain(text: str, rule: str, valid: bool) -> None:
    assert uri.is_valid(text, rule) is valid
    rejection = uri.explain(text, rule)
    assert (rejection is None) is valid
    if rejection is None:
        assert str(uri.parse(text, rule)) == text
    else:
        assert (rejection.grammar, rejection.rule, rejection.input) == ("rfc3986", rule, text)
        with pytest.raises(Rejected) as caught:
            uri.parse(text, rule)
        assert caught.value.rejection == rejection


def test_default_rules() -> None:
    assert uri.parse("a").rule == "URI-reference"
    assert not uri.is_valid("a")
    rejection = uri.explain("a")
    assert rejection is not None
    assert rejection.rule == "URI"


def test_component_objects_are_taken_where_texts_are() -> None:
    u = uri.parse("http://u@h:80/p")
    assert uri.parse(u) == u
    assert uri.is_valid(u)
    assert uri.explain(u) is None
    assert u.authority_parts is not None
    assert uri.parse(u.authority_parts, "authority") == u.authority_parts
    assert rfc2396.parse(u).host == "h"
    assert uri.parse(rfc2396.parse("http://u@h:80/p")) == u


@pytest.mark.parametrize("module", [uri, rfc2396])
@pytest.mark.parametrize("verb", ["parse", "is_valid", "explain"])
class TestMisuse:
    @pytest.mark.parametrize("value", [b"http://h", bytearray(b"a"), memoryview(b"a")])
    def test_bytes(self, module: object, verb: str, value: object) -> None:
        with pytest.raises(TypeError, match="decode the bytes first"):
            getattr(module, verb)(value)

    @pytest.mark.parametrize("value", [None, 1, ["http://h"], uri.URI])
    def test_other_types(self, module: object, verb: str, value: object) -> None:
        with pytest.raises(TypeError, match="expected a str or a component object, not"):
            getattr(module, verb)(value)

    def test_unknown_rule(self, module: object, verb: str) -> None:
        with pytest.raises(KeyError, match="URI-reference"):
            getattr(module, verb)("http://h", "URI-refrence")

    def test_rule_that_is_no_name(self, module: object, verb: str) -> None:
        with pytest.raises(TypeError, match="str"):
            getattr(module, verb)("http://h", 3986)


def test_importing_the_components_does_not_import_the_parser() -> None:
    code = "import sys, abnforge.uri; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
