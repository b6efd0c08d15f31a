"""ABNF in running text, and in the drafts in ``../shared`` if they exist."""

from __future__ import annotations

import pytest

from abnforge.errors import LimitExceeded
from abnforge.grammar.extract import extract, text
from abnforge.grammar.extract.text import MAX_READINGS, MAX_RULE_CHARACTERS, MAX_RULE_LINES
from abnforge.grammar.reader import read
from tests.law import each_row
from tests.places import ROOT, SHARED
from tests.work import finishes

SEEDS = SHARED / "seeds"

RFC = """\
3.2.  Authority

   The authority component is preceded by a double slash ("//") and is
   terminated by the next slash.  In what follows, x = y is no rule.

      authority   = [ userinfo "@" ] host
                    [ ":" port ]
      host        = IP-literal
                  / IPv4address  ; dotted

Berners-Lee, et al.         Standards Track                    [Page 17]
\f
RFC 3986                   URI Generic Syntax               January 2005


                  / reg-name
      port        = *DIGIT

   Pseudo-code is left out:

      result = "";
      result = ""
      if port == 80 then
      T.scheme = R.scheme

   The port is optional.  Collected:

   port = *DIGIT ; again
   reg-name = *( unreserved /
   pct-encoded
   )
   ; registered

   Prose follows
"""

EXTRACTED = """\
; Section 3.2
authority   = [ userinfo "@" ] host
              [ ":" port ]

host        = IP-literal
            / IPv4address  ; dotted
            / reg-name

port        = *DIGIT

reg-name = *( unreserved /
         pct-encoded
         )
         ; registered
"""


def extract_abnf(text: str) -> str:
    return extract(text, form="text").source.text


def test_extract() -> None:
    assert extract_abnf(RFC) == EXTRACTED


def test_extract_is_idempotent() -> None:
    assert extract_abnf(EXTRACTED) == EXTRACTED


def test_crlf() -> None:
    assert extract_abnf(RFC.replace("\n", "\r\n")) == EXTRACTED


@each_row("text", ["", "\n", "No grammar here.\n", "x == y", "a = (", "a = (\n" + "b\n" * 3])
def test_nothing_to_extract(text: str) -> None:
    assert extract_abnf(text) == ""


def test_definitions_that_differ_all_come_out() -> None:
    text = 'a = "x"\n\na = "y"\n\nA = "x"\n'
    expected = 'a = "x"\na = "y"\n'
    assert extract_abnf(text) == expected


@pytest.mark.parametrize(
    ("head", "line"), [("a = (\n", " b\n"), ("a = (\n", "b\n"), ("a = b\n", "/ b\n"), ("a = b\n", " b\n")]
)
def test_a_rule_has_a_limit_of_lines(head: str, line: str) -> None:
    closing = " )\n" if "(" in head else ""
    rules = read(extract_abnf(head + line * (MAX_RULE_LINES - 2) + closing)).rules
    assert len(rules) == 1
    assert extract_abnf(head + line * (2 * MAX_RULE_LINES) + closing).count("\n") <= MAX_RULE_LINES


def test_a_rule_has_a_limit_of_characters() -> None:
    long = "a = (\n" + " " * 6 + "b " * (MAX_RULE_CHARACTERS // 2) + "\n )\n"
    assert extract_abnf(long + '\nc = "d"\n') == 'c = "d"\n'


def test_a_string_that_is_read_again_and_again_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_RULE_LINES", 20)
    monkeypatch.setattr(text, "MAX_RULE_CHARACTERS", 2_000)
    # Each line is valid with the lines before it, but all together are not, so that they are parsed one by
    # one.
    rule = "a = b\n" + ("/ " + "b " * 40 + "\n") * 18 + " .\n\n"
    with pytest.raises(LimitExceeded) as caught:
        extract_abnf(rule * 20)
    assert caught.value.setting == "MAX_READINGS"
    assert str(MAX_READINGS) in str(caught.value)


@each_row(
    ("line", "message"),
    [
        ("   a = ( b\n", True),
        ('   a = "b\n', True),
        ("   a = 1*\n", True),
        ("   a = b / %x\n", True),
        ('   a == "b"\n', False),
        ("   bytes=0-499\n", False),
        ("   In what follows, x = y is no rule.\n", False),
        ('   title="Login", Basic realm="simple"\n', False),
        ("   scheme = 2.\n", False),
        ('   result = x.f("x");\n', False),
    ],
)
def test_lines_that_look_like_rules_and_are_none(line: str, message: bool) -> None:
    extraction = extract(f"1.  Title\n\n{line}\n   Prose.\n", "x", "text")
    assert extraction.rules == 0
    assert [(each.first, each.last, each.counts) for each in extraction.remarks] == [(3, 3, True)] * message


@each_row(
    ("heading", "section"),
    [
        ("3.2.  Authority", "3.2"),
        ("3.2 Authority", "3.2"),
        ("4.  ABNF", "4"),
        ("10.1.2", "10.1.2"),
        ("Appendix A.  Collected ABNF", "A"),
        ("Appendix B: Grammar", "B"),
        ("A.1.  Grammar", "A.1"),
        ("# 3.2. Authority", "3.2"),
        ("; Section 7.1", "7.1"),
        ("A Grammar", None),
        ("3 of them", None),
        ("   3.2.  Authority", None),
        ("3.2.  Authority .......... 7", None),
        ("12", None),
        ("3.2.  authority = 1", None),
    ],
)
def test_sections(heading: str, section: str | None) -> None:
    [rule] = read(extract_abnf(f"{heading}\n\n   a = %x61\n")).rules
    assert rule.section == section


def test_code_markers_end_a_rule() -> None:
    assert (
        extract_abnf('   <CODE BEGINS>\n   a = "b"\n     / "c"\n     <CODE ENDS>\n') == 'a = "b"\n  / "c"\n'
    )


def seed(prefix: str) -> str:
    paths = list(SEEDS.glob(f"{prefix}_*"))
    if not paths:
        pytest.skip("the shared seeds are not here")
    return paths[0].read_text("utf-8")


def test_appendix_a_of_the_draft() -> None:
    text = seed("004")
    start = text.rindex("Appendix A. Collected ABNF for URI")
    rules = read(extract_abnf(text[start : text.index("Appendix B.", start)])).rules
    grammar = read((ROOT / "grammars" / "rfc2396bis-07.abnf").read_text("utf-8")).rules
    assert [(rule.name, rule.elements) for rule in rules] == [(r.name, r.elements) for r in grammar]
    collected = read(extract(text, form="text", collected=True).source).rules
    assert [(rule.name, rule.elements) for rule in collected] == [(r.name, r.elements) for r in grammar]


@pytest.mark.parametrize(
    ("prefix", "count", "dialect"), [("000", 34, "rfc822"), ("003", 27, "abnf"), ("004", 36, "abnf")]
)
def test_whole_documents(prefix: str, count: int, dialect: str) -> None:
    rulelist = read(extract_abnf(seed(prefix)))
    assert (len(rulelist.rules), rulelist.dialect) == (count, dialect)
    assert len({rule.name.lower() for rule in rulelist.rules}) == count


PROSE = [
    (
        "TEXT = <any OCTET except CTLs,\n         but including LWS>",
        "<any OCTET except CTLs, but including LWS>",
    ),
    ("TEXT = <one\n       two,\r\n   three>", "<one two, three>"),
    ("TEXT = SP / 1*<one\n       two> / <three>", "SP / 1*<one two> / <three>"),
    ('TEXT = <any OCTET except <">>', "<any OCTET except DQUOTE>"),
    ('TEXT = "<" <any OCTET except\n  <"> and SP> ">"', '"<" <any OCTET except DQUOTE and SP> ">"'),
    ('TEXT = "<" / ">"', '"<" / ">"'),
]


@each_row(("rule", "expected"), PROSE)
@each_row(("name", "around"), [("x.txt", "1.  T\n\n   {}\n"), ("x.md", "~~~abnf\n   {}\n~~~\n")])
def test_prose_on_several_lines(rule: str, expected: str, name: str, around: str) -> None:
    text = around.format(f'{rule}\n   next = "x"')
    result = extract(text, name).source
    rules = [line for line in result.text.split("\n") if "=" in line]
    assert rules == [f"TEXT = {expected}", 'next = "x"']
    assert result.position(result.text.index("next"))[0] == text[: text.index("next")].count("\n") + 1


@pytest.mark.parametrize(
    "text", ["a = b <c\n  d = e> f\n" * 3, "a = <b\nc>\n", "a = <" + "b\n  " * 9 + ">\n"]
)
def test_other_lines_are_not_joined(text: str) -> None:
    assert "\n" not in text.strip() or "<b c>" not in extract(text, "x.txt").source.text


def test_prose_is_looked_for_in_linear_time() -> None:
    assert all(finishes(extract, text * 2_000, "x.txt") for text in ("a = <b ", "a = <b\n  ", 'a = <">'))
