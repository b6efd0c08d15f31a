"""Examples from the RFCs, checked by another implementation, and examples in bundled grammars."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

import abnforge
from abnforge.engine.examples import count
from tests.grammars.texts import matches
from tests.law import each_row, one_in
from tests.places import DATA

CASES = {
    name: tomllib.loads((DATA / f"examples_{name}.toml").read_text(encoding="utf-8"))["case"]
    for name in ("rfc2396", "rfc3986")
}
EXAMPLES = one_in(2, [(name, case) for name in CASES for case in CASES[name]])
assert len(EXAMPLES) > 200, "the tables of examples are empty or lost"
FIVE = ("scheme", "authority", "path", "query", "fragment")
# RFC 3986, appendix B; RFC 2396, appendix B.
SPLIT = re.compile(r"^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?")


@pytest.mark.parametrize("name", CASES)
def test_names_of_examples_are_unique(name: str) -> None:
    names = [case["name"] for case in CASES[name]]
    assert len(set(names)) == len(names)


@each_row(("name", "case"), EXAMPLES)
def test_example(name: str, case: dict[str, Any]) -> None:
    assert matches(name, case["rule"], case["text"]) is case["valid"]
    for key in ("target", "target_nonstrict"):
        if key in case:
            assert matches(name, "URI-reference", case[key])
    if "equivalent" in case:
        assert matches(name, case["rule"], case["equivalent"])


@each_row(
    ("name", "case"), [e for e in EXAMPLES if isinstance(e.values[1], dict) and "components" in e.values[1]]
)
def test_components_of_example(name: str, case: dict[str, Any]) -> None:
    stated = case["components"] | dict.fromkeys(case.get("undefined", ()))
    assert case["valid"]
    assert not case["components"].keys() & set(case.get("undefined", ()))
    split = SPLIT.match(case["text"])
    assert split
    for key, part in zip(FIVE, split.group(2, 4, 5, 7, 9), strict=True):
        assert stated.get(key, part) == part
    if isinstance(stated.get("authority"), str) and "host" in stated:
        userinfo, port = stated["userinfo"], stated["port"]
        assert stated["authority"] == (
            (f"{userinfo}@" if userinfo is not None else "")
            + stated["host"]
            + (f":{port}" if port is not None else "")
        )
    for rule in ("scheme", "authority", "userinfo", "host", "port", "query", "fragment"):
        if stated.get(rule) is not None:
            assert matches(name, rule, stated[rule])


URI = ["URI", "URI-reference", "absolute-URI", "relative-ref", "scheme", "authority", "host", "port"]
ADDRESSES = ["IPv6address", "IPv4address"]
STARTS = {
    "nquads-1.1": ["nquadsDoc", "line", "statement"],
    "ntriples-1.1": ["ntriplesDoc", "line", "triple", "literal", "IRIREF", "STRING-LITERAL-QUOTE", "LANGTAG"],
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
    "rfc3261": ["SIP-message", "SIP-URI", "SIPS-URI", "name-addr", "Via", "From", "To", "Contact", "CSeq"],
    "rfc3339": ["date-time", "full-date", "full-time", "partial-time", "time-offset"],
    "rfc3986": [*URI, *ADDRESSES, "IP-literal", "path", "query", "fragment"],
    "rfc3987": ["IRI", "IRI-reference", "absolute-IRI", "irelative-ref", "ihost", "ipath", *ADDRESSES],
    "rfc4647": ["language-range", "extended-language-range"],
    "rfc5234": ["rulelist", "rule", "rulename", "elements", "repeat", "char-val", "num-val"],
    "rfc5321": ["Mailbox", "Domain", "Local-part", "address-literal"],
    "rfc5322": ["address", "mailbox", "address-list", "addr-spec", "date-time", "msg-id", "unstructured"],
    "rfc5646": ["Language-Tag", "langtag", "language", "script", "region", "privateuse"],
    "rfc6265": ["set-cookie-header", "cookie-header", "cookie-string", "cookie-value", "domain-value"],
    "rfc6570": ["URI-Template", "expression", "varname"],
    "rfc6874": [*URI, *ADDRESSES, "IP-literal", "IPv6addrz", "ZoneID", "path", "query", "fragment"],
    "rfc6901": ["json-pointer", "reference-token", "array-index"],
    "rfc8259": ["JSON-text", "value", "object", "array", "number", "string"],
    "rfc8288": ["Link", "link-value", "link-param"],
    "rfc9051": ["command", "response", "greeting", "date-time", "mailbox", "sequence-set", "search-key"],
    "rfc9110": ["field-name", "field-value", "token", "quoted-string", "HTTP-date", "http-URI"],
    "rfc9111": ["Cache-Control", "Age", "Expires"],
    "rfc9112": ["HTTP-message", "request-line", "status-line", "field-line", "chunked-body"],
    "rfc9535": ["jsonpath-query", "singular-query", "normalized-path", "selector"],
    "rfc9562": ["UUID"],
    "rfc9651": ["sf-list", "sf-dictionary", "sf-item", "sf-integer", "sf-string", "sf-token"],
    "semver-2.0.0": ["valid-semver", "version-core", "pre-release", "build"],
    "toml-1.0.0": ["toml", "key", "string", "integer", "float", "date-time", "array", "inline-table"],
    "toml-1.1.0": ["toml", "key", "string", "integer", "float", "date-time", "array", "inline-table"],
}
WANTED = 3
ALL_OF_IT = {("rfc2396", "space")}  # matches a single string


def test_all_grammars_are_looked_at() -> None:
    assert sorted(STARTS) == abnforge.grammar_names()


@each_row("name", STARTS)
def test_there_are_enough(name: str) -> None:
    grammar = abnforge.load(name)
    ends = [rule.name for rule in grammar.own_rules if not set(rule.used_by) - {rule.name}]
    for rule in {grammar.start.name, *ends, *STARTS[name]}:
        if (name, rule) not in ALL_OF_IT:
            assert min(count(grammar.examples[rule])) >= WANTED, rule


@each_row("name", STARTS)
def test_they_are_what_they_say_and_there_once(name: str) -> None:
    results = abnforge.load(name).test()
    assert [each.message for each in results if not each.passed] == []
    texts = [(each.example.rule, each.example.text) for each in results]
    assert len(set(texts)) == len(texts)


# The TOML specification has examples in running text, but none is a complete document.
WITHOUT_SECTIONS = {"toml-1.0.0", "toml-1.1.0"}


@each_row("name", sorted(STARTS.keys() - WITHOUT_SECTIONS))
def test_some_are_the_specifications(name: str) -> None:
    """The start rule of the grammar has examples that cite a section."""
    notes = [each.note for each in abnforge.load(name).examples[abnforge.load(name).start.name]]
    assert any(note and (any(word in note for word in ("section", "appendix", "item"))) for note in notes)
