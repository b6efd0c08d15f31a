"""Results depend only on the grammar, the input and the options.

They do not depend on the order of calls, on a cache, on the stored data of a bundled grammar, on the process,
or on the C extension.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.automata import derivatives
from abnforge.engine import cache as cache_module
from abnforge.engine.compilation import Compilation
from abnforge.engine.grammar import Grammar
from abnforge.engine.stores import BundledStore
from abnforge.explain import error_grammar, reading
from abnforge.grammar.imports import bundled_grammar
from abnforge.grammar.shipped import generated
from abnforge.parsing import stop
from tests.law import law, one_in
from tests.places import ROOT
from tests.reference.regular_grammars import grammar as regular_grammar
from tests.reference.strategies import grammars

LABELED = {
    "rfc3986": ("URI-reference", "wild_uris"),
    "rfc3339": ("date-time", "wild_dates"),
    "rfc5321": ("Mailbox", "wild_addresses"),
    "rfc3987": ("IRI-reference", "wild_uris"),  # inherits mistakes that are not declared to be complete
}
FEW, MANY = 3, 40
STORED = (
    "mistakes.json",
    "outline.json",
    "tagged.json",
    "imports.json",
    "patterns.json",
    "automata.json",
    "configurations.json",
    "lark",
    "names.json",
)


def strings(name: str, number: int) -> list[str]:
    """Return labeled strings of a grammar, from all parts of the table."""
    lines = (ROOT / "tests" / "data" / f"{LABELED[name][1]}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["input"] for line in lines[:: max(1, len(lines) // number)]]


def events(rule: abnforge.Rule, text: str) -> Any:
    try:
        return rule.events(text)
    except abnforge.Rejected as error:
        return error.code


def explained(rule: abnforge.Rule, text: str, **options: Any) -> Any:
    rejection = rule.explain(text, **options)
    return rejection and [rejection.to_dict(), rejection.end_expected]


CALLS: dict[str, Callable[..., Any]] = {
    "matches": lambda rule, text, **_: rule.matches(text),
    "events": lambda rule, text, **_: events(rule, text),
    "explain": explained,
}


def answers(grammar: abnforge.Grammar, number: int, order: int = 0, **options: Any) -> dict[str, Any]:
    """Return the results of a grammar for its strings as JSON. The number determines the order of calls."""
    rule = grammar[LABELED[grammar.name][0]]
    found: dict[str, dict[str, Any]] = {text: {} for text in strings(grammar.name, number)}
    calls = [(text, call) for text in found for call in CALLS]
    if order:
        Random(order).shuffle(calls)
    for text, call in calls:
        found[text][call] = CALLS[call](rule, text, **options)
    for result in found.values():
        assert result["matches"] is (result["explain"] is None) is not isinstance(result["events"], str)
    plain = {text: dict(sorted(result.items())) for text, result in found.items()}
    return {"found": json.loads(json.dumps(plain)), "codes": {k: str(v) for k, v in grammar.codes.items()}}


def without(name: str, folder: Path, endings: tuple[str, ...]) -> abnforge.Grammar:
    """Return a bundled grammar without some of its stored files."""
    for path in Path(str(generated())).iterdir():
        if not path.name.endswith(endings):
            (folder / path.name).symlink_to(path)
    compilation = Compilation(bundled_grammar(name), store=BundledStore(name, folder))
    return Grammar(compilation, (abnforge.load, (name,)))


def from_text(name: str, cache: bool = False) -> abnforge.Grammar:
    """Return the same grammar as a user's file, without stored data."""
    folder = Path(str(generated()))
    mistakes = folder / f"{name}.mistakes.abnf"
    return abnforge.loads((folder / f"{name}.abnf").read_text(), name=name, mistakes=mistakes, cache=cache)


@cache
def bundled_answers(name: str, number: int) -> dict[str, Any]:
    return answers(abnforge.load(name), number)


WAYS: dict[str, Callable[[str, Path], abnforge.Grammar]] = {
    "without sets": lambda name, folder: without(name, folder, STORED[:1]),
    "without stored data": lambda name, folder: without(name, folder, STORED),
    "from text": lambda name, folder: from_text(name),
    "loaded again": lambda name, folder: without(name, folder, ()),
}
INHERITING = "rfc3987"  # inherits many mistakes
each_amount = pytest.mark.parametrize(
    ("name", "number"),
    [
        *((name, FEW) for name in LABELED if name != INHERITING),
        *(pytest.param(name, MANY, marks=pytest.mark.slow) for name in LABELED),
    ],
)


@each_amount
@pytest.mark.parametrize("way", one_in(3, WAYS))
def test_stored_data_changes_nothing(name: str, way: str, number: int, tmp_path: Path) -> None:
    made = WAYS[way](name, tmp_path)
    for order in (1, 2):  # the second call finds the states of the first
        assert answers(made, number, order) == bundled_answers(name, number)


@pytest.mark.parametrize("ending", one_in(3, STORED))
def test_no_file_needs_another(ending: str, tmp_path: Path) -> None:
    made, whole = without("rfc3339", tmp_path, (ending,)), abnforge.load("rfc3339")
    assert answers(made, 2) == answers(whole, 2)
    text = "2024-01-02T03:04:05Z"
    for name, rule in whole.items():
        assert made[name].regular is rule.regular
        assert made[name].matches(text) is rule.matches(text)
    assert made["date-time"].parse(text) == whole["date-time"].parse(text)
    names = ["full-date", "time-offset"]
    assert made["date-time"].components(text, names) == whole["date-time"].components(text, names)
    assert made["date-time"].pattern == whole["date-time"].pattern


@pytest.mark.parametrize("ending", ["patterns.json", "automata.json", "configurations.json"])
def test_no_file_is_needed_for_rules_that_recurse(ending: str, tmp_path: Path) -> None:
    made, whole = without("rfc5322", tmp_path, (ending,)), abnforge.load("rfc5322")
    for name in ("mailbox", "comment", "atom"):
        assert made[name].regular is whole[name].regular
        for text in ("a (b (c)) <a@b>", "(a (b))", "a (b", "a"):
            assert made[name].matches(text) is whole[name].matches(text)
            result, known = made[name].explain(text), whole[name].explain(text)
            assert (result and result.to_dict()) == (known and known.to_dict())


@each_amount
def test_neither_suggestions_nor_further_hypotheses_change_the_code(name: str, number: int) -> None:
    whole = bundled_answers(name, number)["found"]
    for options in ({"suggest": False}, {"hypotheses": 2}):
        for text, answer in answers(abnforge.load(name), number, **options)["found"].items():
            answer, known = answer["explain"], whole[text]["explain"]
            same = ("code", "offset", "message", "section", *(() if "suggest" in options else ["suggestion"]))
            assert answer is known is None or [answer[0][k] for k in same] == [known[0][k] for k in same]


# Random grammars: every method of a rule, called after other methods.

TEXTS = ["", "a", "ab", "abc", "cab"]

Question = Callable[[abnforge.Rule], object]

# By name, so that a failure shows the call.
QUESTIONS: dict[str, Question] = {
    **{f"matches {t!r}": lambda r, t=t: r.matches(t) for t in TEXTS},
    **{f"matches {t!r} by lark": lambda r, t=t: r.matches(t, engine="lark") for t in TEXTS},
    **{f"matches {t!r} by general": lambda r, t=t: r.matches(t, engine="general") for t in TEXTS},
    **{f"explain {t!r} by general": lambda r, t=t: r.explain(t, engine="general") for t in TEXTS},
    **{f"derivations of {t!r}": lambda r, t=t: list(r.derivations(t)) for t in TEXTS},
    **{f"number of derivations of {t!r}": lambda r, t=t: r.count_derivations(t) for t in TEXTS},
    "parse 'ab' by general": lambda r: r.parse("ab", engine="general"),
    **{f"explain {t!r}": lambda r, t=t: r.explain(t) for t in TEXTS},
    **{f"explain {t!r} by lark": lambda r, t=t: r.explain(t, engine="lark") for t in TEXTS},
    **{f"explain {t!r} by states": lambda r, t=t: r.explain(t, engine="automaton") for t in TEXTS},
    **{f"explain {t!r} without": lambda r, t=t: r.explain(t, suggest=False) for t in TEXTS},
    **{f"check {t!r}": lambda r, t=t: r.check(t.encode()) for t in TEXTS},
    "parse 'ab'": lambda r: r.parse("ab"),
    "parse 'ab' by lark": lambda r: r.parse("ab", engine="lark"),
    "automaton": lambda r: r.automaton,
    "pattern": lambda r: r.pattern,
    "export": lambda r: r.export("re2"),
    "export with groups": lambda r: r.export("pcre2", groups=["r0"], anchored=False),
    "lark": lambda r: r.lark_text,
    "lint": lambda r: r.grammar.lint(),
    "lint for one": lambda r: r.grammar.lint(["r0"]),
    "compare": lambda r: abnforge.compare(r, r.grammar["ALPHA"]),
    "definition": lambda r: (r.definition, r.uses, r.used_by, r.regular, r.recursive),
}


def answer(rule: abnforge.Rule, question: str) -> object:
    try:
        return QUESTIONS[question](rule)
    except Exception as error:
        return type(error), str(error)


def ask(text: str, questions: list[tuple[int, str]], fresh: Callable[[int, str], object]) -> None:
    """Call all methods of a grammar, each with the rule of that number."""
    grammar = abnforge.loads(text)
    rules = grammar.own_rules
    for number, question in questions:
        number %= len(rules)
        assert answer(rules[number], question) == fresh(number, question), (rules[number], question)


def fresh_answers(text: str) -> Callable[[int, str], object]:
    """Return the results of a new grammar, without earlier calls."""
    return cache(lambda number, question: answer(abnforge.loads(text).own_rules[number], question))


asked = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(list(QUESTIONS))), min_size=2, max_size=8)


@law(st.booleans().flatmap(grammars), asked, few=3, many=120)
def test_answers_do_not_depend_on_earlier_ones(text: str, questions: list[tuple[int, str]]) -> None:
    ask(text, questions, fresh_answers(text))


# If work is limited, the count must not depend on cached results.
TANGLED = [
    'r0 = r0 r0 / [ r0 ] r0 "a" / *2r0 "b"\n',
    "r0 = r1 r1\nr1 = [ r2 ] r0 / %x61\nr2 = *r0 r1 [ r1 ] / %x62\n",
    'r0 = "(" [ r0 *( "," r0 ) ] ")" / 1*"a"\n',
]


@pytest.mark.parametrize("most", [30, 300])
@pytest.mark.parametrize("text", [pytest.param(TANGLED[0], marks=pytest.mark.slow), *TANGLED[1:]])
def test_limits_are_reached_by_the_question_alone(
    text: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are so low that the calls exceed them."""
    monkeypatch.setattr(stop, "MAX_STATE_STEPS", most)
    monkeypatch.setattr(error_grammar, "MAX_FOLLOWED", most)
    once = [(0, f"explain {t!r}") for t in TEXTS] + [(0, f"explain {t!r} without") for t in TEXTS]
    fresh = fresh_answers(text)
    ask(text, once, fresh)
    ask(text, once[::-1], fresh)


@pytest.mark.parametrize("text", [pytest.param(TANGLED[0], marks=pytest.mark.slow), *TANGLED[1:]])
def test_states_that_were_dropped_are_not_missed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = fresh_answers(text)
    once = [(0, f"explain {t!r}") for t in TEXTS]
    for number, question in once:
        fresh(number, question)
    monkeypatch.setattr(derivatives, "MAX_KEPT_STATES", 40)
    monkeypatch.setattr(reading, "MAX_KEPT_STATES", 40)
    ask(text, once, fresh)


@pytest.mark.parametrize("steps", [3, 30, 100, 30_000])
def test_reading_ends_at_one_place(steps: int) -> None:
    grammar = abnforge.loads(TANGLED[2])
    text = "(a,(a,aaa),(),((a)))"

    def read(states: derivatives.Derivatives) -> int:
        return len(states.read_within("r0", text, steps)[0])

    cold = derivatives.Derivatives(grammar.facts)
    warm = derivatives.Derivatives(grammar.facts)
    whole = len(warm.read("r0", text))
    assert read(cold) == read(warm) == read(warm)
    assert (read(warm) < whole) is (steps < 30_000)


# Other processes, with and without the C extension.


def in_this_process(number: int, names: list[str], texts: list[str], order: int) -> str:
    """Return the results of bundled grammars, of equal grammars from files, and of others, in an order."""
    cache_module.MIN_STEPS = 0
    bundled: dict[str, Any] = {}
    for name in names:
        bundled[name] = answers(abnforge.load(name), number, order)
        assert answers(from_text(name, cache=True), number, order) == bundled[name]
    questions = list(QUESTIONS)
    if order:
        Random(order).shuffle(questions)
    others = {}
    for text in texts:
        rule = abnforge.loads(text)["r0"]
        others[text] = {question: repr(answer(rule, question)) for question in questions}
    return json.dumps([abnforge.KERNEL, bundled, others])


@pytest.mark.slow
@pytest.mark.parametrize(("names", "number", "seeds"), [(["rfc3339"], FEW, 1), (list(LABELED), MANY, 40)])
def test_neither_processes_nor_caches_nor_the_extension_change_anything(
    names: list[str], number: int, seeds: int, tmp_path: Path
) -> None:
    texts = [*TANGLED[1:][:seeds], *map(regular_grammar, range(seeds))]
    _, *known = json.loads(in_this_process(number, names, texts, 0))
    program = "import sys; from tests.laws import test_same_results as t; "
    for order, kernel in enumerate(("python", abnforge.KERNEL), 1):  # with and without a cache
        env = {**os.environ, "ABNFORGE_CACHE": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path)}
        env["ABNFORGE_KERNEL"] = kernel if kernel == "python" else ""
        call = f"print(t.in_this_process({number}, {names[::-1]}, {texts}, {order}))"
        done = subprocess.run(
            [sys.executable, "-c", program + call], env=env, cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        used, *result = json.loads(done.stdout)
        assert result == known
        assert used == kernel
