"""Names of groups: as each dialect spells them, and each once."""

from __future__ import annotations

import abnforge


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
