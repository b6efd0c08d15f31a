"""Rejections: the mistake, its fix, or only facts if no mistake is plausible."""

from __future__ import annotations

from string import ascii_letters, digits

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.charset import CharSet, union
from abnforge.explain.derive import bind_derived
from abnforge.explain.error_grammar import UNIT
from abnforge.explain.explainer import fix_is_ambiguous
from abnforge.explain.fixes import Fixer
from abnforge.explain.reading import (
    MAX_PLAUSIBLE_WEIGHT,
    MAX_WHOLE,
    BeamSearch,
    Interpretation,
    Interpreter,
    is_implausible,
)
from abnforge.rejection import Edit, Suggestion
from tests.explain.derive.expected import expected_in, in_class
from tests.explain.endpoints import ENDPOINT
from tests.law import each_row
from tests.places import ROOT
from tests.work import calls

GRAMMAR = abnforge.loads(ENDPOINT, name="endpoint")
MISTAKES = [
    # Rule, string, code, span, section, suggestion.
    ("endpoint", "a:80x", "port-junk", (4, 5), "2", "a:80"),
    ("port", "8O", "port-junk", (1, 2), "2", "8"),
    ("endpoint", "a b.c", "space-in-host", (1, 2), "RFC 1035, section 2.3.1", None),
    ("endpoint", "a:-", "character-in-port", (2, 3), "2", None),
    ("endpoint", "", "missing-endpoint", (0, 0), "1", None),
    ("endpoint", "a:80 ", "space-after-port", (4, 5), "2", "a:80"),
]


@pytest.mark.parametrize(("rule", "text", "code", "span", "section", "right"), MISTAKES)
def test_what_is_told(
    rule: str,
    text: str,
    code: str,
    span: tuple[int, int],
    section: str | None,
    right: str | None,
    snapshot: SnapshotAssertion,
) -> None:
    rejection = GRAMMAR[rule].explain(text)
    assert rejection is not None
    assert (rejection.code, rejection.span) == (code, span)
    assert rejection.message == snapshot
    assert rejection.section == section
    assert (rejection.suggestion and rejection.suggestion.text) == right
    [only] = rejection.hypotheses
    assert (only.code, only.message) == (code, rejection.message)


@each_row("text", [case[1] for case in MISTAKES])
def test_the_answer_is_one_whatever_is_asked_for(text: str) -> None:
    full = GRAMMAR["endpoint"].explain(text, hypotheses=4)
    plain = GRAMMAR["endpoint"].explain(text, suggest=False)
    if full is None:
        assert plain is None
        return
    assert plain is not None
    assert plain.suggestion is None
    results = [(each.code, each.offset, each.section, each.message, each.span) for each in (full, plain)]
    assert results[0] == results[1]
    assert full.hypotheses[:1] == plain.hypotheses
    assert len({each.code for each in full.hypotheses}) == len(full.hypotheses)
    for engine in ("general", "lark"):
        assert GRAMMAR["endpoint"].explain(text, hypotheses=4, engine=engine) == full


def test_what_no_mistake_explains_has_the_facts(snapshot: SnapshotAssertion) -> None:
    rule = abnforge.loads('a = 2( "x" / "yz" )\n')["a"]
    for text, span, completed in [("xq", (1, 2), None), ("xy", (2, 2), "xyz")]:
        rejection = rule.explain(text)
        assert rejection is not None
        assert (rejection.code, rejection.span) == ("unreadable-a", span)
        assert rejection.message == snapshot(name=text)
        assert (rejection.suggestion and rejection.suggestion.text) == completed


def test_edits_and_cost() -> None:
    rejection = GRAMMAR["endpoint"].explain("a:80x")
    assert rejection is not None
    assert rejection.suggestion == Suggestion("a:80", (Edit(4, 5, ""),), 1.0)


def test_what_could_stand_where_the_mistake_is() -> None:
    grammar = abnforge.loads(
        'a = b / c\nb = "x" *DIGIT ";"\nc = "x" *DIGIT "y" "!"\n'
        ';@ of b; blame all; fix none\nw = "x" *DIGIT "y"\n'
    )
    rejection = grammar["a"].explain("x1y")
    assert rejection is not None
    [only] = rejection.hypotheses
    assert (only.code, only.offset, rejection.offset) == ("w", 0, 3)
    assert [(each.rule, each.chars) for each in only.expected] == [("b", "Xx"), ("c", "Xx")]
    assert [(each.rule, each.chars) for each in rejection.expected] == [("c", "!")]


def test_a_fix_that_is_not_valid_is_not_suggested() -> None:
    """Lint reports such fixes to the author. Suggestions are always valid."""
    grammar = abnforge.loads('a = 1*DIGIT\n;@ of a; blame all; fix "b"\nw = 1*ALPHA\n')
    rejection = grammar["a"].explain("x")
    assert rejection is not None
    assert (rejection.code, rejection.suggestion) == ("w", None)


def test_rules_that_begin_with_one_another_have_facts_alone() -> None:
    grammar = abnforge.loads('a = b "x" / "z"\nb = a "y" / "w"\n')
    rejection = grammar["a"].explain("wxyq")
    assert rejection is not None
    assert (rejection.code, rejection.offset, rejection.span) == ("unreadable-a", 3, (3, 4))
    assert (rejection.found, rejection.rule_path[0]) == ("q", "a")


# Rules that refer to themselves everywhere. Each state has many successors, one for each way to start.
TANGLED = [
    'r = r r / [ r ] r "x" / *2r "y"',
    'r = *2( [ *2r 1*2r "x" ] ) / "y" *2r / r',
    "r = a a\na = [ b ] r / %x78\nb = *r a [ a ] / %x79",
]

CALLS = 3_000_000  # twice the calls of the most expensive rule
# Each of these takes at least half a second.
SLOW = [(TANGLED[1], "xyxxy"), (TANGLED[1], "xyxyz")]


@each_row(
    ("text", "grammar"),
    [
        pytest.param(text, grammar, marks=[pytest.mark.slow] if (grammar, text) in SLOW else [])
        for text in ("", "x", "xyxxy", "zxy", "xyxyz")
        for grammar in TANGLED
    ],
)
def test_tangled_recursion_is_explained_for_bounded_work(text: str, grammar: str) -> None:
    rule = abnforge.loads(grammar + "\n")["r"]
    calls(rule.explain, text, most=CALLS)
    rejection = rule.explain(text)
    assert (rejection is None) is rule.matches(text)
    if rejection is not None and rejection.suggestion is not None:
        assert rule.matches(rejection.suggestion.text)


FIELDS = abnforge.loads('list = item *( "," item )\nitem = 1*DIGIT\n', name="lists")


@each_row(
    ("text", "code", "others"),
    [
        ("1,,2", "doubled-comma-in-list", []),
        (
            "1,,2,,3;4",
            "doubled-comma-in-list",
            [("doubled-comma-in-list", 5), ("look-alike-comma-in-list", 7)],
        ),
        ("1x,2", "character-in-item", []),
    ],
)
def test_further_mistakes_of_the_reading(text: str, code: str, others: list[tuple[str, int]]) -> None:
    rejection = FIELDS["list"].explain(text)
    assert rejection is not None
    assert rejection.code == code
    assert [(each.code, each.offset) for each in rejection.other_mistakes] == others


def test_further_mistakes_have_their_places_in_bytes() -> None:
    rejection = FIELDS["list"].explain("1,,2\xe9")
    assert rejection is not None
    assert [(each.offset, each.end) for each in rejection.other_mistakes] == [(4, 5)]
    assert [(each.offset, each.end) for each in rejection.to_byte_offsets().other_mistakes] == [(4, 6)]


def test_a_lesson_reads_its_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    original = Interpreter._interpret

    def read(self: Interpreter, text: str, around: int | None, lane: BeamSearch) -> Interpretation:
        texts.append(text)
        return original(self, text, around, lane)

    monkeypatch.setattr(Interpreter, "_interpret", read)
    assert GRAMMAR["endpoint"].lesson("a:83x") is not None
    assert texts == ["a:83x"]


def test_a_rule_with_very_many_states_has_one_rejection_by_every_engine() -> None:
    """Each state of this rule takes thousands of steps. Engines without states give the same rejection."""
    rule = abnforge.loads(
        'r0 = ["a" "a" "a"] 2*(2r1) "a"\n'
        'r1 = r2 *(r2 2r2 r2) r2 / 2*3(%x61-62 "b" %x61)\n'
        'r2 = 2*3(*1%x62 / 1*2"")\n'
    )["r0"]
    rejections = [rule.explain("b", engine=engine) for engine in ("automaton", "general", "lark")]
    assert rejections[0] is not None
    assert rejections[0].rule_path == ("r0", "r1", "r2")
    assert rejections.count(rejections[0]) == 3


@pytest.mark.xfail(
    strict=True,
    reason="DE B10: in a long text, a mistake that begins over WINDOW characters before the exact offset is "
    "not found, since the text before a window is read without mistakes",
)
@pytest.mark.parametrize("before", ["http://a/{}", "http://a/{}/x", "http://{}"])
def test_a_mistake_has_the_same_code_whatever_the_length_of_the_text(before: str) -> None:
    rule = abnforge.load("rfc3986")["URI"]
    texts = [before.format("x" * count) + " x" for count in (10, MAX_WHOLE + 1)]
    rejections = [rule.explain(text) for text in texts]
    assert len({None if each is None else each.code for each in rejections}) == 1


SIMILAR_FIXES = """
ranges = range *( OWS "," OWS range )
range  = 1*8ALPHA *( "-" 1*8ALPHA )
tags   = tag *( OWS "," OWS tag )
tag    = 1*( ALPHA / "-" )
OWS    = *( SP / HTAB )
"""


@pytest.mark.parametrize(
    ("rule", "text", "fixed", "rival"),
    [
        ("ranges", "en US", "en,US", True),  # or en-US
        ("range", "en US", "en-US", False),
        ("tags", "en US", "en,US", False),  # other interpretations cost more
        ("ranges", "en; fr", "en, fr", False),  # no doubt
    ],
)
def test_another_reading_that_costs_no_more(rule: str, text: str, fixed: str, rival: bool) -> None:
    grammar = abnforge.loads(SIMILAR_FIXES)
    bound = bind_derived(grammar.compilation.bound, rule)
    reader, fixer = Interpreter(bound, rule), Fixer(bound)
    reading = reader.interpret(text)
    source = fixer.fix(reading)
    assert source is not None
    assert source.text == fixed
    assert fix_is_ambiguous(reader, fixer, reading) is rival
    rejection = grammar[rule].explain(text)
    assert rejection is not None
    suggestion = rejection.suggestion
    assert (None if suggestion is None else suggestion.text) == (None if rival else fixed)


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
IMPLAUSIBLE = [
    # Rule, string, code, span, suggestion. In the first rows, the cheapest interpretation has two
    # mistakes.
    ("date", "2026", "missing-hyphen-in-date", (4, 4), None),
    ("date", "2026-", "missing-month", (5, 5), None),
    ("date", "2026-1", "unreadable-month", (6, 6), None),
    ("date", "2026-11", "missing-hyphen-in-date", (7, 7), None),
    ("date", "2026-11-0a", "unreadable-day", (9, 10), None),
    ("time", "12:3x", "unreadable-minute", (4, 5), None),
    ("header", "Host", "missing-colon-in-header", (4, 4), None),
    ("header", "Host:", "missing-value", (5, 5), None),
    # A mistake that extends to the position of failure explains more than the failure alone.
    ("date", "2026-11-", "missing-day", (8, 8), None),
    ("date", "2026-11-0", "too-few-in-day", (9, 9), None),
    ("date", "202-11-2", "too-few-in-year", (0, 3), None),
    ("date", "20261102", "missing-hyphen-in-date", (4, 4), "2026-11-02"),
    ("time", "12:x3", "first-character-in-minute", (3, 4), None),
    ("header", "Host: ", "missing-value", (6, 6), None),
    # A single mistake is reported even if the string fails again after it.
    ("codings", "gzip;deflate", "look-alike-comma-in-codings", (4, 5), "gzip,deflate"),
    ("codings", "gzip;deflate;br", "look-alike-comma-in-codings", (4, 5), "gzip,deflate,br"),
    ("codings", "gzip;deflate,b.r", "look-alike-comma-in-codings", (4, 5), None),
    # A fix that makes the string valid shows the intention, even if its mistake costs more.
    ("setting", '"a = 1', "missing-quote-in-key", (2, 2), '"a" = 1'),
]


@pytest.mark.parametrize(("name", "text", "code", "span", "right"), IMPLAUSIBLE)
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


EXPRESSION = """
expr   = term *( ( "+" / "-" ) term )
term   = number / name / "(" expr ")"
number = 1*DIGIT [ "." 1*DIGIT ]
name   = 1*ALPHA
"""
VALUES = """
values = value *( "," value )
value  = number / list / object / string
number = ( "0" / ( %x31-39 *DIGIT ) ) [ "." 1*DIGIT ]
list   = "[" [ values ] "]"
object = "{" [ member *( "," *SP member ) ] "}"
member = string ":" value
string = DQUOTE *( %x20-21 / %x23-7E ) DQUOTE
"""
LISP = """
program = ws *( form ws )
form    = boolean / symbol
boolean = "#t" / "#f"
symbol  = 1*ALPHA
ws      = *( SP / LF / comment )
comment = ";" *( VCHAR / SP ) LF
"""
CRON = """
line   = minute 1*( SP minute )
minute = number [ "-" number ] [ "/" 1*DIGIT ]
number = %x30-35 %x30-39 / %x30-39
"""
LISTS = [
    # Grammar, string, code, span, and the characters that can follow.
    (EXPRESSION, "1++2", "unreadable-term", (2, 3), "(" + ascii_letters + digits),
    (EXPRESSION, "*2", "first-character-in-term", (0, 1), "(" + ascii_letters + digits),
    (VALUES, "0x1F", "character-in-number", (1, 2), ",."),
    (VALUES, '{"a":1,', "unreadable-member", (7, 7), ' "'),
    (LISP, "#x", "unreadable-boolean", (1, 2), "tfTF"),
    (CRON, "60 1", "unreadable-number", (1, 2), " -/"),
    (
        'move = castle / 1*( %x61-68 ) / "N"\ncastle = "O-O"\n',
        "z",
        "first-character-in-move",
        (0, 1),
        "NnOoabcdefgh",
    ),
]


@each_row(("grammar", "string", "code", "span", "following"), LISTS)
def test_a_message_lists_all_characters_that_can_follow_or_none(
    grammar: str, string: str, code: str, span: tuple[int, int], following: str
) -> None:
    rule = abnforge.loads(grammar).start
    rejection = rule.explain(string, hypotheses=3)
    assert rejection is not None
    assert (rejection.code, rejection.span) == (code, span)
    expected = union(in_class(each.chars) for each in rejection.hypotheses[0].expected)
    assert expected == CharSet.of(following)
    listed = expected_in(rejection.message)
    if listed is not None:
        both_cases = listed | CharSet.of("".join(map(str.swapcase, map(chr, listed))))
        assert not listed - expected
        assert not expected - both_cases
    facts = [(each.code, each.offset, each.message) for each in rejection.hypotheses]
    assert len({*facts}) == len(facts)


def test_a_story_that_facts_refute_is_no_hypothesis() -> None:
    rejection = GRAMMARS["date"]["date"].explain("2026-11", hypotheses=3)
    assert rejection is not None
    assert (rejection.code, rejection.section) == ("missing-hyphen-in-date", None)
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
zone  = "Z" / ( "+" / "-" / %x80-9F ) 2DIGIT
""")
BRACKETS = abnforge.loads('b = "[" 1*DIGIT "]"\n')
LINE = abnforge.loads("line = *( VCHAR / SP ) ( CR / LF )\n")


@each_row(
    ("grammar", "text", "code", "span"),
    [
        (NESTED, "2*(3+", "missing-factor", (5, 5)),
        (NESTED, "1+(2*", "missing-factor", (5, 5)),
        (BRACKETS, "[]", "nothing-in-b", (1, 1)),
        (QUOTED, '"\\x"', "escape-in-text", (1, 2)),
        (QUOTED, '"\\u00x0"', "unreadable-escape", (5, 6)),
        (LINE, "\r\n", "space-after", (1, 2)),
    ],
)
def test_no_first_sentence_contradicts_the_facts(
    grammar: abnforge.Grammar, text: str, code: str, span: tuple[int, int]
) -> None:
    rejection = grammar.start.explain(text)
    assert rejection is not None
    assert (rejection.code, rejection.span) == (code, span)


@each_row("rest", ["", "1", "1,", '{"a"', '{"a":', '"x', "-"])
def test_the_code_of_unfinished_input_does_not_depend_on_depth(rest: str) -> None:
    rule = abnforge.load("rfc8259")["JSON-text"]
    rejections = [rule.explain("[" * depth + rest, suggest=False) for depth in (1, 2, 20)]
    assert len({each and each.code for each in rejections}) == 1


@each_row(
    ("string", "code", "span"),
    [
        ("http://h:8O", "port-not-digits", (10, 11)),
        ("kafka://b1:9092,b2:9092", "several-hosts", (15, 23)),
    ],
)
def test_unfinished_input_with_a_wrong_part(string: str, code: str, span: tuple[int, int]) -> None:
    """The strings could continue with "@", but are valid without the wrong part."""
    rejection = abnforge.rule("rfc3986:URI").explain(string)
    assert rejection is not None
    assert (rejection.code, rejection.span) == (code, span)


def test_no_string_matches_a_rule_that_requires_itself() -> None:
    grammar = abnforge.loads('a = "x" a / "y" b\nb = "z" b\nc = "x" / a\n')
    for text in ("", "x", "yz"):
        for name in ("a", "b"):
            rejection = grammar[name].explain(text)
            assert rejection is not None
            assert rejection.code == f"unreadable-{name}"
            assert rejection.message.endswith(f"requires another {name}")
    assert grammar["c"].matches("x")


def test_a_rule_that_is_not_complete_is_open_in_every_way_to_go_on() -> None:
    rejection = STAMP["stamp"].explain("2026-11T16:00")
    assert rejection is not None
    assert (rejection.code, rejection.span) == ("unreadable-zone", (13, 13))
    assert " zone " in rejection.message


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
def test_of_a_string_that_is_cut_nothing_before_its_end_is_blamed_without_a_fix(
    name: str, sentence: str
) -> None:
    rule = GRAMMARS[name][name]
    assert rule.matches(sentence)
    for end in range(len(sentence)):
        rejection = rule.explain(sentence[:end])
        if rejection is not None:
            assert rejection.offset == end
            assert rejection.span[1] == end or rejection.suggestion is not None


@each_row(("name", "text"), [case[:2] for case in IMPLAUSIBLE])
def test_what_is_far_weighs_more_than_what_the_extension_reports(name: str, text: str) -> None:
    rule = GRAMMARS[name][name]
    rejection = rule.explain(text)
    assert rejection is not None
    reading = Interpreter(bind_derived(rule.grammar.compilation.bound, name), name).interpret(text)
    far = is_implausible(reading, rejection.offset)
    is_reported = rejection.code in (each.code for each in reading.mistakes[:1])
    assert far is not is_reported or rejection.offset == len(text)
    assert not far or reading.cost * UNIT > MAX_PLAUSIBLE_WEIGHT


@pytest.mark.parametrize("name", GRAMMARS)
def test_columns_report_the_same(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    columns = pytest.importorskip("abnforge.columns")
    wrong = [(text, code, span) for rule, text, code, span, _ in IMPLAUSIBLE if rule == name]
    values = columns.rejections(GRAMMARS[name][name], pa.array([text for text, _, _ in wrong])).to_pylist()
    rows = [(row["code"], (row["start"], row["end"])) for row in values]
    assert rows == [(code, span) for _, code, span in wrong]


def test_what_is_declared_counts_whatever_it_costs() -> None:
    declaring = abnforge.loads(ENDPOINT, name="endpoint")
    assert declaring.compilation.mistakes_of("endpoint").has_declared
    assert not GRAMMARS["date"].compilation.mistakes_of("date").has_declared
    assert abnforge.load("rfc3986").compilation.mistakes_of("uri").has_declared


def test_columns_do_not_report_what_facts_refute() -> None:
    pa = pytest.importorskip("pyarrow")
    columns = pytest.importorskip("abnforge.columns")
    rule = QUOTED["text"]
    wrong = ['"\\u00x0"', '"\\x"', '"\\u00e9"x', '"a']
    values = columns.rejections(rule, pa.array(wrong)).to_pylist()
    rejections = [rule.explain(text) for text in wrong]
    assert all(rejections)
    assert [(row["code"], (row["start"], row["end"]), row["message"]) for row in values] == [
        (each.code, each.span, each.message) for each in rejections if each is not None
    ]


NAMES = sorted(path.stem for path in (ROOT / "grammars").glob("*.abnf") if ".mistakes" not in path.name)
STRINGS = ("<", "", "\x00\xe9")


def check(name: str, rules: list[str]) -> None:
    grammar = abnforge.load(name)
    for rule in rules:
        for text in STRINGS:
            string = text.encode("latin-1") if grammar.alphabet == "bytes" else text
            rejection = grammar[rule].explain(string)
            assert (rejection is None) == grammar[rule].matches(string)
            assert rejection is None or rejection.code in grammar.codes


def test_a_rule_with_the_name_of_a_word() -> None:
    check("rfc9535", ["start", "end"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_rule(name: str) -> None:
    check(name, [rule.name for rule in abnforge.load(name).own_rules])
