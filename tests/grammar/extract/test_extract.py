"""ABNF in documents: recognized blocks, one definition per rule, and messages."""

from __future__ import annotations

from html import escape
from itertools import product
from textwrap import indent

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.grammar.binding import canonical
from abnforge.grammar.extract import FORMS, extract, form_of
from abnforge.grammar.extract.text import NOTHING
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.reader import read
from abnforge.grammar.syntax import Rulelist
from tests.law import each_row, law, one_in
from tests.places import ROOT, SHARED
from tests.raising import raises
from tests.reference.strategies import grammars

RFCTEXT = SHARED / "grammars" / "rfctext"


def wrapped(form: str, text: str) -> str:
    """Return a document with a grammar."""
    return {
        "text": f"Abstract\n\n   Some prose.\n\n1.  Syntax\n\n{indent(text, '      ')}\n   Prose follows.\n",
        "xml": f'<rfc><middle><section><name>S</name><sourcecode type="abnf">{escape(text)}</sourcecode>'
        "</section></middle></rfc>",
        "cdata": f'<rfc><sourcecode type="abnf"><![CDATA[\n{indent(text, "  ")}]]></sourcecode></rfc>',
        "markdown": f"# Title\n\nSome prose.\n\n~~~~~~ abnf\n{text}~~~~~~\n",
        "html": f'<!doctype html><h2>1. Syntax</h2><pre class="abnf">\n{escape(text)}</pre>',
    }[form]


def definitions(rulelist: Rulelist) -> list[tuple[str, bool, object]]:
    return [(rule.name, rule.incremental, rule.elements) for rule in rulelist.rules]


WRAPPED = ("text", "xml", "cdata", "markdown", "html")


@law(st.sampled_from(WRAPPED), grammars(recursive=True), few=6, many=150)
def test_a_grammar_in_a_document_extracts_to_itself(form: str, text: str) -> None:
    extraction = extract(wrapped(form, text), form={"cdata": "xml"}.get(form, form))
    # An empty definition counts as pseudo-code in running text.
    nothing = [rule.name for rule in read(text).rules if print_alternation(rule.elements) == NOTHING]
    kept = [each for each in definitions(read(text)) if form != "text" or each[0] not in nothing]
    assert definitions(read(extraction.source)) == kept
    assert (extraction.rules, extraction.remarks) == (len(kept), ())


@each_row(("form", "name"), one_in(9, product(WRAPPED, abnforge.grammar_names())))
def test_bundled_grammars_in_a_document_extract_to_themselves(form: str, name: str) -> None:
    text = (ROOT / "grammars" / f"{name}.abnf").read_text("utf-8")
    extraction = extract(wrapped(form, text), form={"cdata": "xml"}.get(form, form))
    want, got = read(text).rules, read(extraction.source).rules
    assert [(each.name, canonical(each.elements)) for each in got] == [
        (each.name, canonical(each.elements)) for each in want
    ]
    assert extraction.remarks == ()
    if form != "text":  # in text, a comment between prose-vals can belong to the prose
        assert [each.elements for each in got] == [each.elements for each in want]


@each_row(
    ("name", "text", "form"),
    [
        ("a.txt", "```abnf\n", "text"),
        ("a.xml", "", "xml"),
        ("a.md", "<rfc>", "markdown"),
        ("A.HTML", "", "html"),
        ("a.txt", "<!doctype html>", "html"),
        ("a.txt", "<?xml version='1.0'?>\n<rfc>", "xml"),
        ("a", "<rfc>", "xml"),
        ("a", '<?xml version="1.0"?><!DOCTYPE html><html>', "html"),
        ("a", "text\n\n```abnf\n", "markdown"),
        ("a", "---\ntitle: x\n--- abstract\n", "markdown"),
        ("a", "1.  Title", "text"),
        ("", "", "text"),
    ],
)
def test_what_a_document_is_written_in(name: str, text: str, form: str) -> None:
    assert form_of(name, text) == form
    assert form in FORMS


def test_an_unknown_form() -> None:
    with raises(ValueError, "argument-choice", name="form", value="pdf"):
        extract("", form="pdf")


TWICE = """\
1.  One

     a = b
     x = "1" / a

2.  Two

     x = "2"
     old = "o"
     b = c

Appendix A.  Collected ABNF

     a = b
     x = "1"
       / a

Appendix B.  Changes

     b = "d"
"""


def test_definitions_that_differ_are_told() -> None:
    extraction = extract(TWICE, "x.txt")
    assert [rule.name for rule in read(extraction.source).rules] == ["a", "x", "x", "old", "b", "b"]
    assert (extraction.rules, extraction.repeated) == (6, 2)
    assert {each.message.code for each in extraction.remarks} == {"rule-differs"}
    assert [(each.first, each.last, each.message.data, each.counts) for each in extraction.remarks] == [
        (8, 8, {"name": "x", "line": 4}, True),
        (20, 20, {"name": "b", "line": 10}, True),
    ]


def test_the_section_that_collects_the_grammar_comes_first() -> None:
    extraction = extract(TWICE, "x.txt", collected=True)
    expected = '; Section 2\nb = c\n\n; Appendix A\na = b\n\nx = "1"\n  / a\n'
    assert extraction.source.text == expected
    assert [
        (each.first, each.message.code, each.message.data, each.counts) for each in extraction.remarks
    ] == [
        (8, "rule-differs-skipped", {"name": "x", "line": 15}, False),
        (9, "rule-not-collected", {"name": "old", "section": "A"}, False),
        (20, "rule-differs-skipped", {"name": "b", "line": 10}, False),
    ]


def test_without_such_a_section_the_first_definition_comes_out() -> None:
    extraction = extract(TWICE.replace("Collected", "More"), "x.txt", collected=True)
    assert [rule.name for rule in read(extraction.source).rules] == ["a", "x", "old", "b"]
    assert [(each.first, each.counts) for each in extraction.remarks] == [(8, True), (20, True)]


# The grammar of the abnf package replaces prose by a reference. It has no name for "uri-host = <host, see
# [RFC3986], Section 3.2.2>".
DECIDED = {"rfc7230": {"uri-host"}}


@pytest.mark.parametrize("name", one_in(3, ["rfc7235", "rfc7230", "rfc7233"]))
def test_rfcs_extract_to_the_rules_of_the_abnf_package(name: str) -> None:
    path = RFCTEXT / f"{name}.txt"
    if not path.is_file():
        pytest.skip("the shared texts are not here")
    imports = ["rfc3986", *(["abnf:rfc7230", "abnf:rfc7231", "abnf:rfc7232"] if name != "rfc7230" else [])]
    grammar = abnforge.load(path, imports=imports)
    package = abnforge.load(f"abnf:{name}")
    own = {rule.name.lower(): rule for rule in grammar.own_rules}
    theirs = {rule.name.lower(): rule for rule in package.own_rules}
    assert own.keys() - theirs.keys() == DECIDED.get(name, set())
    assert theirs.keys() <= own.keys()
    for key, rule in theirs.items():
        assert abnforge.compare(own[key], rule).relation == "equal", key


def test_bodies_of_rfcs_are_read_with_lists() -> None:
    path = RFCTEXT / "rfc7235.txt"
    if not path.is_file():
        pytest.skip("the shared texts are not here")
    text = path.read_text("utf-8")
    body = extract(text[: text.rindex("Appendix C.  Collected ABNF")], str(path)).source
    grammar = abnforge.loads(body.text, imports=["abnf:rfc7230"], lists="recipient")
    package = abnforge.load("abnf:rfc7235")
    for rule in ("challenge", "credentials", "Proxy-Authenticate", "WWW-Authenticate"):
        # The collected rules of RFC 7235 have the lists of RFC 7230, which allow less whitespace around empty
        # elements than those of RFC 9110.
        comparison = abnforge.compare(grammar[rule], package[rule])
        assert (rule, comparison.relation) == (rule, "wider")
        assert (comparison.only_left or "").endswith(",\t")


LISTED = [
    ("#( b [ c ] )", '[ ( b [ c ] ) *( OWS "," OWS ( b [ c ] ) ) ]'),  # RFC 9110, appendix A
    ("1#b", 'b *( OWS "," OWS b )'),
    ("2#b", 'b 1*( OWS "," OWS b )'),
    ("1#b", '*( "," OWS ) b *( OWS "," [ OWS b ] )'),  # RFC 7230, appendix B
    ("#b", '[ ( "," / b ) *( OWS "," [ OWS b ] ) ]'),
    ("1#b", "1#( b )"),
    ('1*("0")', '1*"0"'),
    ("%x62 / ( c / %x64 )", "%x62 / %x64 / c"),
    ("( b c ) [ d ]", "b c *1d"),
]


@each_row(("one", "other"), LISTED)
@each_row("collected", [False, True])
def test_definitions_that_say_the_same_are_one(one: str, other: str, collected: bool) -> None:
    for first, second in ((one, other), (other, one)):
        text = f"~~~abnf\na = {first}\n~~~\n\n# 9. Collected ABNF\n\n~~~abnf\na = {second}\n~~~\n"
        extraction = extract(text, "x.md", collected=collected)
        assert (extraction.rules, extraction.repeated, extraction.remarks) == (1, 1, ())


DIFFERENT = [
    ("#b", "1#b"),
    ("#b", '[ b *( OWS "," OWS c ) ]'),
    ("b c", "( b / c )"),
    ("[ b ]", "b"),
    ("*b", "1*b"),
]


@each_row(("one", "other"), DIFFERENT)
def test_definitions_that_differ_are_reported(one: str, other: str) -> None:
    extraction = extract(f"~~~abnf\na = {one}\na = {other}\n~~~\n", "x.md")
    assert (extraction.rules, extraction.repeated, len(extraction.remarks)) == (2, 0, 1)


@pytest.mark.parametrize("name", ["rfc7230", "rfc7233", "rfc7235"])
def test_nothing_is_reported_of_an_rfc_that_collects_its_grammar(name: str) -> None:
    path = RFCTEXT / f"{name}.txt"
    if not path.is_file():
        pytest.skip("the shared texts are not here")
    assert extract(path.read_text("utf-8"), path.name).remarks == ()
