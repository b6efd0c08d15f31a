"""Group names are unique and valid in their dialect, and counts respect the dialect's limits."""

from __future__ import annotations

import pytest

import abnforge
from tests.law import each_row


def test_names_of_groups() -> None:
    grammar = abnforge.loads('start = a-b a-b a-b-2\na-b = %s"x"\na-b-2 = %s"y"\n')
    groups = ["a-b", "A-B-2"]
    start = grammar["start"]
    assert start.export("re2", groups=groups) == r"\A(?:(?P<a_b>x)(?P<a_b_2>x)(?P<a_b_2_2>y))\z"
    assert start.export("java", groups=groups) == r"\A(?:(?<aB>x)(?<aB2>x)(?<aB22>y))\z"
    name = "a-" + "b" * 40
    long = abnforge.loads(f'start = {name} {name}\n{name} = %s"x"\n')["start"]
    names = f"a_{'b' * 30}", f"a_{'b' * 28}_2"
    expected = r"(*NO_AUTO_POSSESS)\A(?:(?<{}>x)(?<{}>x))\z".format(*names)
    assert long.export("pcre2", groups=[name]) == expected


@each_row(
    ("definition", "pattern"),
    [
        ("*1000%x61", "a{0,1000}"),
        ("3*1000%x61", "a{3,1000}"),
        ("*2000%x61", "a{0,1000}a{0,1000}"),
        *(
            pytest.param(*row, marks=pytest.mark.slow)
            for row in [
                ("*2001%x61", "a{0,1000}a{0,1000}a?"),
                ("2000%x61", "a{1000}a{1000}"),
                ("2001*2002%x61", "a{1000}a{1000}a{1}a?"),
                ("2000*2500%x61", "a{1000}a{1000}a{0,500}"),
            ]
        ),
        ("1001*%x61", "a{1000}a{1}a*"),
    ],
)
def test_counts_around_the_limit_of_a_dialect(definition: str, pattern: str) -> None:
    assert abnforge.loads(f"s = {definition}\n")["s"].export("re2", anchored=False) == pattern
