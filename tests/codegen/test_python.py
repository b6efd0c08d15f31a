"""The target Python: the functions of a module answer as the rule."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import abnforge
from abnforge.codegen.regular import expectation
from abnforge.engine.rule import Rule
from abnforge.parsing.stop import expected
from tests.codegen.test_regular import GRAMMARS, RULES
from tests.codegen.toolchain import cover, follow, tables_of
from tests.law import each_row, one_in


def module(rule: Rule, parts: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module of a rule."""
    namespace = {"__name__": "exported"}
    monkeypatch.setitem(sys.modules, "exported", SimpleNamespace())
    exec(compile(rule.export("code-python", parts=parts), "exported.py", "exec"), namespace)
    return SimpleNamespace(**namespace)


def agree(rule: Rule, parts: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare a module with its rule."""
    exported = module(rule, parts, monkeypatch)
    for octets in cover(tables_of(rule, parts, surrogates=True)):
        try:
            text = octets.decode(errors="surrogatepass")
        except UnicodeDecodeError:
            continue
        assert exported.matches(text) is (valid := rule.matches(text))
        offset, characters = place(rule, text)
        assert exported.check(text) == (valid, offset, "" if valid else characters)
        if parts:
            assert exported.parts(text) == (rule.components(text, parts) if valid else None)


def place(rule: Rule, text: str) -> tuple[int, str]:
    """Return the offset at which a string ends or fails, and the characters that can follow there."""
    with rule.grammar.readers.taken() as readers:
        run = readers.machine.read(rule.key, (text,))
        items = expected(readers.machine.expected_terminals(run.last), readers.derivatives.core.names)
    return run.offset, expectation(items, run.last.accepting)


@each_row("grammar, name, parts", one_in(4, RULES))
def test_modules_answer_as_their_rule(
    grammar: str, name: str, parts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    agree(abnforge.load(grammar)[name], parts, monkeypatch)


@pytest.mark.slow
def test_modules_of_all_regular_grammars(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start rule of each built-in grammar, for strings that take each transition."""
    for rule in (abnforge.load(name).start for name in abnforge.grammar_names()):
        if rule.regular:
            agree(rule, (), monkeypatch)


@each_row("text", [*GRAMMARS.values()])
def test_modules_of_small_rules(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = abnforge.loads(text)["start"]
    names = ("a", "b", "word", "number")
    agree(rule, [name for name in names if name in rule.grammar and not rule.recursive], monkeypatch)


def test_a_module_of_a_recursive_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    exported = module(abnforge.rule("rfc8259:JSON-text"), (), monkeypatch)
    assert exported.check('{"a": [1, {}]}') == (True, False, 14, "")
    assert exported.check("[é]")[:3] == (False, False, 1)
    deep = "[" * 1_000 + "]" * 1_000
    assert exported.check(deep)[:3] == (True, False, 2_000)
    assert exported.check(deep, depth=10)[:3] == (False, True, 10)


@pytest.mark.slow
def test_the_guide(tmp_path: Path) -> None:
    follow("export-code.md", tmp_path)


def test_formatters_skip_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    text = abnforge.rule("rfc3339:date-time").export("code-python", parts=["full-date"])
    assert "\n# fmt: off\n" in text
    assert text.isascii()
