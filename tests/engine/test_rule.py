"""Rules by name, and arguments that are rejected before an engine runs."""

from __future__ import annotations

import pytest

import abnforge
from tests.raising import raises


@pytest.mark.parametrize("bad", [None, 1, ["http://a/"], iter("a:b"), {"a:b"}])
@pytest.mark.parametrize("verb", ["matches", "parse", "explain", "check"])
@pytest.mark.parametrize(
    "rule", [abnforge.load("rfc3986")["URI"], abnforge.loads('r = "(" r ")" / "x"\n')["r"]]
)
def test_only_a_text_is_matched(bad: object, verb: str, rule: abnforge.Rule) -> None:
    if verb == "matches" and isinstance(bad, list | type(iter(""))):
        pytest.skip("a text in pieces")
    with raises(TypeError, "argument-type", name="text", type=type(bad).__name__):
        getattr(rule, verb)(bad)


def test_check_says_why() -> None:
    rule = abnforge.load("rfc3986")["URI"]
    rule.check("http://a/")
    with pytest.raises(abnforge.Rejected) as caught:
        rule.check("http://a b/")
    assert caught.value.rejection == rule.explain("http://a b/")


def test_prose_is_refused_by_name_when_it_is_matched() -> None:
    grammar = abnforge.loads('a = b "x"\nb = <something in words>\nc = "y"\n')
    assert grammar["c"].matches("y")
    for call in (grammar["a"].matches, grammar["a"].parse, grammar["a"].explain, grammar["b"].matches):
        with raises(abnforge.GrammarError, "prose-val", text="something in words") as caught:
            call("x")
        assert (caught.value.code, caught.value.rule, caught.value.line) == ("prose-val", "b", 2)


def test_no_prose_is_met_where_it_is_repeated_zero_times() -> None:
    assert abnforge.load("rfc3986")["path-empty"].matches("")


def test_unknown_names_come_with_near_misses() -> None:
    grammar = abnforge.load("rfc3986")
    with raises(KeyError, "rule-name-unknown"):
        grammar["URI-refrence"]
    with raises(KeyError, "grammar-unknown", grammar="rfc3968", near=("rfc3986", "rfc3987", "rfc2396")):
        abnforge.load("rfc3968")
    with raises(ValueError, "argument-choice", name="engine", value="regex"):
        grammar["URI"].matches("", engine="regex")
    with raises(ValueError, "rule-recursive", rule="s"):
        abnforge.loads('s = "(" s ")" / "x"\n')["s"].matches("x", engine="automaton")


def test_rule_names_match_without_regard_to_case() -> None:
    grammar = abnforge.load("rfc3986")
    assert grammar["uri-REFERENCE"] is grammar["URI-reference"]
    assert grammar["uri"].name == "URI"
