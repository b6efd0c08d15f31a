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
from abnforge.teaching.pictures.drawing import COLORS, DARK, number, palette, safe, shown, with_theme
from abnforge.teaching.pictures.trees import tree_svg

RULE = abnforge.rule("rfc3986:dec-octet")
VALUES = set(re.findall(r"#[0-9a-f]{6}", COLORS))


def railroad(theme: str = "light") -> str:
    pytest.importorskip("railroad")
    from abnforge.teaching.pictures.railroad import rule_svg

    rule = abnforge.loads('a = b / <c> / %s"d" / "e" / %x0D / %x30-39 / "."\nb = "f"\n')["a"]
    return rule_svg(rule, depth=1, theme=theme)


DRAWINGS = {
    "tree": lambda theme="light": "".join(tree_svg(nodes_of(RULE, "255"), "255", theme=theme)),
    "railroad": railroad,
    "automaton": lambda theme="light": automaton_svg(RULE, theme),
}


def styles(kind: str, theme: str) -> list[str]:
    root = ElementTree.fromstring(DRAWINGS[kind](theme))
    return [element.text or "" for element in root.iter() if element.tag.endswith("style")]


@pytest.mark.parametrize("kind", DRAWINGS)
def test_themes(kind: str) -> None:
    (light,), (dark,) = styles(kind, "light"), styles(kind, "dark")
    assert set(re.findall(r"#[0-9a-f]{6}", light)) <= VALUES
    assert set(re.findall(r"#[0-9a-f]{6}", dark)) <= set(re.findall(r"#[0-9a-f]{6}", DARK))
    assert re.sub(r"#[0-9a-f]{6}", "", light) == re.sub(r"#[0-9a-f]{6}", "", dark)
    assert not re.search(r"var\(|@media|@supports", light + dark)
    first, second = styles(kind, "auto")
    assert first == light
    rules = second.removeprefix(palette(f".{kind.replace('railroad', 'rails')}"))
    assert rules.count("var(--") >= 5
    colors = dict(re.findall(r"(--\w+): (#\w+);", COLORS))
    assert re.sub(r"var\((--\w+)\)", lambda name: colors[name[1]], rules) == light


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


def test_pages_have_the_theme_of_the_reader_or_a_fixed_one() -> None:
    style = f":root {{ color-scheme: light dark; }} {palette(':root')}"
    assert with_theme(style, "auto") == style
    for theme, media in (("light", "not all"), ("dark", "all")):
        fixed = with_theme(style, theme)
        assert f"color-scheme: {theme};" in fixed
        assert re.findall("@media ([^{]*) {", fixed) == [media]


def test_text_is_safe() -> None:
    assert safe("<a b='&\"'>\x00\u202e\ud800") == "&lt;a b=&#x27;&amp;&quot;&#x27;&gt;\\0\\u202e\\ud800"


def test_of_a_long_string_the_beginning_is_shown() -> None:
    assert shown("abcdef", 1, 4, 3) == '"bcd"'
    assert shown("abcdef", 1, 5, 3) == '"bcd..."'


def test_numbers_are_short() -> None:
    assert [number(value) for value in (1, 1.0, 1.25, -0.04)] == ["1", "1", "1.2", "-0"]
