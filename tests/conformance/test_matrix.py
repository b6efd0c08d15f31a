"""Several implementations: clusters, pairs, and strings that show each difference."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable

import pytest

import abnforge
from abnforge.conformance import Command, Matrix, parses, pattern, run, run_all
from abnforge.conformance.judges import as_judge
from tests.raising import raises

URI = abnforge.load("rfc3986")
EXPRESSION = abnforge.loads('e = t *( "+" t )\nt = 1*DIGIT / "(" e ")"\n')["e"]


def balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and not text.endswith("+")


def digits(text: str) -> bool:
    return re.fullmatch("[0-9+]*[0-9]", text) is not None


# Rule, and implementations by name.
SEVERAL = {
    "addresses": (
        URI["IPv4address"],
        {
            "ipaddress": parses(ipaddress.IPv4Address),
            "inet_aton": parses(socket.inet_aton),
            "pattern": re.compile("[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+"),
            "rule": URI["IPv4address"],
        },
    ),
    "ports": (
        URI["port"],
        {"isdigit": str.isdigit, "int": parses(int), "none": lambda text: False},
    ),
    "recursive": (EXPRESSION, {"balanced": balanced, "digits": digits}),
}


@pytest.fixture(
    params=["addresses", "ports", pytest.param("recursive", marks=pytest.mark.slow)], scope="module"
)
def several(request: pytest.FixtureRequest) -> tuple[Matrix, dict[str, Callable[[str], bool]]]:
    rule, judges = SEVERAL[request.param]
    verdicts = {
        name: judge.matches if isinstance(judge, abnforge.Rule) else as_judge(judge)  # type: ignore[arg-type]
        for name, judge in judges.items()
    }
    return run_all(rule, judges, "quick"), verdicts  # type: ignore[arg-type]


def test_the_strings_of_a_cluster_have_its_verdicts(
    several: tuple[Matrix, dict[str, Callable[[str], bool]]],
) -> None:
    matrix, verdicts = several
    assert not matrix.passed
    for cluster in matrix.clusters:
        assert cluster.deviating
        assert sum(each.count for each in cluster.deviations) == cluster.count
        for each in cluster.deviations:
            assert matrix.suite.rule.matches(each.text) is cluster.valid
            accepted = [name for name, verdict in verdicts.items() if verdict(each.text)]
            assert tuple(accepted) == cluster.accepted
            assert not cluster.skipped


def test_numbers_are_those_of_the_suite(
    several: tuple[Matrix, dict[str, Callable[[str], bool]]],
) -> None:
    matrix, verdicts = several
    texts = {vector.text: vector.valid for vector in matrix.suite}
    answers = {name: {text: verdict(text) for text in texts} for name, verdict in verdicts.items()}
    for name in matrix.names:
        assert matrix.differing(name) == matrix.reports[name].differing
        assert matrix.differing(name) == sum(answers[name][text] is not texts[text] for text in texts)
        for other in matrix.names:
            count = sum(answers[name][text] is not answers[other][text] for text in texts)
            assert matrix.differing(name, other) == matrix.differing(other, name) == count
            witness = matrix.witness(name, other)
            assert (witness is None) is (count == 0)
            if witness is not None:
                assert verdicts[name](witness) is not verdicts[other](witness)


def test_reports_equal_those_of_one_implementation() -> None:
    rule, judges = SEVERAL["ports"]
    matrix = run_all(rule, judges, "quick")  # type: ignore[arg-type]
    for name, judge in judges.items():
        assert matrix.reports[name].to_dict() == run(rule, judge, "quick").to_dict()  # type: ignore[arg-type]


def test_strings_that_cannot_be_passed() -> None:
    rule = abnforge.loads("r = %x00 [ %x00 ]\n")["r"]
    matrix = run_all(rule, {"program": Command(["false"]), "none": lambda text: False}, "quick")
    [cluster] = matrix.clusters
    assert (cluster.accepted, cluster.rejected, cluster.skipped) == ((), ("none",), ("program",))
    assert not cluster.separates("program", "none")
    assert {each.text for each in cluster.deviations} <= {"\0", "\0\0"}
    assert matrix.reports["program"].skipped == sum("\0" in vector.text for vector in matrix.suite) > 0


def test_agreement() -> None:
    matrix = run_all(URI["port"], {"a": URI["port"], "b": re.compile("[0-9]*")}, "quick")
    assert (matrix.passed, matrix.clusters, matrix.witness("a", "b")) == (True, (), None)
    assert matrix.to_dict()["pairs"] == [{"names": ["a", "b"], "differing": 0, "text": None}]
    with raises(ValueError, "matrix-name", name="c"):
        matrix.differing("c")


BYTES = abnforge.loads('data = "#" 1*%x80-FF\n', alphabet="bytes")["data"]


def test_patterns_of_bytes() -> None:
    patterns = {"compiled": re.compile(rb"#[\x80-\xff]+"), "value": pattern(r"#[\x80-\xff]+")}
    assert run_all(BYTES, patterns, "quick").passed
    for each in patterns.values():
        assert run(BYTES, each, "quick").passed
    assert not run(BYTES, pattern(r"#[\x80-\xff]*"), "quick").passed
    with raises(ValueError, "pattern-bytes-dialect", dialect="re2"):
        run(BYTES, pattern("#", "re2"))
    with raises(ValueError, "pattern-bytes"):
        run(BYTES, pattern("\u0100"))
    with raises(TypeError, "argument-type", name="judge"):
        run_all(BYTES, {"str": re.compile("#")})
