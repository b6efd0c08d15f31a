"""ABNF out of RFC text; the drafts in ``../shared`` are used where they are present."""

from __future__ import annotations

import pytest

from abnforge.abnf.extract import MAX_RULE_LINES, extract_abnf
from abnforge.abnf.reader import read
from tests.places import ROOT, SHARED

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


def test_extract() -> None:
    assert extract_abnf(RFC) == EXTRACTED


def test_extract_is_idempotent() -> None:
    assert extract_abnf(EXTRACTED) == EXTRACTED


def test_crlf() -> None:
    assert extract_abnf(RFC.replace("\n", "\r\n")) == EXTRACTED


@pytest.mark.parametrize("text", ["", "\n", "No grammar here.\n", "x == y", "a = (", "a = (\n" + "b\n" * 3])
def test_nothing_to_extract(text: str) -> None:
    assert extract_abnf(text) == ""


def test_definitions_that_differ_all_come_out() -> None:
    assert extract_abnf('a = "x"\n\na = "y"\n\nA = "x"\n') == 'a = "x"\n\na = "y"\n'


def test_a_rule_has_a_limit_of_lines() -> None:
    assert extract_abnf("a = (\n" + " b\n" * (2 * MAX_RULE_LINES) + " )\n") == ""


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


@pytest.mark.parametrize(
    ("prefix", "count", "dialect"), [("000", 34, "rfc822"), ("003", 27, "abnf"), ("004", 36, "abnf")]
)
def test_whole_documents(prefix: str, count: int, dialect: str) -> None:
    rulelist = read(extract_abnf(seed(prefix)))
    assert (len(rulelist.rules), rulelist.dialect) == (count, dialect)
    assert len({rule.name.lower() for rule in rulelist.rules}) == count
