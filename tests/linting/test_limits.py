"""Grammars that are expensive to lint: a result, or a named limit, within bounded work."""

from __future__ import annotations

import pytest

import abnforge
from tests.work import calls

CALLS = 20_000_000  # maximum number of calls; the most expensive grammar takes five million
# Each of these takes seconds.
SLOW = ("a billion", "exponential length", "left recursion everywhere")
HOSTILE = {
    "a billion": ("a = 999999999*ALPHA *ALPHA\n", "check-incomplete"),
    "exponential automaton": ('a = *%x61-62 "." 40%x61-62 *( "." %x61-62 )\nb = a "," / *a\n', None),
    "exponential length": (
        "".join(f"a{i} = a{i + 1} a{i + 1}\n" for i in range(60)) + 'a60 = *"."\n',
        "check-incomplete",
    ),
    "left recursion everywhere": (
        "".join(f"a{i} = {' / '.join(f'a{j} %x{j + 33:x}' for j in range(20))} / %x20\n" for i in range(20)),
        "left-recursion-indirect",
    ),
    "many keywords": (
        "a = " + " / ".join(f'"k{i}"' for i in range(2000)) + ' / "k7"\n',
        "shadowed-alternative",
    ),
    "keywords and a rule": (
        "a = " + " / ".join(f'"k{i}"' for i in range(2000)) + " / ALPHA\n",
        "check-incomplete",
    ),
    "deep brackets": ("a = " + "*(" * 49 + "ALPHA" + ")" * 49 + "\n", "nullable-loop"),
    "all recursive": ('a = a a / a a a / "."\n', "ambiguous"),
    "only itself": ("a = a / a\n", "never-terminates"),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in HOSTILE]
)
def test_bounded(name: str) -> None:
    text, expected = HOSTILE[name]
    result: set[str] = set()
    calls(lambda: result.update(finding.name for finding in abnforge.lint(text)), most=CALLS)
    assert expected is None or expected in result
