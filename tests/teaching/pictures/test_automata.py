"""Diagrams of automata show every state and every transition, and have a description."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest

import abnforge
from abnforge.teaching.pictures.automata import (
    MAX_STATES,
    automaton_element,
    automaton_style,
    automaton_svg,
)
from tests.raising import raises

SVG = "{http://www.w3.org/2000/svg}"
RFC3986 = abnforge.load("rfc3986")
NAMES = "port", "dec-octet", "scheme", "IPv4address", "pct-encoded", "path-empty"
RULES = [("rfc3986", name) for name in NAMES]
RULES += [("rfc8259", "number"), ("rfc3339", "full-date")]


@pytest.mark.parametrize(("grammar", "name"), RULES)
def test_states_and_moves(grammar: str, name: str) -> None:
    rule = abnforge.load(grammar)[name]
    root = ElementTree.fromstring(automaton_svg(rule))
    wide, high = float(root.get("width", "")), float(root.get("height", ""))
    states = root.findall(f"{SVG}g")
    assert len(states) == rule.automaton.states
    assert sum(state.get("class") == "accepting" for state in states) == len(rule.automaton.accepting)
    for state in states:
        circle = state.find(f"{SVG}circle")
        assert circle is not None
        assert 18 <= float(circle.get("cx", "")) <= wide - 18
        assert 18 <= float(circle.get("cy", "")) <= high - 18
    width = rule.automaton.width
    moves = {
        (place // width, target // width) for place, target in enumerate(rule.automaton.table) if target >= 0
    }
    assert len(root.findall(f"{SVG}path")) == len(moves) + 1
    labels = root.findall(f"{SVG}text")
    assert len([label for label in labels if label.get("class") is None]) == len(moves)
    assert len([label for label in labels if label.get("class") == "halo"]) == len(moves)
    desc = root.find(f"{SVG}desc")
    assert desc is not None
    assert all(f"from {a} to {b} by [" in (desc.text or "") for a, b in moves)


def test_nothing_is_derived() -> None:
    svg = automaton_svg(abnforge.loads("a = DIGIT a\n")["a"])
    assert "No states" in svg
    ElementTree.fromstring(svg)


def test_characters_stay_text() -> None:
    svg = automaton_svg(abnforge.loads('a = "<" / "&" / %x1B / %x202E\n')["a"])
    ElementTree.fromstring(svg)
    assert "\u202e" not in svg


def test_automata_without_a_diagram() -> None:
    with raises(abnforge.LimitExceeded, "automaton-not-drawn", limit=MAX_STATES):
        automaton_svg(RFC3986["URI"])
    with pytest.raises(ValueError):  # noqa: PT011
        automaton_svg(abnforge.load("rfc8259")["value"])
    with raises(TypeError, "argument-type", name="rule"):
        automaton_svg("port")  # type: ignore[arg-type]


def test_an_element_has_its_style_from_the_page() -> None:
    rule = abnforge.rule("rfc3986:dec-octet")
    document, element = automaton_svg(rule), automaton_element(rule)
    style = f"<style>{automaton_style('.automaton')}</style>\n"
    assert style in document
    assert element == document.replace(style, "")


@pytest.mark.parametrize(
    ("element", "label"),
    [
        ('"-"', "-"),
        ('"+" / "-"', "+ -"),
        ('"+" / "-" / DIGIT', "+0-9 -"),
        ("%x5C-5E", "\\\\-\\^"),
        ("%x5C", "\\\\"),
    ],
)
def test_a_hyphen_has_no_backslash(element: str, label: str) -> None:
    root = ElementTree.fromstring(automaton_svg(abnforge.loads(f"a = {element}\n")["a"]))
    assert {each.text for each in root.findall(f"{SVG}text")} == {label}


@pytest.mark.xfail(strict=True, reason="TE B18: labels of moves are drawn on top of each other")
def test_labels_lie_apart() -> None:
    text = 'n = ["-"] i ["." 1*DIGIT] ["e" ["+" / "-"] 1*DIGIT]\ni = "0" / %x31-39 *DIGIT\n'
    root = ElementTree.fromstring(automaton_svg(abnforge.loads(text)["n"]))
    labels = [each for each in root.findall(f"{SVG}text") if each.get("class") is None]
    boxes = [
        (float(each.get("x", "")), float(each.get("y", "")), 7.2 * len(each.text or "")) for each in labels
    ]
    for (x, y, width), (u, v, other) in combinations(boxes, 2):
        assert abs(x - u) >= (width + other) / 2 or abs(y - v) >= 12
