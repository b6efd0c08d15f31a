"""Correctness of patterns: proofs, a shortest string for each fault, and undecided cases."""

from __future__ import annotations

import random
import re

import pytest

import abnforge
from abnforge.automata.dfa import Automaton
from abnforge.budget import DEFAULT, Budget
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from abnforge.regex import proof
from abnforge.regex.ast import Alternatives, CharacterClass, Concat, Iteration, NamedGroup, Regex
from abnforge.regex.dialects import DIALECTS, PYTHON
from abnforge.regex.errors import UndecidedError
from abnforge.regex.from_rule import regex_tree
from abnforge.regex.proof import MAX_PROOF_STEPS, Counterexample, difference, is_rendering_of
from abnforge.regex.writer import write_pattern
from tests.law import each_row, law
from tests.laws.strings import transitions
from tests.raising import raises
from tests.reference.patterns import mutant
from tests.reference.small_languages import LENGTH, TEXTS, abnf, expressions, strings
from tests.work import steps


def prove(
    pattern: str, automaton: Automaton, dialect: str = "python", anchored: bool = False
) -> Counterexample | None:
    return difference(pattern, automaton, DIALECTS[dialect], DEFAULT.meter("a proof"), anchored=anchored)


def language(body: str) -> Automaton:
    return abnforge.loads(f"r = {body}\n")["r"].automaton


LETTER = '%s"a"'
FAULTS = [
    ('[ %s"a" ( [%s"b"] / %s"c" ) ]', "python", "(?:a(?:b?+|c))?+", "ac", False),
    (LETTER, "python", "b", "a", False),
    (LETTER, "python", "a?", "", True),
    (LETTER, "python", "a+", "aa", True),
    ('%s"aba"', "python", "(?:a|ab){2}+", "aa", True),
    ('%s"aba" / %s"aa"', "python", "(?:a|ab){2}+", "aba", False),
    (LETTER, "pcre2", "a?+", "", True),
    ("%xD800", "ecmascript", r"[\uD801]", "\ud800", False),
    ("*%x0-7F", "rust", r"[\x{00}-\x{7E}]*", "\x7f", False),
]


@each_row(("body", "dialect", "pattern", "text", "accepted"), FAULTS)
def test_faults(body: str, dialect: str, pattern: str, text: str, accepted: bool) -> None:
    assert prove(pattern, language(body), dialect) == Counterexample(text, accepted)


# Only these anchors allow a newline at the end.
ENDS = [
    ("python", r"\A", r"\Z", None),
    ("python", r"\A", "$", "a\n"),
    ("pcre2", r"\A", r"\z", None),
    ("pcre2", r"\A", r"\Z", "a\n"),
    ("pcre2", r"\A", "$", "a\n"),
    ("java", r"\A", r"\z", None),
    ("java", r"\A", r"\Z", "a\n"),
    ("java", r"\A", "$", "a\n"),
    ("re2", r"\A", "$", None),
    ("rust", r"\A", "$", None),
    ("ecmascript", "^", "$", None),
    ("sql", r"\A", r"\Z", None),
]


@each_row(("dialect", "start", "end", "text"), ENDS)
def test_a_last_newline(dialect: str, start: str, end: str, text: str | None) -> None:
    result = prove(f"{start}(?:a){end}", language(LETTER), dialect, anchored=True)
    assert result == (None if text is None else Counterexample(text, True))


@each_row("end", ["\n", "\r", "\x85", "\u2028", "\u2029", "\r\n"])
def test_java_lets_every_line_end_pass(end: str) -> None:
    codes = ".".join(f"{ord(char):X}" for char in end)
    others = "%x85 / %x2028 / %x2029 / %xA / %xD / %xD.A"
    assert prove(r"\A(?:a)$", language(f"{LETTER} [ {others} ]"), "java", anchored=True) is None
    result = prove(r"\A(?:a)$", language(f"{LETTER} [ %x{codes} ]"), "java", anchored=True)
    assert result is not None
    assert result.text != "a" + end


ALPHABETS = [
    # Characters that strings in a dialect cannot contain do not matter.
    ("%xD7FF-E000", "rust", r"[\x{D7FF}\x{E000}]", True),
    ("%x0-7F", "sql", r"[\u0001-\u007F]", True),
    ("%x0-7F", "re2", r"[\x{01}-\x{7F}]", False),
    # In UTF-16, a high surrogate never precedes a low one.
    ("%xD800 %xDC00", "ecmascript", r"[\uD800][\uD800]", False),
    ("%xD800.DC00 / %x61", "ecmascript", "a", True),
    ("%xD800.DC00 / %x61", "java", "a", True),
    ("%xDC00.D800 / %x61", "java", "a", False),
    ("%xD800.DC00 / %x61", "python", "a", False),
]


@each_row(("body", "dialect", "pattern", "equal"), ALPHABETS)
def test_alphabets(body: str, dialect: str, pattern: str, equal: bool) -> None:
    assert (prove(pattern, language(body), dialect) is None) is equal


UNDECIDED = [
    ("python", "a(?=b)", "regex-unread"),
    ("java", "(?:a?b?)*+", "regex-empty-turns"),
    ("pcre2", "(?>(?:a*)*)b", "regex-empty-turns"),
    ("pcre2", "(?:(?>a*))*b", "regex-empty-turns"),
    ("python", "(?:(?>[ab]*c|a)|(?>[ab]*d|b)|(?>[ab]*e|ab)|(?>[ab]*f|ba))*", "limit-constant"),
]


@pytest.mark.parametrize(("dialect", "pattern", "reason"), UNDECIDED)
def test_what_is_not_decided(
    dialect: str, pattern: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "MAX_PROOF_STEPS", 100_000)
    everything = language('*( %s"a" / %s"b" / %s"c" / %s"d" / %s"e" / %s"f" )')
    with raises(UndecidedError, reason):
        prove(pattern, everything if reason == "limit-constant" else language('*( %s"a" / %s"b" )'), dialect)


def test_the_whole_budget_counts_before_the_part_of_a_proof() -> None:
    rule = abnforge.load("rfc3986")["authority"]
    with raises(LimitExceeded, "limit-steps", operation="x", limit=1000):
        difference(rule.pattern or "", rule.automaton, PYTHON, Budget(steps=1_000).meter("x"), anchored=False)
    assert DEFAULT.steps > MAX_PROOF_STEPS


def words(count: int) -> str:
    """Return a rule with words of two letters; no two words share a letter."""
    return " / ".join(f"%x{0x4E00 + 2 * n:X}.{0x4E01 + 2 * n:X}" for n in range(count))


@pytest.mark.parametrize("dialect", ["python", "ecmascript"])
def test_a_list_of_words_costs_in_proportion_to_its_length(dialect: str) -> None:
    """The cost does not grow with letters times words, and the budget is charged for the actual work."""
    taken: list[int] = []
    for count in (30, 60):
        automaton = language(words(count))
        pattern = abnforge.loads(f"r = {words(count)}\n")["r"].export(dialect, anchored=False)
        taken.append(steps(prove, pattern, automaton, dialect))
        meter = DEFAULT.meter("a proof")
        assert difference(pattern, automaton, DIALECTS[dialect], meter, anchored=False) is None
        assert taken[-1] < 25 * meter.steps  # a line takes about 50 ns
    assert taken[1] < 2.5 * taken[0]  # the other table grows quadratically


def test_memory_is_charged() -> None:
    automaton = language(words(100))
    pattern = "|".join(rf"\u{0x4E00 + 2 * n:04X}\u{0x4E01 + 2 * n:04X}" for n in range(100))
    pattern = re.sub(r"\\u....", r"[\g<0>]", pattern)
    with raises(LimitExceeded, "limit-memory", operation="x", limit=100000):
        difference(pattern, automaton, PYTHON, Budget(memory=100_000).meter("x"), anchored=False)


def test_the_empty_language() -> None:
    nothing = abnforge.loads('r = "a" r\n')["r"].automaton
    assert prove("a", nothing) == Counterexample("a", True)


@law(expressions, few=30, many=600)
def test_patterns_are_right_by_brute_force(expression: tuple[object, ...]) -> None:
    """Every exported pattern, and every verdict, is right for every short string."""
    rule = abnforge.loads(f"r = {abnf(expression)}\n")["r"]
    valid = strings(expression)
    exported = [rule.export("python", anchored=False)] if rule.pattern else []
    for pattern in [rule.pattern, *exported, rule.export("re2", anchored=False)]:
        if pattern is not None:
            assert set(filter(re.compile(pattern).fullmatch, TEXTS)) == valid
    assert set(filter(rule.matches, TEXTS)) == valid
    assert all(len(text) <= LENGTH for text in valid)


STORED = [
    ("rfc3986", "IPv4address"),
    ("rfc3986", "path-noscheme"),
    ("rfc2396", "hostname"),
    ("rfc5234", "num-val"),
]


def check_mutants(grammar: str, name: str, count: int) -> int:
    """Check mutants of a rule's pattern, and return the number of mutants that differ."""
    rule = abnforge.load(grammar)[name]
    assert rule.pattern is not None
    if not re.search(r"[][?*+|]", rule.pattern):
        return 0
    chance = random.Random(f"{grammar} {name}")
    different = 0
    for _ in range(count):
        pattern = mutant(rule.pattern, chance)
        fullmatch = re.compile(pattern).fullmatch
        try:
            result = prove(pattern, rule.automaton)
        except UndecidedError:
            continue
        if result is None:
            wrong = [t for t, valid in transitions(rule.automaton) if (fullmatch(t) is not None) is not valid]
            assert wrong == [], pattern
            continue
        different += 1
        assert (fullmatch(result.text) is not None) is result.accepted, pattern
        assert rule.automaton.accepts(result.text) is not result.accepted, pattern
    return different


@pytest.mark.parametrize(("grammar", "name"), STORED)
def test_mutants(grammar: str, name: str) -> None:
    assert check_mutants(grammar, name, 12) > 3


@pytest.mark.slow
@pytest.mark.parametrize("grammar", ["rfc3986", "rfc2396", "rfc5234"])
def test_many_mutants(grammar: str) -> None:
    assert (
        sum(check_mutants(grammar, rule.name, 5) for rule in abnforge.load(grammar).own_rules if rule.regular)
        > 15
    )


@pytest.mark.slow
@pytest.mark.parametrize("grammar", abnforge.grammar_names())
def test_stored_patterns(grammar: str) -> None:
    """The build proved them; this proves the stored patterns again."""
    for rule in abnforge.load(grammar).values():
        if rule.regular and rule.pattern is not None:
            assert prove(rule.pattern, rule.automaton) is None, rule.name


A, B, C = (CharacterClass(CharSet.of(char)) for char in "abc")

SAID: list[tuple[str, Regex, bool]] = [
    ("a", A, True),
    ("b", A, False),
    ("", Concat(()), True),
    ("ab", Concat((A, B)), True),
    ("ba", Concat((A, B)), False),
    ("(?:ab|c)", Alternatives((C, Concat((A, B)))), True),  # without cuts, the order does not matter
    ("a{2}a{1,3}", Iteration(A, 3, 5), True),
    ("a{2}a{1,3}", Iteration(A, 3, 6), False),
    ("a{2}a*", Iteration(A, 2, None), True),
    ("aa", Iteration(A, 2, 2), True),
    ("a*(?:ba*)*", Iteration(Alternatives((A, B)), 0, None), True),
    ("a*(?:(?:b|c)a*)*", Iteration(Alternatives((B, A, C)), 0, None), True),
    ("a*(?:ba*)*", Iteration(Alternatives((A, C)), 0, None), False),
    ("a*(?:ba+)*", Iteration(Alternatives((A, B)), 0, None), False),
    ("a?", Iteration(A, 0, 2), False),
    ("(?P<x>a)b", Concat((NamedGroup("x", A), B)), True),
    ("a++", Iteration(A, 1, None), False),  # an atomic group, with or without an effect
    ("(?>a)", A, False),
    ("a(?=b)", A, False),
]


@each_row(("pattern", "node", "same"), SAID)
def test_says(pattern: str, node: Regex, same: bool) -> None:
    assert is_rendering_of(pattern, node, DIALECTS["python"], anchored=False) is same


def test_an_end_that_lets_a_newline_pass_says_more() -> None:
    assert is_rendering_of(r"\A(?:a)\Z", A, DIALECTS["python"], anchored=True)
    assert not is_rendering_of(r"\A(?:a)$", A, DIALECTS["python"], anchored=True)
    assert not is_rendering_of(r"\A(?:a)\Z", A, DIALECTS["pcre2"], anchored=True)


@law(expressions, few=25, many=2_000)
def test_what_is_written_is_said(expression: tuple[object, ...]) -> None:
    grammar = abnforge.loads(f"r = {abnf(expression)}\n")
    node = regex_tree(grammar.core.rules, "r")
    for name in ("re2", "rust", "sql"):
        dialect = DIALECTS[name]
        assert is_rendering_of(write_pattern(node, dialect, anchored=True), node, dialect, anchored=True)
