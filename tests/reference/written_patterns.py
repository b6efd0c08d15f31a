"""Random patterns, and the strings that they match according to their automata and their engines."""

from __future__ import annotations

import re
from itertools import product

from hypothesis import strategies as st

from abnforge.conformance.proof import pattern

SIZES = range(5)


def texts(alphabet: str, sizes: range = SIZES) -> list[str]:
    """Return all strings of some characters, up to a length."""
    return ["".join(chars) for size in sizes for chars in product(alphabet, repeat=size)]


def taken(
    text: str | re.Pattern[str],
    alphabet: str,
    how: str = "fullmatch",
    dialect: str = "python",
    flags: int | str = "",
) -> set[str]:
    """Return the strings over an alphabet that the automaton of a pattern accepts."""
    automaton = pattern(text, dialect, how, flags).automaton
    return set(filter(automaton.accepts, texts(alphabet)))


def by_re(compiled: re.Pattern[str], alphabet: str, how: str = "fullmatch") -> set[str]:
    """Return the strings that Python's engine accepts."""
    return {text for text in texts(alphabet) if getattr(compiled, how)(text)}


ALPHABET = "ab\n_ "
_ATOMS = st.sampled_from(
    [
        *("a", "b", r"\n", ".", "[ab]", "[^a]", r"\w", r"\W", r"\s", r"\S", "_", "^", "$", r"\A", r"\Z"),
        *(r"\b", r"\B", "a{2}", "(?:)", "(?i:B)", "(?s:.)", "(?m:^)", "(?m:$)", "(?-i:a)"),
    ]
)
_QUANTIFIERS = st.sampled_from(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}", "{1,}?"])
_CUTS = st.sampled_from(["*+", "++", "?+", "{2}+", "{1,2}+"])
_BEHIND = st.sampled_from(
    ["a", "ab", "b|a", r"\b", r"\na", "a(?=b)", "(?<!a)b", "a(?!.*_)", "^", "$", "(?:a(?=.*b)|b(?!$))"]
)


def _larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}{}".format, smaller, smaller),
        st.builds("(?:{}|{})".format, smaller, smaller),
        st.builds("(?:{}){}".format, smaller, _QUANTIFIERS),
        st.builds("(?={})".format, smaller),
        st.builds("(?!{})".format, smaller),
        st.builds("(?<={})".format, _BEHIND),
        st.builds("(?<!{})".format, _BEHIND),
        st.builds("(?>{})".format, smaller),
        st.builds("(?:{}){}".format, smaller, _CUTS),
    )


# Patterns over ``ALPHABET`` with every construct that affects assertions.
patterns: st.SearchStrategy[str] = st.recursive(_ATOMS, _larger, max_leaves=8)
