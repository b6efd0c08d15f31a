"""Facts are told first where derived mistakes would be a story that is further from the text."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.explain.derive import bind_derived
from abnforge.explain.error_grammar import UNIT
from abnforge.explain.explainer import MAX_PLAUSIBLE_WEIGHT, is_implausible
from abnforge.explain.reading import Interpreter
from tests.explain.endpoints import ENDPOINT
from tests.law import each_row

GRAMMARS = {
    "date": abnforge.loads("""
date  = year "-" month "-" day
year  = 4DIGIT
month = 2DIGIT
day   = 2DIGIT
"""),
    "time": abnforge.loads("""
time   = hour ":" minute
hour   = 2DIGIT
minute = 2DIGIT
"""),
    "header": abnforge.loads("""
header = name ":" *WSP value
name   = 1*ALPHA
value  = 1*VCHAR
"""),
    "codings": abnforge.loads("""
codings = item *( "," item )
item    = 1*ALPHA *( ";" ALPHA "=" 1*ALPHA )
"""),
    "setting": abnforge.loads("""
setting = key *SP "=" *SP 1*DIGIT
key     = 1*ALPHA / DQUOTE *( ALPHA / DIGIT / SP / "=" ) DQUOTE
"""),
}

CASES = [
    # rule, text, code, blamed, suggestion; first those where a story of two mistakes was cheapest
    ("date", "2026", "unreadable-date", (4, 4), None),
    ("date", "2026-", "unreadable-date", (5, 5), None),
    ("date", "2026-1", "unreadable-date", (6, 6), None),
    ("date", "2026-11", "unreadable-date", (7, 7), None),
    ("date", "2026-11-0a", "unreadable-date", (9, 10), None),
    ("time", "12:3x", "unreadable-time", (4, 5), None),
    ("header", "Host", "unreadable-header", (4, 4), None),
    ("header", "Host:", "unreadable-header", (5, 5), None),
    # One mistake that reaches to where reading stops says more than that it stops there.
    ("date", "2026-11-", "missing-day", (8, 8), None),
    ("date", "2026-11-0", "too-few-in-day", (8, 9), None),
    ("date", "202-11-2", "too-few-in-year", (0, 3), None),
    ("date", "20261102", "missing-hyphen-in-date", (4, 4), "2026-11-02"),
    ("time", "12:x3", "first-character-in-minute", (3, 4), None),
    ("header", "Host: ", "missing-value", (6, 6), None),
    # One plain slip that is seen later is told, whatever is wrong behind that place.
    ("codings", "gzip;deflate", "look-alike-comma-in-codings", (4, 5), "gzip,deflate"),
    ("codings", "gzip;deflate;br", "look-alike-comma-in-codings", (4, 5), "gzip,deflate,br"),
    ("codings", "gzip;deflate,b.r", "look-alike-comma-in-codings", (4, 5), None),
    # What makes the text valid tells what was meant, even if it costs more.
    ("setting", '"a = 1', "missing-quote-in-key", (2, 2), '"a" = 1'),
]


@pytest.mark.parametrize(("name", "text", "code", "span", "right"), CASES)
def test_what_is_told_first(
    name: str, text: str, code: str, span: tuple[int, int], right: str | None, snapshot: SnapshotAssertion
) -> None:
    rule = GRAMMARS[name][name]
    rejection = rule.explain(text, hypotheses=3)
    assert rejection is not None
    assert (rejection.code, rejection.span) == (code, span)
    assert rejection.message == snapshot
    assert (rejection.suggestion and rejection.suggestion.text) == right
    first = rule.explain(text)
    assert first is not None
    assert (first.message, first.code, first.other_mistakes) == (
        rejection.message,
        code,
        rejection.other_mistakes,
    )
    assert len(first.hypotheses) == 1


def test_a_story_that_facts_refute_is_no_hypothesis() -> None:
    rejection = GRAMMARS["date"]["date"].explain("2026-11", hypotheses=3)
    assert rejection is not None
    assert (rejection.code, rejection.other_mistakes, rejection.section) == ("unreadable-date", (), None)
    assert all(each.offset == len("2026-11") for each in rejection.hypotheses)


NESTED = abnforge.loads("""
expr   = term *( ( "+" / "-" ) term )
term   = factor *( ( "*" / "/" ) factor )
factor = 1*DIGIT / "(" expr ")"
""")
QUOTED = abnforge.loads("""
text   = DQUOTE *( ALPHA / escape ) DQUOTE
escape = "\\" ( "n" / "u" 4HEXDIG )
""")
STAMP = abnforge.loads("""
stamp = date "T" time zone
date  = 4DIGIT "-" 2DIGIT
time  = 2DIGIT ":" 2DIGIT [ "." 1*DIGIT ]
zone  = "Z" / ( "+" / "-" ) 2DIGIT
""")
BRACKETS = abnforge.loads('b = "[" 1*DIGIT "]"\n')
LINE = abnforge.loads("line = *( VCHAR / SP ) ( CR / LF )\n")


@each_row(
    ("grammar", "text", "code", "span"),
    [
        (NESTED, "2*(3+", "unreadable-expr", (5, 5)),
        (NESTED, "1+(2*", "unreadable-expr", (5, 5)),
        (BRACKETS, "[]", "nothing-in-b", (1, 1)),
        (QUOTED, '"\\x"', "escape-in-text", (1, 2)),
        (QUOTED, '"\\u00x0"', "unreadable-text", (5, 6)),
        (LINE, "\r\n", "space-after", (1, 2)),
    ],
)
def test_no_first_sentence_contradicts_the_facts(
    grammar: abnforge.Grammar, text: str, code: str, span: tuple[int, int]
) -> None:
    rejection = grammar.start.explain(text)
    assert rejection is not None
    assert (rejection.code, rejection.span) == (code, span)


def test_a_rule_that_is_not_complete_is_open_in_every_way_to_go_on() -> None:
    rejection = STAMP["stamp"].explain("2026-11T16:00")
    assert rejection is not None
    assert (rejection.code, rejection.span) == ("unreadable-zone", (13, 13))
    assert " stamp " in rejection.message


@each_row(
    ("name", "sentence"),
    [
        ("date", "2026-11-30"),
        ("time", "12:30"),
        ("header", "Host: a"),
        ("codings", "a,b;q=c"),
        ("setting", '"a b" = 1'),
    ],
)
def test_of_a_text_that_is_cut_nothing_before_its_end_is_blamed_without_a_fix(
    name: str, sentence: str
) -> None:
    rule = GRAMMARS[name][name]
    assert rule.matches(sentence)
    for end in range(len(sentence)):
        rejection = rule.explain(sentence[:end])
        if rejection is not None:
            assert rejection.offset == end
            assert rejection.span[1] == end or rejection.suggestion is not None


@each_row(("name", "text"), [case[:2] for case in CASES])
def test_what_is_far_weighs_more_than_what_the_kernel_tells(name: str, text: str) -> None:
    rule = GRAMMARS[name][name]
    rejection = rule.explain(text)
    assert rejection is not None
    reading = Interpreter(bind_derived(rule.grammar.compilation.bound, name), name).interpret(text)
    far = is_implausible(reading, rejection.offset)
    assert far is rejection.code.startswith("unreadable")
    assert not far or reading.cost * UNIT > MAX_PLAUSIBLE_WEIGHT


@pytest.mark.parametrize("name", GRAMMARS)
def test_columns_tell_the_same(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    columns = pytest.importorskip("abnforge.columns")
    wrong = [(text, code, span) for rule, text, code, span, _ in CASES if rule == name]
    told = columns.rejections(GRAMMARS[name][name], pa.array([text for text, _, _ in wrong])).to_pylist()
    rows = [(row["code"], (row["start"], row["end"])) for row in told]
    assert rows == [(code, span) for _, code, span in wrong]


def test_what_is_declared_counts_whatever_it_costs() -> None:
    declaring = abnforge.loads(ENDPOINT, name="endpoint")
    assert declaring.compilation.mistakes_of("endpoint").has_declared
    assert not GRAMMARS["date"].compilation.mistakes_of("date").has_declared
    assert abnforge.load("rfc3986").compilation.mistakes_of("uri").has_declared


def test_columns_do_not_tell_what_facts_refute() -> None:
    pa = pytest.importorskip("pyarrow")
    columns = pytest.importorskip("abnforge.columns")
    rule = QUOTED["text"]
    wrong = ['"\\u00x0"', '"\\x"', '"\\u00e9"x', '"a']
    told = columns.rejections(rule, pa.array(wrong)).to_pylist()
    rejections = [rule.explain(text) for text in wrong]
    assert all(rejections)
    assert [(row["code"], (row["start"], row["end"]), row["message"]) for row in told] == [
        (each.code, each.span, each.message) for each in rejections if each is not None
    ]
