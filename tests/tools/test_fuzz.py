"""The fuzzer finds what it is for: a planted fault breaks its law, and the printed test fails by it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from types import FunctionType

import pytest

import abnforge
from abnforge import uri
from abnforge.automata import algebra
from abnforge.automata.dfa import Automaton
from abnforge.comparison import rules as comparison
from abnforge.explain.explainer import Explainer
from abnforge.grammar import printer, reader
from abnforge.parsing.api import AutomatonEngine, GeneralEngine
from abnforge.parsing.lark import LarkEngine
from abnforge.parsing.recognizer.machine import Machine
from tests.law import one_in
from tests.places import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import fuzz
from fuzzing import minimise, report
from fuzzing.cases import GrammarCase, SourceCase
from fuzzing.judge import judge
from fuzzing.kind import Kind
from fuzzing.kinds import KINDS
from fuzzing.notation import (
    Alternation,
    Concatenation,
    Literal,
    Node,
    Option,
    Range,
    Reference,
    Repetition,
    abnf,
)
from fuzzing.questions import Questions
from fuzzing.run import Settings, case_of, run

NORMALIZE = import_module("abnforge.uri.rfc3986.normalize")  # the package has a function of that name

Plant = Callable[[pytest.MonkeyPatch], None]


def wrapped(owner: object, name: str, change: Callable[..., object]) -> Plant:
    """A fault: what a function gives is changed; ``change`` takes the answer and the call's arguments."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        original = getattr(owner, name)

        def faulty(*arguments: object, **keywords: object) -> object:
            return change(original(*arguments, **keywords), *arguments)

        patch.setattr(owner, name, faulty)

    return plant


def crash(answer: object, *arguments: object) -> object:
    raise IndexError("planted")


def in_python(plant: Plant) -> Plant:
    """The same fault where the kernel, which would not have it, normalizes nothing."""

    def both(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(NORMALIZE, "normalized", None)
        plant(patch)

    return both


def further(failure, *_):
    return None if failure is None else replace(failure, offset=failure.offset + 1)


def without_children(tree, *_):
    if tree is not None and len(tree.children) > 1:
        tree.children.pop()
    return tree


def without_rules(trace, *_):
    """The fault of a derivation in which the rule has only characters."""
    return trace and [trace[0][:1], *((),) * (len(trace) - 1)]


def worse_suggestion(suggestion, *_):
    return None if suggestion is None else replace(suggestion, text=suggestion.text + "c")


def late(rejection, rule, text, *_):
    """The fault of an offset that is wrong only far behind."""
    return rejection and further(rejection) if rejection and rejection.offset > 9 else rejection


def without_the_last(events, *_):
    return events[:-1] if len(events) > 3 else events


def one_more(reading, *_):
    reading.offset += not reading.accepting
    return reading


def one_more_late(reading, *_):
    reading.offset += reading.offset > 20
    return reading


def other_witness(found, *_):
    return replace(found, common=None)


def warm(patch: pytest.MonkeyPatch) -> None:
    """The fault of an explanation that depends on whether a tree was asked for before."""
    parsed: list[abnforge.Rule] = []

    def note(tree, rule, *_):
        parsed.append(rule)
        return tree

    def changed(rejection, rule, *_):
        warmed = rejection and any(rule is other for other in parsed)
        return replace(rejection, message="warm") if warmed else rejection

    wrapped(abnforge.Rule, "parse", note)(patch)
    wrapped(abnforge.Rule, "explain", changed)(patch)


def unreadable(answer, text, *_):
    return crash(answer) if text.startswith("r0") and "[" in text else answer


# kind, law, fault, and how large the smallest case is that shows it.
FAULTS: dict[str, tuple[str, str, Plant, int]] = {
    "an engine's verdict": (
        *("regular", "verdicts"),
        wrapped(AutomatonEngine, "matches", lambda valid, lane, text: valid and "ba" not in text),
        20,
    ),
    "a table's verdict": (
        *("patterns", "verdicts"),
        wrapped(Automaton, "accepts", lambda valid, table, text: valid or text == "abc"),
        13,
    ),
    "an offset": ("regular", "offset", wrapped(AutomatonEngine, "failure", further), 8),
    "the other engine's offset": ("regular", "offset", wrapped(LarkEngine, "failure", further), 8),
    "the general engine's offset": ("recursive", "offset", wrapped(GeneralEngine, "failure", further), 8),
    "a tree": ("regular", "trees", wrapped(AutomatonEngine, "events", without_rules), 12),
    "the other engine's tree": ("regular", "trees", wrapped(LarkEngine, "events", without_rules), 12),
    "the general engine's tree": ("recursive", "trees", wrapped(GeneralEngine, "events", without_rules), 12),
    "a suggestion": ("regular", "suggestion", wrapped(Explainer, "_suggestion", worse_suggestion), 9),
    "an answer that depends on others": ("regular", "history", warm, 40),
    "an export": (
        *("patterns", "exports"),
        wrapped(abnforge.Rule, "export", lambda pattern, *_: pattern.replace("?", "")),
        12,
    ),
    "an operation": ("algebra", "algebra", wrapped(algebra, "union", lambda _, left, right: left), 10),
    "a comparison": ("algebra", "compare", wrapped(comparison, "witnesses", other_witness), 12),
    "a crash": ("recursive", "trees", wrapped(GeneralEngine, "events", crash), 7),
    "a long text's verdict": (
        *("documents", "verdicts"),
        wrapped(GeneralEngine, "matches", lambda valid, lane, text: valid and len(text) < 9),
        48,
    ),
    "a long text's offset": ("documents", "offset", wrapped(abnforge.Rule, "explain", late), 40),
    "a long text's tree": ("documents", "trees", wrapped(abnforge.Rule, "parse", without_children), 14),
    "a long text's events": ("documents", "events", wrapped(abnforge.Rule, "events", without_the_last), 20),
    "a reading's end": ("short", "stops", wrapped(Machine, "read", one_more), 7),
    "a long reading's end": ("long", "stops", wrapped(Machine, "read", one_more_late), 40),
    "a number of derivations": (
        *("short", "counts"),
        wrapped(abnforge.Rule, "count_derivations", lambda number, *_: number + 1),
        7,
    ),
    "a normal form": ("strings", "uri", in_python(wrapped(uri.percent, "uppercase_triplets", crash)), 40),
    "a printed count": ("text", "print", wrapped(printer, "_repeat", lambda text, *_: text.strip("2")), 400),
    "a reader's crash": (
        *("text", "read"),
        wrapped(
            reader, "read_partial", unreadable
        ),
        60,
    ),
}  # fmt: skip


# Seeds that come to a case soon.
SEEDS = {
    "an answer that depends on others": 7,
    "the other engine's tree": 3,
    "a normal form": 7,
    "a tree": 5,
    "an engine's verdict": 4,
}


SLOW = ("a long text's verdict", "a long text's offset")


@pytest.mark.parametrize("fault", one_in(6, [*(fault for fault in FAULTS if fault not in SLOW), *SLOW]))
def test_a_planted_fault_is_found_and_made_small(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, law, plant, size = FAULTS[fault]
    plant(monkeypatch)
    seed = SEEDS.get(fault, 1)
    outcome = run(KINDS[kind], Settings(seed=seed, cases=300))
    ((number, case, failure),) = outcome.found
    assert failure.law == law
    assert case.size <= size
    test = printed_test(report.described(kind, seed, number, failure, case))
    with pytest.raises((AssertionError, IndexError)):
        test()
    monkeypatch.undo()
    test()


def printed_test(text: str) -> Callable[[], None]:
    """The test that a report prints, as a function."""
    names: dict[str, object] = {}
    code = text[text.index("\n\n") :]
    exec(compile(code, "<printed>", "exec"), names)
    (test,) = (
        value for value in names.values() if isinstance(value, FunctionType) and "test_" in value.__name__
    )
    return test


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_and_a_number_make_a_case(kind: str) -> None:
    assert case_of(KINDS[kind], 7, 3) == case_of(KINDS[kind], 7, 3)
    assert len({repr(case_of(KINDS[kind], seed, number)) for seed in (7, 8) for number in range(4)}) > 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_cases(kind: str) -> None:
    outcome = run(KINDS[kind], Settings(seed=6, cases=1))
    assert outcome.found == []
    assert outcome.cases > 0


def hanging(case: object, ask: Questions) -> None:
    ask.law, ask.asked = "ends", "rule.waits()"
    while True:
        pass


def greedy(case: object, ask: Questions) -> None:
    ask.law, ask.asked = "fits", "rule.grows()"
    bytearray(2_000_000_000)


def deep(case: object, ask: Questions) -> None:
    deep(case, ask)


def limited(case: object, ask: Questions) -> None:
    raise abnforge.LimitExceeded("too much, by name")


def killed(case: object, ask: Questions) -> None:
    os._exit(3)


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize(
    ("check", "law", "kind"),
    [(hanging, "ends", "Overdue"), (deep, "load", "RecursionError"), (limited, None, None)],
)
def test_what_never_ends_or_falls_is_a_failure(
    check: Callable[..., None], law: str | None, kind: str | None, isolated: bool
) -> None:
    failure = judge(Kind("k", "", GrammarCase, check, isolated), SourceCase(""), 0.2, 10**9)
    assert (failure and failure.law, failure and failure.kind) == (law, kind)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.parametrize(
    ("check", "law", "kind"), [(greedy, "fits", "MemoryError"), (killed, "memory", "killed")]
)
def test_memory_is_limited_in_a_process_of_its_own(check: Callable[..., None], law: str, kind: str) -> None:
    failure = judge(Kind("k", "", GrammarCase, check, True), SourceCase(""), 20, 10**9)
    assert failure
    assert (failure.law, failure.kind) == (law, kind)


def test_minimising_ends_where_no_step_is_left() -> None:
    """Of a grammar that fails as long as an option stands in it, that option is left."""
    node = Alternation(
        (Concatenation((Literal("ab"), Reference("r1"))), Option(Reference("r1")), Literal("b"))
    )
    case = GrammarCase(
        (("r0", node), ("r1", Concatenation((Option(Literal("b")), Literal("a"))))), ("ab", "b")
    )
    tried = []

    def check(variant: GrammarCase) -> minimise.Failure | None:
        tried.append(variant)
        return failure if "[" in variant.abnf and any("b" in text for text in variant.strings) else None

    failure = minimise.Failure("law", "assert", "claim", "why")
    small, _ = minimise.minimised(case, failure, check)
    assert small == GrammarCase((("r0", Option(Literal(""))),), ("b",))
    assert all(variant.size < case.size for variant in tried)
    assert minimise.minimised(case, failure, check, attempts=0)[0] == case


def test_another_failure_is_no_smaller_case() -> None:
    case = SourceCase("r0 = r1")

    def check(variant: SourceCase) -> minimise.Failure:
        return minimise.Failure("law", "IndexError", "claim", "why")

    failure = minimise.Failure("law", "assert", "claim", "why")
    assert minimise.minimised(case, failure, check) == (case, failure)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Literal("a", True), '%s"a"'),
        (Option(Alternation((Literal("a"), Reference("r1")))), '[ "a" / r1 ]'),
        (Concatenation((Alternation((Range("a", "b"), Literal(""))), Literal("b"))), '( %x61-62 / "" ) "b"'),
        (Repetition(Repetition(Literal("a"), 2, 2), 0, None), '*( 2"a" )'),
        (Repetition(Option(Literal("a")), 1, 3), '1*3[ "a" ]'),
    ],
)
def test_nodes_are_written_as_abnf(node: Node, text: str) -> None:
    assert abnf((("r0", node),)) == f"r0 = {text}\n"
    assert abnforge.loads(f"r0 = {text}\nr1 = %x61\n")["r0"].definition == f"r0 = {text}"


def test_the_command_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert fuzz.main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(KINDS)
    assert fuzz.main(["text,algebra", "--seed", "1", "--cases", "2"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in out] == ["seed 1", "text: seed 1", "algebra: seed 1"]
    assert fuzz.main(["algebra", "--seconds", "0"]) == 0
    assert re.fullmatch(r"seed \d+\nalgebra: seed \d+, 0 cases [^\n]+\n", capsys.readouterr().out)
    FAULTS["an operation"][2](monkeypatch)
    assert fuzz.main(["algebra", "--seed", "1", "--case", "1"]) == 1
    out = capsys.readouterr().out
    assert "1 failure\n" in out
    assert "again: python tools/fuzz.py algebra --seed 1 --case 1\n" in out


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["text,unknown"], ["text", "--seconds", "soon"]])
def test_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        fuzz.main(arguments)
    assert stopped.value.code == 2
    assert "usage:" in capsys.readouterr().err
