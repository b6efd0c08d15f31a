"""The bundled grammars carry examples for every rule that an application would start from."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.engine.examples import count

URI = ["URI", "URI-reference", "absolute-URI", "relative-ref", "scheme", "authority", "host", "port"]
ADDRESSES = ["IPv6address", "IPv4address"]
STARTS = {
    "rfc2396": [
        "URI-reference",
        "absoluteURI",
        "relativeURI",
        "scheme",
        "authority",
        "host",
        "path",
        "query",
    ],
    "rfc2396bis-07": [*URI, *ADDRESSES, "IP-literal", "path", "query", "fragment"],
    "rfc3339": ["date-time", "full-date", "full-time", "partial-time", "time-offset"],
    "rfc3986": [*URI, *ADDRESSES, "IP-literal", "path", "query", "fragment"],
    "rfc3987": ["IRI", "IRI-reference", "absolute-IRI", "irelative-ref", "ihost", "ipath", *ADDRESSES],
    "rfc5234": ["rulelist", "rule", "rulename", "elements", "repeat", "char-val", "num-val"],
    "rfc5321": ["Mailbox", "Domain", "Local-part", "address-literal"],
    "rfc6874": [*URI, *ADDRESSES, "IP-literal", "IPv6addrz", "ZoneID", "path", "query", "fragment"],
}
WANTED = 3
ALL_OF_IT = {("rfc2396", "space")}  # derives one string


def test_all_grammars_are_looked_at() -> None:
    assert sorted(STARTS) == abnforge.grammar_names()


@pytest.mark.parametrize("name", STARTS)
def test_there_are_enough(name: str) -> None:
    grammar = abnforge.load(name)
    ends = [rule.name for rule in grammar.own_rules if not set(rule.used_by) - {rule.name}]
    for rule in {grammar.start.name, *ends, *STARTS[name]}:
        if (name, rule) not in ALL_OF_IT:
            assert min(count(grammar.examples[rule])) >= WANTED, rule


@pytest.mark.parametrize("name", STARTS)
def test_they_are_what_they_say_and_there_once(name: str) -> None:
    results = abnforge.load(name).test()
    assert [each.message for each in results if not each.passed] == []
    texts = [(each.example.rule, each.example.text) for each in results]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", STARTS)
def test_some_are_the_specifications(name: str) -> None:
    """The rule that the grammar starts at has examples with the section that they are from."""
    notes = [each.note for each in abnforge.load(name).examples[abnforge.load(name).start.name]]
    assert any(note and ("section" in note or "appendix" in note) for note in notes)
