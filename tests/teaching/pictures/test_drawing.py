"""Features that all diagrams share."""

from __future__ import annotations

import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

import abnforge
from abnforge.teaching.derivations import nodes_of
from abnforge.teaching.pictures.automata import automaton_svg
from abnforge.teaching.pictures.drawing import COLORS, number, safe, shown, with_values
from abnforge.teaching.pictures.trees import tree_svg

RULE = abnforge.rule("rfc3986:dec-octet")
VALUES = set(re.findall(r"#[0-9a-f]{6}", COLORS))


def railroad() -> str:
    pytest.importorskip("railroad")
    from abnforge.teaching.pictures.railroad import rule_svg

    rule = abnforge.loads('a = b / <c> / %s"d" / "e" / %x0D / %x30-39 / "."\nb = "f"\n')["a"]
    return rule_svg(rule, depth=1)


DRAWINGS = {
    "tree": lambda: "".join(tree_svg(nodes_of(RULE, "255"), "255")),
    "railroad": railroad,
    "automaton": lambda: automaton_svg(RULE),
}


@pytest.mark.parametrize("kind", DRAWINGS)
def test_programs_without_variables_draw_the_light_colors(kind: str) -> None:
    style = next(
        element.text or ""
        for element in ElementTree.fromstring(DRAWINGS[kind]()).iter()
        if element.tag.endswith("style")
    )
    plain, _, again = style.partition("@supports (color: var(--ink)) {")
    assert "var(" not in plain
    assert again.count("var(--") >= 5
    light = dict(re.findall(r"(--\w+): (#\w+);", COLORS))
    assert re.sub(r"var\((--\w+)\)", lambda name: light[name[1]], again.rstrip()[:-1]).strip() in plain


@pytest.mark.parametrize("kind", DRAWINGS)
def test_librsvg_draws_colors_of_the_palette(kind: str) -> None:
    if not (program := shutil.which("rsvg-convert")):
        pytest.skip("needs rsvg-convert")
    asked = [program, "--format=svg"]
    drawing = subprocess.run(asked, input=DRAWINGS[kind]().encode(), capture_output=True, check=True).stdout
    painted = re.findall(r"(fill|stroke)[:=]\"?rgb\(([\d.]+)%,([\d.]+)%,([\d.]+)%\)", drawing.decode())
    colors = {
        f"#{''.join(f'{round(float(share) * 2.55):02x}' for share in shares)}" for _, *shares in painted
    }
    assert len(colors) >= 4
    assert colors <= VALUES


def test_values_come_before_variables() -> None:
    rule = "a { border: 1px solid var(--line); }"
    plain = rule.replace("var(--line)", "#aab3bd")
    assert with_values(rule) == f"{plain}@supports (color: var(--ink)) {{{rule}}}\n"


def test_text_is_safe() -> None:
    assert safe("<a b='&\"'>\x00\u202e\ud800") == "&lt;a b=&#x27;&amp;&quot;&#x27;&gt;\\0\\u202e\\ud800"


def test_of_a_long_string_the_beginning_is_shown() -> None:
    assert shown("abcdef", 1, 4, 3) == '"bcd"'
    assert shown("abcdef", 1, 5, 3) == '"bcd..."'


def test_numbers_are_short() -> None:
    assert [number(value) for value in (1, 1.0, 1.25, -0.04)] == ["1", "1", "1.2", "-0"]
