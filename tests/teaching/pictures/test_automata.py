"""Diagrams of automata show every state and every transition, and have a description."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import combinations, islice, pairwise, product
from math import dist
from xml.etree import ElementTree

import pytest

import abnforge
from abnforge.conformance import sentences
from abnforge.teaching.pictures.automata import (
    MAX_STATES,
    automaton_element,
    automaton_style,
    automaton_svg,
    graph_dot,
    graph_jff,
    graph_of,
    label,
    transition_table,
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
    accepting = [state for state in states if len(state.findall(f"{SVG}rect")) == 2]
    assert len(accepting) == len(rule.automaton.accepting)
    for state in states:
        rect = state.find(f"{SVG}rect")
        assert rect is not None
        x, y, size = (float(rect.get(name, "")) for name in ("x", "y", "width"))
        assert 0 <= x <= wide - size
        assert 0 <= y <= high - size
    width = rule.automaton.width
    moves = {
        (place // width, target // width) for place, target in enumerate(rule.automaton.table) if target >= 0
    }
    paths = root.findall(f"{SVG}path")
    assert len([path for path in paths if path.get("class") is None]) == len(moves) + 1
    assert len([path for path in paths if path.get("class") == "head"]) == len(moves) + 1
    assert len(root.findall(f"{SVG}text")) == len(moves)
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
    assert element == re.sub(r"<style>.*</style>\n", "", document, flags=re.DOTALL)
    assert set(re.findall(r"\.[a-z]+", automaton_style(".automaton"))) == {
        ".automaton",
        *(f".{name}" for names in re.findall(r'class="(.*?)"', element) for name in names.split()),
    }


@pytest.mark.parametrize(
    ("element", "shown"),
    [
        ('"-"', "-"),
        ('"+" / "-"', "+-"),
        ('"+" / "-" / DIGIT', "+0-9-"),
        ("%x2D-2F", "./-"),
        ("%x21-7E", "!-~"),
        ("%x5C-5E", "\\\\]^"),
        ("%x5C", "\\\\"),
        ("SP / HTAB", "\\x09␣"),
        ("%x0-21 / %x23-10FFFF", 'not "'),
        ("%x0-10FFFF", "any"),
    ],
)
def test_labels_are_legible(element: str, shown: str) -> None:
    root = ElementTree.fromstring(automaton_svg(abnforge.loads(f"a = {element}\n")["a"]))
    assert {each.text for each in root.findall(f"{SVG}text")} == {shown}


TUTORIAL = {
    "n": 'n = ["-"] i ["." 1*DIGIT] ["e" ["+" / "-"] 1*DIGIT]\ni = "0" / %x31-39 *DIGIT\n',
    "words": 'words = ALPHA *(SP ALPHA) ["." / "!"]\n',
    "hour": 'hour = "0" DIGIT / "1" DIGIT / "2" ( "0" / "1" / "2" / "3" )\n',
    "keyword": 'keyword = "if" / "in" / "int" / "import" / "interface"\n',
    "even": 'even = *(*"a" "b" *"a" "b") *"a"\n',
    "quoted": "quoted = DQUOTE *(%x20-21 / %x23-5B / %x5D-10FFFF / %x5C %x0-10FFFF) DQUOTE\n",
    "z": 'z = ["0" z / "1" o]\no = "0" t / "1" z\nt = "0" o / "1" t\n',
    "d": 'd = 2*4("a" / "bb" / "ccc" / "abc") / *("ab" / "ba")\n',
}
GRAMMARS = "rfc3986", "rfc3339", "rfc8259", "rfc5321", "rfc5646", "rfc6570", "semver-2.0.0", "ntriples-1.1"


def small_rules() -> Iterator[abnforge.Rule]:
    """Yield rules whose automata have arrows that could overlap: the largest ones that are drawn."""
    yield from (abnforge.loads(text)[name] for name, text in TUTORIAL.items())
    for name in GRAMMARS:
        regular = [rule for rule in abnforge.load(name).own_rules if rule.regular]
        drawn = [rule for rule in regular if 4 <= rule.automaton.states <= MAX_STATES]
        yield from sorted(drawn, key=lambda rule: (-rule.automaton.states, rule.name))[:8]


def along(line: str) -> Iterator[tuple[float, float]]:
    """Yield points of a path, at most 3 px apart."""
    tokens = re.findall(r"[MLC]|-?[\d.]+", line)
    here, place = (0.0, 0.0), 0
    while place < len(tokens):
        count = {"M": 1, "L": 1, "C": 3}[tokens[place]]
        numbers = list(map(float, tokens[place + 1 : place + 1 + 2 * count]))
        corners = [here, *zip(numbers[::2], numbers[1::2], strict=True)]
        if tokens[place] == "M":
            corners = corners[1:]
        length = sum(map(dist, corners, corners[1:]))
        for step in range(parts := int(length / 3) + 1):
            points = corners
            while len(points) > 1:  # de Casteljau
                share = (step + 1) / parts
                points = [(a + (c - a) * share, b + (d - b) * share) for (a, b), (c, d) in pairwise(points)]
            yield points[0]
        here, place = corners[-1], place + 1 + 2 * count


def overlaps(svg: str) -> list[str]:
    """Return the overlaps of labels with other labels, states, arrows and the edge of a diagram."""
    root = ElementTree.fromstring(svg)
    wide, high = float(root.get("width", "")), float(root.get("height", ""))
    labels = {
        f"label {place} {text.text}": (x - half, y - 10, x + half, y + 3)
        for place, text in enumerate(root.findall(f"{SVG}text"))
        for x, y, half in [(float(text.get("x", "")), float(text.get("y", "")), 3.65 * len(text.text or ""))]
    }
    states = {
        f"state {group[-1].text}": (x, y, x + float(rect.get("width", "")), y + float(rect.get("height", "")))
        for group in root.findall(f"{SVG}g")
        for rect in [group[0]]
        for x, y in [(float(rect.get("x", "")), float(rect.get("y", "")))]
    }
    found = []
    for (name, box), (other, second) in combinations((labels | states).items(), 2):
        if box[0] < second[2] and second[0] < box[2] and box[1] < second[3] and second[1] < box[3]:
            found.append(f"{name} and {other}")
    found += [
        name for name, box in labels.items() if box[0] < 0 or box[1] < 0 or box[2] > wide or box[3] > high
    ]
    lines = [path for path in root.findall(f"{SVG}path") if path.get("class") is None]
    for number, path in enumerate(lines):
        points = list(along(path.get("d", "")))
        for name, box in labels.items():
            if any(box[0] < x < box[2] and box[1] < y < box[3] for x, y in points):
                found.append(f"arrow {number} and {name}")
        for name, box in states.items():  # an arrow is outside of all states, except at its ends
            if any(box[0] < x < box[2] and box[1] < y < box[3] for x, y in points[5:-5]):
                middle, half = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), (box[3] - box[1]) / 2
                if any(dist(point, middle) < half - 1 for point in points):
                    found.append(f"arrow {number} and {name}")
    return found


def test_labels_overlap_nothing() -> None:
    rules = list(small_rules())
    assert len(rules) >= 40
    found = {f"{rule.grammar.name}:{rule.name}": overlaps(automaton_svg(rule)) for rule in rules}
    assert {name: each for name, each in found.items() if each} == {}


# Exports, read back by other means.


@pytest.mark.parametrize("name", ["dec-octet", "IPv4address", "scheme", "pct-encoded", "path-empty"])
def test_a_jflap_file_has_the_same_language(name: str) -> None:
    rule = RFC3986[name]
    root = ElementTree.fromstring("".join(graph_jff(graph_of(rule))))
    assert (root.tag, root.findtext("type")) == ("structure", "fa")
    states = root.findall("automaton/state")
    assert len(states) == rule.automaton.states
    (start,) = [state.get("id", "") for state in states if state.find("initial") is not None]
    finals = {state.get("id", "") for state in states if state.find("final") is not None}
    moves = {
        (move.findtext("from", ""), move.findtext("read", "")): move.findtext("to", "")
        for move in root.findall("automaton/transition")
    }
    assert len(moves) == len(root.findall("automaton/transition"))  # deterministic

    def accepts(text: str) -> bool:
        state = start
        for char in text:
            state = moves.get((state, char), "")
        return state in finals

    valid = [each.text for each in islice(sentences(rule), 60)]
    assert valid
    for text in valid:
        assert accepts(text)
        for place, char in product(range(len(text) + 1), "0:.%aG-é"):
            for other in (text[:place] + char + text[place:], text[:place] + char + text[place + 1 :]):
                assert accepts(other) == rule.matches(other)


def test_every_transition_is_in_a_jflap_file() -> None:
    rule = abnforge.loads('a = *("<" / "&" / SP / HTAB / CR / %xE9) "]" "]" ">"\n')["a"]
    written = "".join(graph_jff(graph_of(rule)))
    read = [each.text for each in ElementTree.fromstring(written).iter("read")]
    assert sorted(map(str, read)) == sorted("<& \t\r\xe9]]>")


@pytest.mark.parametrize(
    ("element", "error", "code"),
    [
        ("%x0-5000", abnforge.LimitExceeded, "jflap-too-large"),
        ("DIGIT / %x7", ValueError, "jflap-character"),
        ("%xD800", ValueError, "jflap-character"),
    ],
)
def test_rules_without_a_jflap_file(element: str, error: type[Exception], code: str) -> None:
    with raises(error, code):
        list(graph_jff(graph_of(abnforge.loads(f"a = {element}\n")["a"])))


def test_transition_tables() -> None:
    assert transition_table(RFC3986["dec-octet"]) == [
        ["", "state", "0", "1", "2", "34", "5", "6-9"],
        [">", "0", "1", "2", "3", "4", "4", "4"],
        ["*", "1", "", "", "", "", "", ""],
        ["*", "2", "4", "4", "4", "4", "4", "4"],
        ["*", "3", "4", "4", "4", "4", "5", "1"],
        ["*", "4", "1", "1", "1", "1", "1", "1"],
        ["*", "5", "1", "1", "1", "1", "1", ""],
    ]
    assert transition_table(abnforge.loads("a = DIGIT a\n")["a"]) == [["", "state"]]
    assert transition_table(abnforge.loads('a = *"b"\n')["a"])[1:] == [[">*", "0", "0"]]


@pytest.mark.parametrize("element", ["DIGIT", "DQUOTE / %x5C", '"&lt;"', '*"a"'])
def test_graphviz_reads_every_automaton(element: str) -> None:
    graph = graph_of(abnforge.loads(f"a = {element}\n")["a"])
    written = "".join(graph_dot(graph))
    assert len(re.findall(r"^  n\d+ \[", written, re.MULTILINE)) == len(graph.states)
    assert len(re.findall(r"^  n\d+ -> n\d+ \[", written, re.MULTILINE)) == len(graph.moves)
    assert written.count("doublecircle") == len(graph.accepting)
    if program := shutil.which("dot"):
        drawn = subprocess.run(
            [program, "-Tsvg"], input=written.encode(), capture_output=True, check=True
        ).stdout
        texts = [text.text for text in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
        assert sorted(map(str, texts)) == sorted([*graph.states, *map(label, graph.moves.values())])
