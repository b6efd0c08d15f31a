"""Pages of constructions: elements are closed, identifiers are unique, and sections contain the values."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest

import abnforge
from abnforge.teaching.constructions import CONSTRUCTIONS
from abnforge.teaching.pictures.blocks import MAX_COLUMNS, Lines, blocks_svg
from abnforge.teaching.pictures.constructions import (
    construction_section,
    construction_svg,
    constructions_page,
)
from abnforge.teaching.pictures.drawing import THEMES
from tests.teaching.pictures.test_page import Reader

SVG = "{http://www.w3.org/2000/svg}"

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
    assert "<b>" not in page
    assert not {"\x1b", "\u202e"} & {*page}


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("theme", THEMES)
def test_images_have_the_text_of_the_pages(name: str, theme: str) -> None:
    rule = abnforge.loads('r = "<b>" / s\ns = %x1B / %x202E / "&"\n')["r"]
    document = "".join(construction_svg(name, rule, "<b>", theme))
    section = "".join(construction_section(name, rule, "<b>"))
    assert _words(document) == _words(section)
    assert ("var(--" in document) is (theme == "auto")


def _words(markup: str) -> list[str]:
    visible = re.sub(r"(?s)<(title|desc|style|h2)\b.*?</\1>", "", markup)
    return sorted(html.unescape(re.sub("<[^>]*>", " ", visible)).split())


@pytest.mark.parametrize(("name", "text", "pictures"), RULES)
@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_text_in_images_does_not_overlap(name: str, text: str, pictures: int, construction: str) -> None:
    rule = abnforge.rule(name)
    try:
        document = "".join(construction_svg(construction, rule, text))
    except ValueError:
        pytest.skip("not possible")
    root = ElementTree.fromstring(document)
    wide, high = (float(root.get(each, "")) for each in ("width", "height"))
    assert document.count('class="automaton"') == (pictures if construction == "steps" else 0)
    down = 0.0
    for group in root.iterfind(f"{SVG}g"):
        x, y = map(float, re.findall(r"[\d.]+", group.get("transform", "")))
        places = []
        for each in group.iterfind(f"{SVG}text"):
            left, base = float(each.get("x", "")), float(each.get("y", ""))
            right = left + len(each.text or "") * 7.9
            places.append((base, left, right))
            assert (x + right <= wide, down <= y, y + base <= high) == (True, True, True)
        down = y + max((base for base, _, _ in places), default=0)
        for (base, _, right), (other, left, _) in pairwise(sorted(places)):
            assert base != other or right < left


def test_long_lines_of_images_end_in_dots() -> None:
    [line] = [("", "x" * (MAX_COLUMNS + 1))]
    root = ElementTree.fromstring("".join(blocks_svg([Lines("pre", [line])], "long")))
    assert [each.text for each in root.iter(f"{SVG}text")] == ["x" * (MAX_COLUMNS - 3) + "..."]


def test_used_cells_are_marked() -> None:
    rule = abnforge.loads('s = "a" s "b" / "ab"\n')["s"]
    section = "".join(construction_section("cyk", rule, "aabb"))
    assert section.count("<mark>") == 7
    assert "".join(construction_section("cyk", rule, "aab")).count("<mark>") == 0
