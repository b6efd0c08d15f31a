"""The style check finds an example of each rule and layer, and accepts plain English and quotations."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("markdown_it")
pytest.importorskip("pygments")
from tools import check_style

STYLE = tomllib.loads(check_style.STYLE.read_text("utf-8"))
RULES = check_style.read_rules(STYLE)

# For each rule: a layer, prose that violates it, and a better sentence.
EXAMPLES = {
    "word": (
        "docstring",
        "Return the texts that it judged.",
        "Return the strings to parse.",
    ),
    "is-no": ("page", "A host is no URI.", "A host is not a URI. It is no longer accepted."),
    "has-no": ("rejection", "a host has no space", "use a host name"),
    "noun-clause": ("page", "It prints what is left.", "It prints the unread characters."),
    "inverted": (
        "comment",
        "Of a wrong answer, the first is shown.",
        "It shows the first of the wrong answers.",
    ),
    "passive": ("docstring", "Return the rule that is meant.", "Return the rule that the name refers to."),
    "aside": ("message", "only who wrote it knows", "the host is ambiguous; write an address"),
    "opening": ("comment", "What the rule matches", "It matches digits, whatever the name"),
    "heading-clause": ("heading", "What stays as is", "Stability policy"),
    "help-mood": ("help", "The output format.", "Select the output format."),
    "long-sentence": ("page", "word " * 31, "word " * 29 + "word. Word" + " word" * 29),
}


def check(layer: str, text: str) -> set[str]:
    descriptions = (
        each for _, each in check_style.hits(check_style.Piece(layer, 1, text), RULES, STYLE["limits"])
    )
    return {each.rpartition("[")[2].rstrip("]") for each in descriptions}


def lines(path: Path) -> list[str]:
    """Return the layer and line of each hit in a file."""
    return [
        f"{piece.layer}:{line}"
        for piece in check_style.pieces(path)
        for line, _ in check_style.hits(piece, RULES, STYLE["limits"])
    ]


def test_each_rule_has_an_example() -> None:
    assert {*EXAMPLES} == {rule.name for rule in RULES} | {"long-sentence"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_rule(name: str) -> None:
    layer, violation, better = EXAMPLES[name]
    assert check(layer, violation) == {name}
    assert check(layer, better) == set()


def test_words_end_at_their_boundaries() -> None:
    assert check("page", "The engine judged it.") == {"word"}
    assert check("page", "The prejudged stories, retold.") == set()


@pytest.mark.parametrize("phrase", ["question", "blank line", "behind a proxy", "HTTP verb", "gives up"])
def test_established_phrases(phrase: str) -> None:
    assert check("page", f"One {phrase}.") == set()


def test_a_phrase_across_lines() -> None:
    piece = check_style.Piece("docstring", 7, "Return X.\n\n    A long line in the\n    place of it.\n")
    [(line, description)] = check_style.hits(piece, RULES, STYLE["limits"])
    assert line == 9
    assert description.endswith("[word]")


PAGE = """\
# What it is

It was told `told` and "told",
and told.

| a | it is told |
|---|---|
| told | b |

```
# told
```

```yaml
- name: As told
  run: told # told
```
"""
CELL = {"cell_type": "markdown", "source": ["Strings\n", "as told"]}
TEMPLATE = "<p title='told'>{{ told }} {% if told %}told\n<b>it is told to users</b>\n<style>told {}</style>"
MODULE = """\
'''It told.

    told("code")
'''
x = 'a message that was # told'
y = f'the rule {x} that was told'  # twice told
# a ``told``,
# told
option(help='The name')
"""
# The expected layer and line of each hit.
FILES = {
    "page.md": (PAGE, "comment:15 comment:16 heading:1 heading:1 page:3 page:4 page:6 page:8"),
    "src/module.py": (MODULE, "comment:6 comment:8 docstring:1 help:9 message:5 message:6"),
    "tests/module.py": ("x = 'a message that was told'\n", ""),
    "a.mistakes.abnf": ('; told\n;@ code "told"\n;@ say "{x} was told"\n', "comment:1 rejection:3"),
    "a.ipynb": (json.dumps({"cells": [CELL, CELL | {"cell_type": "code"}]}, indent=1), "page:7"),
    "src/a.html": (TEMPLATE, "message:2"),
    "a.abnf": (
        "; A host is told.\na = b\n; as\n; told\n; abnforge: told\n;@ code told\n",
        "comment:1 comment:4 comment:5",
    ),
    "run": ("# a told\n# told\necho told # a told\n", "comment:1 comment:2 comment:3"),
    "a.c": ('/* It told. */\nchar *x = "it was told";\n', "comment:1"),
}


@pytest.mark.parametrize("name", FILES)
def test_files(name: str, tmp_path: Path) -> None:
    text, expected = FILES[name]
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    assert sorted(lines(path)) == expected.split()


def test_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.md", tmp_path / "bad.md"
    good.write_text("Validate files.\n", "utf-8")
    bad.write_text("Files are judged.\n", "utf-8")
    for paths, status, pattern in (([good], 0, r"\Z"), ([good, bad], 1, r"(?s).*bad\.md:1: \"judged\" -> ")):
        monkeypatch.setattr("sys.argv", ["check_style.py", *map(str, paths)])
        assert check_style.main() == status
        assert re.match(pattern, capsys.readouterr().out)
