"""Each message is used with the data that it requires, and stays readable with any data."""

from __future__ import annotations

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.catalog import MAX_FIELD, MAX_LISTED, MAX_SHOWN, ArgumentError, Catalog, CodedError
from tests.law import each_row

PACKAGE = Path(abnforge.__file__).parent
CATALOGS = {
    ".".join(("abnforge", *path.relative_to(PACKAGE).with_suffix("").parts)): path
    for path in sorted(PACKAGE.rglob("messages.py"))
    if "Catalog(" in path.read_text("utf-8")
}
MAX_WORDS = 20  # a field in a template can consist of several words
HOSTILE = "\x1b[2J\u202e{0}\"'\n<b>"
TEXTS = {"short": "x", "long": "abc " * 100, "empty": "", "hostile": HOSTILE}
NUMBERS = {"short": 1, "long": 10**9, "empty": 0, "hostile": 2}
LISTS = {
    "short": ("a",),
    "long": tuple(f"n{number}" for number in range(2 * MAX_LISTED)),
    "empty": (),
    "hostile": ("a", "b"),
}


def catalog(module: str) -> Catalog:
    try:
        message = import_module(module).message
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    assert isinstance(message, Catalog)
    return message


def fields(template: str) -> dict[str, str]:
    """Return the fields of a template: name -> format."""
    return {name: spec or "" for _, name, spec, _ in Formatter().parse(template) if name is not None}


def value(spec: str, kind: str) -> Any:
    if spec in ("list", "few", "or", "near", "available", "hints"):
        return LISTS[kind]
    if spec == "char":
        return TEXTS[kind][:1] or "\0"
    if spec.startswith("count") or spec in (",", "04X"):
        return NUMBERS[kind]
    return TEXTS[kind]


@cache
def facts(path: Path) -> tuple[set[str], set[tuple[str | None, str]], list[tuple[str, ast.Call]]]:
    """Return the string literals of a file, the catalogs that it imports, and the calls of these catalogs."""
    literals: set[str] = set()
    imports: set[tuple[str | None, str]] = set()
    called: list[tuple[str, ast.Call]] = []
    text = path.read_text("utf-8")
    literals.update(re.findall(r'"([a-z0-9-]+)"', text))
    imported = re.search(r"^ *from .* import .*\bmessage\b", text, re.MULTILINE)  # parse few files
    for node in ast.walk(ast.parse(text)) if imported else ():
        if isinstance(node, ast.ImportFrom):
            imports.update(
                (node.module, each.asname or each.name) for each in node.names if each.name == "message"
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.append((node.func.id, node))
    names = {name for _, name in imports}
    return literals, imports, [each for each in called if each[0] in names]


def names_of(module: str, path: Path) -> set[str]:
    """Return the names under which a file imports a catalog."""
    return {name for source, name in facts(path)[1] if source == module}


def calls(module: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of a catalog in the package, with their positions."""
    for path in sorted(PACKAGE.rglob("*.py")):
        names = names_of(module, path)
        for name, call in facts(path)[2]:
            if name in names:
                yield f"{path.relative_to(PACKAGE)}:{call.lineno}", call


def codes_of(argument: ast.expr) -> list[str]:
    """Return the possible codes of an expression: a string, or a choice between strings."""
    if isinstance(argument, ast.IfExp):
        return codes_of(argument.body) + codes_of(argument.orelse)
    return [argument.value] if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else []


@pytest.mark.parametrize("module", CATALOGS)
def test_each_call_has_a_code_and_its_data(module: str) -> None:
    templates = catalog(module).templates
    wrong = []
    used = set()
    for place, call in calls(module):
        names = {keyword.arg for keyword in call.keywords}
        codes = codes_of(call.args[0])
        used.update(codes)
        for code in codes:
            if code not in templates:
                wrong.append(f"{place}: no template for {code!r}")
            elif None not in names and names != (needed := set(fields(templates[code]))):
                wrong.append(f"{place}: {code!r} needs {needed}, not {names}")
    # A code in a table occurs as a literal outside of the calls.
    paths = [path for path in PACKAGE.rglob("*.py") if path != CATALOGS[module]]
    literals = {literal for path in paths for literal in facts(path)[0]}
    wrong += [f"{module}: {code!r} is unused" for code in templates if code not in used | literals]
    assert not wrong, "\n".join(wrong)


def test_each_code_is_in_one_catalog() -> None:
    seen: dict[str, str] = {}
    for module in CATALOGS:
        for code in catalog(module).templates:
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code), code
            assert seen.setdefault(code, module) == module, code


def test_templates_are_short_and_have_no_period_at_their_end() -> None:
    wrong = []
    for module in CATALOGS:
        for code, template in catalog(module).templates.items():
            words = len(re.sub(r"\{[^{}]*\}", "x", template).split())
            if words > MAX_WORDS or template.endswith(".") or template != template.strip():
                wrong.append(f"{module}: {code}: {template}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("module", CATALOGS)
def test_rendered(module: str, snapshot: SnapshotAssertion) -> None:
    """Values are short, long, empty and hostile. A terminal must not interpret any of them."""
    rendered = {}
    for code, template in sorted(catalog(module).templates.items()):
        slots = fields(template)
        for kind in TEXTS if slots else ("short",):
            data = {name: value(spec, kind) for name, spec in slots.items()}
            text = str(catalog(module)(code, **data))
            assert text.isprintable()
            rendered[f"{code}, {kind}"] = text.replace("abc " * 20, "abc ... ")
    assert rendered == snapshot


MADE = Catalog(
    {
        "made": "unknown {name:quoted} of {type}{near:near}; {steps:count step}, {all:list} {all:or}",
        "part": "{x}",
        "short": "very {x}",
    }
)


def test_data_are_attributes() -> None:
    data = {"name": "a\n", "type": "int", "near": ("b", "c"), "steps": 2_000, "all": ("d", "e", "f")}
    error = ArgumentError(MADE("made", **data))
    for each in (error, copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert isinstance(each, ValueError)
        assert isinstance(each, CodedError)
        assert each.code == "made"
        assert each.data == data
        assert each.near == ("b", "c")
        assert str(each) == str(error)
        assert not hasattr(each, "other")


@each_row(
    ("template", "value", "shown"),
    [
        ("{x:quoted}", 'a"b', "'a\"b'"),
        ("{x:quoted}", "a\x1b", '"a\\x1b"'),
        ("{x:quoted}", "y" * (MAX_SHOWN + 1), '"' + "y" * 40 + "..." + "y" * 40 + '"'),
        ("{x:near}", (), ""),
        ("{x:available}", (), ""),
        ("{x:available}", ("a", "b"), "; available: a and b"),
        ("{x:count octet}", 1, "1 octet"),
        ("{x:count octet}", 0, "0 octets"),
        ("{x:list}", ("a",), "a"),
        ("{x:list}", (), ""),
        ("{x:few}", tuple("abcde"), "a, b, c and 2 more"),
        ("{x:or}", tuple("abcdefghij"), "a, b, c, d, e, f, g, h, i or j"),
        ("{x:type}", 1, "int"),
        ("{x:hints}", (), ""),
        ("{x:hints}", (MADE("part", x="\n"), "b"), "; \\n; b"),
        ("{x:token}", "+", '"+"'),
        ("{x:token}", '"', "'\"'"),
        ("{x:token}", '"a"', '"a"'),
        ("{x:token}", "%x41", "%x41"),
        ("{x:token}", "ab", '"ab"'),
        ("{x:token}", "", '""'),
        ("{x:token}", MADE("part", x="a"), "a"),
        ("{x}", MADE("part", x="y" * MAX_FIELD + "zzz"), "y" * 500 + "..." + "y" * 497 + "zzz"),
        ("{x:,}", 1000, "1,000"),
        ("{x!r}", "a", "'a'"),
        ("{x:char}", "\t", "U+0009 TAB"),
        ("{x}", MADE("short", x="y" * MAX_SHOWN), f"very {'y' * MAX_SHOWN}"),
    ],
)
def test_formats(template: str, value: Any, shown: str) -> None:
    assert Catalog({"x": template})("x", x=value) == shown


def test_there_are_catalogs() -> None:
    assert "abnforge.messages" in CATALOGS
