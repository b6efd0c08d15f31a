"""Suggestions: the fix that a person would want, or none."""

from __future__ import annotations

import abnforge
from tests.law import each_row

LIST = 'list = item *( "," item )\nitem = 1*DIGIT / "(" list ")"\n'
LENGTH = 'r = 1*DIGIT [ "." 1*DIGIT ] ( "px" / "em" )\n'
TIME = 'r = 2DIGIT ":" 2DIGIT\n'
CALL = 'r = 1*ALPHA "(" [ arg *( "," arg ) ] ")"\narg = DQUOTE *( %x20-21 / %x23-7E ) DQUOTE / 1*DIGIT\n'
HEADER = 'r = name ":" SP 1*VCHAR\nname = ALPHA *( ALPHA / "-" )\n'
DAY = 'r = "Sun" / "Mon" / "Wed"\n'
OPERATOR = 'r = 1*ALPHA ( "==" / ">=" ) 1*DIGIT\n'
SETTING = 'r = 1*ALPHA "=" ( 1*ALPHA / DQUOTE *( ALPHA / SP ) DQUOTE )\n'
MONEY = 'r = "EUR" SP 1*DIGIT "." 2DIGIT\n'
AMOUNT = 'r = 1*3DIGIT *( "," 3DIGIT ) [ "." 2DIGIT ]\n'
NAME = 'r = "[" 1*( ALPHA / "_" ) "]"\n'
NESTED = 'r = "(" item *( SP item ) ")"\nitem = 1*ALPHA / r\n'
TYPE = 'r = ( "int" / "str" ) SP 1*ALPHA\n'
TEXT = 'r = *( line LF )\nline = "#" *( SP / VCHAR ) / 1*ALPHA "=" 1*DIGIT\n'

CASES = [
    # The only possible character, and whitespace.
    (LIST, "(1,2", "(1,2)"),
    (LIST, "1,2)", "1,2"),
    (LIST, "1, 2", "1,2"),
    (HEADER, "a : b", "a: b"),
    ('r = "#" 3*6HEXDIG\n', "fff", "#fff"),
    ('r = "EUR" SP 1*DIGIT\n', "EUR12", "EUR 12"),
    # Unfinished strings.
    (LIST, "1,", "1"),
    ('r = 1*ALPHA *( " and " 1*ALPHA )\n', "a and", None),
    ('r = "(" word ":" word ")" / word\nword = DQUOTE 1*ALPHA DQUOTE\n', '("a"', None),
    # Numbers: padded, but not invented, deleted, joined or divided.
    (TIME, "9:30", "09:30"),
    (MONEY, "EUR 12.5", "EUR 12.50"),
    (MONEY, "EUR 12.505", None),
    (MONEY, "EUR 1 2.50", None),
    (TIME, "0930", "09:30"),
    ('r = 1*DIGIT "," 1*DIGIT "," 1*DIGIT\n', "123,4", None),
    (LIST, "(1,", None),
    ('r = "x" 1*ALPHA\n', "x", None),
    (AMOUNT, "12,345.667", None),
    (AMOUNT, "1,23.50", None),
    ('r = DIGIT ( %s"Y" / DIGIT ) "M"\n', "1aM", "1YM"),
    ('r = day *( "," day )\nday = "MO" / "WE"\n', "MOxWE", "MO,WE"),
    ('r = [ "$" ] 1*DIGIT\n', "-$5", None),
    # Digits in words, and control characters where a backslash is content.
    ('r = "[" 1*ALPHA "]"\n', "[a1]", None),
    ('r = "[" 1*ALPHA "]"\n', "[he1lo]", "[hello]"),
    ('row = field *( "," field )\nfield = *( %x20-2B / %x2D-7E )\n', "a,b\n", "a,b"),
    # Similar characters, cases and words.
    (LENGTH, "1,5em", "1.5em"),
    (LENGTH, "1.5EM ", "1.5EM"),
    (TIME, "O9:30", "09:30"),
    (CALL, "f('1')", 'f("1")'),
    (CALL, "f(\u201c1\u201d)", 'f("1")'),
    (DAY, "Sunday", "Sun"),
    (DAY, "Wen", "Wed"),
    (DAY, "cola", None),
    ('r = "C" [ "#" ] [ "m" ]\n', "C\u266fm", "C#m"),
    ('r = day *( "," day )\nday = "MO" / "WE"\n', "MON,WED", "MO,WE"),
    # One sign in all places, a second quote in a word, spaces around a sign, and before a word.
    ("r = 8DIGIT\n", "2024-12-31", "20241231"),
    ("r = 1*3DIGIT\n", "1/2/3", None),
    ('r = "(" 1*DIGIT *( SP 1*DIGIT ) ")"\n', "(1, 2, 3)", "(1 2 3)"),
    ('r = "\'" *( %x20-26 / %x28-7E / "\'\'" ) "\'"\n', "'O'Brien'", "'O''Brien'"),
    ('r = 1*ALPHA *( ( SP / " | " ) 1*ALPHA )\n', "a|b", "a | b"),
    (TEXT, "a=1\n  b=2\n", "a=1\nb=2\n"),
    # A quote is inserted after a space, and does not replace it.
    ('r = 1*ALPHA [ SP ] "=" [ SP ] "\'" 1*ALPHA "\'"\n', "a = x'", "a = 'x'"),
    # Operators.
    (OPERATOR, "a=1", "a==1"),
    (OPERATOR, "a=>1", "a>=1"),
    # Spaces between words.
    (NAME, "[a b]", "[a_b]"),
    (SETTING, "a=b c", 'a="b c"'),
    ('r = w *( "," *SP w )\nw = 1*ALPHA / DQUOTE *( ALPHA / SP ) DQUOTE\n', "a b", None),
    ('r = w *( "," *SP w )\nw = 1*ALPHA\n', "a b", "a, b"),
    ('r = ( 1*DIGIT / 1*ALPHA ) *( *SP ( "-" / "+" ) *SP ( 1*DIGIT / 1*ALPHA ) )\n', "2 x", None),
    # An unfinished item is not a sign that is doubled; several words resemble the string.
    ('r = 1*ALPHA "=" 1*VCHAR\n', "A=", None),
    ('r = "green" / "grey" / "red"\n', "gren", None),
    # Another separator, also if more of the string follows.
    ('r = "#" 3HEXDIG *( SP "#" 3HEXDIG )\n', "#123,#456,#789", "#123 #456 #789"),
    ('r = 1*ALPHA *( "|" 1*ALPHA )\n', "a,b", "a|b"),
    ('r = 4DIGIT "-" 2DIGIT SP 2DIGIT\n', "2024-01T10", "2024-01 10"),
    ('r = number *( "," number )\nnumber = 1*DIGIT\n', "1 2", None),
    # Brackets of another kind, too many and empty ones, and missing ones around a token.
    (NESTED, "(a [b])", "(a (b))"),
    (NESTED, "(a b))", "(a b)"),
    ('r = 1*ALPHA [ "(" 1*ALPHA ")" ] ":"\n', "fix():", "fix:"),
    ('r = name SP "<" name ">"\nname = 1*ALPHA\n', "ann lee", "ann <lee>"),
    # Words that begin with, contain or resemble the only fitting word.
    (TYPE, "integer x", "int x"),
    (TYPE, "string x", "str x"),
    ('r = 1*DIGIT SP "am"\n', "9 a.m.", "9 am"),
    ('r = 1*DIGIT SP ( "cm" / "mm" )\n', "3 km", "3 cm"),
    ('r = 1*DIGIT "x" 1*DIGIT\n', "2y3", "2x3"),
    ('r = 1*ALPHA *( SP "or" SP 1*ALPHA )\n', "a or or 1", None),
    ('r = "O-O"\n', "0-0", "O-O"),
    # Numbers with a prefix or a space; a value that must be in quotes.
    ('r = 1*DIGIT 2( "." 1*DIGIT )\n', "v1.2.3", "1.2.3"),
    ('r = 1*DIGIT "px"\n', "12 px", "12px"),
    ('r = 1*DIGIT ".." 1*DIGIT\n', "1...3", "1..3"),
    ('r = 1*ALPHA "=" ( 1*DIGIT / "\'" 1*ALPHA "\'" / "{" r "}" )\n', "a=b", "a='b'"),
    # A comment sign would make any string valid.
    (TEXT, "a b=1\n", None),
]


@each_row(("grammar", "string", "expected"), CASES)
def test_suggestions(grammar: str, string: str, expected: str | None) -> None:
    rule = abnforge.loads(grammar).start
    rejection = rule.explain(string)
    assert rejection is not None
    assert (rejection.suggestion and rejection.suggestion.text) == expected
    assert expected is None or rule.matches(expected)


def test_bytes() -> None:
    rule = abnforge.loads('r = %xE9 SP 2DIGIT "-" 2DIGIT\n')["r"]
    rejection = rule.explain("\xe9 1-22".encode())
    assert rejection is not None
    assert rejection.suggestion is not None
    assert rejection.suggestion.text == "\xe9 01-22"
    assert [(edit.start, edit.end, edit.text) for edit in rejection.suggestion.edits] == [(3, 3, "0")]


def test_declared_mistakes_decide() -> None:
    grammar = abnforge.loads('r = 1*DIGIT [ ";" ]\n;@ of r; blame all; fix none\nw = *DIGIT ":"\n')
    assert grammar["r"].explain("1:").suggestion is None


def test_limits() -> None:
    rejection = abnforge.loads(LIST)["list"].explain("(" * 10_000 + "1")
    assert rejection is not None
    assert rejection.suggestion is None or rejection.suggestion.text.endswith(")")
    assert abnforge.loads(LIST)["list"].explain("1," * 20_000 + " 2").code


def test_a_letter_whose_other_case_is_two_letters() -> None:
    rejection = abnforge.loads('a = "x" 1*%xE0-EF\n')["a"].explain("x\u00df")
    assert rejection is not None
    assert rejection.suggestion is None or rejection.suggestion.text[0] == "x"
    assert rejection.offset == 1
