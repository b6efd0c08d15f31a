"""Python patterns: the parsed meaning equals the meaning in ``re``."""

from __future__ import annotations

import re

from hypothesis import assume
from hypothesis import strategies as st

from abnforge.conformance import PatternError, pattern
from tests.law import each_row, law, one_in
from tests.reference.written_patterns import ALPHABET, by_re, patterns, taken

HOW = ("fullmatch", "match", "search")
FLAGS = (0, re.MULTILINE, re.DOTALL, re.MULTILINE | re.DOTALL, re.ASCII)

EXACT = [
    ("a$", 0),
    ("a$", re.MULTILINE),
    (r"^a\Z", re.MULTILINE),
    (r"\Aa|^b", 0),
    (r"a\b_?", 0),
    (r"\B", 0),
    (r"\B\B|a", 0),
    (r"(?=a.*b$).*", 0),
    (r"(?!.*\n)[ab\n]*", 0),
    (r"(?:(?!ab).)*", 0),
    (r"(?:(?=a|b(?!b)).)+", 0),
    (r"(?:a(?<=(?<!b)a))*b?", 0),
    (r"(?:(?=.*a)b|a(?!.*b))*", 0),
    (r"(?<=a(?=b))b", 0),
    (r"(?<!a(?=b))b", 0),
    (r".*(?<!a(?=.*b))_.*", 0),
    (r"(?:(?<=^)|(?<=\n))a", 0),
    (r"(?>a*)b", 0),
    (r"(?>a|ab)(?=$)", 0),
    (r"(?>a*?b|a)+_", 0),
    (r"a*+a|b?+b", 0),
    (r"(?>(?:a|ab)+)b", 0),
    (r"(?>a{1,3}b?)a", 0),
    (r"(?s:.)(?-s:.)", re.DOTALL),
    (r" a # comment", re.VERBOSE),
    ("(?:)", 0),
    ("a??b*?", 0),
    ("[^a]", 0),
    ("[^ab]", re.IGNORECASE),
    (r"[\w\s]", 0),
    (r"[^\W_]", 0),
]


@each_row("how", one_in(3, HOW))
@each_row(("text", "flags"), EXACT)
def test_exact(text: str, flags: int, how: str) -> None:
    compiled = re.compile(text, flags)
    assert taken(compiled, ALPHABET, how) == by_re(compiled, ALPHABET, how)


@law(patterns, st.sampled_from(HOW), st.sampled_from(FLAGS), few=20, many=1_000)
def test_the_automaton_is_re(text: str, how: str, flags: int) -> None:
    try:
        compiled = re.compile(text, flags)
        result = taken(compiled, ALPHABET, how)
    except (
        re.error,
        PatternError,
    ):  # a loop of boundaries; an atomic group around iterations with several ends
        assume(False)
    assert result == by_re(compiled, ALPHABET, how)


# Special cases of Python's case folding.
_CASES = (
    "aAkK\u212asS\u017fiI\u0130\u0131\xdf\u1e9e\xb5\u03bc\u0390\u1fd3\ufb05\ufb06\xe91\u0661\n "
    "\U00010400\U00010428"
)
_ONE = st.sampled_from([re.escape(char) for char in _CASES])
_NAMED = st.sampled_from([r"\w", r"\W", r"\d", r"\D", r"\s", r"\S"])
_SPANS = st.sampled_from(["a-z", "A-Z", "\u0100-\u2200", "h-l", "\U00010400-\U00010410", "\\x00-\\x7f"])
_SETS = st.builds("[{}{}{}]".format, st.sampled_from(["", "^"]), st.one_of(_ONE, _NAMED, _SPANS), _ONE)
_SCOPES = st.sampled_from(["{}", "(?i:{})", "(?a:{})", "(?-i:{})", "(?ai:{})"])


@law(
    st.builds(lambda scope, one: scope.format(one), _SCOPES, st.one_of(_ONE, _NAMED, _SETS)),
    st.sampled_from([0, re.IGNORECASE, re.ASCII, re.IGNORECASE | re.ASCII]),
    few=20,
    many=5_000,
)
def test_characters_regardless_of_case(text: str, flags: int) -> None:
    compiled = re.compile(text, flags)
    automaton = pattern(compiled).automaton
    for char in _CASES:
        assert automaton.accepts(char) is bool(compiled.fullmatch(char)), ascii(char)
