"""Known schemes, and schemes that users add."""

from __future__ import annotations

import pytest

from abnforge import uri
from abnforge.errors import Rejected
from abnforge.uri import Scheme
from tests.raising import raises


def test_a_registry_of_one_s_own() -> None:
    mine = {**uri.SCHEMES, "x": Scheme("99", path=str.lower, rooted=False)}
    assert str(uri.normalize("X://h:99/A", scheme=True, schemes=mine)) == "x://h/a"
    assert str(uri.normalize("x://h", scheme=True, schemes=mine)) == "x://h"
    assert uri.equivalent("x:A", "x:a", schemes=mine)
    broken = {"x": Scheme(path=lambda path: path + " ")}
    with pytest.raises(Rejected):
        uri.normalize("x:a", scheme=True, schemes=broken)
    for port in ("x", "080", ""):
        with raises(ValueError, "argument-value", name="default_port"):
            Scheme(port)
    assert all(facts.source.startswith("RFC") for facts in uri.SCHEMES.values())


def test_a_default_port_is_its_scheme_s_port() -> None:
    """The security check does not report components that normalization removes."""
    for name, facts in uri.SCHEMES.items():
        if facts.default_port is not None:
            assert uri.security(f"{name}://h:{facts.default_port}/") == []
