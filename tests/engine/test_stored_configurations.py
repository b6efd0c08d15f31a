"""Stored configurations are a subset of the machine's, and the machine continues after the last one."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

import abnforge
from abnforge.engine.stores import StoredConfigurations
from abnforge.parsing.recognizer.machine import Machine
from tests.law import each_row, one_in
from tests.reference.random_grammars import ALPHABET, KINDS, grammar, short_texts
from tools.build_grammars import configurations_data

NESTED = 's = "(" *( s / %x61-7A / "-" ) ")" / "[" s "]"\n'


def stored(text: str, most: int) -> tuple[Machine, str, StoredConfigurations]:
    """Return a grammar's machine, the key of its first rule, and its stored form after a round trip."""
    results = abnforge.loads(text)
    key = results.start.key
    machine = Machine(results.compilation.plan)
    result = StoredConfigurations.from_data(
        json.loads(json.dumps(configurations_data(machine, {key: most}))), key
    )
    assert result is not None
    return machine, key, result


def verdict(machine: Machine, key: str, known: StoredConfigurations, text: str) -> bool:
    """Return the verdict of the stored configurations, continued by the machine."""
    accepting, left = known.read(text)
    return machine.read(key, left).accepting if left else accepting


def agrees(seed: int) -> None:
    """Short strings have the machine's verdicts, whatever the number of stored configurations."""
    chance = Random(seed)
    text = grammar(chance, chance.choice(KINDS))
    for most in (1, 3, 20, 200):
        machine, key, known = stored(text, most)
        for string in short_texts(5, ALPHABET):
            assert verdict(machine, key, known, string) is machine.read(key, [string]).accepting, string


def test_known_strings_come_first() -> None:
    machine, key, few = stored(NESTED, 30)
    text = "((([(a-b)])))"
    assert few.read(text)[1] is not None
    data = configurations_data(machine, {key: 30}, {key: ["x", "(\u4e00", text, text + text]})
    result = StoredConfigurations.from_data(data, key)
    assert result is not None
    assert result.read(text) == (True, None)
    assert len(data["rules"][key].split(";")) == 30
    for string in short_texts(6, "(a-[])"):
        assert verdict(machine, key, result, string) is machine.read(key, [string]).accepting, string


@pytest.mark.parametrize("seed", one_in(2, range(8)))
def test_random_grammars(seed: int) -> None:
    agrees(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_random_grammars(seed: int) -> None:
    for number in range(8):
        agrees(1000 * seed + number)


@pytest.mark.parametrize("most", [1, 7, 1000])
def test_a_stored_configuration_is_the_machine_s_after_the_text_that_leads_there(most: int) -> None:
    machine, key, known = stored(NESTED, most)
    rows = configurations_data(machine, {key: most})["rules"][key].split(";")
    assert len(rows) <= most
    for number in range(len(rows)):
        state = known.state(number)
        accepting, left = known.read(known._access(state))
        assert (accepting, left) == (state.accepting, None)
        configuration = machine.read(key, [known._access(state)]).last
        for char in "([a-])\u4e00":
            following, _ = machine.configurations.next(configuration, char, None)
            accepting, left = known.read(known._access(state) + char)
            assert (following is None) == (
                not accepting and left is None and not _goes_on(known, state, char)
            )


def _goes_on(known, state, char):
    """Return whether a stored configuration has a transition, or one to an unknown configuration."""
    letter = char.translate(known._table)
    try:
        state[letter]
    except KeyError:
        return letter in state.beyond
    return True


@each_row("text", ["", "()", "(a-b)", "[" * 50 + "()" + "]" * 50, "(" * 5000, "(a" * 40 + ")" * 40])
def test_strings_that_leave_what_is_stored(text: str) -> None:
    machine, key, known = stored(NESTED, 30)
    assert verdict(machine, key, known, text) is machine.read(key, [text]).accepting


def test_long_strings_are_read_piece_by_piece() -> None:
    machine, key, known = stored(NESTED, 30)
    text = "(" + "a" * 100_000
    assert known.read(text + ")") == (True, None)
    assert known.read(text + "!") == (False, None)
    assert known.read(text) == (False, None)
    accepting, left = known.read(text + "(" * 30 + ")" * 31)
    assert not accepting
    assert left is not None
    assert len(left[0]) < 40
    assert machine.read(key, left).accepting


def test_what_a_rule_needs_is_stored_for_the_bundled_grammar() -> None:
    grammar = abnforge.load("rfc5234")
    for rule in grammar.rules.values():
        assert (grammar.compilation.stored(rule.key) is None) == rule.regular, rule.name
    result = grammar.compilation.stored("rulelist")
    assert result is not None
    text = grammar.source.text.replace("\n", "\r\n")
    assert result.read(text) == (True, None)
    assert grammar["rulelist"].matches(text)
    assert grammar["rulelist"].matches(text.encode())
    assert not grammar["rulelist"].matches(text + "x")
    assert not grammar["rulelist"].matches(b"\xff")


@pytest.mark.parametrize(
    "text", ["( a )", "( a", "(" * 40 + "a" + ")" * 40, "(" * 40 + "a" + ")" * 39, "", "(a/)"]
)
@pytest.mark.parametrize("name", ["group", "element", "rulelist", "option"])
def test_bundled_rules_answer_alike_on_every_way(name: str, text: str) -> None:
    rule = abnforge.load("rfc5234")[name]
    expected = rule.matches(text, engine="general")
    assert rule.matches(text) is expected
    assert rule.matches(text.encode()) is expected
    assert rule.matches(iter(text)) is expected
    assert (rule.explain(text, suggest=False) is None) is expected


def test_threads_fill_one_table_together() -> None:
    """A thread can add an entry just after another thread looked for it."""
    machine, key, known = stored(NESTED, 300)
    texts = ["(" * n + "a-[()]" + ")" * n for n in range(1, 5)] + ["(-[(a)](b))", "(a[()]-", "[([()])]"]
    expected = [known.read(text) for text in texts]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(20):
                fresh = StoredConfigurations.from_data(configurations_data(machine, {key: 300}), key)
                assert fresh is not None
                for result in pool.map(lambda _, read=fresh.read: [read(text) for text in texts], range(8)):
                    assert result == expected
    finally:
        sys.setswitchinterval(before)
