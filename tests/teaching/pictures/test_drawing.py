"""Features that all diagrams share."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from importlib import import_module
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import abnforge
from abnforge.teaching.derivations import flatten, nodes_of
from abnforge.teaching.pictures.automata import automaton_svg
from abnforge.teaching.pictures.drawing import COLORS, DARK, number, palette, safe, shown, with_theme
from abnforge.teaching.pictures.trees import derivations_svg, tree_svg

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
    assert second.startswith("@supports (color: var(--ink)) {\n")
    rules = second[second.index("\n") + 1 : -1]
    rules = rules.removeprefix(palette(f".{kind.replace('railroad', 'rails')}"))
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


# Renderers. Each draws an SVG file as a PNG image, or returns False if it is not installed.


def by_program(name: str, *arguments: str) -> Callable[[Path, Path], bool]:
    """Return a renderer: a program whose arguments have ``{svg}``, ``{png}`` and ``{size}``."""

    def render(svg: Path, png: Path) -> bool:
        if not (program := shutil.which(name)):
            return False
        root = ElementTree.fromstring(svg.read_bytes())
        size = ",".join(str(ceil(float(root.get(each, "")))) for each in ("width", "height"))
        words = [each.format(svg=svg, png=png, size=size) for each in arguments]
        subprocess.run([program, *words], capture_output=True, check=True, timeout=120)
        return True

    return render


def by_library(name: str, call: Callable[[Any, str], bytes]) -> Callable[[Path, Path], bool]:
    def render(svg: Path, png: Path) -> bool:
        try:
            library = import_module(name)
        except (ImportError, OSError):  # CairoSVG requires the system library cairo
            return False
        png.write_bytes(call(library, svg.read_text("utf-8")))
        return True

    return render


CHROMIUM = "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size={size}"
RENDERERS = {
    "librsvg": by_program("rsvg-convert", "{svg}", "-o", "{png}"),
    "Chromium": by_program("chromium", *CHROMIUM, "--screenshot={png}", "{svg}"),
    "Inkscape": by_program("inkscape", "{svg}", "--export-type=png", "--export-filename={png}"),
    "CairoSVG": by_library("cairosvg", lambda library, svg: library.svg2png(bytestring=svg.encode())),
    "resvg": by_library("vl_convert", lambda library, svg: library.svg_to_png(svg)),
}
LONG = "y" * 40
ODD = abnforge.loads(f'a = 1*(b / "-" / "\\")\nb = %x0-1F / "<" / %xC0-24F / 2ALPHA / 30"x" / %s"{LONG}"\n')
AMBIGUOUS = abnforge.loads('s = s "-" s / "1"\n')["s"]


def ambiguous(theme: str) -> str:
    trees = [flatten(tree, AMBIGUOUS.lark_names.__getitem__) for tree in AMBIGUOUS.derivations("1-1-1-1", 3)]
    return "".join(derivations_svg(trees, "1-1-1-1", theme=theme))


def odd_tree(theme: str) -> str:
    text = "\x01<\u0153\\-" + "ab" * 4 + "x" * 30 + "y" * 40
    return "".join(tree_svg(nodes_of(ODD["a"], text), text, theme=theme))


def odd_railroad(theme: str) -> str:
    pytest.importorskip("railroad")
    from abnforge.teaching.pictures.railroad import rule_svg

    return rule_svg(ODD["a"], depth=1, theme=theme)


FIGURES = DRAWINGS | {
    "ambiguous trees": ambiguous,
    "odd tree": odd_tree,
    "odd railroad": odd_railroad,
    "odd automaton": lambda theme: automaton_svg(ODD["a"], theme),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "theme"),
    [*product(FIGURES, ["light"]), *product(DRAWINGS, ["dark", "auto"])],
)
def test_renderers_draw_the_same(kind: str, theme: str, tmp_path: Path) -> None:
    """Each image has the colors of the theme and differs from the first one only at the edges of lines."""
    image = pytest.importorskip("PIL.Image")
    svg = tmp_path / "a.svg"
    svg.write_text(FIGURES[kind](theme), "utf-8")
    drawn = {}
    for name, render in RENDERERS.items():
        path = tmp_path / f"{name}.png"
        if render(svg, path):
            opened = image.open(path).convert("RGBA")
            page = image.new("RGBA", opened.size, "magenta")  # shows where the diagram is transparent
            page.alpha_composite(opened)
            drawn[name] = page.convert("RGB")
    if len(drawn) < 2:
        pytest.skip("needs two renderers")
    (_, first), *others = drawn.items()
    paper = (0x15, 0x18, 0x1C) if theme == "dark" else (255, 255, 255)
    for name, each in drawn.items():
        assert all(abs(a - b) <= 1 for a, b in zip(first.size, each.size, strict=True)), name
        colors = each.getcolors(1 << 24)
        assert max(colors)[1] == paper, name
        assert max(colors)[0] > 0.5 * each.width * each.height, name
        assert len(colors) > 20, name
    coarse = {name: blurred(image, each, first.size) for name, each in drawn.items()}
    reference = coarse.pop(next(iter(drawn)))
    for name, each in coarse.items():
        differences = [abs(a - b) for a, b in zip(reference, each, strict=True)]
        assert sum(differences) / len(differences) < 3, name  # of 255
        assert max(differences) < 64, name
    assert others


def blurred(image: Any, drawn: Any, size: tuple[int, int]) -> list[int]:
    """Return the gray values of an image in squares of 8 px, so that the smoothing of edges is the same."""
    wide, high = (max(1, each // 8) for each in size)
    return list(drawn.convert("L").resize((wide, high), image.Resampling.BOX).tobytes())


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
