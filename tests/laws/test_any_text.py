"""Parser, lint and extraction never crash. Positions are inside the input, and printing is lossless."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

import abnforge
from abnforge.grammar import extract, printer, reader
from tests.law import law
from tests.reference.strategies import grammars

# Tokens of grammars, and typical mistakes.
WORDS = r"""
"a" "" " %x61 %x61-7A %x0D.0A %d97 %b1100001 %s"aB" %i"aB" %x %x61- %xFFFFFFFF %x5A-41 %d1114112 'a' < >
<r0> <ALPHA> ( ) [ ] * 1* *2 3*2 2*3 0*0 99999999999999999999* # 1# 2#3r0 = =/ := ::= / | // . , - -- ; ;;;
r0 r1 r-2 r_3 R0 -r 9r ALPHA DIGIT undefined
"""
TOKENS = [
    *WORDS.split(),
    *("<a prose>", "; a comment", "; section 3.2", "[Page 7]\n", "RFC 1234   Title   May 2001\n", ";@ match"),
    *("\n", "\r\n", "\r", "\n ", "\n\n", "\t", " ", "  ", "\f", "\x0b", "\x85", "\ufeff", "\n;\n", "\0"),
    *(";@ allow unused-rule (so)", "é", "\u2028", "\ud800"),
]


@cache
def paragraphs() -> list[str]:
    """Return all rules of the bundled grammars, each with the comments around it."""
    sources = (abnforge.load(name).source.text for name in abnforge.grammar_names())
    return [part for text in sources for part in text.split("\n\n") if part.strip()]


@st.composite
def edited(draw: st.DrawFn) -> str:
    """Return rules or a random grammar, with inserted tokens, or with a removed or doubled part."""
    several = st.lists(st.sampled_from(paragraphs()), min_size=1, max_size=3).map("\n\n".join)
    text = draw(st.one_of(several, grammars(recursive=True)))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(text)))
        end = place + draw(st.sampled_from((0, 1, 3, 12)))
        new = draw(st.one_of(st.sampled_from(TOKENS), st.sampled_from(("", text[place:end] * 2))))
        text = text[:place] + new + text[end:]
    return text


texts = st.one_of(st.lists(st.sampled_from(TOKENS), max_size=30).map("".join), st.deferred(edited))


@law(texts, few=12, many=150)
def test_any_text(text: str) -> None:
    lines = text.count("\n") + 1
    model, errors = reader.read_partial(text)
    loading = None
    try:
        abnforge.loads(text)
    except abnforge.GrammarError as error:
        loading = error
    for each in loading.errors if loading else ():
        assert 0 <= each.line <= lines
        assert each.column >= 0
    assert str(loading)
    extract.extract(text)
    findings = abnforge.lint(text)
    assert all(0 <= finding.line <= lines for finding in findings)
    assert loading is None or any(finding.severity == "error" for finding in findings)
    if not errors:
        printed = printer.print_rulelist(model)
        again = reader.read(printed, dialect=model.dialect)
        assert again == model
        assert printer.print_rulelist(again) == printed
        for rule in model.rules:
            reader.read(f"x = {printer.print_alternation(rule.elements)}\n", dialect=model.dialect)
