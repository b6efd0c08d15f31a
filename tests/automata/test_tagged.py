"""Tagged automata find the positions and kinds of components, with every walk."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.automata.code_points import CodePointDFA
from abnforge.automata.tables import PythonTable, packed
from abnforge.automata.tagged import tagged
from abnforge.budget import Budget
from abnforge.errors import LimitExceeded
from tests.laws.table_walks import WALKS, walking
from tests.raising import raises
from tests.work import steps

NONE = (-1, -1)


def automaton(
    text: str,
    parts: dict[str, tuple[str, ...]],
    kinds: dict[str, tuple[str, ...]] | None = None,
    budget: Budget | None = None,
) -> CodePointDFA:
    result = abnforge.loads(text).compilation
    meter = (budget or Budget()).meter("the tagged automaton")
    return tagged(result.core, result.bodies, "s", parts, kinds or {}, meter)


def check(points: CodePointDFA, cases: dict[str, object]) -> None:
    """Check the positions of components and the kinds for each string; None if the string does not match."""
    octets = packed(points)
    walks = [PythonTable(octets), *filter(None, (walking(octets, walk) for walk in WALKS))]
    for text, expected in cases.items():
        for walk in walks:
            result = walk.find(text)
            if result is not None:
                places, known = result
                result = (*zip(places[::2], places[1::2], strict=True), *known)
            assert result == expected, text


def test_a_part_is_where_it_is_or_is_not_there() -> None:
    points = automaton('s = [p ":"] q\np = 1*"a"\nq = *"b"\n', {"p": ("p",), "q": ("q",)})
    check(
        points,
        {
            "": (NONE, (0, 0)),
            "bb": (NONE, (0, 2)),
            "a:": ((0, 1), (2, 2)),
            "aaa:bb": ((0, 3), (4, 6)),
            "aaa": None,
            ":b": None,
        },
    )


def test_of_a_repeated_part_the_last_place_is_reported() -> None:
    points = automaton('s = *(p ",") [p]\np = 1*"a" / ""\n', {"p": ("p",)})
    check(points, {"a,aa,aaa": ((5, 8),), "a,": ((0, 1),), "a,a,": ((2, 3),), ",": ((0, 0),), "": (NONE,)})


def test_empty_components_differ_from_missing_ones() -> None:
    points = automaton('s = "x" [ "?" p ]\np = *"a"\n', {"p": ("p",)})
    check(points, {"x": (NONE,), "x?": ((2, 2),), "x?a": ((2, 3),)})


def test_a_part_within_itself_is_told_from_its_begin_on() -> None:
    """Different rules can derive the same component."""
    points = automaton('s = p / "(" q ")"\np = 1*"a"\nq = 1*"b"\n', {"x": ("p", "q")})
    check(points, {"aa": ((0, 2),), "(bb)": ((1, 3),)})


def test_parts_that_begin_and_end_together() -> None:
    points = automaton('s = p "x" q\np = q\nq = *"a"\n', {"p": ("p",), "q": ("q",)})
    check(points, {"x": ((0, 0), (1, 1)), "axaa": ((0, 1), (2, 4))})


def test_kinds_report_which_rule_derived_something() -> None:
    points = automaton(
        's = ["@" (four / name)]\nfour = 4"1"\nname = *("1" / "a")\n', {}, {"host": ("four", "name")}
    )
    check(points, {"": (0,), "@": (2,), "@1": (2,), "@1111": (1,), "@11111": (2,), "@111a": (2,)})


def test_of_kinds_within_each_other_the_outermost_counts() -> None:
    text = 's = six / four\nsix = "[" [four] "]"\nfour = 2one\none = "1"\n'
    points = automaton(text, {"p": ("four",)}, {"host": ("six", "four"), "inner": ("one",)})
    check(points, {"11": ((0, 2), 2, 1), "[11]": ((1, 3), 1, 1), "[]": (NONE, 1, 0)})


@pytest.mark.parametrize(
    ("parts", "kinds"),
    [({"p": ("a",), "q": ("a",)}, {}), ({}, {"k": ("a", "b"), "l": ("b",)}), ({"p": ("a", "a")}, {})],
)
def test_a_rule_is_of_one_part_and_of_one_kind(
    parts: dict[str, tuple[str, ...]], kinds: dict[str, tuple[str, ...]]
) -> None:
    with raises(ValueError, "argument-value", name="parts", value="overlapping"):
        automaton('s = a / b\na = "a"\nb = "b"\n', parts, kinds)


def test_of_two_derivations_the_preferred_one_counts() -> None:
    points = automaton('s = p *"a" / *"a"\np = *2"a"\n', {"p": ("p",)})
    check(points, {"": ((0, 0),), "a": ((0, 1),), "aaaa": ((0, 2),)})


def test_where_two_ways_disagree_a_spare_register_keeps_the_other_place() -> None:
    text = 's = "a" p "b" / 2"a" p "c"\np = *"a"\n'
    points = automaton(text, {"p": ("p",)})
    assert points.tags.registers == 2 + 1 + 2  # begin, end; spare begin; end of input, none
    check(points, {"ab": ((1, 1),), "aaaab": ((1, 4),), "aac": ((2, 2),), "aaaac": ((2, 4),), "ac": None})
    plain = 's = "a" p "b"\np = *"a"\n'
    assert automaton(plain, {"p": ("p",)}).tags.registers == 2 + 2


def test_places_are_counted_in_characters() -> None:
    """The position is right even if only a later byte of a character shows where a component began."""
    points = automaton(
        's = *%xE9 (p / q)\np = 1*%x1F600-1F64F\nq = 1*%x4E00-4EFF "x"\n', {"p": ("p",), "q": ("q",)}
    )
    check(
        points,
        {
            "é😀😀": ((1, 3), NONE),
            "éé丁丁x": (NONE, (2, 5)),
            "😀": ((0, 1), NONE),
            "丁x": (NONE, (0, 2)),
            "丁": None,
            "\ud83d": None,
        },
    )


def test_a_rule_that_derives_nothing() -> None:
    points = automaton('s = "a" s\np = "b"\n', {"p": ("p",)}, {"k": ("p",)})
    check(points, {"": None, "a": None})


def test_states_that_say_the_same_are_one() -> None:
    """Registers store which components matched, so that states can be merged."""
    parts = [f"p{number}" for number in range(6)]
    rules = "".join(f'{part} = "{letter}"\n' for part, letter in zip(parts, "abcdef", strict=True))
    points = automaton(
        f"s = {' '.join(f'[{part}]' for part in parts)}\n{rules}", {part: (part,) for part in parts}
    )
    assert len(points.rows) == 7
    check(points, {"ace": ((0, 1), NONE, (1, 2), NONE, (2, 3), NONE), "f": (*[NONE] * 5, (0, 1)), "fa": None})


def test_the_meter_bounds_it() -> None:
    text = 's = *(p / q)\np = 3"a" ["b"]\nq = *2"a" "b"\n'
    parts = {"p": ("p",), "q": ("q",)}
    assert automaton(text, parts).rows
    with raises(LimitExceeded, "limit-steps", operation="the tagged automaton", limit=200):
        automaton(text, parts, budget=Budget(steps=200))


def test_work_grows_with_the_rule() -> None:
    """Work grows linearly with the number of repetitions of a component."""

    def made(size: int) -> None:
        assert automaton(f's = {size}(p ",")\np = 1*"a"\n', {"p": ("p",)}).rows

    small, large = steps(lambda: made(20)), steps(lambda: made(40))
    assert large < 3 * small
