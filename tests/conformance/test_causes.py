"""Wrong verdicts are grouped by cause."""

from __future__ import annotations

import re
from random import Random

import pytest

import abnforge
from abnforge.conformance import run
from abnforge.conformance.acceptor import Acceptor
from abnforge.conformance.causes import MAX_SLOW
from abnforge.conformance.judges import Answer, Judge
from abnforge.conformance.running import run_suite
from abnforge.conformance.suites import suite
from tests.conformance.test_complete import is_equal, mutant
from tests.law import one_in

URI = abnforge.load("rfc3986")

OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"

# Rule, implementation, and the complete report: string, the rule's verdict, innermost rule.
TOLD = [
    ("port", lambda text: re.match("^[0-9]*$", text), [("\n", False, "port")]),
    ("port", lambda text: re.fullmatch(r"\d*", text), [("\u0661", False, "port")]),
    ("scheme", lambda text: re.fullmatch("[a-z][a-z0-9+.-]*", text), [("A", True, "ALPHA")]),
    ("h16", lambda text: re.fullmatch("[0-9a-f]{1,4}", text), [("A", True, "HEXDIG")]),
    ("dec-octet", lambda text: re.fullmatch(OCTET, text) and text != "255", [("255", True, "dec-octet")]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "judge", "expected"), one_in(2, TOLD))
def test_causes(rule: str, judge: object, expected: list[tuple[str, bool, str]]) -> None:
    report = run(URI[rule], judge)  # type: ignore[arg-type]
    assert [(each.text, each.valid, each.rule_path[-1]) for each in report.deviations] == expected
    for each in report.deviations:
        assert each.rule_path[0] == rule


TIME = abnforge.loads(
    'time = hour ":" minute [ ":" second ]\nhour = ( "0" / "1" ) DIGIT / "2" %x30-33\n'
    "minute = %x30-35 DIGIT\nsecond = %x30-35 DIGIT\n"
)


def is_time(text: str) -> bool:
    """Return whether a string is a time for a careless program: fields can be short or empty."""
    numbers = [int(each or "0") if re.fullmatch("[0-9]*", each) else 99 for each in text.split(":")]
    most = (23, 59, 60)
    return len(numbers) in (2, 3) and all(
        number <= limit for number, limit in zip(numbers, most, strict=False)
    )


def test_a_shorter_string_keeps_its_cause() -> None:
    """Each short field is a cause of its own, although the implementation also accepts ":"."""
    report = run(TIME["time"], is_time, "quick")
    texts = [each.text for each in report.deviations]
    assert texts == [":", "1:", "3:", "11:", "11:6", "11::", "11:11:", "11:11:6"]
    assert sum(each.count for each in report.deviations) == report.differing


def shortest(acceptor: Acceptor, rows: list[list[int]], accepting: list[bool]) -> int:
    queue = [(0, 0, 0)]
    met = {(0, 0)}
    for one, other, length in queue:
        if acceptor.accepting[one] is not accepting[other]:
            return length
        for pair in zip(acceptor.rows[one], rows[other], strict=True):
            if pair not in met:
                met.add(pair)
                queue.append((*pair, length + 1))
    raise AssertionError


@pytest.mark.parametrize("name", one_in(2, ["scheme", "dec-octet", "IPv4address", "path-abempty"]))
def test_what_is_reported_of_a_mutant_is_a_shortest_string(name: str) -> None:
    acceptor = Acceptor(URI[name].automaton)
    source = Random(5)
    strings = suite(URI[name], "quick", 1)
    for number in range(6):
        rows, accepting = mutant(acceptor, source, number % 2 == 1)
        if is_equal(acceptor, rows, accepting):
            continue

        class Mutant(Judge):
            def answers(self, texts):  # type: ignore[no-untyped-def]
                for text in texts:
                    state = 0
                    for char in text:
                        state = rows[state][acceptor.automaton.class_of(char)]  # noqa: B023
                    yield Answer(accepting[state])  # noqa: B023

        report = run_suite(strings, Mutant())
        assert len(report.deviations[0].text) == shortest(acceptor, rows, accepting)


@pytest.mark.slow
def test_few_questions_more_where_they_are_dear() -> None:
    class Dear(Judge):
        is_slow = True
        count = 0

        def answers(self, texts):  # type: ignore[no-untyped-def]
            for text in texts:
                self.count += 1
                yield Answer(len(text) % 3 == 0)

    judge = Dear()
    report = run(URI["authority"], judge)
    assert report.differing > 1_000
    assert judge.count <= report.tried + MAX_SLOW + 10
