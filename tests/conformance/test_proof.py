"""Proofs that a pattern or a rule equals a rule, or shortest strings that show the difference."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from typing import Any

import pytest
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge import Budget
from abnforge.budget import DEFAULT
from abnforge.conformance import PatternError, Proof, pattern, prove
from abnforge.conformance.proof import shortest_outside
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded
from tests.law import each_row, law, one_in
from tests.places import ROOT
from tests.raising import raises
from tests.reference.written_patterns import texts

URI = abnforge.load("rfc3986")
LISTS = abnforge.loads('list = "[" [ item *( "," item ) ] "]"\nitem = 1*DIGIT / list\n')["list"]
OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
CASES = [
    ("IPv4address", rf"{OCTET}(?:\.{OCTET}){{3}}", None, None),
    ("IPv4address", rf"(?:{OCTET}(?:\.|(?!.))){{4}}(?<!\.)", None, None),
    ("port", "[0-9]*", None, None),
    ("port", r"\d*", "\u0660", None),
    ("port", "[0-9]+", None, ""),
    ("port", "[0-9]{0,5}", None, "111111"),
    ("dec-octet", "[0-9]{1,3}", "01", None),
    ("scheme", "[a-z][a-z0-9+.-]*", None, "A"),
    ("scheme", "(?i)[a-z][a-z0-9+.-]*", "\u0130", None),
    ("scheme", "(?ai)[a-z][a-z0-9+.-]*", None, None),
]


@each_row(("name", "text", "accepted", "rejected"), CASES)
def test_patterns(name: str, text: str, accepted: str | None, rejected: str | None) -> None:
    compiled, rule = re.compile(text), URI[name]
    proof = prove(rule, compiled)
    assert proof.bound is None
    assert proof.equal is (accepted is None and rejected is None)
    for result, expected, right in (
        (proof.wrongly_accepted, accepted, False),
        (proof.wrongly_rejected, rejected, True),
    ):
        assert (result is None) is (expected is None)
        if result is not None and expected is not None:
            assert len(result) == len(expected)
            assert rule.matches(result) is right
            assert bool(compiled.fullmatch(result)) is not right


def test_what_is_said(snapshot: SnapshotAssertion) -> None:
    port = URI["port"]
    equal, different = prove(port, re.compile("[0-9]*")), prove(port, pattern("^[0-9]+$", how="match"))
    assert (equal.verdict, different.verdict) == ("equal", "different")
    assert (different.wrongly_accepted, different.wrongly_rejected) == ("1\n", "")
    assert [str(equal), str(different)] == snapshot


def test_rules() -> None:
    assert prove(URI["IPv6address"], abnforge.load("rfc3987")["IPv6address"]).equal
    proof = prove(URI["URI"], abnforge.load("rfc3987")["IRI"])
    assert proof.wrongly_rejected is None
    assert proof.wrongly_accepted is not None
    assert not proof.wrongly_accepted.isascii()
    proof = prove(URI["port"], URI["scheme"])
    assert (proof.verdict, proof.wrongly_accepted) == ("different", "a")


RECURSIVE = [
    (r"\[.*\]", "different", "[a]", None),
    (r"\[[0-9]?\]", "different", None, "[11]"),
    (r"\[(\d+(,\d+)*)?\]", "different", "[\u0660]", "[[]]"),
    (r"\[\]|\[[0-9]+\]|\[\[\]\]", "different", None, "[1,1]"),
]


@pytest.mark.parametrize(("text", "verdict", "accepted", "rejected"), RECURSIVE)
def test_a_rule_that_recurses(text: str, verdict: str, accepted: str | None, rejected: str | None) -> None:
    proof = prove(LISTS, re.compile(text))
    assert proof.verdict == verdict
    assert proof.wrongly_accepted == accepted
    assert (proof.wrongly_rejected is None) is (rejected is None)
    assert len(proof.wrongly_rejected or "") == len(rejected or "")


def test_a_rule_that_derives_nothing() -> None:
    rule = abnforge.loads('a = "x" a "y"\n')["a"]
    assert prove(rule, re.compile("(?!)")).equal
    assert prove(rule, re.compile("x")).wrongly_accepted == "x"


def test_what_is_not_decided_is_named(snapshot: SnapshotAssertion) -> None:
    """The strings of even length over two letters, in a rule that no analysis recognizes as regular."""
    rule = abnforge.loads('s = %x61-62 s %x61-62 / ""\n')["s"]
    assert not rule.regular
    proof = prove(rule, re.compile("(?:[ab]{2})*"), budget=Budget(steps=20_000))
    assert (proof.verdict, proof.equal) == ("undecided", None)
    assert proof.bound is not None
    assert str(proof) == snapshot
    proof = prove(rule, re.compile("(?:[ab]{2}){0,3}"), budget=Budget(steps=20_000))
    assert (proof.verdict, len(proof.wrongly_rejected or "")) == ("different", 8)


def test_an_automaton_that_is_too_large() -> None:
    """Strings are tried until the budget is exceeded, and all reported differences are real."""
    rule = abnforge.loads('s = *( %s"a" / %s"b" )\n')["s"]
    large = pattern("(?:a|b)*a(?:a|b){16}|(?:a|b)*b(?:a|b){16}|(?:a|b){0,16}", budget=Budget(steps=30_000))
    proof = prove(rule, large, budget=Budget(steps=30_000))
    assert proof.verdict == "undecided"
    assert "too large" in str(proof)
    large = pattern("(?:a|b)*a(?:a|b){16}|(?:a|b)*b(?:a|b){16}|b", budget=Budget(steps=30_000))
    assert prove(rule, large, budget=Budget(steps=30_000)).wrongly_rejected == ""
    with pytest.raises(LimitExceeded):
        prove(rule, pattern("(?:a{1000}){1000}", budget=Budget(steps=9_000)), budget=Budget(steps=9_000))


def test_unsupported_patterns_and_rules() -> None:
    with raises(PatternError, "pattern-construct", construct="a back reference"):
        prove(URI["port"], re.compile(r"(\d)\1"))
    with raises(GrammarError, "prose-val"):
        prove(abnforge.loads("a = <whatever>\n")["a"], re.compile("a"))


@pytest.mark.parametrize(
    ("rule", "implementation", "budget", "code"),
    [
        ("port", re.compile("a"), None, "argument-type"),
        (URI["port"], "[0-9]*", None, "argument-type"),
        (URI["port"], int, None, "argument-type"),
        (URI["port"], re.compile(b"a"), None, "argument-bytes"),
        (URI["port"], re.compile("a"), "10x", "argument-type"),
    ],
)
def test_misuse(rule: Any, implementation: Any, budget: Any, code: str) -> None:
    with raises(TypeError, code):
        prove(rule, implementation, budget=budget)


# Patterns from real projects.

WILD = tomllib.loads((ROOT / "tests/data/wild_patterns.toml").read_text("utf-8"))["pattern"]


def wild(entry: dict[str, str]) -> Proof:
    grammar, name = entry["rule"].split(":")
    implementation = pattern(entry["pattern"], entry["dialect"], entry["how"], entry["flags"])
    return prove(abnforge.load(grammar)[name], implementation)


@pytest.mark.parametrize("entry", one_in(6, WILD), ids=lambda entry: entry["name"])
def test_wild_patterns(entry: dict[str, str]) -> None:
    proof = wild(entry)
    assert proof.verdict == entry["proved"]
    assert proof.wrongly_accepted == entry.get("accepted")
    assert proof.wrongly_rejected == entry.get("refused")
    if proof.wrongly_accepted is not None:
        assert not proof.rule.matches(proof.wrongly_accepted)
    if proof.wrongly_rejected is not None:
        assert proof.rule.matches(proof.wrongly_rejected)


def test_there_are_many_of_several_dialects() -> None:
    assert len(WILD) >= 20
    assert len({entry["name"] for entry in WILD}) == len(WILD)
    assert {entry["dialect"] for entry in WILD} >= {"python", "ecmascript", "pcre2"}
    assert {entry["proved"] for entry in WILD} == {"equal", "different"}


@each_row("entry", [entry for entry in WILD if entry["dialect"] == "python"])
def test_python_says_so_too(entry: dict[str, str]) -> None:
    flags = sum(getattr(re, letter.upper()).value for letter in entry["flags"])
    asked = getattr(re.compile(entry["pattern"], flags), entry["how"])
    if "accepted" in entry:
        assert asked(entry["accepted"])
    if "refused" in entry:
        assert not asked(entry["refused"])


@pytest.mark.slow
def test_node_says_so_too() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    entries = [entry for entry in WILD if entry["dialect"] == "ecmascript"]
    script = """
    const entries = JSON.parse(require("fs").readFileSync(0));
    console.log(JSON.stringify(entries.map(({pattern, flags, accepted, refused}) => {
      const regex = new RegExp(pattern, flags);
      return [accepted === undefined || regex.test(accepted), refused === undefined || !regex.test(refused)];
    })));
    """
    answer = subprocess.run(
        [node, "-e", script], input=json.dumps(entries), capture_output=True, text=True, check=True
    )
    assert json.loads(answer.stdout) == [[True, True]] * len(entries)


PAIRS = abnforge.loads('s = "(" s ")" s / ""\n')["s"]
MIDDLE = abnforge.loads('s = %s"a" s %s"b" / %s"ab" / t\nt = 2*3( %s"b" ) / t %s"a"\n')["s"]


def outside(rule: Rule, text: str) -> str | None:
    core = rule.grammar.compilation.core
    return shortest_outside(core, rule.key, pattern(text).automaton, DEFAULT.meter("a test"))


OUTSIDE = [
    (LISTS, r"\[.*\]", None),
    (LISTS, r"[\[\],0-9]*", None),
    (LISTS, r"\[(\d+(,\d+)*)?\]", "[[]]"),
    (LISTS, r"\[[0-9]?\]", "[11]"),
    (LISTS, "(?!)", "[]"),
    (LISTS, r"(?s:.){0,6}", "[11111]"),
    (PAIRS, r"[()]*", None),
    (PAIRS, r"(\(\))*", "(())"),
    (PAIRS, r"(?!.*\({3}).*", "((()))"),
    (PAIRS, ".+", ""),
    (MIDDLE, "a*b+a*b*", None),
    (MIDDLE, "a*b{1,3}a*", "abbbb"),
]


@each_row(("rule", "text", "expected"), OUTSIDE)
def test_a_shortest_string(rule: Rule, text: str, expected: str | None) -> None:
    result = outside(rule, text)
    assert (result is None) is (expected is None)
    if result is not None and expected is not None:
        assert len(result) == len(expected)
        assert rule.matches(result)
        assert not re.fullmatch(text, result)


_REGULAR = st.recursive(
    st.sampled_from(["a", "b", "[ab]", "aa", "bb"]),
    lambda part: st.one_of(
        st.builds("{}{}".format, part, part),
        st.builds("(?:{}|{})".format, part, part),
        st.builds("(?:{})*".format, part),
    ),
    max_leaves=6,
)


@law(_REGULAR, few=25, many=1_000)
def test_it_is_the_shortest_of_all(text: str) -> None:
    result = outside(MIDDLE, text)
    others = [each for each in texts("ab", range(7)) if MIDDLE.matches(each) and not re.fullmatch(text, each)]
    if others:
        assert result is not None
        assert len(result) == len(others[0])
        assert result in others
    else:
        assert result is None or len(result) > 6


def test_work_is_charged() -> None:
    automaton = pattern("(?:a|b){200}").automaton
    with pytest.raises(LimitExceeded):
        shortest_outside(MIDDLE.grammar.compilation.core, "s", automaton, Budget(steps=500).meter("a test"))
