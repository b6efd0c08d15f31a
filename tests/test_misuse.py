"""Wrong arguments: every public callable is called with invalid values for each parameter.

Introspection finds new functions and parameters. Each call must raise an error, or for a str subclass return
the same result as for a plain str.

This module is long because the tables have a line for each callable and parameter.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import lark
import pytest

import abnforge
from abnforge import uri
from abnforge.teaching import notebook
from abnforge.teaching.derivations import derivation, nodes_of
from abnforge.teaching.describe import facts_about, in_english
from abnforge.teaching.exercises import exercises, read_exercises
from abnforge.teaching.grading import grade
from abnforge.teaching.trace import trace
from abnforge.uri import rfc2396

MODULES = {"abnforge": abnforge, "notebook": notebook, "uri": uri, "rfc2396": rfc2396}
# Public functions of packages that do not list public names.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "teaching.facts_about": facts_about,
    "teaching.derivation": derivation,
    "teaching.exercises": exercises,
    "teaching.grade": grade,
    "teaching.nodes_of": nodes_of,
    "teaching.in_english": in_english,
    "teaching.read_exercises": read_exercises,
    "teaching.trace": trace,
}


class Named(str):
    """A str whose methods return wrong values. Only its characters are right."""

    def __str__(self) -> str:
        return "another"

    def __len__(self) -> int:
        return 99

    def startswith(self, *arguments: object) -> bool:
        return False

    def lower(self) -> str:
        return "another"


# Wrong values by kind. The str subclass is built from the right argument.
WRONG: dict[str, object] = {
    "None": None,
    "int": 7,
    "list of ints": [1, 2],
    "lone surrogate": "\ud800",
    "not UTF-8": b"\xff",
    "negative": -5,
    "more digits than Python shows": 10**5000,
    "object": object(),
}

GRAMMAR = abnforge.load("rfc3986")
RULE = GRAMMAR["host"]
REJECTION = RULE.explain("a b")
assert REJECTION is not None
U, OLD = uri.parse("http://u:p@h/a"), rfc2396.parse("http://u@h/a;b")
EXERCISE = """
[[exercise]]
id = "letter"
title = "A letter"
level = 1
lesson = "ours"
task = "Match a letter."
rule = "letter"
reference = "letter = ALPHA"
hints = ["One rule does."]
valid = ["a"]
invalid = [""]
"""
FINDING = abnforge.lint("a = <b>\n")[0]
ERROR = abnforge.GrammarError("wrong")

# An object of each public class with methods, so that the tests can call the methods.
OBJECTS: dict[str, Any] = {
    "Automaton": RULE.automaton,
    "Budget": abnforge.Budget(),
    "Comparison": abnforge.compare(RULE, GRAMMAR["port"]),
    "Finding": FINDING,
    "Grammar": GRAMMAR,
    "GrammarError": ERROR,
    "LimitExceeded": abnforge.LimitExceeded("too much"),
    "Rejected": abnforge.Rejected(REJECTION),
    "Rejection": REJECTION,
    "Rule": RULE,
    "UnknownNameError": abnforge.UnknownNameError("none"),
    "notebook.Tree": notebook.tree(RULE, "h"),
    "uri.URI": U,
    "uri.Policy": uri.policy(schemes=["http"]),
    "uri.RelativeRef": uri.parse("a"),
    "uri.SuffixList": uri.SuffixList(["com"]),
    "uri.Authority": U.authority_parts,
    "uri.EditionDiff": uri.compare_editions("a"),
    "uri.Change": uri.Change("host", "a", "b"),
    "uri.Equivalence": uri.equivalent("a:b", "A:b"),
    "uri.Severity": uri.Severity.NOTE,
    "uri.SecurityFinding": uri.security("http://u:p@h/")[0],
    "rfc2396.Reference": OLD,
    "uri.percent": uri.percent,
    "rfc2396.percent": rfc2396.percent,
    "rfc2396.Server": OLD.authority_parts,
    "rfc2396.RegName": rfc2396.parse("http://a,b$/").authority_parts,
}

# The name of the type can be missing.
OPERATORS = {"Grammar": {"__getitem__", "__contains__"}}

# Right arguments by parameter name. SPECIAL has precedence.
USUAL: dict[str, Any] = {
    "text": "a",
    "value": "http://h/a",
    "engine": "auto",
    "rule": "URI-reference",
    "base": "http://h/a/",
    "starts": ["host"],
    "schemes": uri.SCHEMES,
}
SPECIAL: dict[str, dict[str, Any]] = {
    "abnforge.Grammar": {"compilation": GRAMMAR.compilation, "making": GRAMMAR.__reduce__()},
    "abnforge.Rule": {"grammar": GRAMMAR, "key": "host"},
    "Automaton.class_of": {"char": "a"},
    "Automaton.expected": {"row": 0},
    "Grammar.__getitem__": {"name": "host"},
    "Grammar.__contains__": {"name": "host"},
    "uri.Severity.at_least": {"other": "warning"},
    "abnforge.compare": {"a": RULE, "b": GRAMMAR["port"]},
    "abnforge.format_abnf": {"text": "a = ALPHA\n", "width": 72, "align": None},
    "abnforge.lint": {"source": "a = ALPHA\n", "starts": ["a"]},
    "abnforge.load": {"source": "rfc3986", "dialect": None, "budget": None},
    "abnforge.loads": {"text": "a = ALPHA\n", "name": "mine", "dialect": "abnf", "budget": None},
    "abnforge.rule": {"text": "rfc3986:host"},
    "Budget.parse": {"text": "steps=5k"},
    "Finding.is_failure": {"strict": False},
    "Grammar.get": {"key": "host", "default": None},
    "Rule.components": {"names": ["host"]},
    "Rule.export": {"target": "re2", "groups": ["host"], "anchored": True},
    "uri.URI.with_rule": {"rule": "URI"},
    "uri.RelativeRef.with_rule": {"rule": "URI-reference"},
    "notebook.tree": {"rule": RULE, "text": "h"},
    "teaching.facts_about": {"rule": RULE},
    "teaching.nodes_of": {"rule": RULE, "text": "h"},
    "teaching.in_english": {"rule": RULE},
    "teaching.trace": {"rule": RULE, "text": "h"},
    "teaching.derivation": {"rule": RULE, "text": "h", "order": "leftmost"},
    "teaching.grade": {"exercise": exercises()[0], "text": "a = ALPHA\n", "budget": None},
    "teaching.read_exercises": {"text": EXERCISE, "name": "mine.toml"},
    "uri.compare_editions": {"value": "a?b", "base": "http://h", "old": "rfc2396", "new": "rfc3986"},
    "uri.build": {
        "scheme": "a",
        "userinfo": "u",
        "host": "h",
        "port": "1",
        "path": "/",
        "query": "q",
        "fragment": "f",
    },
    "uri.equivalent": {"left": "a:b", "right": "A:b", "level": "case", "base": None, "protocol": None},
    "uri.ipv4_number": {"name": "1.2"},
    "uri.mask_userinfo": {"text": "http://u:p@h", "mask": "*"},
    "uri.normalize": {"value": "A:b", "steps": ["case"], "protocol": None},
    **{
        f"{module}.policy": {
            "schemes": ["http"],
            "max_length": 9,
            "max_port": 9,
            "rules": [RULE],
            "leap_seconds": ["2016-12-31"],
        }
        for module in ("abnforge", "uri")
    },
    "Rule.at_most": {"length": 9},
    "uri.Policy.rule": {"rule": GRAMMAR["URI"]},
    "uri.SuffixList": {"lines": ["com"]},
    "uri.SuffixList.public_suffix": {"host": "a.com"},
    "uri.SuffixList.registrable_domain": {"host": "a.com"},
    "uri.query_parameters": {"query": "a=b"},
    "uri.suffix_list": {"path": "/dev/null"},
    "uri.relativize": {"base": "http://h/a", "target": "http://h/b"},
    "uri.remove_dot_segments": {"path": "/a/../b"},
    "uri.resolve": {"base": "http://h/a", "ref": "b", "on_ambiguous": "guard"},
    "uri.scan": {"text": "see urn:a", "schemes": {"urn"}},
    "uri.security": {"value": "http://h:81/", "ports": uri.WELL_KNOWN_PORTS},
    "rfc2396.resolve": {"base": "http://h/a", "ref": "b", "excess": "keep", "on_ambiguous": "guard"},
    "uri.percent.encode": {"data": "é", "rule": "query"},
    "uri.percent.decode": {"text": "%41", "rule": "query"},
    "uri.percent.decode_octets": {"text": "%41", "rule": "query"},
    "rfc2396.percent.encode": {"data": "é", "rule": "uric"},
    "rfc2396.percent.decode": {"text": "%41", "rule": "uric"},
    "rfc2396.percent.decode_octets": {"text": "%41", "rule": "uric"},
}

ERRORS = ("GrammarError", "LimitExceeded", "Rejected", "UnknownNameError")

# Classes that do not check their values: only code with right values creates them, as results, and checks
# would take longer than the construction. docs/python.md documents this.
RECORDS = {
    *(
        "abnforge.Comparison",
        "abnforge.Edit",
        "abnforge.Example",
        "abnforge.ExampleResult",
        "abnforge.Expected",
        "abnforge.Finding",
        "abnforge.Hypothesis",
    ),
    *("abnforge.Rejection", "abnforge.Repair", "abnforge.RepairEdit", "abnforge.Suggestion"),
    "uri.Policy",
    "notebook.Tree",
    *("uri.Authority", "uri.EditionDiff", "uri.Change", "uri.Difference", "uri.Equivalence", "uri.Found"),
    *(
        "uri.Reference",
        "uri.RelativeRef",
        "uri.SecurityFinding",
        "uri.Split",
        "uri.SplitDifference",
        "uri.URI",
    ),
    *("rfc2396.Reference", "rfc2396.RegName", "rfc2396.Segment", "rfc2396.Server"),
    # Methods that create such objects.
    *("uri.URI.with_rule", "uri.RelativeRef.with_rule"),
    # Errors and meters, which only abnforge creates.
    *(f"abnforge.{error}" for error in ERRORS),
    *("GrammarError.combine", "LimitExceeded.combine", "Budget.meter"),
    # Methods inherited from classes of Python.
    *("Grammar.get", "uri.Change.count", "uri.Change.index"),
    *(f"{error}.{verb}" for error in ERRORS for verb in ("with_traceback", "add_note")),
}

INTS = {"int", "negative", "more digits than Python shows"}

# Parameters, and the values above that they accept.
TAKEN: dict[tuple[str, str], set[str]] = {
    ("abnforge.load", "source"): {"lone surrogate"},  # a path that may exist
    ("uri.percent.encode", "data"): {"not UTF-8"},
    ("rfc2396.percent.encode", "data"): {"not UTF-8"},
    # Such a string is not an error: it does not have derivations.
    ("Rule.count_derivations", "text"): {"not UTF-8"},
    ("Rule.derivations", "text"): {"not UTF-8"},
    ("Rule.derivations", "limit"): INTS | {"None"},
    ("Rule.explain", "hypotheses"): INTS - {"negative"},
    ("teaching.derivation", "around"): INTS - {"negative"},
    ("uri.build", "port"): {"int"},
    ("uri.query_parameters", "query"): {"None"},
    ("uri.scan", "schemes"): {"None"},  # every value is accepted
    **{
        (f"{module}.policy", limit): {"int"}
        for module in ("abnforge", "uri")
        for limit in ("max_length", "max_port")
    },
    ("Rule.at_most", "length"): {"int"},
    ("Grammar.__contains__", "name"): set(WRONG),  # returns False for any value that is not a rule name
}


def named_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Return all public callables by name."""
    for prefix, module in MODULES.items():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.ismodule(value) or (inspect.isclass(value) and issubclass(value, Enum)):
                continue
            if callable(value):
                yield f"{prefix}.{name}", value
    yield from FUNCTIONS.items()
    for name, value in OBJECTS.items():
        for verb in (
            vars(type(value)) if isinstance(value, Enum) else dir(type(value))
        ):  # not the methods of str
            if (verb[0] != "_" or verb in OPERATORS.get(name, ())) and callable(getattr(value, verb, None)):
                yield f"{name}.{verb}", getattr(value, verb)


CALLABLES = dict(named_callables())


def parameters(call: Callable[..., Any]) -> list[str]:
    try:
        signature = inspect.signature(call)
    except ValueError:  # of C
        return []
    return [p.name for p in signature.parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


def usual(name: str, parameter: str) -> Any:
    arguments = SPECIAL.get(name, {})
    return arguments[parameter] if parameter in arguments else USUAL[parameter]


def arguments(name: str) -> dict[str, Any]:
    """Return right arguments for a call."""
    results = {**USUAL, **SPECIAL.get(name, {})}
    return {p: results[p] for p in parameters(CALLABLES[name]) if p in results and p != "self"}


def is_truth(name: str, parameter: str) -> bool:
    """Return whether every value is right, because the callable uses only its truth."""
    return inspect.signature(CALLABLES[name]).parameters[parameter].annotation in (bool, "bool")


CHECKED = [name for name in CALLABLES if name not in RECORDS]
CASES = [(name, p) for name in CHECKED for p in parameters(CALLABLES[name]) if not is_truth(name, p)]


def answer(name: str, /, **changed: Any) -> object:
    result = CALLABLES[name](**{**arguments(name), **changed})
    return list(result) if isinstance(result, Iterator) else result


def has_methods(cls: type) -> bool:
    if issubclass(cls, lark.Transformer):  # Lark calls its methods
        return False
    members = vars(cls).items()
    return any(inspect.isfunction(member) and not verb.startswith("_") for verb, member in members)


def test_every_public_callable_is_here() -> None:
    """OBJECTS contains all classes with methods, and the tables name only existing callables."""
    public = [getattr(module, name) for module in MODULES.values() for name in module.__all__]
    kinds = tuple(type(value) for value in OBJECTS.values())
    missing = [c for c in public if inspect.isclass(c) and has_methods(c)]
    assert [c for c in missing if not any(issubclass(kind, c) for kind in kinds)] == []
    assert RECORDS - CALLABLES.keys() == set()
    assert SPECIAL.keys() - CALLABLES.keys() == set()
    assert TAKEN.keys() - set(CASES) == set()
    assert set(CHECKED) | RECORDS == CALLABLES.keys()


def test_the_usual_call_is_right() -> None:
    """Otherwise, the changed argument may not be the cause of an error."""
    for name in CHECKED:
        answer(name)  # a failure shows the name in the traceback


@pytest.mark.parametrize("kind", WRONG)
def test_misuse(kind: str) -> None:
    results = {(name, parameter): problem(name, parameter, kind) for name, parameter in CASES}
    assert {case: message for case, message in results.items() if message} == {}


def problem(name: str, parameter: str, kind: str) -> str | None:
    """Return how a callable mishandles a wrong argument, or None if it does not."""
    value = WRONG[kind]
    message = None
    try:
        result = answer(name, **{parameter: value})
    except TypeError as error:
        if isinstance(value, str) and isinstance(arguments(name).get(parameter), str):
            message = f"a str is no wrong type: {error}"
        elif parameter not in str(error) or type(value).__name__ not in str(error) + "list":
            message = f"does not name the parameter and the type: {error}"
    except abnforge.UnknownNameError as error:
        message = None if isinstance(value, str) else f"a name, {value!r}? {error}"
    except (ValueError, OSError) as error:
        right = isinstance(value, str | bytes | int) or is_default(name, parameter, value)
        message = None if right else f"should be a TypeError: {error}"
    else:
        right = kind in TAKEN.get((name, parameter), ()) or is_right(name, parameter, value, result)
        message = None if right else f"answered {result!r}"
    return message


def is_default(name: str, parameter: str, value: object) -> bool:
    return value is None and inspect.signature(CALLABLES[name]).parameters[parameter].default is None


def is_right(name: str, parameter: str, value: object, found: object) -> bool:
    """Return whether a result for a wrong argument can be right."""
    if is_default(name, parameter, value):
        return True
    if isinstance(value, str):  # an ordinary string
        return True
    if isinstance(value, bytes):  # checked, and invalid
        return found is False or isinstance(found, abnforge.Rejection)
    return name == "abnforge.Budget"


def test_a_subclass_of_str_is_that_str() -> None:
    for name, parameter in CASES:
        right = arguments(name).get(parameter)
        if isinstance(right, str):
            result = outcome(name, parameter, Named(right))
            assert (name, parameter, result) == (name, parameter, outcome(name, parameter, right))


def outcome(name: str, parameter: str, value: object) -> object:
    try:
        result = answer(name, **{parameter: value})
    except ValueError as error:
        return type(error), str(error)
    if isinstance(result, Exception):
        return type(result), str(result)
    return result


def test_properties_can_be_read() -> None:
    for value in OBJECTS.values():
        for verb in dir(type(value)):
            if not verb.startswith("_"):
                getattr(value, verb)
