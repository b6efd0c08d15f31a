"""What RFC 2396's grammar does and does not generate (docs/grammars.md)."""

from __future__ import annotations

import pytest

from abnforge.grammar.binding import bind
from abnforge.grammar.syntax import references as references_in
from tests.grammars.texts import matches, model
from tests.law import each_row, one_in


@pytest.mark.parametrize(
    ("text", "rfc2396", "rfc3986"),
    one_in(
        3,
        [
            ("?y", False, True),  # appendix C.1 resolves it; relativeURI has no empty path
            ("?", False, True),
            ("?y=1#s", False, True),
            ("dav:", False, True),  # neither hier_part nor opaque_part is empty
            ("about:", False, True),
            ("HTTP:x", True, True),
            ("1http:x", False, False),
            ("//", True, True),
            ("///", True, True),
            ("file:///etc", True, True),
            ("http://a..b/", True, True),
            ("http://a_b/", True, True),
            ("http:?q", True, True),  # opaque: uric_no_slash has "?"
            ("", True, True),
            ("#s", True, True),
            ("http://[::1]/", False, True),
            ("http://1.2.3.4.5/", True, True),
            ("http://host:80x/", True, False),  # reg_name has ":"
            ("http://a@b:80:80", True, False),
            ("//a@b@c", True, False),  # reg_name has "@"
            ("http://h/a|b", False, False),
            ("://h", False, False),
        ],
    ),
)
def test_uri_reference_of_both_editions(text: str, rfc2396: bool, rfc3986: bool) -> None:
    assert matches("rfc2396", "URI-reference", text) is rfc2396
    assert matches("rfc3986", "URI-reference", text) is rfc3986


@each_row(
    ("text", "host", "reg_name"),
    [
        ("1.2.3.4", True, True),
        ("1.2.3.4.5", False, True),  # toplabel starts with a letter, IPv4address has four groups
        ("a.1", False, True),
        ("1.a", True, True),
        ("999.1.1.1", True, True),  # 1*digit
        ("a_b", False, True),
        ("a..b", False, True),
        ("a-", False, True),
        ("", False, False),
    ],
)
def test_host_of_rfc2396(text: str, host: bool, reg_name: bool) -> None:
    assert matches("rfc2396", "host", text) is host
    assert matches("rfc2396", "reg-name", text) is reg_name
    assert matches("rfc2396", "authority", text)


def test_path_of_rfc2396_is_used_by_no_rule() -> None:
    references = {
        reference.name.lower()
        for rule in bind(model("rfc2396"), name="rfc2396").rules.values()
        for reference in references_in(rule.elements)
    }
    unused = {rule.name for rule in model("rfc2396").rules} - {"URI-reference"}
    assert {name for name in unused if name.lower() not in references} == {
        "path",
        "control",
        "space",
        "delims",
        "unwise",
    }


def test_two_slashes_are_a_net_path_and_an_abs_path_in_rfc2396() -> None:
    assert matches("rfc2396", "net-path", "//g")
    assert matches("rfc2396", "abs-path", "//g")
    assert not matches("rfc3986", "path-absolute", "//g")
