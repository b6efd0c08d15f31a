"""Check the style of prose: the words and constructions of tools/style.toml.

    python tools/check_style.py [PATH...]

Checks pages, headings, help texts, messages, docstrings and comments, and prints a line for each hit. Code
spans, code blocks and quotes are exempt: they quote input, output or code.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import tomllib
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, String, Text

ROOT = Path(__file__).resolve().parent.parent
STYLE = Path(__file__).with_name("style.toml")
# Each code span and each quote is replaced by one word. An apostrophe in or after a word is not a quote.
QUOTED = re.compile(r"``.+?``|`[^`]+`|\"[^\"]{1,300}\"|(?<!\w)'[^'\n]+'(?!\w)", re.DOTALL)
SENTENCE_END = re.compile(r"[.!?:](?=\s+[A-Z(])|;(?=\s+\d)|\n\s*\n|\n\s*(?:- |\* |\d+\. )")
# A Python comment, together with the comments on the next lines. The other alternatives skip string literals.
COMMENTS = re.compile(
    r"(?P<comment>#.*(?:\n\s*#.*)*)"
    r"|\"{3}(?s:\\.|[^\\])*?\"{3}|'{3}(?s:\\.|[^\\])*?'{3}|\"(?:\\(?s:.)|[^\\\"\n])*\"|'(?:\\(?s:.)|[^\\'\n])*'"
)
# In code blocks of pages: comments, and the names of steps in YAML. Blocks without comments show output.
CODE_COMMENT = re.compile(r"(?:^|\s)(?:[#;]|- name:) +(\S.*)", re.MULTILINE)
OUTPUT = {"", "console", "pycon", "text"}
SAY = re.compile(r'^;@.*?\b(say|seen) "([^"]*)"', re.MULTILINE)
SENTENCE = re.compile(r"(?=.*[a-z]{2,} [a-z]{2,})(?:\S+\s+){3}", re.DOTALL)  # a string that users may read


class Piece(NamedTuple):
    """A passage of prose: its layer, such as ``docstring``, and the line where it starts."""

    layer: str
    line: int
    text: str


class Rule(NamedTuple):
    """A word or construction to avoid, its replacement, and the layers to check."""

    name: str
    layers: frozenset[str]
    pattern: re.Pattern[str]
    replacement: str


def markdown(source: str) -> Iterator[Piece]:
    """Yield the headings, paragraphs and table cells of a page."""
    layer, line = "page", 1
    for token in MarkdownIt("commonmark").enable("table").parse(source):
        line = token.map[0] + 1 if token.map else line
        if token.type in ("heading_open", "heading_close"):
            layer = "heading" if token.nesting > 0 else "page"
        elif token.type == "inline":
            yield Piece(layer, line, "".join(map(_inline, token.children or [])))
        elif token.type == "fence" and token.info.strip() not in OUTPUT:
            for match in CODE_COMMENT.finditer(token.content):
                yield Piece("comment", line + 1 + token.content.count("\n", 0, match.start(1)), match[1])


def _inline(token: Token) -> str:
    return {"text": token.content, "softbreak": "\n", "code_inline": "X"}.get(token.type, "")


def python(source: str) -> Iterator[Piece]:
    """Yield the docstrings, help texts, comments and other sentences of a module."""
    nodes = [*ast.walk(ast.parse(source))]
    layers: dict[int, str] = {}
    for node in nodes:
        match node:
            case ast.Expr(value=ast.Constant() as value):
                layers[id(value)] = "docstring"
            case ast.keyword(arg="help" | "short_help", value=ast.Constant() as value):
                layers[id(value)] = "help"
            case ast.JoinedStr(values=values):
                layers.update((id(part), "") for part in values)
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in values)
                yield Piece("message", node.lineno, text)
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(string := node.value, str):
            layer = layers.get(id(node), "message")
            prose = _without_code(string, node.col_offset) if layer == "docstring" else string
            yield Piece(layer, node.lineno, prose)
    for match in COMMENTS.finditer(source):
        if match["comment"]:
            line = source.count("\n", 0, match.start()) + 1
            comment = re.sub(r"(?m)^\s*#[#! ]?", "", match["comment"])
            yield Piece("comment", line, re.sub(r"(?m)^ {4}.*", "", comment).lstrip("- "))


def _without_code(docstring: str, indent: int) -> str:
    """Remove the code from a docstring: indented paragraphs, doctests and lists of examples."""
    code = rf"(?:\n\s*\n|^\n?)(?: {{{indent + 4}}}| *>>> | *(?:\x08\n *)?Examples:\n)(?:.|\n(?!\s*\n))*"
    return re.sub(code, _line_breaks, docstring)


def grammar(source: str) -> Iterator[Piece]:
    """Yield the comments of a grammar, the messages of a mistakes file, and the sources of its mistakes."""
    for match in re.finditer(r"(?m)^;(?![@-]).*(?:\n;(?![@-]).*)*", source):
        comment = re.sub(r"(?m)^; ?", "", match[0])
        yield Piece("comment", source.count("\n", 0, match.start()) + 1, comment)
    for match in SAY.finditer(source):
        layer = "rejection" if match[1] == "say" else "message"
        yield Piece(layer, source.count("\n", 0, match.start()) + 1, match[2])


def others(source: str, name: str) -> Iterator[Piece]:
    """Yield the strings and comments of a file in another language. Consecutive comments are joined."""
    start = end = 0
    for index, kind, token in [*get_lexer_for_filename(name).get_tokens_unprocessed(source), (-1, Text, "x")]:
        if kind in Comment and kind not in Comment.Preproc:
            start, end = index if start == end else start, index + len(token)
        elif not token.isspace():
            if start < end:
                comment = re.sub(r"(?m)^[ \t]*[#/*!]+ ?", "", source[start:end])
                yield Piece("comment", source.count("\n", 0, start) + 1, comment)
                start = end
            if kind in String:
                yield Piece("message", source.count("\n", 0, index) + 1, token)


def notebook(source: str) -> Iterator[Piece]:
    """Yield the prose of the Markdown cells of a Jupyter notebook."""
    for cell in json.loads(source)["cells"]:
        if cell["cell_type"] == "markdown":
            start = source.index(json.dumps(cell["source"][0], ensure_ascii=False))
            first = source.count("\n", 0, start)
            for piece in markdown("".join(cell["source"])):
                yield piece._replace(line=first + piece.line)


def template(source: str) -> Iterator[Piece]:
    """Yield the prose of an HTML template. Tags and expressions separate the passages."""
    for match in re.finditer(r"(?s)<(script|style)\b.*?</\1>|<[^>]*>|\{[{%#].*?[}%#]\}|([^<{]+|\{)", source):
        if match[2]:
            yield Piece("message", source.count("\n", 0, match.start()) + 1, match[2])


def pieces(path: Path) -> Iterator[Piece]:
    """Yield the prose of a file."""
    source = path.read_text("utf-8")
    readers = {".md": markdown, ".py": python, ".abnf": grammar, ".html": template, ".ipynb": notebook}
    reader = readers.get(path.suffix, partial(others, name=path.name if path.suffix else "run.sh"))
    for piece in reader(source):
        if piece.layer != "message" or ("src" in path.parts and SENTENCE.match(piece.text)):
            yield piece


def _line_breaks(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def hits(piece: Piece, rules: list[Rule], limits: dict[str, int]) -> Iterator[tuple[int, str]]:
    """Yield the line and the description of each match of a rule, and of each long sentence."""
    text = QUOTED.sub(lambda match: "X" + _line_breaks(match), piece.text)
    for rule in rules:
        if piece.layer in rule.layers:
            for match in rule.pattern.finditer(text):
                words = " ".join(match[0].split())
                line = piece.line + text.count("\n", 0, match.start())
                yield line, f'"{words}" -> "{rule.replacement}" [{rule.name}]'
    limit = limits.get(piece.layer, sys.maxsize)
    for start, end in pairwise([0, *(match.end() for match in SENTENCE_END.finditer(text)), len(text)]):
        if (count := len(text[start:end].split())) > limit:
            line = piece.line + text.count("\n", 0, start)
            yield line, f"{count} words -> at most {limit} [long-sentence]"


def read_rules(style: dict[str, Any]) -> list[Rule]:
    """Return the rules of a style file. A space in a pattern also matches a line break."""
    return [
        Rule(
            group["name"],
            frozenset(group.get("layers", style["layers"])),
            re.compile(group.get("around", "{}").replace("{}", f"(?:{pattern})").replace(" ", r"\s+"), re.I),
            replacement,
        )
        for group in style["rules"]
        for pattern, replacement in group["patterns"].items()
    ]


def main() -> int:
    """Print the violations in the files, or in the whole repository."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    style = tomllib.loads(STYLE.read_text("utf-8"))
    rules = read_rules(style)
    paths = parser.parse_args().paths or [path for each in style["files"] for path in sorted(ROOT.glob(each))]
    skipped = re.compile("|".join(style["skipped"]))
    found = False
    for path in paths:
        name = os.path.relpath(path, ROOT)
        if not skipped.search(name):
            for piece in pieces(path):
                for line, description in hits(piece, rules, style["limits"]):
                    found = True
                    print(f"{name}:{line}: {description}")
    return int(found)


if __name__ == "__main__":
    sys.exit(main())
