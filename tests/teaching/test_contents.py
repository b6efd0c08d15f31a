"""Parts of answers: the strings that fit instead of a mark, by automata and by trying all short strings."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

import abnforge
from abnforge.automata.algebra import included, intersection
from abnforge.automata.dfa import Automaton
from abnforge.budget import DEFAULT
from abnforge.teaching.contents import contents, fitting
from tests.law import each_row, law

LONGEST = 3


def automaton(text: str) -> Automaton:
    return abnforge.loads(f"x = {text}\n", cache=False)["x"].automaton


ELEMENTS = st.recursive(
    st.sampled_from(['%s"a"', '%s"b"', '""']),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(" ".join),
        st.tuples(inner, inner).map(lambda pair: f"({' / '.join(pair)})"),
        inner.map(lambda each: f"*({each})"),
    ),
    max_leaves=4,
)


@law(ELEMENTS, ELEMENTS, ELEMENTS, ELEMENTS, few=12, many=100)
def test_strings_fit_if_some_string_with_them_is_required(
    before: str, after: str, required: str, content: str
) -> None:
    right = automaton(required)
    marked = automaton(f"{before} %x10FFFD {after} [%x10FFFD]")
    found = fitting(marked, right, automaton(content), DEFAULT.meter("fitting", code="automaton-too-large"))
    for text in map(
        "".join, (each for length in range(LONGEST + 1) for each in product("ab", repeat=length))
    ):
        written = f'%s"{text}"'
        filled = automaton(f"{before} ({written} {after} [{content}] / {content} {after} {written})")
        assert found.accepts(text) is bool(intersection(filled, right).table)


@each_row(
    ("marked", "answer", "required", "content", "expected"),
    [
        ('"a" %x10FFFD', '"a" 2DIGIT', '"a" DIGIT', "2DIGIT", "DIGIT"),
        ('"a" %x10FFFD', '"a" DIGIT', '"a" 1*2DIGIT', "DIGIT", "1*2DIGIT"),
        ("1*%x10FFFD", "1*DIGIT", "1*%x30-37", "DIGIT", "%x30-37"),
        ('"e" %x10FFFD 1*DIGIT', '"e" 1*DIGIT', '"e" ["+" / "-"] 1*DIGIT', '""', '["+" / "-"]'),
        ("%x10FFFD *DIGIT", "*DIGIT", "1*DIGIT", '""', "1*DIGIT"),
    ],
)
def test_what_a_part_must_match(marked: str, answer: str, required: str, content: str, expected: str) -> None:
    meter = DEFAULT.meter("x", code="automaton-too-large")
    arguments = [automaton(each) for each in (marked, answer, required, content)]
    found = [new for new, _ in contents(*arguments, meter)]
    assert automaton(expected) in found
    assert all(included(new, automaton("*%x0-7F")) for new in found)
