"""Grammars made to be expensive: an answer, or a named limit, in bounded time."""

from __future__ import annotations

import time

import pytest

import abnforge

SECONDS = 20.0  # each takes one or two; the limit is for slow machines

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
    "many keywords": ("a = " + " / ".join(f'"k{i}"' for i in range(2000)) + "\n", "check-incomplete"),
    "deep brackets": ("a = " + "*(" * 49 + "ALPHA" + ")" * 49 + "\n", "nullable-loop"),
    "all recursive": ('a = a a / a a a / "."\n', "ambiguous"),
    "only itself": ("a = a / a\n", "never-terminates"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_bounded(name: str) -> None:
    text, expected = HOSTILE[name]
    started = time.monotonic()
    found = {finding.name for finding in abnforge.lint(text)}
    assert time.monotonic() - started < SECONDS
    assert expected is None or expected in found
