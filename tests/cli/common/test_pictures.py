"""Files of diagrams: the format by the ending, themes, conversion."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from abnforge.cli.common import pictures
from abnforge.cli.common.pictures import IMAGES, MAX_CHARACTERS, MAX_PIXELS, SCALE, converted
from abnforge.errors import LimitExceeded
from abnforge.teaching.pictures.drawing import THEMES
from tests.cli.command import answers, run
from tests.raising import raises

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}"></svg>'
COMMANDS = [
    ("show", "dec-octet"),
    ("parse", "--rule", "port", "80"),
    ("railroad", "--rule", "port"),
]
BEGINNINGS = {
    "a.svg": b"<svg ",
    "a.SVG": b"<svg ",
    "a.html": b"<!doctype html>",
    "a.htm": b"<!doctype html>",
    "a.gv": b"digraph ",
    "a.dot": b"digraph ",
    "a.jff": b"<?xml ",
    "a.csv": b",state,",
    "a.json": b"[\n{",
    "a.txt": b"dec-octet ",
    "svg": b"dec-octet ",
}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_the_ending_of_a_file_names_its_format(name: str, tmp_path: Path) -> None:
    result = run("show", "dec-octet", "-o", str(tmp_path / name))
    assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / name).read_bytes().startswith(BEGINNINGS[name])
    if not name.lower().endswith((".svg", ".html", ".htm")):
        assert run("show", "dec-octet", "-f", "words", "-o", str(tmp_path / name)).exit_code == 0
        assert b"kind" in (tmp_path / name).read_bytes()


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_themes(command: tuple[str, ...]) -> None:
    if command[0] == "railroad":
        pytest.importorskip("railroad")
    arguments = [], *(["--theme", name] for name in THEMES)
    default, light, dark, auto = (run(*command, "-f", "svg", *theme).stdout for theme in arguments)
    assert light == default
    assert "#1c2024" in light
    assert "#1c2024" not in dark
    assert ["prefers-color-scheme" in each for each in (light, dark, auto)] == [False, False, True]
    pages = [run(*command, "-f", "html", *theme).stdout for theme in arguments]
    assert pages[0] == pages[3]
    assert ["prefers-color-scheme" in each for each in pages] == [True, False, False, True]


def test_a_rejected_string_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.svg"
    path.write_text("before")
    assert run("parse", "--rule", "port", "x", "-o", str(path)).exit_code == 1
    assert path.read_text() == "before"


def test_text_in_a_file_has_no_style_of_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    path = tmp_path / "a"
    assert run("parse", "--format", "tree", "--rule", "port", "80", "-o", str(path)).exit_code == 0
    assert path.read_text("utf-8") == 'port › DIGIT ×2  "80"  0-2\n'


def test_two_trees_are_one_image(tmp_path: Path) -> None:
    grammar = tmp_path / "sums.abnf"
    grammar.write_text('sum = sum "-" sum / "1"\n')
    command = "parse", "--grammar", str(grammar), "1-1-1-1", "--format", "svg"
    assert "derivation 1" not in run(*command).stdout
    drawn = run(*command, "--count", "3").stdout
    assert re.findall(r">(derivation \d)<", drawn) == ["derivation 1", "derivation 2", "derivation 3"]


def test_without_the_converter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for kind in IMAGES:
        answers(["show", "dec-octet", "--format", kind], 2, "", "extra-missing")


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("show dec-octet --format words -o a.png", "image-format"),
        ("show dec-octet --format transitions -o a.PDF", "image-format"),
        ("show dec-octet --format png -o a.svg", "image-format"),
        ("show dec-octet --format words -o a.eps", "image-format"),
        ("show dec-octet --format tables -o a.html", "image-format"),
        ("show dec-octet -o a.jpg", "ending-unknown"),
        ("show dec-octet -o a.EPS", "ending-unknown"),
        ("parse x: -o a.docx", "ending-unknown"),
        ("railroad --rule port -o a.txt", "ending-unknown"),
    ],
)
def test_a_file_has_the_format_of_its_ending(
    command: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answers(command.split(), 2, "", code)
    assert not [*tmp_path.iterdir()]


def test_images_are_not_written_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "is_terminal", lambda stream: True)
    for kind in IMAGES:
        answers(["show", "dec-octet", "--format", kind], 2, "", "image-on-terminal")


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_images(command: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    if command[0] == "railroad":
        pytest.importorskip("railroad")
    for kind, beginning in (("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-")):
        path = tmp_path / f"a.{kind}"
        assert run(*command, "-o", str(path)).exit_code == 0
        assert path.read_bytes().startswith(beginning)
    svg = run(*command, "--format", "svg").stdout
    size = [float(re.findall(rf'<svg [^>]*\b{name}="([\d.]+)"', svg)[0]) for name in ("width", "height")]
    image = (tmp_path / "a.png").read_bytes()
    drawn = [int.from_bytes(image[place : place + 4]) for place in (16, 20)]
    assert all(abs(SCALE * a - b) <= 2 for a, b in zip(size, drawn, strict=True))


def test_large_images() -> None:
    pytest.importorskip("vl_convert")
    image = bytes(converted(SVG.format(wide=30_000, high=800), "png"))
    assert int.from_bytes(image[16:20]) == 30_000  # not scaled
    with raises(LimitExceeded, "image-too-large", limit=MAX_PIXELS):
        converted(SVG.format(wide=MAX_PIXELS, high=2), "png")
    for kind in IMAGES:
        with raises(LimitExceeded, "image-too-large", limit=MAX_CHARACTERS):
            converted(SVG.format(wide=9, high=9) + " " * MAX_CHARACTERS, kind)
    assert io.BytesIO(bytes(converted(SVG.format(wide=100_000, high=800), "pdf"))).read(5) == b"%PDF-"
