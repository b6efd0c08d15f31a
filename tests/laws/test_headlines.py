"""Laws for the first sentence of a rejection, which must never contradict the input.

1. A viable prefix does not have an unexpected character, and a rule does not end within it.
2. A forbidden character is not an expected one. Without a suggestion, no valid string starts with the input
   up to that character.
3. "use X" names all characters that can follow at that position, with letters in one case. It names the end
   of the input if and only if the input can end there.
4. No message has an empty subject, or two consecutive spaces that are not the input's.
5. If the input is a viable prefix, the first hypothesis is about its end, unless the mistake is an unclosed
   quote, or is before whitespace at the end.
6. "X is missing" at the end names characters that can follow, and every completion has one of them.
7. "No string matches" is true of exactly the rules that match no string.
8. A rule that the message names is the last one of the rule path, except a missing rule after a missing
   character. If the code is one of a rule at the facts, it is that rule's.
9. "in or after the X": X can be empty, or in every parse, it contains the last character, is open, or begins
   there, apart from whitespace that can follow. "after the X": so it is in some parse, but does not begin.
"""

from __future__ import annotations

import re
from itertools import product
from random import Random

from hypothesis import strategies as st

import abnforge
from abnforge.automata.derivatives import Arc, Derivatives
from abnforge.charset import CharSet, union
from abnforge.explain.rule_paths import parsed_paths
from abnforge.explain.signs import WHITESPACE
from abnforge.grammar.sentences import Sentences
from abnforge.parsing.stop import common_prefix
from abnforge.rejection import Hypothesis, Rejection
from tests.explain.derive.expected import expected_in, in_class, named
from tests.explain.derive.small_grammars import changed, grammars, slips
from tests.law import law
from tests.reference import strategies as tiny

Changes = list[tuple[str, int, int]]

_ENDS = re.compile(r" is not allowed after the \S+?(; remove it)?$")
_NOT_THERE = re.compile(
    r" is not allowed ((in the \S+ )?here|in or after the \S+?|here in the \S+?|at the start of the \S+?)"
    r"(?=;|$)"
)
_UNCLOSED = re.compile("missing-(quote|apostrophe|backtick)-in-")
_NOT_FOLLOWED = re.compile(
    r" (must be followed by (?P<hex>two hex digits)?|does not begin a valid (?P<rule>\S+)$)"
)
_MISSING = re.compile(r"(the (?P<rule>\S+)|(?P<named>.+?)( and the \S+)?) (is|are) missing( after .+)?$")
_RULE = re.compile(r"\b(?<!and )(?:the|valid) (r\d|OWS|triplet)\b")
_NEAR = re.compile(r" is not allowed (?P<inside>in or )?after the (?P<rule>[\w-]+)")
_SHORT = ["".join(chars) for size in range(5) for chars in product(tiny.ALPHABET, repeat=size)]
_LISTED = re.compile("; use (?!ASCII characters|'.{2,}')")
_ONLY = re.compile(
    r" is not allowed (in the (?P<rule>\S+) here|in or after the (?P<ended>\S+)"
    r"|here in the (?P<open>\S+)|at the start of the (?P<begun>\S+)); use (?!'..+?')"
)


def is_expected(char: str, hypothesis: Hypothesis) -> bool:
    return any(re.match(f"[{each.chars}]", char) for each in hypothesis.expected)


def check(grammar: abnforge.Grammar, text: str) -> None:
    rejection = grammar["r0"].explain(text, hypotheses=2)
    if rejection is None:
        return
    first = rejection.hypotheses[0]
    if rejection.offset == len(text) and not text[first.offset :].isspace():
        assert first.offset == first.end == len(text) or _UNCLOSED.match(first.code)
    for number, hypothesis in enumerate(rejection.hypotheses):
        check_hypothesis(grammar, rejection, hypothesis, rejection.suggestion is not None and number == 0)


def check_missing(grammar: abnforge.Grammar, rejection: Rejection) -> None:
    """Check the missing items at the end against all short completions."""
    rule, text = grammar["r0"], rejection.input
    missing = _MISSING.match(rejection.message)
    if rejection.message.startswith("no string matches "):
        assert not any(map(rule.matches, _SHORT))
    elif missing and rejection.offset == len(text):
        if missing["rule"]:
            allowed = {string[0] for string in _SHORT[1:] if grammar[missing["rule"]].matches(string)}
        else:
            characters = named(missing["named"])
            allowed = {char for char in tiny.ALPHABET if {char, char.upper()} & {*map(chr, characters)}}
        for char in allowed:
            longer = rule.explain(text + char, suggest=False)
            assert longer is None or longer.offset > len(text)
        for completion in filter(lambda each: rule.matches(text + each), _SHORT):
            assert not allowed.isdisjoint(completion)


def check_hypothesis(
    grammar: abnforge.Grammar, rejection: Rejection, hypothesis: Hypothesis, mended: bool
) -> None:
    text, place, stops = rejection.input, hypothesis.offset, rejection.offset
    said = hypothesis.message
    assert {*_RULE.findall(said)} <= {hypothesis.rule}, (said, hypothesis.rule_path)
    if hypothesis.code.startswith("unreadable-"):
        assert hypothesis.code == f"unreadable-{hypothesis.rule}"
    assert said == said.strip()
    assert "  " not in said or "  " in text
    followed = _NOT_FOLLOWED.search(said)
    not_there = _NOT_THERE.search(said) or _ENDS.search(said)
    if followed and not mended:
        assert stops <= place + (2 if followed["hex"] or followed["rule"] else 1)
    if not_there:
        assert not is_expected(text[place], hypothesis)
        derives_nothing = not rejection.expected and not rejection.end_expected
        assert mended or (place >= stops if derives_nothing else place == stops)
    if stops == len(text) and not mended:
        assert not not_there
    near = _NEAR.search(said)
    if near and place == stops and near["rule"].lower() not in grammar.facts.nullable:
        check_place(grammar, text[:place], near["rule"].lower(), is_inside=near["inside"] is not None)
    check_list(text, stops, hypothesis, rejection.end_expected)
    if only := _ONLY.search(said):
        allowed = expected_in(said)
        assert allowed is not None
        # Messages name the letters of a case-insensitive literal in only one case.
        allowed |= CharSet.of("".join(char.swapcase() for char in map(chr, allowed) if char.isascii()))
        listed = CharSet.from_ranges([(0, 0x17F)])
        key = next(filter(None, only.groupdict().values())).lower()
        first = union(arc.charset for arc in arcs(grammar, "", key))
        if only["begun"]:
            assert not (first & listed) - allowed
        else:
            # If the message is about an open rule, another occurrence of the rule must not start here.
            others = first if only["open"] else CharSet()
            for arc in arcs(grammar, text[:place], "r0"):
                assert key not in arc.rule_path or not (arc.charset & listed) - allowed - others


def check_place(grammar: abnforge.Grammar, text: str, key: str, is_inside: bool) -> None:
    """Check that a rule contains the last character of a prefix, is open, or begins, in every parse."""
    derivatives = Derivatives(grammar.facts)
    reached = derivatives.read("r0", text)
    near = []
    for state in reached[-1].states:
        following = derivatives.arcs(state)
        nexts = [arc.rule_path for arc in following if arc.charset - WHITESPACE] if is_inside else []
        last = parsed_paths(derivatives, text, reached, state)[-1:]
        is_whitespace = is_inside and following and not nexts
        near.append(
            is_whitespace or key in (*state.reading, *(last[0] if last else ()), *common_prefix(nexts))
        )
    assert all(near) if is_inside else any(near)


def check_list(text: str, stops: int, hypothesis: Hypothesis, may_end: bool) -> None:
    """Check that "use X" at the offset lists all expected characters of the grammar, and only those."""
    said = hypothesis.message
    if hypothesis.offset != stops or not _LISTED.search(said) or (allowed := expected_in(said)) is None:
        return
    assert said.endswith(", or end the input") == may_end, said
    expected = union(in_class(each.chars) for each in hypothesis.expected)
    listed = CharSet.from_ranges([(0, 0x17F)])
    allowed |= CharSet.of("".join(char.swapcase() for char in map(chr, allowed & listed) if char.isascii()))
    assert not expected - allowed, (said, hypothesis.expected)
    if not text[stops : stops + 1].isspace():
        assert not (allowed & listed) - expected - swapped(expected), (said, hypothesis.expected)


def swapped(charset: CharSet) -> CharSet:
    return CharSet.of("".join(char.swapcase() for char in map(chr, charset) if char.isascii()))


def arcs(grammar: abnforge.Grammar, text: str, key: str) -> list[Arc]:
    """Return the possible continuations of a string that starts a rule."""
    derivatives = Derivatives(grammar.facts)
    return [arc for state in derivatives.read(key, text)[-1].states for arc in derivatives.arcs(state)]


@law(
    grammars(),
    st.builds(Random, st.integers(0, 2**32)),
    st.lists(slips(), min_size=4, max_size=4),
    few=8,
    many=400,
)
def test_of_sentences_with_slips(
    text: str, source: Random, changes: list[list[tuple[str, int, int]]]
) -> None:
    grammar = abnforge.loads(text)
    sentences = Sentences(grammar.core, grammar.facts)
    for each in changes:
        sentence = sentences.random("r0", source, 12)[:40]
        check(grammar, changed(sentence, each))
        check(grammar, sentence[: source.randint(0, len(sentence))])


@law(tiny.grammars(recursive=True), st.lists(tiny.texts, min_size=4, max_size=4), few=4, many=150)
def test_of_tiny_grammars(text: str, strings: list[str]) -> None:
    grammar = abnforge.loads(text)
    for string in strings:
        check(grammar, string)
        rejection = grammar["r0"].explain(string)
        if rejection is not None:
            check_missing(grammar, rejection)
