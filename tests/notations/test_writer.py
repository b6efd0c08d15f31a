"""Grammars in other notations: their text, errors, and the verdicts of engines."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.notations.notation import NOTATIONS
from tests.law import each_row
from tests.notations.engines import ENGINES, lark_parser, strings
from tests.raising import raises

# Constructs that need different signs: words, sets, counts, empty strings, nested repetitions, long choices.
GRAMMAR = """\
start = "get" SP [ *2item 3*3DIGIT ] %s"-]\\"
item = *( 2*"," / %x22 / %xE9 / %x1F600-1F64F ) / fragment
fragment = ""
"""
# Sets beyond U+FFFF in one choice.
PLANES = (
    "start = *( low / middle / high )\nlow = %x21-7E\nmiddle = %xA0-D7FF / %x10000-1FFFD / %x20000-2FFFD\n"
)
PLANES += "high = %xE000-F8FF / %xF0000-FFFFD\n"

REFUSALS = [
    ('start = start "x"', "gbnf", "notation-empty"),
    ("start = %xD800", "llguidance", "notation-empty"),
    ("start = %x00", "gbnf", "notation-empty"),
    ('start = 1001"x"', "antlr4", "notation-copies"),
    ('start = *5000"x"', "antlr4", "notation-copies"),
    ('start = "a" [ start ] "a"', "peggy", "notation-ordered"),
    ('start = *( "a" / "b" ) "a" 12( "a" / "b" )', "pest", "notation-states"),
    ('start = *start start "x" / "y"', "antlr4", "notation-left"),
]


@each_row(("grammar", "target", "code"), REFUSALS)
def test_refusals(grammar: str, target: str, code: str) -> None:
    with raises(abnforge.catalog.ArgumentError, code):
        abnforge.loads(grammar + "\n")["start"].export(target)


@pytest.mark.parametrize("target", NOTATIONS)
def test_texts(target: str, snapshot: SnapshotAssertion) -> None:
    assert abnforge.loads(GRAMMAR)["start"].export(target) == snapshot


@pytest.mark.parametrize("target", NOTATIONS)
def test_groups_and_parts_are_rejected(target: str) -> None:
    rule = abnforge.loads("start = item\nitem = ALPHA\n")["start"]
    with raises(abnforge.catalog.ArgumentError, "export-groups"):
        rule.export(target, groups=["item"])
    with raises(abnforge.catalog.ArgumentError, "export-parts"):
        rule.export(target, parts=["item"])


RULES = [
    "rfc3986:URI", "rfc3987:IRI", "rfc5322:address", "rfc5646:Language-Tag", "rfc6265:set-cookie-string",
    "rfc6570:URI-Template", "rfc8259:JSON-text", "rfc9110:Accept", "rfc9535:jsonpath-query",
    "semver-2.0.0:valid-semver", "toml-1.0.0:val",
]  # fmt: skip


# Recursive rules whose next character decides each choice.
NESTED = [
    'start = *"a" / "b" start "c"\n',
    'start = "[" [ start *( "," start ) ] "]" / 1*DIGIT / "{" *( key ":" start ";" ) "}"\nkey = 1*ALPHA\n',
]


def verify(engine, target: str, rules: Sequence[abnforge.Rule], most: int) -> None:
    jobs = [(rule.export(target), strings(rule, most, NOTATIONS[target].alphabet)) for rule in rules]
    results = list(engine(jobs))
    assert len(results) == len(jobs)
    for rule, (_, texts), verdicts in zip(rules, jobs, results, strict=True):
        assert dict(zip(texts, verdicts, strict=True)) == {text: rule.matches(text) for text in texts}, rule


@pytest.mark.slow
def test_lark_reads_the_grammars_of_recursive_rules_for_llguidance() -> None:
    rules = list(map(abnforge.rule, ("rfc8259:JSON-text", "rfc9110:comment")))
    verify(lark_parser, "llguidance", rules, 100)
    verify(lambda jobs: lark_parser(jobs, parser="lalr"), "llguidance", rules[:1], 100)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "engine"), [(target, name) for target, engines in ENGINES.items() for name in engines]
)
def test_engines_give_the_verdicts_of_the_rule(target: str, engine: str) -> None:
    rules = list(map(abnforge.rule, RULES))
    if NOTATIONS[target].ordered:
        rules = [*filter(lambda rule: rule.regular, rules), abnforge.rule("rfc9110:comment")]
        rules += [abnforge.loads(text)["start"] for text in NESTED]
    verify(ENGINES[target][engine], target, rules, 300)
    made = [abnforge.loads(GRAMMAR)["start"], abnforge.rule("rfc3986:scheme").at_most(4)]
    made.append(abnforge.rule("rfc3986:path-empty"))
    verify(ENGINES[target][engine], target, made, 300)
    planes = abnforge.loads(PLANES)["start"]
    texts = ["", "!~", "\ufffe", "\U0001fffd", "\U0001fffe", "\U0002ffff", "\U000effff", "\U000f0000\ue000"]
    (verdicts,) = ENGINES[target][engine]([(planes.export(target), texts)])
    assert verdicts == list(map(planes.matches, texts))
