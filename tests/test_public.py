"""The public interface: names, signatures, and the files of the package."""

from __future__ import annotations

import inspect
import json
import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import entry_points, version
from importlib.resources import files
from types import ModuleType

import lark
import pytest

import abnforge
from tests.law import each_row
from tests.places import ROOT
from tests.raising import raises

PUBLIC = [
    "abnforge",
    "abnforge.columns",
    "abnforge.conformance",
    "abnforge.engine",
    "abnforge.ingest",
    "abnforge.uri",
    "abnforge.uri.rfc2396",
]


@pytest.fixture(params=PUBLIC)
def module(request: pytest.FixtureRequest) -> ModuleType:
    if request.param in ("abnforge.columns", "abnforge.ingest"):
        pytest.importorskip("pyarrow")
    return import_module(request.param)


def test_all_is_what_is_there(module: ModuleType) -> None:
    """``__all__`` may name submodules, which Python adds to their package when they are imported."""
    for name in module.__all__:
        getattr(module, name)  # some names are imported at their first use
    present = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and not (inspect.ismodule(value) and name not in module.__all__)
    }
    assert present == set(module.__all__)
    assert len(module.__all__) == len(present)


def test_all_has_docstrings(module: ModuleType) -> None:
    values = [getattr(module, name) for name in module.__all__]
    described = [value for value in values if inspect.isroutine(value) or inspect.isclass(value)]
    assert [value.__name__ for value in described if not inspect.getdoc(value)] == []
    for cls in filter(inspect.isclass, described):
        if issubclass(cls, lark.Transformer):  # its methods are the rules of the grammar
            continue
        own = {k: v for k, v in vars(cls).items() if not k.startswith("_")}
        verbs = {k: v for k, v in own.items() if inspect.isfunction(v) or isinstance(v, property)}
        assert [f"{cls.__name__}.{k}" for k, v in verbs.items() if not inspect.getdoc(v)] == []


def test_columns_without_arrow_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("abnforge.columns")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with raises(ModuleNotFoundError, "arrow-missing") as caught:
        import_module("abnforge.columns")
    assert caught.value.name == "pyarrow"


NAMES = re.compile(r"(?:abnforge|\.)\[([a-z,]+)\]|--group[= ]([a-z]+)|\(extra ``?([a-z]+)``?\)")


def test_extras_and_groups_that_texts_name() -> None:
    """Messages, pages and tools mention only existing extras (for users) and groups (for developers)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras, groups = project["project"]["optional-dependencies"], project["dependency-groups"]
    paths = [path for folder in ("src", "docs", "tools", ".ci") for path in (ROOT / folder).rglob("*")]
    texts = [
        path.read_text("utf-8")
        for path in (*paths, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md")
        if path.suffix in (".py", ".md", ".sh", "") and path.is_file()
    ]
    results = [match for text in texts for match in NAMES.findall(text)]
    named = {name for lists, _, extra in results for name in (*lists.split(","), extra) if name}
    assert named <= extras.keys()
    assert {group for _, group, _ in results if group} <= groups.keys()
    assert named
    assert len(extras) <= 13


def test_version() -> None:
    assert version("abnforge") == abnforge.__version__


def test_command() -> None:
    (command,) = entry_points(group="console_scripts", name="abnforge")
    assert callable(command.load())


def test_the_types_are_for_others_too() -> None:
    assert files("abnforge").joinpath("py.typed").is_file()


@each_row("name", abnforge.grammar_names())
def test_bundled_grammars_are_complete(name: str) -> None:
    generated = files("abnforge").joinpath("_data")
    assert generated.joinpath(f"{name}.lark").is_file()
    assert generated.joinpath(f"{name}.names.json").is_file()
    grammar = abnforge.load(name)
    assert grammar.name == name
    assert set(grammar.rules) == set(grammar)


EXPECTED = {"rule": str, "chars": str}
EDIT = {"start": int, "end": int, "text": str}

# The keys in the JSON of a rejection are stable, and always present.
REJECTION = {
    "code": str,
    "family": str,
    "component": str,
    "grammar": str,
    "rule": str,
    "input": str,
    "offset": int,
    "found": (str, type(None)),
    "expected": [EXPECTED],
    "end_expected": bool,
    "rule_path": [str],
    "section": (str, type(None)),
    "message": str,
    "hypotheses": [
        {"code": str, "rule_path": [str], "offset": int, "end": int, "expected": [EXPECTED], "message": str}
    ],
    "other_mistakes": [{"code": str, "offset": int, "end": int}],
    "suggestion": {"text": str, "edits": [EDIT], "cost": (int, float)},
}


def has_shape(value: object, shape: object) -> bool:
    match shape:
        case dict():
            return (
                isinstance(value, dict)
                and list(value) == list(shape)
                and all(has_shape(value[key], inner) for key, inner in shape.items())
            )
        case [inner]:
            return isinstance(value, list) and all(has_shape(item, inner) for item in value)
        case _:
            return isinstance(value, shape)  # type: ignore[arg-type]


@each_row("text", ["http://host:80x/", "", "a b", "http://[::1", "é"])
@each_row("suggest", [True, False])
def test_rejection_as_json(text: str, suggest: bool) -> None:
    rejection = abnforge.load("rfc3986")["URI"].explain(text, suggest=suggest)
    assert rejection
    value = json.loads(json.dumps(rejection.to_dict()))
    assert (value["suggestion"] is not None) is (suggest and ":" in text)
    if value["suggestion"] is None:
        assert has_shape(value, {**REJECTION, "suggestion": type(None)})
    else:
        assert has_shape(value, REJECTION)
    assert value["hypotheses"]
    assert value["message"] == value["hypotheses"][0]["message"]
