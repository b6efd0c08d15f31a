"""Each reported ambiguity has two derivations of the same string."""

from __future__ import annotations

import pytest

from abnforge import lint
from tests.law import each_row, one_in

DERIVATIONS = [
    ("a = b / c\nb = DIGIT\nc = 1*DIGIT\n", ('(a (b "1"))', '(a (c "1"))')),
    ("a = *DIGIT *DIGIT\n", ('(a (*DIGIT "1") (*DIGIT ""))', '(a (*DIGIT "") (*DIGIT "1"))')),
    ('a = *( "." / ".." )\n', None),
]


@pytest.mark.parametrize(("text", "derivations"), DERIVATIONS)
def test_an_ambiguity_shows_two_derivations(text: str, derivations: tuple[str, str] | None) -> None:
    [finding] = [f for f in lint(text) if f.name == "ambiguous"]
    assert len(set(finding.derivations)) == 2
    assert derivations is None or finding.derivations == derivations


WORDS = " / ".join(f'"k{number}"' for number in range(1_000))


@pytest.mark.parametrize(
    ("alternatives", "expected"),
    one_in(
        2,
        [
            (WORDS, []),
            (f'{WORDS} / "K3" / "k3"', ["shadowed-alternative", "shadowed-alternative"]),
            (f'"k3" "" / {WORDS}', ["shadowed-alternative"]),
            (f'%s"k" %s"l" / {WORDS}', ["check-incomplete"]),  # the sets of letters can overlap
            (f"1*2DIGIT / {WORDS} / %x31", ["check-incomplete"]),
            (f"1*2DIGIT / %x31 / {WORDS}", ["check-incomplete", "shadowed-alternative"]),
        ],
    ),
)
def test_literals_are_compared_however_many_there_are(alternatives: str, expected: list[str]) -> None:
    names = {"ambiguous", "shadowed-alternative", "check-incomplete"}
    assert [f.name for f in lint(f"r = {alternatives}\n") if f.name in names] == expected


@each_row(
    ("text", "expected"),
    [
        # A rule does not contain itself over the same span; such rules derive the other trees.
        ('s = s / "a"\n', []),
        ('s = "a" / s\n', ["shadowed-alternative"]),
        ('s = t / "a"\nt = s / "b"\n', []),
        ('s = s / "a" / "a"\n', ["ambiguous"]),
        ('s = s / 1*"a" / "a"\n', ["ambiguous"]),
        ('s = s "b" / t / "a"\nt = "a"\n', ["shadowed-alternative"]),
    ],
)
def test_rules_that_derive_themselves_take_nothing_from_their_alternatives(
    text: str, expected: list[str]
) -> None:
    assert [f.name for f in lint(text) if f.name in {"ambiguous", "shadowed-alternative"}] == expected
