"""The verbs of both RFCs take each other's objects and refuse the same mistakes."""

from __future__ import annotations

import pytest

from abnforge import uri
from abnforge.uri import rfc2396


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
