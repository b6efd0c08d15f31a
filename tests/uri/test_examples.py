"""Every engine parses every example of the RFCs into its components."""

from __future__ import annotations

from typing import Any

import pytest

import abnforge
from abnforge import uri
from abnforge.uri import rfc2396
from tests.law import each_row, one_in
from tests.reference.examples import cases

READERS = {"rfc3986": uri.parse, "rfc2396": rfc2396.parse}


def rows() -> list[Any]:
    results = [(grammar, case) for grammar in READERS for case in cases(grammar)]
    assert len(results) > 200, "the tables are gone"
    return one_in(2, results)


@each_row(("grammar", "case"), rows())
def test_example(grammar: str, case: dict[str, Any]) -> None:
    rule = abnforge.load(grammar)[case["rule"]]
    for engine in ("auto", "automaton", "lark"):
        assert rule.matches(case["text"], engine=engine) is case["valid"], engine
    if not case["valid"]:
        assert rule.explain(case["text"]) is not None
        return
    tree = rule.parse(case["text"])
    assert "".join(tree.scan_values(lambda _: True)) == case["text"]
    components: Any = READERS[grammar](case["text"], rule=case["rule"])
    assert str(components) == case["text"]
    for name, text in case.get("components", {}).items():
        assert getattr(components, name) == text, name
    for name in case.get("undefined", ()):
        assert getattr(components, name) is None, name


@pytest.mark.parametrize(
    "grammar",
    ["rfc2396", "rfc3986"]
    + [pytest.param(name, marks=pytest.mark.slow) for name in ("rfc2396bis-07", "rfc3987", "rfc6874")],
)
def test_every_rule_can_be_the_start(grammar: str) -> None:
    """Every engine matches a shortest string of the rule, and rejects it with an additional character."""
    for rule in abnforge.load(grammar).values():
        witness = abnforge.compare(rule, rule).common
        assert witness is not None, rule.name
        for engine in ("auto", "automaton", "lark"):
            assert rule.matches(witness, engine=engine), (rule.name, engine)
            assert not rule.matches(witness + "\n\0", engine=engine), (rule.name, engine)
        assert rule.lark.parse(witness) == rule.parse(witness, engine="automaton"), rule.name
