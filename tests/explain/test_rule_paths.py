"""The innermost rule that contains a mistake."""

from __future__ import annotations

import pytest

import abnforge

DATES = abnforge.loads(
    """; Section 1
    log = entry *( LF entry )
    ; Section 2
    entry = date gap word
    ; Section 3
    date = year "-" month
    year = 4DIGIT
    month = 2DIGIT
    gap = 1*SP
    word = 1*ALPHA *( "[" index "]" )
    index = 1*2DIGIT
    """,
    name="dates",
)

PATHS = [
    # Grammar, rule, string, code, end of the path, section.
    ("rfc3986", "URI", "http://evil[.]com/", "defanged", "reg-name", "3"),
    ("rfc3986", "URI", "hxxps[://]a.b/", "defanged", "URI", "3"),
    ("rfc3986", "URI", "<http://a/", "opening-before", "scheme", "appendix C"),
    ("rfc3986", "URI-reference", " a/b", "space-before", "segment-nz-nc", "appendix C"),
    ("rfc3986", "URI", "http://a/#\\", "closing-after", "fragment", "appendix C"),
    ("rfc3986", "URI", "http://a]", "closing-after", "reg-name", "appendix C"),
    ("rfc3986", "absolute-URI", "urn:a#", "fragment-in-absolute-URI", "absolute-URI", "4.3"),
    ("rfc3986", "URI", "http://a:80x", "port-not-digits", "port", "3.2.3"),
    ("rfc3986", "IPv6address", "a:a:a:a::a::", "ipv6-colons-twice", "IPv6address", "3.2.2"),
]


@pytest.mark.parametrize(("grammar", "rule", "text", "code", "end", "section"), PATHS)
def test_the_path_ends_in_the_rule_at_fault(
    grammar: str, rule: str, text: str, code: str, end: str, section: str
) -> None:
    rejection = abnforge.load(grammar)[rule].explain(text)
    assert rejection is not None
    [first] = rejection.hypotheses
    assert (rejection.code, first.rule, rejection.section) == (code, end, section)


DERIVED = [
    ("2024-05 a\n2024-0 b", "too-few-in-month", ("log", "entry", "date", "month"), "3"),
    ("2024-05", "unreadable-entry", ("log", "entry"), "2"),
    ("2024-05 a[12", "missing-right-bracket-in-word", ("log", "entry", "word"), "3"),
    ("-2024", "first-character-in-year", ("log", "entry", "date", "year"), "3"),
    ("2024-05  ", "nothing-in-word", ("log", "entry", "word"), "3"),
    ("2024-05 a\n?", "unreadable-year", ("log", "entry", "date", "year"), "3"),
]


@pytest.mark.parametrize(("text", "code", "path", "section"), DERIVED)
@pytest.mark.parametrize("engine", ["auto", "automaton", "lark"])
def test_derived_mistakes_of_large_rules_are_located_by_the_facts(
    text: str, code: str, path: tuple[str, ...], section: str, engine: str
) -> None:
    rejection = DATES["log"].explain(text, engine=engine)
    assert rejection is not None
    assert (rejection.code, rejection.hypotheses[0].rule_path, rejection.section) == (code, path, section)


ROW = 'row = "[" cells "]"\ncells = cell *( "," *SP cell )\ncell = 1*DIGIT\n'

ENDS = [
    # A network and an address both begin with an address.
    (
        'list = net / address\nnet = address "/" 1*DIGIT\naddress = 1*DIGIT "." 1*DIGIT\n',
        "1.",
        ("list", "address"),
    ),
    # The input ends too early, or has a wrong character after whitespace.
    ('array = "[" [ item *( "," item ) ] "]"\nitem = array / 1*DIGIT\n', "[1,[2", ("array", "item", "array")),
    ('sum = ws num *( op num )\nop = "+"\nnum = 1*DIGIT ws\nws = *SP\n', "1 x", ("sum", "num")),
    # Whitespace is not in the inner rules that begin there; another character of one sign is in its rule.
    (
        'days = day *( "," day )\nday = time "-" time\ntime = 2DIGIT ":" 2DIGIT\n',
        "01:00-02:00, 1",
        ("days", "day"),
    ),
    (
        'roll = die *( sign die )\ndie = 1*DIGIT [ "k" keep ]\nkeep = "h" / "l"\nsign = "+"\n',
        "4k3",
        ("roll", "die", "keep"),
    ),
    (
        'line = word *( " " word ) "."\nword = 1*ALPHA [ sign ]\nsign = "#" 1*ALPHA\n',
        "a\u266fb",
        ("line", "word", "sign"),
    ),
    # A sign that requires a space before it, and a digit that resembles a letter of an inner rule.
    ('type = name *( " | " name )\nname = 1*ALPHA\n', "int|None", ("type",)),
    (
        'moves = move *( SP move )\nmove = castling / "e" DIGIT\ncastling = "O-O"\n',
        "e4 0-0",
        ("moves", "move", "castling"),
    ),
    # A character that resembles a next character, and one of the number that ends there.
    ('sum = num *( *SP op num )\nop = "-" num\nnum = 1*2DIGIT\n', "1 \u2013", ("sum", "op")),
    ('sum = num *( "-" num )\nnum = "0" / %x31-39 *DIGIT\n', "01", ("sum", "num")),
    ('sum = num *( "-" num )\nnum = "0" / %x31-39 *DIGIT\n', "0\u00bd", ("sum", "num")),
    # A character that resembles two others.
    ('sum = num *( "-" num )\nnum = "0" / %x31-39 *DIGIT\n', "0\ufb01", ("sum", "num")),
    # A complete number, in a rule that is incomplete, can end, is a record, or is a choice.
    (ROW, "[1|2]", ("row",)),
    (ROW, "[1 2]", ("row", "cells")),
    ('row = cell *( "," cell )\ncell = 1*DIGIT\n', "1|2", ("row",)),
    ("rows = 1*( cell LF )\ncell = 1*DIGIT\n", "1|\n", ("rows",)),
    (
        'row = "[" cell "]"\ncell = num / word\nnum = 1*DIGIT\nword = 1*ALPHA\n',
        "[1a]",
        ("row", "cell", "num"),
    ),
]


@pytest.mark.parametrize(("grammar", "text", "path"), ENDS)
def test_facts_end_in_a_rule_that_the_input_violates(grammar: str, text: str, path: tuple[str, ...]) -> None:
    rule = abnforge.loads(grammar)[path[0]]
    rejection = rule.explain(text)
    assert rejection is not None
    assert rejection.hypotheses[0].rule_path == path


IMAGE = 'image = [ host "/" ] part [ ":" tag ]\nhost = 1*( ALPHA / "." )\npart = 1*%x61-7A\ntag = 1*DIGIT\n'
LOGIC = 'any = all *( *SP "|" *SP all )\nall = word *( *SP "&" *SP word )\nword = 1*ALPHA\n'
RINGS = 'rings = "R" ring *( "," ring )\nring = "((" 1*DIGIT "))"\n'
MOVE = 'move = piece [ "x" ] square\npiece = "K" / "N"\nsquare = file rank\nfile = %x61-68\nrank = %x31-38\n'
QUERY = 'query = "select" SP columns SP "from" SP name\ncolumns = name *( "," SP name )\nname = 1*ALPHA\n'

SPAN = """span = "P" ( date [ time ] / time / weeks )
date = years [ days ] / days
years = 1*DIGIT "Y"
days = 1*DIGIT "D"
weeks = 1*DIGIT "W"
time = "T" ( hours [ minutes ] / minutes )
hours = 1*DIGIT "H"
minutes = 1*DIGIT "M"
"""
SETTING = 'setting = "x=" ( size / number )\nsize = 1*DIGIT "KB"\nnumber = 1*DIGIT\n'
TIMES = 'times = minute SP "*"\nminute = value *( "," value )\nvalue = DIGIT / %x31-35 DIGIT\n'
CLOCK = 'clock = hour ":" minute\nhour = %x30-31 DIGIT / "2" %x30-33\nminute = %x30-35 DIGIT\n'

CORRECTED = [
    # Several rules are open, so the mistake is in the rule around them.
    (SPAN, "P1H", "unreadable-span", (2, 3), ("span",), "PT1H"),
    (SPAN, "PT", "unreadable-time", (2, 2), ("span", "time"), None),
    # The characters after the wrong one match only in one of them.
    (SETTING, "x=1.5KB", "character-in-size", (3, 4), ("setting", "size"), None),
    # No sign is missing between two digits if other characters can follow.
    (TIMES, "590 *", "unreadable-value", (2, 3), ("times", "minute", "value"), None),
    # A rule with its own name is not a core rule.
    (CLOCK, "1a:00", "unreadable-hour", (1, 2), ("clock", "hour"), None),
    # The correction is in the rule: another case, a digit in range, the required sign.
    (IMAGE, "Ubuntu:1", "unreadable-part", (0, 1), ("image", "part"), "ubuntu:1"),
    (MOVE, "Nf9", "unreadable-rank", (2, 3), ("move", "square", "rank"), None),
    # Several signs are possible, or the same sign is missing and present.
    (LOGIC, "p q", "unreadable-any", (2, 2), ("any",), None),
    (RINGS, "R(1))", "other-than-ring", (2, 2), ("rings", "ring"), "R((1))"),
    # The start of a complete word is not a misspelling.
    (QUERY, "select from t", "unreadable-query", (12, 13), ("query",), None),
    # The input is a prefix of a valid string.
    (LOGIC, "p ", "unreadable-any", (2, 2), ("any",), "p"),
    (QUERY, "select a from", "unreadable-query", (13, 13), ("query",), None),
]


@pytest.mark.parametrize(("text", "string", "code", "span", "path", "suggestion"), CORRECTED)
def test_the_path_ends_in_the_rule_of_the_correction(
    text: str, string: str, code: str, span: tuple[int, int], path: tuple[str, ...], suggestion: str | None
) -> None:
    rejection = abnforge.loads(text)[text.split()[0]].explain(string)
    assert rejection is not None
    [first] = rejection.hypotheses
    assert (first.code, (first.offset, first.end), first.rule_path) == (code, span, path)
    assert (rejection.suggestion and rejection.suggestion.text) == suggestion
