"""Repairs: the cheapest ones, all of them, compared with a search that tries every edit."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations
from random import Random
from typing import Any

import pytest

import abnforge
from abnforge.budget import Budget, Meter
from abnforge.explain import repairs
from abnforge.explain.repair_search import cheapest
from abnforge.explain.repairs import MAX_REPAIRS
from abnforge.grammar.sentences import Sentences
from tests.law import each_row, one_in
from tests.reference.hostile_grammars import GRAMMARS
from tests.reference.random_grammars import KINDS, grammar, short_texts
from tests.reference.recognizer import Recognizer
from tests.reference.repairs import cheapest_repairs, strings_of

EVERY = ("ab", "ab()")  # the alphabets of random grammars
SIZES = {"bracketed": ("ab()", 3, 2)}  # by kind: the alphabet, the length of strings, the number of edits


def verdict(rule: abnforge.Rule) -> Callable[[str], bool]:
    """Return the verdict of the reference recognizer, which keeps its results."""
    recognizer = Recognizer(rule.grammar.core, rule.key)
    return cache(lambda text: recognizer.read(text).valid)


def compare(
    rule: abnforge.Rule, is_valid: Callable[[str], bool], text: str, alphabet: str, most: int
) -> bool:
    """Compare the repairs of a string with those of the reference; return whether they are complete."""
    rejection = rule.explain(text, suggest=False)
    assert rejection is not None
    proposals = rejection.repairs
    expected = cheapest_repairs(is_valid, text, alphabet, most)
    assert all(is_valid(repair.text) and repair.cost == len(repair.edits) for repair in proposals)
    edits = [[(e.start, e.end, e.chars) for e in repair.edits] for repair in proposals]
    sets = [strings_of(text, each, alphabet) for each in edits]
    if alphabet in EVERY and len(edits) < 50:
        all_sets = [strings_of(text, each, "aAbB()") for each in edits]
        assert not any(one and one <= other for one, other in permutations(all_sets, 2))
    if expected is None:
        assert alphabet not in EVERY or all(repair.cost > most for repair in proposals)
        return False
    cost, strings = expected
    if proposals and proposals[0].cost < cost:  # by characters of other alphabets
        return False
    assert {repair.cost for repair in proposals} <= {cost}
    assert frozenset().union(*sets) <= strings
    if rejection.repairs_complete:
        assert frozenset().union(*sets) == strings
    return rejection.repairs_complete


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", one_in(30, range(30)))
def test_random_grammars(kind: str, seed: int) -> None:
    source = Random(f"repairs {kind} {seed}")
    complete = wrong = 0
    for _ in range(3):
        start = abnforge.loads(grammar(source, kind)).start
        is_valid = verdict(start)
        alphabet, length, most = SIZES.get(kind, ("ab", 4, 3))
        for text in source.sample(list(short_texts(length, alphabet)), 6):
            if not start.matches(text):
                wrong += 1
                complete += compare(start, is_valid, text, alphabet, most)
    assert complete >= wrong // 4


@pytest.mark.parametrize("name", one_in(9, GRAMMARS))
def test_hostile_grammars(name: str) -> None:
    text, _ = GRAMMARS[name]
    rule = abnforge.loads(text)["r"]
    alphabet = "".join(sorted(set("".join(re.findall('"([^"]*)"', text))))) or "x"
    try:
        is_valid = verdict(rule)
    except ValueError:  # the reference expands counts
        assert len(abnforge.loads(text)["r"].explain("!").repairs) <= MAX_REPAIRS
        return
    source = Random(name)
    for _ in range(3):
        string = "".join(source.choices(f"{alphabet}!", k=2))
        if not rule.matches(string):
            compare(rule, is_valid, string, f"{alphabet}!", 1)


# Rule, string, the cost, and the repaired strings with their possible characters.
EXPRESSION = 'r = t *( "+" t )\nt = 1*%x30-39 / "(" r ")"\n'
CASES = [
    (EXPRESSION, "(1", ["(1)", "1", "01"]),
    (EXPRESSION, "1+", ["1+0", "1", "10"]),
    (EXPRESSION, "", ["0"]),
    (EXPRESSION, "1++2", ["1+2", "1+0+2", "1+02", "10+2"]),
    ('r = "ab" / "b"\n', "aab", ["ab"]),
    ('r = *"ab" "c"\n', "abab", ["ababc"]),
    ('r = "x" / r\n', "xy", ["x"]),
    ('r = "x" r\n', "x", []),
    ("r = 3*5%x30-39\n", "1x2", ["102"]),
    ('r = %s"AB" / %s"q"\n', "BA", ["AB", "q"]),
    ('r = %s"POST" / %s"GET"\n', "GTE", ["GET"]),
    ('r = "#" ( 3%x61 / 6%x61 )\n', "#" + "a" * 200, ["#aaaaaa"]),
]


@each_row("text, string, repaired", CASES)
def test_repaired_strings(text: str, string: str, repaired: list[str]) -> None:
    rejection = abnforge.loads(text)["r"].explain(string)
    assert rejection is not None
    assert {repair.text for repair in rejection.repairs} == {*repaired}
    assert rejection.repairs_complete


def test_order() -> None:
    rule = abnforge.rule("rfc3986:URI")
    rejection = rule.explain("http://[::1/")
    assert rejection is not None
    assert rejection.suggestion is not None
    assert rejection.repairs[0].text == rejection.suggestion.text
    edits = [(e.start, e.end, e.chars) for repair in rejection.repairs for e in repair.edits]
    assert edits == [(11, 11, r"\]"), (10, 11, r"\]"), (11, 12, r"\]"), (7, 8, "#/?")]


def test_offsets_count_bytes() -> None:
    rejection = abnforge.loads('r = %xE9 "b"\n')["r"].explain("\xe9c".encode())
    assert rejection is not None
    edits = [(e.start, e.end, e.text) for repair in rejection.repairs for e in repair.edits]
    assert edits == [(2, 3, "b")]
    other = abnforge.loads('r = %xE9 "b"\n')["r"].explain("\xe9c")
    assert other is not None
    assert other.to_byte_offsets().repairs == rejection.repairs


def test_strings_differ() -> None:
    rejection = abnforge.rule("rfc3339:date-time").explain("2024-01-0")
    assert rejection is not None
    texts = [repair.text for repair in rejection.repairs]
    assert len({*texts}) == len(texts) == 8


def test_limits() -> None:
    small = abnforge.loads(EXPRESSION, budget=Budget(steps=3_000))["r"].explain("(" * 50)
    assert (small.repairs, small.repairs_complete) == ((), False)
    many = abnforge.loads('r = w "-" w "-" w\nw = *%x61-7A\n')["r"].explain("abcdefghij" * 3)
    assert (len(many.repairs), many.repairs_complete) == (MAX_REPAIRS, False)
    bounded = abnforge.rule("rfc3986:URI").at_most(8).explain("a:/bcdefg")
    assert all(len(repair.text) == 8 for repair in bounded.repairs)
    assert bounded.repairs_complete
    long = abnforge.rule("rfc3986:URI").explain("#" + "a" * 100_000)
    assert (long.repairs, long.repairs_complete) == ((), False)


def test_copies_do_not_have_repairs() -> None:
    rejection = abnforge.rule("rfc3986:URI").explain("http://[::1/")
    copied = pickle.loads(pickle.dumps(rejection))
    assert copied == rejection
    assert (copied.repairs, copied.repairs_complete) == ((), False)


ARITHMETIC = """\
expr = term *( ("+" / "-") term )
term = factor *( ("*" / "/") factor )
factor = number / "(" expr ")"
number = 1*DIGIT [ "." 1*DIGIT ]
"""
MEASURED = [
    ("rfc3986", "URI"),
    ("rfc3339", "date-time"),
    ("rfc6570", "URI-Template"),
    ("semver-2.0.0", "valid-semver"),
    ("rfc5322", "address"),
    ("rfc8259", "JSON-text"),
    ("rfc9535", "jsonpath-query"),
    ("rfc5234", "rulelist"),
    ("toml-1.0.0", "toml"),
    (ARITHMETIC, "expr"),
]
NUMBER = 200  # strings of each grammar
STEPS = 100_000  # the work of about 0.3 to 0.5 s


def wrong_strings(rule: abnforge.Rule, source: Random, number: int) -> Iterator[str]:
    """Yield random valid strings after one to three edits: each inserts, deletes or replaces a character.

    A new character is one of the string's own or any printable ASCII character, equally likely. Strings that
    the rule still matches are omitted.
    """
    sentences = Sentences(rule.grammar.core, rule.grammar.facts)
    while number:
        valid = sentences.random(rule.key, source, 400)
        characters = list(valid)
        for _ in range(source.randint(1, 3)):
            place = source.randint(0, len(characters))
            removed = source.choice((0, 1, 1)) if place < len(characters) else 0
            char = (
                source.choice(valid) if valid and source.random() < 0.5 else chr(source.randint(0x20, 0x7E))
            )
            inserted = [char] if not removed or source.random() < 0.5 else []
            characters[place : place + removed] = inserted
        if not rule.matches("".join(characters)):
            number -= 1
            yield "".join(characters)


@pytest.mark.slow
@pytest.mark.parametrize(("grammar_text", "name"), MEASURED)
def test_share_of_complete_sets(grammar_text: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    work: list[int] = []

    def counted(space: Any, suffixes: Any, text: str, meter: Meter) -> Any:
        work.append(STEPS + 1)
        result = cheapest(space, suffixes, text, meter)
        work[-1] = meter.steps
        return result

    monkeypatch.setattr(repairs, "cheapest", counted)
    loaded = abnforge.loads(grammar_text) if "=" in grammar_text else abnforge.load(grammar_text)
    rule = loaded[name]
    complete = 0
    for text in wrong_strings(rule, Random(f"repairs {name}"), NUMBER):
        rejection = rule.explain(text, suggest=False)
        assert rejection is not None
        assert all(rule.matches(repair.text) for repair in rejection.repairs)
        complete += rejection.repairs_complete
    assert len(work) == NUMBER
    assert sum(steps <= STEPS for steps in work) >= 0.98 * NUMBER
    assert complete >= 0.95 * NUMBER  # the other strings have more than MAX_REPAIRS repairs
