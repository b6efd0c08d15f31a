"""Random patterns with every construct that affects cuts, and mutants of patterns."""

from __future__ import annotations

import random
import re
from itertools import product

from hypothesis import strategies as st

ALPHABET = "abc"
TEXTS = ["".join(chars) for size in range(6) for chars in product(ALPHABET, repeat=size)]

_CLASSES = st.sampled_from(["a", "b", "c", "[ab]", "[b-c]"])
_QUANTIFIERS = [
    q + plus for q in ("?", "*", "+", "{2}", "{1,2}", "{0,2}", "{2,}", "{2,3}") for plus in ("", "+")
]


def _larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    branches = st.lists(st.one_of(smaller, st.just("")), min_size=1, max_size=3).map("|".join)
    group = st.builds(str.format, st.sampled_from(["(?:{})", "(?:{})", "(?>{})"]), branches)
    quantified = st.builds("{}{}".format, group, st.sampled_from(_QUANTIFIERS))
    return st.one_of(group, quantified, st.lists(smaller, min_size=2, max_size=3).map("".join))


# Patterns over ``ALPHABET``: greedy and possessive quantifiers, atomic groups, empty branches and iterations.
patterns: st.SearchStrategy[str] = st.recursive(
    st.one_of(_CLASSES, st.builds("{}{}".format, _CLASSES, st.sampled_from(_QUANTIFIERS))),
    _larger,
    max_leaves=7,
)

_TOKEN = re.compile(
    r"(?P<set>\[(?:\\.|[^\]\\])*\])|(?P<quantifier>(?:[?*+]|\{[0-9,]+\})\+?)|(?P<open>\(\?:|\(\?P<\w+>)|\\?.",
    re.DOTALL,
)


def mutant(pattern: str, chance: random.Random) -> str:
    """Change a quantifier, a member of a class, or a branch of a pattern."""
    tokens = [(result.lastgroup, result[0]) for result in _TOKEN.finditer(pattern)]
    places = [n for n, (kind, text) in enumerate(tokens) if kind in ("set", "quantifier") or text == "|"]
    place = chance.choice(places)
    kind, text = tokens[place]
    if kind == "quantifier":
        other = chance.choice([text[:-1] if text[1:].endswith("+") else text + "+", "?", "*", "+", "{2}"])
    elif kind == "set":
        other = chance.choice(["[a-z]", text[:-1] + "\\x00]", "[0-9]"])
    else:
        other = chance.choice(["||", "", "|[%]|"])
    return "".join(other if n == place else token for n, (_, token) in enumerate(tokens))
