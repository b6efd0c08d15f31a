"""Errata of RFC 5234: what they correct, and that no grammar changes by them."""

from __future__ import annotations

import itertools

import pytest

from tests.grammars.texts import matches, text_of

ERRATUM_3076 = ("1*( rule / (*WSP c-nl) )", "1*( rule / (*c-wsp c-nl) )")
ERRATUM_2968 = ("alternation *WSP", "alternation *c-wsp")


def published_rfc5234() -> str:
    text = text_of("rfc5234")
    for corrected, published in (ERRATUM_3076, ERRATUM_2968):
        assert text.count(corrected) == 1
        text = text.replace(corrected, published)
    return text


@pytest.mark.parametrize("longest", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_errata_change_no_grammar(longest: int) -> None:
    published, seen = published_rfc5234(), set()
    pieces = ("a=b", " ", "\r\n", ";")
    for count in range(longest + 1):
        for parts in itertools.product(pieces, repeat=count):
            text = "".join(parts)
            verdict = matches("rfc5234", "rulelist", text)
            assert verdict is matches(published, "rulelist", text), text
            seen.add(verdict)
    assert seen == {False, True}


@pytest.mark.parametrize(("rule", "text"), [("rule", "a=b\r\n \r\n"), ("elements", "b\r\n ")])
def test_errata_end_a_rule_at_its_line(rule: str, text: str) -> None:
    assert matches(published_rfc5234(), rule, text)
    assert not matches("rfc5234", rule, text)
