"""Laws of the first sentence of a rejection: the facts about the input never refute it.

1. An input that some valid string starts with does not have an unexpected character, and a rule
   does not end within it.
2. A character that is not allowed somewhere is none of those that are expected there; without a suggestion,
   no valid string starts with the input up to there and that character.
3. "only X" names all that the rule could go on with at that place.
4. No sentence has an empty subject, or two consecutive spaces that are not the input's.
"""

from __future__ import annotations

import re
from random import Random

from hypothesis import strategies as st

import abnforge
from abnforge.analysis.sentences import Sentences
from abnforge.automaton.derivative import Derivatives
from abnforge.charset import ANY, CharSet
from abnforge.rejection import Hypothesis, Rejection
from tests.law import law
from tests.mistakes.deriving.small import changed, grammars, slips
from tests.reference import strategies as tiny

Changes = list[tuple[str, int, int]]

_ENDS = re.compile(r"^(the )?(?!input )\S+ ends before ")
_NOT_THERE = re.compile(r" has no .+ here\b| cannot begin with |(begins|goes on) with .+, not with ")
_NOT_FOLLOWED = re.compile(r" is not followed by (?P<hex>two hexadecimal digits)?")
_ONLY = re.compile(r"^(?P<rule>\S+) has no .+ here, only (?P<named>.+?)(; percent-encode it)?$")

_NAMED = {
    "letters": CharSet.from_ranges([(0x41, 0x5A), (0x61, 0x7A)]),
    "capital letters": CharSet.from_ranges([(0x41, 0x5A)]),
    "small letters": CharSet.from_ranges([(0x61, 0x7A)]),
    "hexadecimal digits": CharSet.of("0123456789ABCDEFabcdef"),
    "digits": CharSet.of("0123456789"),
    "spaces": CharSet.of(" "),
    "blanks": CharSet.of("\t\n\v\f\r "),
    "characters beyond ASCII": CharSet.from_ranges([(0x80, 0x10FFFF)]),
}
_PART = re.compile(
    rf"""({"|".join(map(re.escape, _NAMED))})|any\ of\ (\S+?)(?=,\ |\ and\ |$)|\[(.+?)\]|["'](.)["']""",
    re.VERBOSE,
)


def named(text: str) -> CharSet:
    """The characters that a sentence names."""
    found = CharSet()
    at = 0
    while at < len(text):
        part = _PART.match(text, at)
        assert part, text[at:]
        kind, marks, charset, mark = part.groups()
        found |= _NAMED[kind] if kind else in_class(charset) if charset else CharSet.of(marks or mark)
        at = part.end()
        at += len(re.match(r", | and |$", text[at:])[0])  # type: ignore[index]
    return found


def in_class(written: str) -> CharSet:
    pattern = re.compile(f"[{written}]")
    return CharSet.of("".join(char for char in map(chr, range(0x180)) if pattern.match(char)))


def is_expected(char: str, hypothesis: Hypothesis) -> bool:
    return any(re.match(f"[{each.chars}]", char) for each in hypothesis.expected)


def check(grammar: abnforge.Grammar, text: str) -> None:
    rejection = grammar["r0"].explain(text, hypotheses=2)
    if rejection is None:
        return
    for number, hypothesis in enumerate(rejection.hypotheses):
        check_hypothesis(grammar, rejection, hypothesis, rejection.suggestion is not None and number == 0)


def check_hypothesis(
    grammar: abnforge.Grammar, rejection: Rejection, hypothesis: Hypothesis, mended: bool
) -> None:
    text, place, stops = rejection.input, hypothesis.offset, rejection.offset
    said = hypothesis.message
    assert said == said.strip()
    assert "  " not in said or "  " in text
    followed = _NOT_FOLLOWED.search(said)
    not_there = _NOT_THERE.search(said) or _ENDS.search(said)
    if followed and not mended:
        assert stops <= place + (2 if followed["hex"] else 1)
    if not_there:
        assert not is_expected(text[place], hypothesis)
        derives_nothing = not rejection.expected and not rejection.end_expected
        assert mended or (place >= stops if derives_nothing else place == stops)
    if stops == len(text) and not mended:
        assert not not_there
    if only := _ONLY.search(said):
        allowed = named(only["named"])
        for charset in goes_on(grammar, text[:place], only["rule"].lower()):
            assert not charset - allowed - (ANY - CharSet.from_ranges([(0, 0x17F)]))


def goes_on(grammar: abnforge.Grammar, text: str, key: str) -> list[CharSet]:
    """What a rule that is open behind a text can go on with."""
    derivatives = Derivatives(grammar.core, grammar.facts)
    states = derivatives.read("r0", text)[-1].states
    return [arc.charset for state in states for arc in derivatives.arcs(state) if key in arc.rule_path]


@law(
    grammars(),
    st.randoms(use_true_random=False),
    st.lists(slips(), min_size=4, max_size=4),
    few=25,
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


@law(tiny.grammars(recursive=True), st.lists(tiny.texts, min_size=4, max_size=4), few=15, many=300)
def test_of_tiny_grammars(text: str, strings: list[str]) -> None:
    grammar = abnforge.loads(text)
    for string in strings:
        check(grammar, string)
