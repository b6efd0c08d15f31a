"""Derived mistakes: exact results, and laws that hold for any grammar."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.charset import CharSet
from abnforge.errors import UnknownNameError
from abnforge.explain.bind import bind_mistakes
from abnforge.explain.derive import bind_derived, derive
from abnforge.explain.fixes import Fixer
from abnforge.explain.mistakes import ANY_RULE
from abnforge.explain.mistakes_file import read_mistakes
from abnforge.explain.proofs import UNPROVED, Prover
from abnforge.explain.reading import Interpreter
from abnforge.grammar.sentences import Sentences
from tests.explain.derive.expected import expected_in
from tests.explain.derive.small_grammars import bound, changed, grammars, loaded, message, read, slips
from tests.explain.random_mistakes import Case, cases
from tests.law import each_row, law, one_in
from tests.places import DATA
from tests.reference.small_languages import LENGTH, TEXTS, grammar, languages


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]


CASES = lines("derived_mistakes")
WILD = lines("derived_mistakes_wild")


@each_row("case", CASES)
def test_derived_mistakes(case: dict[str, Any]) -> None:
    """The table has the codes and positions of the mistakes, and the fixed string."""
    name, text, mended = case["grammar"], case["text"], case["mended"]
    results = [(code, (start, end)) for code, start, end in case["found"]]
    assert read(name, case["rule"], text) == (results, mended)
    rule = loaded(name)[case["rule"]]
    assert not rule.matches(text)
    assert mended is None or rule.matches(mended)


def test_messages(snapshot: SnapshotAssertion) -> None:
    lines = [
        f"{case['grammar']}:{case['rule']} {case['text']!r}: "
        f"{message(case['grammar'], case['rule'], case['text'])}"
        for case in CASES
    ]
    assert "\n".join(lines) == snapshot


@pytest.mark.parametrize("case", one_in(24, WILD), ids=lambda case: case["id"])
def test_what_a_person_says_of_strings_in_many_notations(case: dict[str, Any]) -> None:
    """The labels were written before the first run. Each difference has a reason."""
    grammar = loaded(case["grammar"])
    if grammar is None:
        pytest.skip("the grammar is not there")
    rule = grammar[case["rule"]]
    rejection = rule.explain(case["text"])
    assert rejection is not None
    first, suggestion = rejection.hypotheses[0], rejection.suggestion
    fixed = None if suggestion is None else suggestion.text
    assert (rejection.code, [first.offset, first.end], fixed) == (
        case["code"],
        case["blamed"],
        case["suggestion"],
    )
    start, end = case["place"]
    there = first.offset < max(end, start + 1) and start < max(first.end, first.offset + 1)
    missed = [] if there or start == first.offset else ["place"]
    if fixed not in (case["fixes"] or [None]):
        missed.append("suggestion")
    assert missed == case["missed"]
    assert bool(case["reason"]) is bool(missed)
    assert all(map(rule.matches, case["fixes"]))


@pytest.mark.parametrize(
    ("name", "rule"), one_in(3, sorted({(case["grammar"], case["rule"]) for case in CASES}))
)
def test_every_fix_is_proved(name: str, rule: str) -> None:
    result = bound(name, rule)
    prover = Prover(result)
    for mistake in result.mistakes.mistakes:
        if mistake.targets != (ANY_RULE,):  # these write the rule itself, or omit the delimiters around it
            assert prover.fix_remarks(mistake) == []


@law(cases(), few=12, many=300)
def test_valid_texts_have_no_mistake_and_mended_ones_are_valid(case: Case) -> None:
    rules, _ = case
    valid = languages(rules)["r0"]
    result = bind_derived(abnforge.loads(grammar(rules)).compilation.bound, "r0")
    reader, fixer = Interpreter(result, "r0"), Fixer(result)
    for text in TEXTS:
        reading = reader.interpret(text)
        assert (reading.cost == 0) is (text in valid) is (not reading.mistakes)
        fixed = fixer.fix(reading)
        if fixed is not None and len(fixed.text) <= LENGTH:
            assert fixed.text in valid


@law(
    grammars(),
    st.builds(Random, st.integers(0, 2**32)),
    st.lists(slips(), min_size=4, max_size=4),
    few=4,
    many=120,
)
def test_any_grammar_is_read_with_its_mistakes(
    text: str, source: Random, changes: list[list[tuple[str, int, int]]]
) -> None:
    """Only invalid strings have a mistake, and every fix is valid."""
    results = abnforge.loads(text)
    bound_grammar = bind_derived(results.compilation.bound, "r0")
    prover = Prover(bound_grammar)
    for mistake in bound_grammar.mistakes.mistakes:
        if mistake.targets != (ANY_RULE,):
            assert [each for each in prover.fix_remarks(mistake) if each.kind != UNPROVED] == []
    reader, fixer = Interpreter(bound_grammar, "r0"), Fixer(bound_grammar)
    sentences = Sentences(results.core, results.facts)
    for each in changes:
        wrong = changed(sentences.random("r0", source, 12)[:40], each)
        reading = reader.interpret(wrong)
        if reading.exact:
            assert (not reading.mistakes) is results["r0"].matches(wrong)
        fixed = fixer.fix(reading)
        assert fixed is None or results["r0"].matches(fixed.text)
        assert all(result.message(wrong) for result in reading.all_mistakes)


def test_what_is_declared_is_meant_first() -> None:
    bound_grammar = loaded("locators").compilation.bound
    declared = read_mistakes(
        """
        ;@ of port; blame junk; fix digits
        port-junk = digits junk
        digits    = *DIGIT
        junk      = 1*ALPHA
        ;@ of segment; blame all; fix none
        space-in-segment = 1*SP
        """.replace("\n        ", "\n")
    )
    result = bind_derived(bound_grammar, "locator", declared)
    codes = [each.code for each in result.mistakes.mistakes]
    assert codes[:2] == ["port-junk", "space-in-segment"]
    assert codes.count("space-in-segment") == 1
    assert [each.code for each in Interpreter(result, "locator").interpret("http://a:80x/").mistakes] == [
        "port-junk"
    ]
    assert [each.code for each in Interpreter(result, "locator").interpret("http://a:80:/").mistakes] == [
        "delimiter-in-port"
    ]


def test_rules_with_withhold_are_those_of_the_declared_mistakes() -> None:
    """Mistakes of any start rule share the automata of the declared ones."""
    grammar = loaded("locators").compilation.bound
    declared = read_mistakes(
        ';@ withhold\nodd = odd-part "," 1*DIGIT\nodd-part = port\n;@ of port; blame all; fix none\nx = "-"\n'
    )
    bound = bind_mistakes(declared, grammar)
    for start in ("port", "locator"):
        alone, sharing = (bind_derived(grammar, start, declared, bound=each) for each in (None, bound))
        assert alone == sharing
        assert alone.withheld_data == sharing.withheld_data == bound.withheld_data
        for text in ("80,1", "80", "80,", ""):
            withheld = [each.is_withheld(text) for each in (alone, sharing, bound)]
            assert withheld == [text == "80,1"] * 3


def test_only_rules_that_are_needed_count() -> None:
    bound_grammar = loaded("locators").compilation.bound
    targets = {key for each in derive(bound_grammar, "port").mistakes for key in each.targets}
    assert targets == {ANY_RULE, "port"}


def test_an_unknown_rule_is_rejected() -> None:
    with pytest.raises(UnknownNameError) as caught:
        derive(loaded("locators").compilation.bound, "prt")
    assert caught.value.data["near"] == ("port",)


def test_a_declared_rule_of_that_name_stands_for_what_would_be_derived() -> None:
    bound_grammar = loaded("locators").compilation.bound
    declared = read_mistakes(";@ of segment; code strange; blame all; fix none\nspace-in-segment = 1*SP\n")
    result = bind_derived(bound_grammar, "locator", declared)
    assert [each.rule.name for each in result.mistakes.mistakes].count("space-in-segment") == 1
    assert "strange" in [each.code for each in result.mistakes.mistakes]


def test_spaces_that_belong_to_what_stands_before_begin_nothing_instead() -> None:
    """An unclosed value after a space differs from a value that starts with the space."""
    grammar = abnforge.loads(
        'setting = 1*ALPHA *WSP "=" *WSP value\nvalue = DQUOTE *( SP / ALPHA ) DQUOTE / 1*DIGIT\n'
    )
    for text in ('x="a', 'x = "a', 'x =\t"a b'):
        rejection = grammar["setting"].explain(text)
        assert rejection is not None
        assert rejection.code == "missing-quote-in-value"
        assert rejection.suggestion is not None
        assert rejection.suggestion.text == text + '"'


def test_of_brackets_that_nest_one_more_is_not_twice_the_same() -> None:
    rejection = abnforge.loads('nested = [ "(" nested ")" ]\n')["nested"].explain("(()")
    assert rejection is not None
    assert (rejection.code, rejection.offset) == ("missing-right-parenthesis-in-nested", 3)
    assert len(rejection.hypotheses) == 1


@pytest.mark.parametrize(
    ("text", "string", "code", "more"),
    [
        ("n = %x31-39 *2DIGIT\n", "1234", "too-many-in-n", True),
        ("n = %x31-39 3DIGIT\n", "12", "too-few-in-n", False),
        ('n = %x31-39 3DIGIT "-"\n', "12-", "too-few-in-n", True),
        ('n = "-" *2DIGIT\n', "-123", "too-many-in-n", False),
        ("n = 3HEXDIG / 6HEXDIG\n", "12", "too-few-in-n", False),
    ],
)
def test_counted_characters_after_others_of_their_kind_are_more(
    text: str, string: str, code: str, more: bool, snapshot: SnapshotAssertion
) -> None:
    rejection = abnforge.loads(text)["n"].explain(string)
    assert rejection is not None
    assert rejection.code == code
    assert (" more " in rejection.message) is more
    assert rejection.message == snapshot


ENCODED = 'triplet = "%" HEXDIG HEXDIG\n'
PREFIXED = 'r0 = [ ":" ] 1*( DIGIT / triplet ) / "(" r0 ")"\n'
ALIKE = 'r0 = 1*( DIGIT / triplet ) ";" / ":" [ "," ] 1*( DIGIT / triplet )\n'
EMPTY_FIRST = 'r0 = [ *( ALPHA / triplet ) ] r1 / "(" r0 ")"\nr1 = [ 1*2ALPHA ] "//"\n'


@each_row(
    ("grammar", "string", "code", "offset", "suggestion"),
    [
        # The character is also an optional item before the run, or an alternative of the rule.
        (PREFIXED, ":", "nothing-in-r0", 1, None),
        (PREFIXED, "(", "missing-r0", 1, None),
        (PREFIXED, ":%", "unreadable-triplet", 2, None),
        (PREFIXED, "((", "missing-r0", 2, None),
        (PREFIXED, ":a", "first-character-in-r0", 1, ":%61"),
        (PREFIXED, "a", "first-character-in-r0", 0, "%61"),
        ("r0 = [ %x4F.4B ] 1*( DIGIT / triplet )\n", "O", "unreadable-r0", 1, None),
        # The character is also an item after an omitted group, or an alternative within the group.
        ('r0 = [ 1*( DIGIT / triplet ) "," ] ":"\n', ":,:", "unreadable-r0", 1, None),
        ('r0 = [ 1*( DIGIT / triplet ) "," ] ":"\n', "a,:", "first-character-in-r0", 0, "%61,:"),
        ('r0 = "x" ( 1*( DIGIT / triplet ) / ":" )\n', "xa", "first-character-in-r0", 1, "x%61"),
        # A broken escape begins the run.
        ('r0 = 1*ALPHA "=" r1\nr1 = 1*( DIGIT / triplet )\n', "a=%4G", "escape-in-r1", 2, "a=%254%47"),
        ('r0 = 1*ALPHA "=" 1*( DIGIT / triplet )\n', "a=%GG", "escape-in-r0", 2, "a=%25%47%47"),
        # Equal runs have the same mistakes.
        (ALIKE, ":,", "nothing-in-r0", 2, None),
        (ALIKE, ":a", "first-character-in-r0", 1, ":%61"),
        # If a run can be empty, such a character is a mistake only after a unit.
        (EMPTY_FIRST, "((//", "missing-right-parenthesis-in-r0", 4, "((//))"),
        (EMPTY_FIRST, "a(//", "delimiter-in-r0", 1, "a%28//"),
        (EMPTY_FIRST, "(a(//", "delimiter-in-r0", 2, "(a%28//)"),
        ('r0 = "," / *( ALPHA / triplet )\n', ",(", "unreadable-r0", 1, ","),
        ('r0 = "," / *( ALPHA / triplet )\n', "a,", "character-in-r0", 1, "a%2C"),
    ],
)
def test_no_mistake_denies_a_character_that_is_allowed_there(
    grammar: str, string: str, code: str, offset: int, suggestion: str | None
) -> None:
    rejection = abnforge.loads(grammar + ENCODED)["r0"].explain(string)
    assert rejection is not None
    assert (rejection.code, rejection.hypotheses[0].offset) == (code, offset)
    assert (rejection.suggestion and rejection.suggestion.text) == suggestion


def test_a_whole_escape_is_not_a_broken_one() -> None:
    rule = abnforge.loads("r0 = 1*( DIGIT / triplet )\n" + ENCODED)["r0"]
    for string, code, offset, suggestion in (
        ("1%FE[4", "character-in-r0", 4, "1%FE%5B4"),
        ("1%F[4", "escape-in-r0", 1, "1%25%46%5B4"),
        ("1%%41", "escape-in-r0", 1, "1%25%41"),
        ("1%F", "unreadable-triplet", 3, None),  # a valid prefix
    ):
        rejection = rule.explain(string, hypotheses=3)
        assert rejection is not None
        assert (rejection.code, rejection.hypotheses[0].offset) == (code, offset)
        assert (rejection.suggestion and rejection.suggestion.text) == suggestion
        assert [each.code for each in rejection.hypotheses].count("escape-in-r0") == (code == "escape-in-r0")


@pytest.mark.parametrize(
    ("grammar", "string", "allowed"),
    [
        (PREFIXED, "a", None),
        ('r0 = [ "+" ] 1*DIGIT\n', "a", "0123456789+"),
        ('r0 = 1*( DIGIT / triplet ) ";"\n', "a;", "0123456789%"),
        ('r0 = [ 1*( DIGIT / triplet ) "," ] ":"\n', "a,:", "0123456789%:"),
        ('r0 = "x" 1*( DIGIT / triplet ) ";"\n', "xa;", "0123456789%"),
        ('r0 = "x" ( 1*( DIGIT / triplet ) / ":" )\n', "xa", None),
        ("r0 = 1*HEXDIG\n", "54'", "0123456789ABCDEFabcdef"),
        # Another item can match the same digits.
        ('r0 = 1*DIGIT / 1*DIGIT ","\n', "54'", "0123456789,"),
        ('r0 = 1*DIGIT r1\nr1 = 1*DIGIT "," / "(" r1 ")"\n', "54'", "(,0123456789"),
        ('r0 = 1*DIGIT / "(" r0 ")"\n', "(54'", ")0123456789"),
        # Another string of the rule can start there.
        ('r0 = 1*3( r1 )\nr1 = 1*DIGIT / ":"\n', "0a", "0123456789:"),
        ("r0 = 1*3( r1 )\nr1 = 1*DIGIT\n", "0a", "0123456789"),
        ('r0 = 1*3( r1 )\nr1 = [ "+" ] 1*DIGIT *( "." *DIGIT )\n', "0;", "0123456789+."),
        ('r0 = r1 [ r1 ]\nr1 = *DIGIT *( "." 1*( "a" / "b" ) )\n', ".a(", ".0123456789ab"),
        # A required item is between them.
        ('r0 = 1*DIGIT "M" [ r1 ]\nr1 = 1*DIGIT "S"\n', "2?M", "0123456789m"),
    ],
)
def test_messages_name_all_characters_that_the_rule_continues_with(
    grammar: str, string: str, allowed: str | None, snapshot: SnapshotAssertion
) -> None:
    rejection = abnforge.loads(grammar + ENCODED)["r0"].explain(string)
    assert rejection is not None
    named = expected_in(rejection.message)
    assert named == (None if allowed is None else CharSet.of(allowed))
    assert rejection.message == snapshot


@each_row(
    ("abnf", "text", "is_placeholder"),
    [
        ('r = 1*ALPHA "-" 1*DIGIT', "-", False),
        ('r = 1*ALPHA "-" 1*DIGIT', "--", True),
        ('r = 1*ALPHA "--"', "--", False),
        ('r = word "-" 1*DIGIT\nword = 1*ALPHA', "-", False),
        ('r = 1*ALPHA *("-" 1*ALPHA)', "-", True),
        ('r = 4DIGIT "-" 2DIGIT "-" 2DIGIT', "-", True),
    ],
)
def test_a_sign_that_the_rule_requires_is_not_a_placeholder(
    abnf: str, text: str, is_placeholder: bool
) -> None:
    rejection = abnforge.loads(f"{abnf}\n").start.explain(text)
    assert rejection is not None
    assert (rejection.code == "no-value") is is_placeholder
