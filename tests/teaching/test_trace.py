"""Traces: failed alternatives match up to the reported position, and chosen ones are in the tree."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.engine.grammar import sentences
from abnforge.teaching.derivations import nodes_of
from abnforge.teaching.trace import FailedAlternative, TraceChoice, read_nodes, trace
from tests.law import law
from tests.raising import raises

RFC3986 = abnforge.load("rfc3986")
HOST = TraceChoice(
    "host",
    7,
    16,
    (FailedAlternative("IP-literal", 7, False), FailedAlternative("IPv4address", 14, True)),
    "reg-name",
)


@pytest.mark.parametrize("text", ["http://1.2.3.4.5/", "http://1.2.3.4.5 x/"])
def test_a_host_that_is_no_address(text: str) -> None:
    assert trace(RFC3986["URI"], text)[0] == HOST


def test_what_read_nothing_is_reported_once() -> None:
    result = trace(RFC3986["URI"], "a:12")
    assert TraceChoice("unreserved", 2, 3, (FailedAlternative("ALPHA", 2, False),), "DIGIT", 2) in result
    places = [(each.rule, each.taken, *(a.rule for a in each.attempts)) for each in result]
    assert len(places) == len(set(places))


def test_nothing_is_tried_where_there_is_no_choice() -> None:
    assert trace(RFC3986["port"], "80") == []
    assert trace(RFC3986["port"], "x") == []


@law(
    st.sampled_from(["rfc3986", "rfc3339", "rfc6570", "semver-2.0.0"]),
    st.integers(0, 10**6),
    few=30,
    many=500,
)
def test_attempts_are_facts(name: str, seed: int) -> None:
    rule = abnforge.load(name).start
    [text] = sentences(rule, count=1, seed=seed, size=30)
    nodes = {(node.rule, node.start, node.end) for node in nodes_of(rule, text)}
    for each in trace(rule, text):
        assert {(each.rule, each.start, each.end), (each.taken, each.start, each.end)} <= nodes
        for attempt in each.attempts:
            assert each.start <= attempt.end <= each.end
            tried = rule.grammar[attempt.rule]
            assert tried.matches(text[each.start : attempt.end]) is attempt.complete
            # The first matching alternative is chosen, so no failed one matches everything.
            assert not (attempt.end == each.end and attempt.complete)


def test_of_a_string_that_is_not_derived_what_was_read() -> None:
    text = '[1, {"a": tru}]'
    nodes = read_nodes(abnforge.load("rfc8259")["JSON-text"], text)
    assert (nodes[0].rule, nodes[0].start) == ("JSON-text", 0)
    assert nodes[0].end <= 13
    for before, node in pairwise(nodes):
        assert node.depth <= before.depth + 1
        assert node.start <= node.end <= nodes[0].end
    assert read_nodes(RFC3986["URI"], "//x") == []


def test_misuse() -> None:
    with raises(TypeError, "argument-type", name="rule"):
        trace("port", "80")  # type: ignore[arg-type]
    with raises(TypeError, "argument-type", name="text"):
        trace(RFC3986["port"], 80)  # type: ignore[arg-type]
