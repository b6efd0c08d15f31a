"""Arrays of texts that a narrower rule rejects are told of as the texts are one by one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pyarrow as pa
import pytest

import abnforge
from abnforge import columns, uri
from abnforge.columns.rejections import told_of_narrowed
from tests.columns.answers import TEXTS, TYPES, URI, octets_in
from tests.columns.test_rejections import told_of
from tests.law import one_in

rejections = import_module("abnforge.columns.rejections")
pytestmark = pytest.mark.usefixtures("implementation")

SEVEN_BIT = abnforge.loads("seven-bit = *%x00-7F\n", name="mine")["seven-bit"]
IRI = abnforge.rule("rfc3987:IRI")
RULES = {
    "policy": uri.policy(schemes=["http", "a"], require_host=True, max_port=80, max_length=40).rule(URI),
    "of its own": uri.policy(rules=[SEVEN_BIT], max_length=12).rule(IRI),
    "plain": (IRI & SEVEN_BIT) - uri.policy(schemes=["a"]).rule(IRI),
    "of others": (URI | SEVEN_BIT.at_most(3)).at_most(9),
}
MORE = ["http:é", "http://h:81/", "http://h:080/", "a:" + 60 * "é", "javascript:alert(1)", "http:///", "a:\n"]


def explain(rule: abnforge.Rule, texts: Any) -> Any:
    """As ``columns.rejections`` tells of them, but for their rows."""
    told = columns.rejections(rule, texts)
    assert told.field("row").to_pylist() == list(range(len(texts)))
    return pa.StructArray.from_arrays(told.flatten()[1:], fields=list(told.type)[1:])


@pytest.mark.parametrize("kind", one_in(3, TYPES))
@pytest.mark.parametrize("name", RULES)
def test_as_one_by_one(name: str, kind: str) -> None:
    rule = RULES[name]
    texts = [text for text in [*TEXTS, *MORE] if text is not None and not rule.matches(text)]
    octets = octets_in(TYPES[kind])
    array = pa.array([text.encode() if octets else text for text in texts], TYPES[kind])
    found = told_of_narrowed(rule, array, explain)
    if name == "of others":
        assert found is None
        return
    found.validate(full=True)
    wanted = [told_of(0, rule.explain(text.encode() if octets else text, suggest=False)) for text in texts]  # type: ignore[arg-type]
    assert [{**each, "row": 0} for each in found.to_pylist()] == wanted
    without = told_of_narrowed(rule, array, explain, message=False)
    assert without.field("code").equals(found.field("code"))


def test_other_rules_are_left_to_others() -> None:
    assert told_of_narrowed(URI, pa.array(["a b"]), explain) is None
    assert told_of_narrowed(~URI, pa.array(["a:"]), explain) is None
    assert told_of_narrowed(URI.at_most(3), pa.array([b"a:\xff"]), explain) is None
