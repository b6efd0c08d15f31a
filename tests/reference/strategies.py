"""Small random grammars as ABNF text, and strings to try on them."""

from __future__ import annotations

from hypothesis import strategies as st

ALPHABET = "ab"
FOREIGN = "c"  # in no grammar's alphabet

REPEATS = ("*", "1*", "2*", "*1", "*2", "1*2", "2", "0*3", "2*3", "0*0")

texts = st.text(ALPHABET + FOREIGN, max_size=5)


def elements(names: list[str]) -> st.SearchStrategy[str]:
    """An element of RFC 5234 over references to ``names``, as text."""
    terminals = st.sampled_from(['"a"', '"b"', '"ab"', "%x61", "%x61-62", "%x62", '""'])
    leaves = st.one_of(terminals, st.sampled_from(names)) if names else terminals
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds("({})".format, alternations(inner)),
            st.builds("[{}]".format, alternations(inner)),
        ),
        max_leaves=3,
    )


def alternations(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    repetition = st.one_of(inner, st.builds("{}{}".format, st.sampled_from(REPEATS), inner))
    concatenation = st.lists(repetition, min_size=1, max_size=3).map(" ".join)
    return st.lists(concatenation, min_size=1, max_size=2).map(" / ".join)


@st.composite
def grammars(draw: st.DrawFn, recursive: bool) -> str:
    """A grammar of one to three rules, the first of which is ``r0``.

    Without recursion, a rule refers to later ones only.
    """
    count = draw(st.integers(1, 3))
    names = [f"r{i}" for i in range(count)]
    lines = []
    for index, name in enumerate(names):
        seen = names if recursive else names[index + 1 :]
        lines.append(f"{name} = {draw(alternations(elements(seen)))}\n")
    return "".join(lines)
