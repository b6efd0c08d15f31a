"""The codes that a rejection can have."""

from __future__ import annotations

import copy
import pickle

import abnforge
from abnforge.explain.codes import Codes
from abnforge.explain.mistakes import MistakeExample
from tests.explain.endpoints import ENDPOINT
from tests.law import each_row

GRAMMAR = abnforge.loads(ENDPOINT, name="endpoint")


def test_every_code_is_listed_in_order() -> None:
    assert list(GRAMMAR.codes)[:3] == ["port-junk", "space-in-host", "space-in-label"]
    assert list(GRAMMAR.codes)[-1] == "not-utf-8"
    assert {f"unreadable-{rule.name}" for rule in GRAMMAR.own_rules} <= set(GRAMMAR.codes)


def test_what_a_code_means() -> None:
    code = GRAMMAR.codes["port-junk"]
    assert str(code) == code.meaning
    assert "<junk>" in code.meaning
    assert (code.rule, code.place, code.section) == ("port", "instead of port", "2")
    assert code.examples == (MistakeExample("a:80x", "a:80"), MistakeExample("8O", "8", "port"))
    assert (code.valid_examples[0].valid, code.sources) == ("a:80", ("an issue tracker",))
    assert code.definition == "port-junk = digits junk"
    assert GRAMMAR.codes["space-in-label"].section == "RFC 1035, section 2.3.1"
    catch_all = GRAMMAR.codes["unreadable-port"]
    assert (catch_all.rule, catch_all.section, catch_all.definition) == ("port", "2", None)
    assert GRAMMAR.codes["not-utf-8"].rule is None


@each_row("text", ["", "a:80x", "a b", "a..b", "a:b:c", "[", "a:8 0", "é", "a:80 "])
@each_row("rule", ["endpoint", "host", "port"])
def test_a_rejection_has_a_code_of_the_list(text: str, rule: str) -> None:
    rejection = GRAMMAR[rule].explain(text, hypotheses=5)
    if rejection is None:
        return
    assert {rejection.code, *(each.code for each in rejection.hypotheses)} <= set(GRAMMAR.codes)
    assert rejection.code == rejection.hypotheses[0].code
    octets = GRAMMAR[rule].explain(text.encode() + b"\xff")
    assert octets is not None
    assert octets.code in GRAMMAR.codes


def test_codes_travel() -> None:
    for again in (copy.copy(GRAMMAR.codes), pickle.loads(pickle.dumps(GRAMMAR.codes))):
        assert isinstance(again, Codes)
        assert (dict(again), list(again)) == (dict(GRAMMAR.codes), list(GRAMMAR.codes))
    assert repr(GRAMMAR.codes) == f"<Codes: {len(GRAMMAR.codes)}>"
