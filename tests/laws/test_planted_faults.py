"""A planted fault breaks its law.

This shows that the laws can fail, and that random examples reach the relevant cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from hypothesis import Phase, given, settings

import abnforge
from abnforge.automata.dfa import Automaton
from abnforge.explain.explainer import Explainer
from abnforge.grammar import printer, reader
from abnforge.parsing.api import AutomatonEngine, GeneralEngine
from abnforge.parsing.lark import LarkEngine
from abnforge.parsing.recognizer.machine import Machine
from tests.law import one_in

LAWS = ("test_random_grammars", "test_any_text", "test_bundled_rules", "test_same_results")


def further(failure: Any, *_: Any) -> Any:
    return failure and replace(failure, offset=failure.offset + 1)


def late(rejection: Any, *_: Any) -> Any:
    """Return an offset that is wrong only near the end."""
    return further(rejection) if rejection and rejection.offset > 9 else rejection


def crash(*_: Any) -> Any:
    raise IndexError("planted")


def without_rules(trace: Any, *_: Any) -> Any:
    """Return a derivation with only characters in the rule."""
    return trace and [trace[0][:1], *((),) * (len(trace) - 1)]


def one_more(reading: Any, *_: Any) -> Any:
    reading.offset += not reading.accepting
    return reading


def one_more_late(reading: Any, *_: Any) -> Any:
    reading.offset += reading.offset > 20
    return reading


ASKED: set[int] = set()


def depends_on_history(rejection: Any, rule: Any, *_: Any) -> Any:
    """Change the message of the second rejection."""
    again = id(rule) in ASKED
    ASKED.add(id(rule))
    return replace(rejection, message="again") if rejection and again else rejection


# A law, a function, and how the fault changes its result, given the result and the arguments.
FAULTS: dict[str, tuple[str, Any, str, Callable[..., Any]]] = {
    "verdict of automata": (
        *("regular", AutomatonEngine, "matches"),
        lambda valid, engine, text: valid and "ba" not in text,
    ),
    "verdict of a table": (
        *("patterns_and_exports", Automaton, "accepts"),
        lambda valid, table, text: valid or text == "abc",
    ),
    "export": (
        *("patterns_and_exports", abnforge.Rule, "export"),
        lambda pattern, *_: pattern.replace("?", ""),
    ),
    "offset of automata": ("regular", AutomatonEngine, "failure", further),
    "offset of Lark": ("regular", LarkEngine, "failure", further),
    "offset of the general engine": ("recursive", GeneralEngine, "failure", further),
    "tree of automata": ("regular", AutomatonEngine, "events", without_rules),
    "tree of Lark": ("recursive_by_lark", LarkEngine, "events", without_rules),
    "tree of the general engine": ("recursive", GeneralEngine, "events", without_rules),
    "crash": ("recursive", GeneralEngine, "events", crash),
    "suggestion": (
        *("suggestions", Explainer, "suggestion"),
        lambda suggestion, *_: suggestion and replace(suggestion, text=suggestion.text + "c"),
    ),
    "history": ("answers_do_not_depend_on_earlier_ones", abnforge.Rule, "explain", depends_on_history),
    "offset of the recognizer": ("short_texts_by_the_recognizer", Machine, "read", one_more),
    "number of derivations": (
        *("short_texts_by_the_recognizer", abnforge.Rule, "count_derivations"),
        lambda number, *_: number + 1,
    ),
    "late offset of the recognizer": ("long_texts_by_the_recognizer", Machine, "read", one_more_late),
    "long verdict": (
        *("long_texts", GeneralEngine, "matches"),
        lambda valid, engine, text: valid and len(text) < 9,
    ),
    "late offset": ("long_texts", abnforge.Rule, "explain", late),
    "events": ("long_texts", abnforge.Rule, "events", lambda events, *_: events[:-1]),
    "printed count": ("any_text", printer, "_repeat", lambda text, *_: text.strip("2")),
    "crash of the parser": (
        *("any_text", reader, "read_partial"),
        lambda result, text, *_: crash() if text.startswith("r0") and "[" in text else result,
    ),
    "bundled rule": (
        *("strings_of_any_rule", GeneralEngine, "matches"),
        lambda valid, engine, text: valid and len(text) != 3,
    ),
}  # fmt: skip


@contextmanager
def planted(fault: str, patch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Plant a fault, yield the law that it breaks, and remove the fault."""
    name, owner, function, change = FAULTS[fault]
    original = getattr(owner, function)

    def faulty(*arguments: Any, **keywords: Any) -> Any:
        return change(original(*arguments, **keywords), *arguments)

    modules = [import_module(f"tests.laws.{module}") for module in LAWS]
    [law] = [getattr(module, f"test_{name}") for module in modules if hasattr(module, f"test_{name}")]
    with patch.context() as undo:
        undo.setattr(owner, function, faulty)
        yield given(*law.strategies)(law.body)


@pytest.mark.parametrize("fault", one_in(5, FAULTS))
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with planted(fault, monkeypatch) as law, pytest.raises((AssertionError, IndexError, ExceptionGroup)):
        settings(max_examples=300, phases=[Phase.generate])(law)()
