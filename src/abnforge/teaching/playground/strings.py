"""Calls about a string: its verdict, tree or attempts, and derivations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import inf
from typing import Any

from abnforge.catalog import ArgumentError, listed
from abnforge.charset import CharSet
from abnforge.engine.examples import PASSED, UNDECIDED, tried
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded, UnknownNameError
from abnforge.explain.attempts import Attempt
from abnforge.grammar.annotations import Example
from abnforge.records import attributes
from abnforge.rejection import Rejection
from abnforge.teaching.derivations import ORDERS, DerivationStep, Node, Symbol, flatten, steps
from abnforge.teaching.messages import message
from abnforge.teaching.pictures.drawing import boxes
from abnforge.teaching.playground.loaded import Call, longest
from abnforge.teaching.trace import choices_of
from abnforge.text import escape_char, in_quotes

MAX_LINES = 100  # the maximum number of lines in a call; the page splits its input

MAX_BOXES = 10_000  # the maximum number of boxes of a tree
MAX_FULL = 60  # the maximum number of nodes of a tree that has a box for each node by default

MAX_STEPS, AROUND = 500, 40
"""Maximum numbers of the steps of a derivation, and of the symbols next to the replaced rule."""

MAX_NAMED, _FEW = 8, 4  # maximum number of ranges that are named; minimum number of characters of a range
MAX_TREES = 10  # the maximum number of available derivations of an ambiguous string


def validate(question: Call) -> dict[str, Any]:
    """Return the verdict on a string: its tree, or the rejection and the attempts."""
    rule = question.rule()
    text = question.string(rule)
    rejection = rule.explain(text)
    response: dict[str, Any] = {"valid": rejection is None, "rule": rule.name, "length": len(text)}
    if rejection is not None:
        return {**response, "rejection": _rejection(rejection), "attempts": _attempts(rule, text)}
    nodes = flatten(rule.parse(text), rule.lark_names.__getitem__)
    return {
        **response,
        "tree": tree_boxes(nodes),
        "derivations": _count(rule, text),
        "tried": _tried(rule, nodes, text),
    }


def validate_lines(question: Call) -> list[dict[str, Any]]:
    """Return the verdict on the string of each line of ``lines``, and whether it is the expected one.

    A line is ``+ TEXT`` or ``TEXT<TAB>valid`` for a string that must match, ``- TEXT`` or
    ``TEXT<TAB>invalid`` for one that must not match, and otherwise a string without an expected verdict.
    Empty lines are skipped. The verdict is None if it is undecided. Raises LimitExceeded, GrammarError.
    """
    rule = question.rule()
    lines = question.text("lines").split("\n")
    if (used := len(lines)) > MAX_LINES:
        sentence = message("call-too-many-lines", used=used, limit=MAX_LINES)
        raise LimitExceeded(sentence, operation="strings", used=used, limit=MAX_LINES, setting="MAX_LINES")
    return [_compared(rule, number, line) for number, line in enumerate(lines) if line]


def _compared(rule: Rule, number: int, line: str) -> dict[str, Any]:
    text, expected = _expectation(line)
    row = {"line": number, "text": text, "expected": expected, "valid": None}
    if len(text) > (limit := longest(rule)):
        return {**row, "message": message("call-too-long", limit=limit, length=len(text))}
    example = Example(rule.name, text, expected is not False, 1, 1, 1)
    [result] = tried({rule.name: rule}, [example], "")
    valid = None if result.status == UNDECIDED else example.valid is (result.status == PASSED)
    return {**row, "valid": valid, "message": result.message}


def _expectation(line: str) -> tuple[str, bool | None]:
    """Return the string of a line, and whether a rule must match it; None if the line does not say it."""
    if line[:2] in _SIGNS:
        return line[2:], _SIGNS[line[:2]]
    text, tab, word = line.rpartition("\t")
    return (text, _WORDS[word]) if tab and word in _WORDS else (line, None)


_SIGNS, _WORDS = {"+ ": True, "- ": False}, {"valid": True, "invalid": False}


def _rejection(rejection: Rejection) -> dict[str, Any]:
    start, end = rejection.span
    suggestion = rejection.suggestion
    return {
        **attributes(rejection, "code message section offset"),
        "start": start,
        "end": end,
        "suggestion": None if suggestion is None else suggestion.text,
    }


def _attempts(rule: Rule, text: str) -> dict[str, Any]:
    """Return the attempts in preorder, each with its depth; or the reason why there are none."""
    try:
        return {"attempts": list(_with_depths(rule.attempts(text), 0))}
    except (GrammarError, ValueError) as error:
        return {"problem": error.message if isinstance(error, GrammarError) else str(error)}


def _with_depths(attempt: Attempt, depth: int) -> Iterator[dict[str, Any]]:
    yield {
        "depth": depth,
        **attributes(attempt, "source rule start end complete furthest"),
        "leaf": not attempt.parts,
        "expected": named_characters(attempt.expected) if attempt.expected else None,
    }
    for part in attempt.parts:
        yield from _with_depths(part, depth + 1)


def named_characters(expected: CharSet) -> str:
    """Return a description of characters: short runs one by one, longer ones as ranges."""
    named: list[str] = []
    for low, high in expected.spans():
        if high - low < _FEW:
            named += [_shown(code) for code in range(low, high + 1)]
        else:
            named.append(f"{_shown(low)} to {_shown(high)}")
    return listed(named, "or", MAX_NAMED)


def _shown(code: int) -> str:
    return in_quotes(escape_char(chr(code)))


def tree_boxes(nodes: Sequence[Node], full: bool = False) -> dict[str, Any]:
    """Return the boxes of a tree: one for each node if ``full``, or if the tree is small."""
    full = full or len(nodes) <= MAX_FULL
    drawn = boxes(nodes, full=full)
    return {
        "full": full,
        "nodes": len(nodes),
        "count": len(drawn),
        "boxes": [
            {
                **attributes(box, "names start end depth times"),
                "leaf": box.leaf or not box.names,
                "layer": box.layer,
            }
            for box in drawn[:MAX_BOXES]
        ],
    }


def _count(rule: Rule, text: str) -> dict[str, Any] | None:
    try:
        count = rule.count_derivations(text)
    except LimitExceeded:
        return None
    if count == inf:
        return {"count": MAX_TREES, "said": "infinitely many"}
    label = f"{count:,}" if count < 10**15 else f"about 10^{len(str(count)) - 1}"
    return {"count": min(int(count), MAX_TREES), "said": label}


def _tried(rule: Rule, nodes: Sequence[Node], text: str) -> list[dict[str, Any]]:
    """Return the choices in a tree that have a failed alternative with a nonempty match."""
    return [
        {
            **attributes(each, "rule start end taken"),
            "attempts": [
                {"rule": attempt.rule, "end": attempt.end, "complete": attempt.complete}
                for attempt in each.attempts
            ],
        }
        for each in choices_of(rule, nodes, text)
        if any(attempt.end > each.start for attempt in each.attempts)
    ]


def derive(question: Call) -> dict[str, Any]:
    """Return the steps of the derivation with this ``number`` (from 0) of a string. Raises Rejected."""
    rule = question.rule()
    order = question.choice("order", ORDERS)
    nodes = derived(question, rule)
    listed_steps = list(islice(steps(nodes, order, AROUND), MAX_STEPS + 1))
    return {
        "steps": [_step(each, rule) for each in listed_steps[:MAX_STEPS]],
        "more": len(listed_steps) > MAX_STEPS,
        "tree": tree_boxes(nodes),
    }


def derived(question: Call, rule: Rule) -> list[Node]:
    """Return the tree with this ``number`` (from 0) of the string. Raises Rejected, ArgumentError."""
    text = question.string(rule)
    number = question.number("number", MAX_TREES - 1)
    several = islice(rule.derivations(text, number + 1), number, None) if number else iter([rule.parse(text)])
    tree = next(several, None)
    if tree is None:
        raise ArgumentError(message("call-derivation", number=number + 1))
    return flatten(tree, rule.lark_names.__getitem__)


def _step(step: DerivationStep, rule: Rule) -> dict[str, Any]:
    try:
        definition = rule.grammar[step.replaced.rule or ""].definition.strip()
    except (UnknownNameError, GrammarError):
        definition = ""
    return {
        "before": _symbols(step.before),
        "rule": _symbols((step.replaced,))[0],
        "after": _symbols(step.after),
        "by": _symbols(step.by),
        "hidden": step.hidden,
        "definition": definition,
    }


def _symbols(symbols: Sequence[Symbol]) -> list[list[Any]]:
    """Return each symbol as its rule (None for literal text), its start and its end."""
    return [[each.rule, each.start, each.end] for each in symbols]
