"""Documents of recursive grammars, TOML and JSON from a folder beside the project, and who else reads them.

Peers read the same documents by the same grammar where they can: the ``abnf`` package with its backend in
Rust and without, and Lark's Earley parser. As far marks stand what was written for one format: ``tomllib``,
``json``, and Lark's LALR parser with a JSON grammar by hand.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import lark

import abnforge
from benchmark.measure import Contender

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "grammars"
SUITES = ("toml", "json")
LONGEST = 5_000  # characters of one document: suites hold a few that are made to break parsers

RECORD = {"id": 12345, "name": "caf\u00e9 \u4e2d", "tags": ["a", "b\n"], "ok": True, "x": -1.5e10, "n": None}
WRITTEN = (
    json.dumps([RECORD] * 30),
    json.dumps([RECORD] * 15, indent=2, ensure_ascii=False),
    json.dumps({"a": [[[[{"b": [RECORD, [RECORD]]}] * 2]]] * 5}, separators=(",", ":")),
)

# JSON as one writes it for an LALR parser: a lexer, and nothing about characters in the grammar.
JSON_BY_HAND = r"""
?value: object | array | STRING | NUMBER | "true" | "false" | "null"
array: "[" [value ("," value)*] "]"
object: "{" [pair ("," pair)*] "}"
pair: STRING ":" value
STRING: /"(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/
NUMBER: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/
WS: /[ \t\n\r]+/
%ignore WS
"""


@dataclass(frozen=True)
class Suite:
    """A grammar's file, the rule, and the documents that it derives."""

    name: str
    path: Path
    rule: str
    documents: tuple[str, ...]

    @property
    def characters(self) -> int:
        return sum(map(len, self.documents))

    def fresh(self) -> abnforge.Rule:
        """The rule of a grammar that has read nothing yet."""
        return abnforge.load(self.path)[self.rule]


def suites(folder: Path = FOLDER) -> Iterator[Suite]:
    """Those that are there."""
    for name in SUITES:
        cases = folder / "suites" / name / "cases.jsonl"
        if cases.is_file():
            about = json.loads((cases.parent / "META.json").read_text("utf-8"))
            path = folder / about["grammar"]
            rule = abnforge.load(path)[about["rule"]]
            lines = map(json.loads, cases.read_text("utf-8").splitlines())
            texts = [line["text"] for line in lines if line["expect"] and len(line["text"]) <= LONGEST]
            if name == "json":  # the suite's texts have a dozen characters each
                texts += WRITTEN
            yield Suite(name, path, about["rule"], tuple(text for text in texts if rule.matches(text)))


def peers(suite: Suite) -> Iterator[Contender]:
    """Each peer that is installed."""
    for rust in (True, False):
        parse = abnf_package(suite, rust=rust)
        if parse is not None:
            name = f"abnf, {'Rust' if rust else 'Python'}"
            yield Contender(name, parse, (import_module("abnf").ParseError,))
    yield Contender("Lark, Earley", suite.fresh().lark.parse, (lark.exceptions.UnexpectedInput,))
    if suite.name == "json":
        by_hand = lark.Lark(JSON_BY_HAND, start="value", parser="lalr")
        yield Contender("Lark, LALR, by hand", by_hand.parse, (lark.exceptions.UnexpectedInput,))
        yield Contender("json.loads", json.loads, (ValueError,))
    if suite.name == "toml":
        yield Contender("tomllib.loads", tomllib.loads, (ValueError,))


def abnf_package(suite: Suite, *, rust: bool) -> Callable[[str], Any] | None:
    """``parse_all`` of the rule by the abnf package; None where there is no such backend.

    The backend is chosen when the package is imported. The one in Rust knows one copy of the package, the
    first; so the other is had by a second copy, which leaves it alone.
    """
    package, parser = import_module("abnf"), import_module("abnf.parser")
    if not rust:
        before = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "abnf"}
        os.environ["ABNF_NO_RUST"] = "1"
        try:
            package, parser = import_module("abnf"), import_module("abnf.parser")
        finally:
            del os.environ["ABNF_NO_RUST"]
            for name in [name for name in sys.modules if name.split(".")[0] == "abnf"]:
                del sys.modules[name]
            sys.modules.update(before)
    backend = parser._BACKEND
    if (backend == "rust") is not rust:
        return None
    rules: Any = type("Rules", (package.Rule,), {})
    rules.load_grammar(_definitions(suite))
    parse: Callable[[str], Any] = rules(suite.rule).parse_all
    return parse


def _definitions(suite: Suite) -> str:
    """The grammar's own rules, one a line; those with the names of core rules have others, since the package
    lets no grammar define them.
    """
    core = {name.lower() for name in abnforge.loads("r = %x61\n")} - {"r"}
    grammar = abnforge.load(suite.path)
    lines = "".join(rule.definition.replace("\n", "\r\n") + "\r\n" for rule in grammar.own_rules)
    own = sorted({rule.name.lower() for rule in grammar.own_rules} & core, key=len, reverse=True)
    if not own:
        return lines
    return re.sub(rf"(?i)(?<![\w-])({'|'.join(own)})(?![\w-])", r"own-\1", lines)


def readable(contender: Contender, documents: tuple[str, ...]) -> tuple[str, ...]:
    """The documents that a peer accepts: others would be measured by how soon it stops."""
    found = []
    for text in documents:
        try:
            contender.call(text)
        except Exception:  # whatever a peer says
            continue
        found.append(text)
    return tuple(found)
