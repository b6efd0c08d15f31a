"""The proof detects each change of a number or text in a file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

import abnforge
from abnforge.budget import DEFAULT
from abnforge.codegen import proof
from abnforge.codegen.proof import TARGETS, ProofError
from abnforge.engine import export
from tests.law import one_in
from tests.raising import raises

WIDE = 'start = a / b\na = *%x80-7FF "."\nb = %x800-D7FF %xE000 %x10000-10FFFF [a]\n'
RULES = [(WIDE, "start", ("a",)), (None, "date-time", ("full-date", "time-secfrac"))]
# Lines of arrays, which Java has in strings, and definitions of constants.
LINE = re.compile(
    r"^(?:.*\b(?:WIDTH|START|POINTS) = \d+\b|\s*(?:\+ )?\"?(?:-?\d+, *)+-?\d*\"?$)", re.MULTILINE
)
Prove = Callable[[str], None]


def proved(
    text: str | None, name: str, parts: tuple[str, ...], target: str
) -> tuple[str, Callable[[str], None]]:
    """Return a proved file, and a function that proves another file in its place."""
    rule = (abnforge.load("rfc3339") if text is None else abnforge.loads(text))[name]
    calls: list[tuple[object, ...]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(proof, "prove", lambda *arguments: calls.append(arguments))
        file = export.source_code(rule, target, parts, None)
    ((of, written, *rest),) = calls
    assert file == written
    tables, automata, _ = rest
    return file, lambda changed: proof.prove(of, changed, tables, automata, DEFAULT.meter("proof"))


def mutants(text: str, count: int) -> list[str]:
    """Return files that differ in one number of an array."""
    generator = random.Random(35)
    lines = [line.span() for line in LINE.finditer(text)]
    places = [place for begin, end in lines for place in re.compile(r"-?\b\d+\b").finditer(text, begin, end)]
    numbers = sorted({int(place[0]) for place in places})
    results = []
    for place in generator.sample(places, min(count, len(places))):
        number = int(place[0])
        others = [each for each in (number + 1, number - 1, *numbers) if each != number]
        if generator.random() < 0.3:  # Python would read such an index from the end
            others = [number - generator.randrange(number + 1, number + 60)]
        results.append(text[: place.start()] + str(generator.choice(others)) + text[place.end() :])
    return results


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("text", "name", "parts", "count"), one_in(3, [(*RULES[0], 30), (*RULES[0], 100), (*RULES[1], 600)])
)
def test_changed_numbers_are_detected(
    text: str | None, name: str, parts: tuple[str, ...], count: int, target: str
) -> None:
    file, prove = proved(text, name, parts, target)
    prove(file)
    for mutant in [file.replace("the end", "the start"), *mutants(file, count)]:
        with raises(ProofError, "code-differs", target=target):
            prove(mutant)


def test_limits_of_the_proof() -> None:
    """A proof that exceeds the budget is not a difference."""
    rule = abnforge.loads('start = 1*100"a"\n', budget=abnforge.Budget(steps=20_000))["start"]
    with raises(abnforge.LimitExceeded, "limit-exceeded", setting="budget.steps"):
        rule.export("code-c")
