"""Pages of constructions: elements are closed, identifiers are unique, and sections contain the values."""

from __future__ import annotations

import re

import pytest

import abnforge
from abnforge.teaching.constructions import CONSTRUCTIONS
from abnforge.teaching.pictures.constructions import construction_section, constructions_page
from tests.teaching.pictures.test_page import Reader

RULES = [
    ("rfc3986:dec-octet", "255", 3),
    ("rfc3986:scheme", "a+b", 3),
    ("rfc8259:value", "[1]", 0),
    ("rfc3986:URI", "a:", 0),
]


@pytest.mark.parametrize(("name", "text", "pictures"), RULES)
def test_pages(name: str, text: str, pictures: int) -> None:
    page = "".join(constructions_page(abnforge.rule(name), text))
    reader = Reader()
    reader.feed(page.replace("<br>", ""))
    assert not reader.open
    assert page.count("<svg") == pictures
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert [each for each in identifiers if each in CONSTRUCTIONS] == [*CONSTRUCTIONS]
    for each in re.findall(r'aria-labelledby="([^"]+)"', page):
        assert {*each.split()} <= {*identifiers}


def test_strings_are_optional() -> None:
    page = "".join(constructions_page(abnforge.rule("rfc3986:port")))
    assert 'id="cyk"' not in page
    assert 'id="normal-form"' in page


def test_unsafe_characters_are_escaped() -> None:
    rule = abnforge.loads('r = "<b>" / %x1B / %x202E / "&"\n')["r"]
    page = "".join(constructions_page(rule, "<b>"))
    assert page.count("<b>") == 1  # the name of the rule
    assert not {"\x1b", "\u202e"} & {*page}


def test_used_cells_are_marked() -> None:
    rule = abnforge.loads('s = "a" s "b" / "ab"\n')["s"]
    section = "".join(construction_section("cyk", rule, "aabb"))
    assert section.count("<mark>") == 7
    assert "".join(construction_section("cyk", rule, "aab")).count("<mark>") == 0
