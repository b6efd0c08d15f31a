"""Percent-encoding by RFC 2396: characters that only RFC 2396 does not encode."""

from __future__ import annotations

import pytest

from abnforge.uri import percent, rfc2396


@pytest.mark.requirement("2.3-1")
@pytest.mark.requirement("2.4-1")
@pytest.mark.requirement("2.4.1-1")
@pytest.mark.requirement("2.4.3-1")
@pytest.mark.requirement("2.4.3-2")
@pytest.mark.requirement("2.4.3-3")
def test_unreserved_of_the_two_rfcs() -> None:
    assert rfc2396.percent.characters("unreserved") - percent.characters("unreserved") == set("!*'()")
    assert percent.characters("unreserved") < rfc2396.percent.characters("unreserved")
    assert rfc2396.percent.encode("!*'() <>#%\"{}|\\^[]`") == (
        "!*'()%20%3C%3E%23%25%22%7B%7D%7C%5C%5E%5B%5D%60"
    )
    assert rfc2396.percent.encode("a;b/c", "segment") == "a;b%2Fc"
