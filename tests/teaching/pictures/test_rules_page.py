"""A page of rules: every link has a target, every element is closed, and nothing is fetched."""

from __future__ import annotations

import re

import pytest

import abnforge

pytest.importorskip("railroad")
from abnforge.teaching.pictures.page import rules_page
from abnforge.teaching.pictures.railroad import path_of
from tests.teaching.pictures.test_page import Reader


@pytest.mark.parametrize("name", ["rfc3986", "rfc8259", "rfc6570"])
def test_links_lead_to_rules(name: str) -> None:
    grammar = abnforge.load(name)
    rules = [grammar[rule] for rule in grammar]
    page = "".join(rules_page("T <1>", rules))
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    assert "T <1>" in reader.said
    places = re.findall(r'id="([^"]+)"', page)
    assert len(places) == len(set(places))
    links = set(re.findall(r'href="([^"]+)"', page))
    assert links == {f"#rule-{rule.key}" for rule in rules}
    assert {link[1:] for link in links} <= set(places)
    for labels in re.findall(r'aria-labelledby="([^"]+)"', page):
        assert set(labels.split()) <= set(places)
    assert not re.search(r"https?:|url\(|@import|<script|src=", page)


def test_rules_that_are_not_there_are_no_links() -> None:
    grammar = abnforge.load("rfc3986")
    page = "".join(rules_page("T", [grammar["port"]]))
    assert re.findall(r'href="([^"]+)"', page) == ["#rule-port"]


def test_a_path_is_on_the_page() -> None:
    rule = abnforge.load("rfc3986")["port"]
    page = "".join(rules_page("T", [rule], text="8", path=path_of(rule, "8")))
    assert '<pre class="wrap">8</pre>' in page
    assert 'class="non-terminal rule used"' in page
