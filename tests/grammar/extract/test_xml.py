"""Blocks in RFC XML, and the positions of their characters."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge.errors import GrammarError
from abnforge.grammar.extract import extract
from abnforge.grammar.extract.markup import MAX_ENTITY
from abnforge.grammar.reader import read
from tests.law import each_row
from tests.raising import raises

DRAFT = """\
<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE rfc SYSTEM "rfc2629.dtd" [
  <!ENTITY nbsp "&#160;">
  <!ENTITY rfc5234 SYSTEM "https://example.com/reference.RFC.5234.xml">
]>
<rfc version="3">
<front><title>Éx</title></front>
<middle>
<section><name>Introduction</name><t>&nbsp;x = y &unknown;</t></section>
<section><name>Syntax &amp; more</name>
  <section title="Parts">
    <sourcecode type="abnf">
      pair  = "e" &lt;value&gt;   ; &quot;one&quot; &amp;
            / name
    </sourcecode>
    <t>Text.</t>
    <artwork type="ABNF" name="é"><![CDATA[
name = 1*ALPHA ; <any>
]]></artwork>
    <sourcecode type="json">{"a": "b"}</sourcecode>
  </section>
</section>
<section numbered="false"><name>Thanks</name></section>
</middle>
<back>
<references>&rfc5234;</references>
<section><name>Other</name></section>
<section><name>Last</name><section><name>Values</name>
<sourcecode type="abnf9110">value = "&#x78;"</sourcecode></section></section>
</back>
</rfc>
"""


def test_blocks() -> None:
    extraction = extract(DRAFT, "draft.xml")
    assert extraction.form == "xml"
    expected = (
        '; Section 2.1\npair  = "e" <value>   ; "one" &\n      / name\n\nname = 1*ALPHA ; <any>\n\n'
        '; Appendix B.1\nvalue = "x"\n'
    )
    assert extraction.source.text == (expected)
    assert extraction.remarks == ()
    rules = read('value = "x"\n').rules
    assert [(rule.name, rule.section) for rule in read(extraction.source).rules] == [
        ("pair", "2.1"),
        ("name", "2.1"),
        (rules[0].name, "B.1"),
    ]


def test_each_character_has_its_place() -> None:
    result = extract(DRAFT, "draft.xml").source
    lines = DRAFT.split("\n")
    results = {"<": "&lt;", ">": "&gt;", '"': "&quot;", "&": "&amp;"}
    characters = 0
    for offset, character in enumerate(result.text):
        if result.draft.own[offset]:
            line, column = result.position(offset)
            assert lines[line - 1][column - 1] == character
            characters += 1
        elif character in results and character == result.text[offset]:
            line, column = result.position(offset)
            assert lines[line - 1][column - 1 :].startswith((results[character], "<sourcecode", "&#x78;"))
    assert characters > 60


def test_an_error_is_reported_where_it_is() -> None:
    with pytest.raises(GrammarError) as caught:
        read(extract(DRAFT.replace("/ name", "/ ( name"), "draft.xml").source)
    assert caught.value.location == "draft.xml:14:21"
    assert (caught.value.message.code, caught.value.closer) == ("closer-missing", ")")


@pytest.mark.parametrize(
    ("attributes", "number"),
    [('pn="section-3.2"', "3.2"), ('pn="section-appendix.a"', "A"), ('pn="section-a.1"', "A.1"), ("", "1")],
)
def test_sections_that_are_numbered_already(attributes: str, number: str) -> None:
    block = '<sourcecode type="abnf">a = b</sourcecode>'
    text = f"<rfc><middle><section {attributes}>{block}</section></middle></rfc>"
    [rule] = read(extract(text, "x.xml").source).rules
    assert rule.section == number


def test_crlf() -> None:
    extraction = extract(DRAFT.replace("\n", "\r\n"), "draft.xml")
    assert extraction.source.text == extract(DRAFT, "draft.xml").source.text
    for offset in (extraction.source.text.index("pair"), extraction.source.text.index("name = ")):
        assert extraction.source.position(offset) == extract(DRAFT, "draft.xml").source.position(offset)


def test_a_block_that_nobody_calls_abnf() -> None:
    text = "<rfc><middle>\n<artwork>\n  a = %x61\n  +---+\n  b = %x62</artwork>{}</middle></rfc>"
    alone = extract(text.replace("{}", ""), "x.xml")
    assert (alone.source.text, alone.remarks) == ("a = %x61\nb = %x62\n", ())
    beside = extract(text.replace("{}", '<artwork type="abnf">c = a</artwork>'), "x.xml")
    assert beside.source.text == "c = a\n"
    assert [(each.first, each.last, each.counts) for each in beside.remarks] == [(3, 5, True)]
    assert beside.remarks[0].message.data == {"rules": ("a", "b")}


@each_row(
    ("text", "line", "code"),
    [
        ("", 1, "no element found"),
        ("<rfc>\n<a></rfc>", 2, "mismatched tag"),
        ("<rfc>\n<middle>", 2, "no element found"),
        ("<rfc>é\n<a b=c/></rfc>", 2, "not well-formed"),
        ("<rfc>\n&#x0;</rfc>", 2, "invalid character number"),
        ("<rfc/>\n<rfc/>", 2, "junk after document element"),
        ("<rfc>\x00</rfc>", 1, "not well-formed"),
    ],
)
def test_xml_that_is_damaged(text: str, line: int, code: str) -> None:
    with pytest.raises(GrammarError) as caught:
        extract(text, "x.xml")
    assert caught.value.line == line
    assert code in caught.value.message


def test_entities_made_of_others_are_rejected() -> None:
    laughs = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)
    )
    with raises(GrammarError, "xml-entity", name="b", limit=MAX_ENTITY):
        extract(f"<!DOCTYPE rfc [{laughs}]><rfc>&j;</rfc>", "x.xml")


def test_a_long_entity_is_rejected_and_a_short_one_is_not_written_out() -> None:
    text = '<!DOCTYPE rfc [<!ENTITY a "{}">]><rfc><sourcecode type="abnf">x = "&a;"</sourcecode></rfc>'
    assert extract(text.format("b" * MAX_ENTITY), "x.xml").source.text == 'x = "&a;"\n'
    with raises(GrammarError, "xml-entity", name="a", limit=MAX_ENTITY):
        extract(text.format("b" * (MAX_ENTITY + 1)), "x.xml")


def test_nothing_outside_is_read(tmp_path: object) -> None:
    text = (
        f'<!DOCTYPE rfc [<!ENTITY out SYSTEM "file://{tmp_path}/no-such-file">]>'
        '<rfc><sourcecode type="abnf">a = "&out;"</sourcecode></rfc>'
    )
    assert extract(text, "x.xml").source.text == 'a = "&out;"\n'


def test_elements_nested_deeply() -> None:
    depth = 50_000
    inner = '<sourcecode type="abnf">a = b</sourcecode>'
    extraction = extract("<rfc>" + "<t>" * depth + inner + "</t>" * depth + "</rfc>", "x.xml")
    assert extraction.source.text == "a = b\n"


LINKS = [
    ('<xref target="R" section="3.2"/>', "Section 3.2 of [URI]"),
    ('<xref target="R" section="A.1" sectionFormat="of"/>', "Appendix A.1 of [URI]"),
    ('<xref target="R" section="3.2" sectionFormat="comma" format="default"></xref>', "[URI], Section 3.2"),
    ('<xref target="R" section="3.2" sectionFormat="parens"/>', "[URI] (Section 3.2)"),
    ('<xref target="R" section="3.2" sectionFormat="bare"/>', "3.2"),
    ('<xref target="R" x:fmt="," x:sec="3.2"/>', "[URI], Section 3.2"),
    ('<xref target="R" x:fmt="()" x:sec="3.2"/>', "[URI] (Section 3.2)"),
    ('<xref target="R" x:fmt="number" x:sec="3.2"/>', "3.2"),
    ('<xref target="R" x:fmt="none">the\n  text</xref>', "the text"),
    ('<xref target="R"/>', "[URI]"),
    ('<xref target="R">the text</xref>', "the text ([URI])"),
    ('<xref target="R" format="none">the text</xref>', "the text"),
    ('<xref target="RFC1"/>', "[RFC1]"),
    ('<xref target="elsewhere" derivedContent="OTHER"/>', "[OTHER]"),
    ('<xref target="syntax"/>', "Section 1"),
    ('<xref target="syntax" format="counter"/>', "1"),
    ('<xref target="more" derivedContent="Appendix A"/>', "Appendix A"),
    ('<relref target="R" section="3.2"/>', "Section 3.2 of [URI]"),
    ('<relref target="R" section="3.2" displayFormat="comma"/>', "[URI], Section 3.2"),
    ('<relref target="R" section="3.2" displayFormat="bare">the text</relref>', "the text (3.2)"),
    ('<eref target="https://a.example/">the\n  text</eref>', "the text"),
    ('<eref target="https://a.example/"/> b', "https://a.example/ b"),
    ("<strong>a<em>b</em></strong> <tt>c</tt>", "ab c"),
]


@each_row(("link", "shown"), LINKS)
def test_links_are_what_the_text_of_the_rfc_shows(link: str, shown: str) -> None:
    text = (
        '<rfc xmlns:x="http://purl.org/net/xml2rfc/ext"><middle><section anchor="syntax"><name>S</name>\n'
        f'<sourcecode type="abnf">\na = &lt;b, see {link}&gt;\nc = "x"\n</sourcecode></section></middle>\n'
        '<back><displayreference target="R" to="URI"/><references><reference anchor="RFC1"/>'
        '<reference anchor="R"/></references><section anchor="more"/></back></rfc>\n'
    )
    result = extract(text, "x.xml").source
    assert result.text == f'; Section 1\na = <b, see {shown}>\nc = "x"\n'
    assert result.position(result.text.index("c = ")) == (text[: text.index("c = ")].count("\n") + 1, 1)
    assert result.position(result.text.index("<b, see ") + 8)[0] == 3


@pytest.mark.parametrize("form", ["comma", "of"])
def test_references_in_links_can_be_imported(form: str, tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_text(
        '<rfc version="3"><middle><section><sourcecode type="abnf">Host = uri-host\nuri-host = &lt;host, see '
        f'<xref target="RFC3986" section="3.2.2" sectionFormat="{form}"/>&gt;</sourcecode></section></middle>'
        '<back><displayreference target="RFC3986" to="URI"/></back></rfc>\n'
    )
    grammar = abnforge.load(tmp_path / "x.xml", imports=["rfc3986"])
    assert abnforge.compare(grammar["uri-host"], abnforge.load("rfc3986")["host"]).relation == "equal"
