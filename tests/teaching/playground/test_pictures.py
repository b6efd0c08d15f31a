"""Results on the page for a rule: diagrams, descriptions, strings, comparisons."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

import abnforge
from abnforge.teaching.constructions import CONSTRUCTIONS
from abnforge.teaching.describe import in_english
from abnforge.teaching.pictures.constructions import construction_section
from tests.teaching.playground.calls import ask, refused

HOST = 'host = address / name\naddress = 1*DIGIT "." 1*DIGIT\nname = 1*( ALPHA / DIGIT / "." )\n'


def test_a_diagram_links_rules_and_shows_the_way_of_a_string() -> None:
    pytest.importorskip("railroad")
    result = ask("diagram", text=HOST, rule="host", start="host", string="a.b")
    assert result["path"] is True
    assert result["definition"] == "host = address / name"
    links = [each.get("xlink:href") or each.get("href") for each in svg(result["svg"]).iter("a")]
    assert sorted(map(str, links)) == ["#rule=address", "#rule=name"]
    assert "idle" in result["svg"]
    assert "used" in result["svg"]


def test_a_string_that_is_not_derived_has_no_way() -> None:
    pytest.importorskip("railroad")
    result = ask("diagram", text=HOST, rule="name", start="host", string="?")
    assert (result["path"], result["problem"]) == (False, None)


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_constructions_are_sections(name: str) -> None:
    html = ask("construction", text=HOST, rule="host", string="1.2", name=name)["html"]
    assert html == "".join(construction_section(name, abnforge.loads(HOST)["host"], "1.2"))
    assert refused("construction", text=HOST, rule="host", name="cyk")["code"] == "call-string"


def svg(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.replace("<svg ", '<svg xmlns:xlink="urn:x" ', 1))


def test_a_rule_in_words() -> None:
    result = ask("about", text=HOST, rule="address")
    assert result["words"] == in_english(abnforge.loads(HOST)["address"])
    assert (result["nullable"], result["regular"], result["finite"]) == (False, True, False)
    assert result["first"] == '"0" to "9"'
    assert "0.0" in result["sentences"]
    assert result["misses"]
    assert result["misses"][0]["reason"]
    assert result["automaton"].startswith("<svg")


def test_a_rule_of_prose_has_words_alone() -> None:
    result = ask("about", text="a = <whatever>", rule="a")
    assert (result["sentences"], result["misses"], result["automaton"]) == ([], [], None)


def test_two_rules_of_one_grammar() -> None:
    result = ask("compare", text=HOST, rule="address", other_rule="name")
    assert result["relation"] == "narrower"
    [only] = result["witnesses"]
    assert (only["derived_by"], only["not_by"]) == ("name", "address")
    assert only["reason"]


def test_a_rule_of_another_grammar() -> None:
    result = ask(
        "compare", text="pin = 4DIGIT", rule="pin", other="pin = DIGIT DIGIT 2DIGIT\n", other_rule="pin"
    )
    assert (result["relation"], result["witnesses"]) == ("equal", [])
    assert refused("compare", text="a = ALPHA", rule="a", other="b = (", other_rule="b")


def test_html_in_grammars_stays_text() -> None:
    pytest.importorskip("railroad")
    text = 'a = "<img src=x onerror=alert(1)>" / <b><script>alert(2)</script>\n'
    result = ask("diagram", text='a = "<img src=x onerror=alert(1)>" / "&"\n', rule="a")
    assert "<img" not in result["svg"]
    assert "&lt;img" in result["svg"]
    assert refused("diagram", text=text, rule="a")


@pytest.mark.parametrize("kind", ["tree", "diagram", "automaton"])
def test_pictures_are_documents_or_elements_of_the_page(kind: str) -> None:
    pytest.importorskip("railroad")
    told = {"text": HOST, "rule": "address", "string": "1.2", "kind": kind}
    document, element = (ask("picture", **told, theme=theme)["svg"] for theme in ("light", ""))
    assert "<style>" in document
    assert "var(--" not in document
    assert "style" not in element.replace("font-style", "")
    assert ElementTree.fromstring(document).tag == "{http://www.w3.org/2000/svg}svg"


def test_trees_of_an_ambiguous_string_and_their_limits() -> None:
    told = {"text": 's = s s / "a"\n', "rule": "s", "kind": "tree", "full": 1}
    first, second = (ask("picture", **told, string="aaa", number=number)["svg"] for number in (0, 1))
    assert first != second
    assert first.count("<g ") == second.count("<g ") == 8
    assert refused("picture", **told, string="aa", number=1)["code"] == "call-derivation"
    assert refused("picture", **told, string="b")["code"]
    assert refused("picture", **told, string="a" * 401)["code"] == "limit-exceeded"
    assert refused("picture", **told, string="a", theme="pink")["code"] == "call-choice"
