"""The transformers return the same objects as ``parse``, from the tree of every engine.

``parse`` finds components by a walk in C or by a pattern, without a tree.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from random import Random

import pytest
from hypothesis import strategies as st
from lark import Transformer

import abnforge
from abnforge import uri
from abnforge.grammar.sentences import Sentences
from abnforge.uri.common import component_rules
from tests.law import each_row, law
from tests.reference.references import references

EDITIONS = {"rfc3986": uri, "rfc2396": uri.rfc2396}
ENGINES = ("lark", "automaton", "general")
OBJECTS = {
    "rfc3986": ("URI", "URI-reference", "absolute-URI", "relative-ref", "authority"),
    "rfc2396": ("URI-reference", "absoluteURI", "relativeURI", "authority", "server"),
}
"""The rules that parse to a component object."""

RULES = [
    (name, abnforge.load(name).rules[key].name)
    for name, rules in OBJECTS.items()
    for key in sorted({*component_rules(abnforge.load(name)["URI-reference"]), *map(str.lower, rules)})
]
"""These rules, and the rules that are themselves a component."""

EXAMPLES = [
    *("", "a:", "a:b", "a:/", "a:/.//b", "a:?#", "/", "//", "///", "//h", "//@:", "?", "#", ".", "./a:b"),
    *(
        "http://u:p@h:80/a;x/b?q#f",
        "http://a.b.",
        "http://1.2.3.4",
        "//[::1.2.3.4]:1",
        "//[v1.a:b]",
        "//%41?",
    ),
    *("mailto:a@b", "urn:a:b", "//a_b", "//$,;/a", "a:b?c#d", "a;b/c;d", "x/y;z?", "a/", "h:80", "u@h:", "h"),
    *("[::1]", "1.2.3.4:5", "$,", "1.2.3", "256.1.1.1", "a.", "a_b", "//1.2.3.4.", "/a", "?q", "//@h", "a"),
]


def described(value: object) -> object:
    """Return everything that a caller can see of a parse: class, components, kinds, and rule."""
    return [type(value).__qualname__, value.to_dict() if hasattr(value, "to_dict") else repr(value)]


def check(name: str, rule: str, text: str) -> bool:
    """Compare the results of the transformer, and return whether the string matches the rule."""
    edition, judge = EDITIONS[name], abnforge.load(name)[rule]
    if not judge.matches(text):
        return False
    parsed = edition.parse(text, rule)
    assert isinstance(parsed, str) is (rule not in OBJECTS[name])
    assert str(parsed) == text
    for engine in ENGINES:
        value = edition.URITransformer().transform(judge.parse(text, engine=engine))
        assert value == parsed, (engine, rule, text)
        assert described(value) == described(parsed), (engine, rule, text)
    return True


@pytest.mark.parametrize("edition", EDITIONS.values())
def test_it_is_a_transformer_of_lark(edition: object) -> None:
    assert issubclass(edition.URITransformer, Transformer)  # type: ignore[attr-defined]
    assert "URITransformer" in edition.__all__  # type: ignore[attr-defined]


@each_row(("name", "rule"), RULES)
def test_examples(name: str, rule: str) -> None:
    is_object = rule in OBJECTS[name]
    texts = [*EXAMPLES[:: 2 if is_object else 1], *references(4, 3 if is_object else 0)]
    assert sum(check(name, rule, text) for text in texts)


@each_row("text", ["//a b", "b c"])
def test_parse_rejects_strings_that_have_no_tree(text: str) -> None:
    for name, rules in OBJECTS.items():
        for rule in rules:
            with pytest.raises(abnforge.Rejected):
                EDITIONS[name].parse(text, rule)


@law(st.sampled_from(RULES), st.integers(0, 2**32), few=20, many=1_000)
def test_strings_of_each_rule(rule: tuple[str, str], seed: int) -> None:
    grammar = abnforge.load(rule[0])
    text = Sentences(grammar.core, grammar.facts).random(rule[1].lower(), Random(seed), 60)
    assert check(*rule, text)


WITHOUT_C = """
import json, sys
import abnforge
from abnforge import uri
from tests.laws.test_uri_transformers import EDITIONS, check, described
assert abnforge.KERNEL == "python"
rows = json.load(sys.stdin)
assert all([check(*row) for row in rows])
print(json.dumps([described(EDITIONS[name].parse(text, rule)) for name, rule, text in rows]))
"""


def test_it_is_the_same_without_the_c_extension() -> None:
    rows = [(n, r, text) for n in OBJECTS for r in OBJECTS[n] for text in (*EXAMPLES[::6], *references(3, 2))]
    rows = [row for row in rows if abnforge.load(row[0])[row[1]].matches(row[2])]
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_C],
        input=json.dumps(rows),
        env={**os.environ, "ABNFORGE_KERNEL": "python", "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == [described(EDITIONS[n].parse(text, r)) for n, r, text in rows]
