"""Trees of attempts: the input that each component of a rule matched, and where it ended."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import abnforge
from abnforge.charset import CharSet, union
from abnforge.errors import LimitExceeded
from abnforge.explain.attempts import MAX_ATTEMPTS, MAX_CHARACTERS, Attempt
from tests.law import each_row, law
from tests.raising import raises

attempts = abnforge.Rule.attempts

SUMS = abnforge.loads('e = e "+" t / t\nt = t "*" f / f\nf = "(" e ")" / 1*DIGIT\n', name="sums")


def lines(attempt: Attempt, text: str, depth: int = 0) -> Iterator[str]:
    mark = "+" if attempt.complete else "-"
    wants = f" wants {attempt.expected}" if attempt.expected else ""
    star = "*" if attempt.furthest else ""
    yield f'{"  " * depth}{mark}{star} {attempt.source} "{text[attempt.start : attempt.end]}"{wants}'
    for part in attempt.parts:
        yield from lines(part, text, depth + 1)


def test_a_sum_that_ends_too_early() -> None:
    text = "1+(2*"
    assert list(lines(attempts(SUMS["e"], text), text)) == [
        '-* e "1+(2*" wants [(0-9]',
        '  -* e "+" t "1+(2*" wants [(0-9]',
        '    + e "1"',
        '    + "+" "+"',
        '    -* t "(2*" wants [(0-9]',
        '      -* t "*" f "(2*" wants [(0-9]',
        '        -* t "(2*" wants [(0-9]',  # while the message is written
        '      -* f "(2*" wants [(0-9]',
        '        -* "(" e ")" "(2*" wants [(0-9]',
        '          + "(" "("',
        '          -* e "2*" wants [(0-9]',
        '            -* e "+" t "2*" wants [(0-9]',
        '              -* e "2*" wants [(0-9]',
        '            -* t "2*" wants [(0-9]',
        '              -* t "*" f "2*" wants [(0-9]',
        '                + t "2"',
        '                + "*" "*"',
        '                -* f "" wants [(0-9]',
        '              + f "2" wants [0-9]',
        '        - 1*DIGIT "" wants [0-9]',
        '  + t "1" wants [*0-9]',
    ]


def test_every_alternative_is_reported_and_the_furthest_are_looked_into() -> None:
    rule = abnforge.rule("rfc3986:host")
    result = attempts(rule, "1.2.3.4!x y")
    assert [(each.rule, each.end, each.complete) for each in result.parts] == [
        ("IP-literal", 0, False),
        ("IPv4address", 7, True),
        ("reg-name", 9, True),
    ]
    assert [bool(each.parts) for each in result.parts] == [False, False, True]


def test_a_terminal_ends_in_its_middle() -> None:
    rule = abnforge.loads('a = "begin" %x0D.0A')["a"]
    assert [(p.source, p.end, str(p.expected)) for p in attempts(rule, "Bega").parts] == [
        ('"begin"', 3, "[Ii]")
    ]
    result = attempts(rule, "begin\rx")
    assert [(p.source, p.end, str(p.expected)) for p in result.parts] == [
        ('"begin"', 5, "[]"),
        ("%x0D.0A", 6, r"[\x0A]"),
    ]


def test_a_repetition_reports_what_it_has_read_and_what_was_next() -> None:
    rule = abnforge.loads('a = 2*3( "x" DIGIT )')["a"]
    text = "x1x2x"
    assert list(lines(attempts(rule, text), text)) == [
        '-* a "x1x2x" wants [0-9]',
        '  -* 2*3( "x" DIGIT ) "x1x2x" wants [0-9]',
        '    + ( "x" DIGIT ) (repeated) "x1x2"',
        '    -* ( "x" DIGIT ) "x" wants [0-9]',
        '      + "x" "x"',
        '      -* DIGIT "" wants [0-9]',
    ]


def test_a_derived_text_is_complete_and_tells_how_it_would_go_on() -> None:
    result = attempts(abnforge.rule("rfc3986:port"), "80")
    assert (result.complete, result.end, str(result.expected)) == (True, 2, "[0-9]")


def test_prose_reads_nothing() -> None:
    rule = abnforge.loads('a = "x" <whatever you like>', allow_undefined=True)["a"]
    assert [(p.source, p.end) for p in attempts(rule, "xy").parts] == [
        ('"x"', 1),
        ("<whatever you like>", 1),
    ]


NESTED = abnforge.loads('v = "[" [ v *( "," v ) ] "]" / "1" / "(" ( ( ( [ v ] ) ) ) ")"\n')["v"]


@each_row("rule", [SUMS["e"], NESTED])
@each_row("text", ["x" * (MAX_CHARACTERS + 1), "(" * 60, "[(" * 90, "[" * 1_500, "(" * 1_500])
def test_limits_have_names(rule: abnforge.Rule, text: str) -> None:
    if rule is SUMS["e"] and "[" in text:
        assert attempts(rule, text).end == 0  # "[" is unknown in this position
        return
    with pytest.raises(LimitExceeded) as caught:
        attempts(rule, text)
    assert caught.value.setting == ("MAX_CHARACTERS" if len(text) > MAX_CHARACTERS else "MAX_DEPTH")
    assert caught.value.used > caught.value.limit > 0


def test_no_more_attempts_are_reported_than_the_limit() -> None:
    rule = abnforge.loads('a = *( 1*5( "x" / "xy" / b ) )\nb = "x" b / "x"\n')["a"]
    assert sum(1 for _ in attempts(rule, "x" * 60 + "!").walk()) <= 2 * MAX_ATTEMPTS


def test_an_alternative_is_complete_that_ends_there_on_another_way() -> None:
    rule = abnforge.loads('pin = [ DIGIT ] 2DIGIT / "x"')["pin"]
    result = attempts(rule, "12x")
    assert [(each.source, each.end, each.complete) for each in result.parts] == [
        ("[ DIGIT ] 2DIGIT", 2, True),
        ('"x"', 0, False),
    ]


def test_what_derives_nothing_reaches_nothing() -> None:
    rule = abnforge.loads('a = "x" b / "xy"\nb = b "y"\n')["a"]
    assert [(each.source, each.end) for each in attempts(rule, "xyz").parts] == [('"x" b', 0), ('"xy"', 2)]


def test_rules_whose_refusals_no_part_reports() -> None:
    grammar = abnforge.loads('a = id "=" id\n;@ except kw\nid = 1*ALPHA\nkw = "if"\nb = ALPHA\n')
    with raises(ValueError, "attempts-excepted", rule="id", names=("kw",)):
        attempts(grammar["a"], "a=if")
    assert attempts(grammar["b"], "a").complete
    with raises(ValueError, "attempts-combined"):
        attempts(grammar["kw"] | grammar["b"], "a")


ELEMENTS = st.recursive(
    st.sampled_from(['"a"', '"b"', '"ab"', "%x61-62", "r", "s"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"( {pair[0]} / {pair[1]} )"),
        st.tuples(inner, inner).map(lambda pair: f"( {pair[0]} {pair[1]} )"),
        inner.map(lambda one: f"[ {one} ]"),
        inner.map(lambda one: f"*( {one} )"),
        inner.map(lambda one: f"1*2( {one} )"),
    ),
    max_leaves=5,
)


@law(ELEMENTS, ELEMENTS, st.text("abc", max_size=6), few=8, many=100)
def test_attempts_of_random_grammars(first: str, second: str, text: str) -> None:
    """Each part is tested as a separate rule. It must match the input of the attempt, and fail there."""
    grammar = abnforge.loads(f"r = {first}\ns = {second}\n")
    result = attempts(grammar["r"], text)
    for attempt in {(each.source, each.start): each for each in result.walk()}.values():
        if attempt.source.endswith("(repeated)"):
            continue
        own = abnforge.loads(f"part = {attempt.source}\nr = {first}\ns = {second}\n")["part"]
        rest = text[attempt.start :]
        assert own.matches(rest[: attempt.end - attempt.start]) is attempt.complete
        reason = own.explain(rest, suggest=False)
        reached = len(rest) if reason is None else reason.offset
        assert attempt.end - attempt.start <= reached
        if attempt.expected:
            assert attempt.end - attempt.start == reached


@law(ELEMENTS, ELEMENTS, ELEMENTS, ELEMENTS, st.text("abc", max_size=6), few=8, many=100)
def test_rejections_have_alternatives_if_a_choice_is_open(a: str, b: str, c: str, d: str, text: str) -> None:
    """A choice is open if a mark before a part of it leads to other characters than the mark after it."""
    rules = f"r = {a} / {b}\ns = {c} / {d}\n"
    rejection = abnforge.loads(rules)["r"].explain(text)
    if rejection is None:
        return
    prefix = text[: rejection.offset]
    marked = f'r = "<" ( {a} / {b} ) ">" / {a} / {b}\ns = "<" ( {c} / {d} ) ">" / {c} / {d}\n'
    rule = abnforge.loads(marked)["r"]
    marks = [rule.explain(f"{prefix[:i]}<{prefix[i:]}", suggest=False) for i in range(len(prefix) + 1)]
    reasons = [each for each in marks if each is not None and each.offset == len(prefix) + 1]
    if any(admitted(each, char) for each in reasons for char in "abc"):
        assert rejection.attempts
    for each in rejection.attempts:
        own = abnforge.loads(f"part = {each.source}\n{rules}")["part"]
        assert own.matches(text[each.start : each.offset]) is each.complete
        reason = own.explain(text[each.start :], suggest=False)
        reached = len(text) if reason is None else each.start + reason.offset
        assert (each.offset == reached) if each.expected else (each.offset <= reached)
    if rejection.attempts:
        assert max(each.offset for each in rejection.attempts) == rejection.offset


LAWS = [
    (SUMS["e"], "1+*()2x"),
    (abnforge.rule("rfc3986:URI"), "a:/@[]1.%fF?#"),
    (abnforge.rule("rfc3339:date-time"), "2019-T:0Z+.-3"),
    (abnforge.loads('s = s s / "a" / "ab" / ""\n')["s"], "abc"),
    (abnforge.loads('a = b "x" / "y"\nb = a "z" / c\nc = b / "w" / *2a\n')["a"], "xyzw"),
    (abnforge.loads('p = "a" p "a" / "b" p "b" / [ "a" / "b" ]\n')["p"], "ab"),
    (abnforge.loads('l = 2*3( "a" / "aa" ) *1( "b" [ "a" ] ) 2"a"\n')["l"], "ab"),
]


@pytest.mark.parametrize(("rule", "alphabet"), LAWS, ids=[rule.name for rule, _ in LAWS])
@given(data=st.data())
@settings(max_examples=15)
def test_an_attempt_is_what_the_rule_itself_says(
    rule: abnforge.Rule, alphabet: str, data: st.DataObject
) -> None:
    text = data.draw(st.text(alphabet, max_size=9))
    result = attempts(rule, text)
    rejection = rule.explain(text, suggest=False)
    if rejection is None:
        assert result.complete
        assert result.end == len(text)
    else:  # the position of failure, and the possible characters there
        assert result.end == rejection.offset
        expected = [CharSet.of(c) for c in map(chr, range(128)) if admitted(rejection, c)]
        assert result.expected == (union(expected) if expected else CharSet(()))
    for attempt in result.walk():
        part = text[attempt.start : attempt.end]
        if attempt.rule is not None:
            own = rule.grammar[attempt.rule]
            assert own.matches(part) is attempt.complete
            reason = own.explain(text[attempt.start :], suggest=False)
            reached = len(text) - attempt.start if reason is None else reason.offset
            assert attempt.furthest or len(part) <= reached
            if attempt.expected:
                assert len(part) == reached
        assert_in_order(attempt)


def admitted(rejection: abnforge.Rejection, char: str) -> bool:
    return any(re.fullmatch(f"[{each.chars}]", char) for each in rejection.expected)


def assert_in_order(attempt: Attempt) -> None:
    """Check that parts are within the attempt, and that parts of a concatenation are in order."""
    for part in attempt.parts:
        assert attempt.start <= part.start <= part.end <= attempt.end
    if len({part.start for part in attempt.parts}) > 1:
        for before, after in zip(attempt.parts, attempt.parts[1:], strict=False):
            assert before.end == after.start


ALTERNATIVES = [
    # Grammar, rule, string; rule, start, offset, completeness and next characters of each alternative.
    (
        ("rfc3986", "URI", "http://[::1/"),
        [("IPv6address", 8, 11, True, ".0-9:A-Fa-f"), ("IPvFuture", 8, 8, False, "Vv")],
    ),
    (
        ("rfc3986", "URI", "http://a b/"),
        [
            ("unreserved", 8, 8, False, "\\-.0-9A-Z_a-z~"),
            ("pct-encoded", 8, 8, False, "%"),
            ("sub-delims", 8, 8, False, "!$&-,;="),
        ],
    ),
    (("rfc3986", "IPv4address", "1.2.3.256"), [("DIGIT", 6, 7, True, "")]),
    (
        ("semver-2.0.0", "valid-semver", "1.2.3-"),
        [("pre-release-identifier", 6, 6, False, "\\-0-9A-Za-z")],
    ),
    (("rfc3339", "date-time", "2024-05-01T12:00"), []),
    (
        ("rfc5321", "Mailbox", "a@"),
        [("Domain", 2, 2, False, "0-9A-Za-z"), ("address-literal", 2, 2, False, "\\[")],
    ),
]


@pytest.mark.parametrize(("case", "alternatives"), ALTERNATIVES)
def test_rejections_have_the_alternatives_of_the_rule_at_fault(
    case: tuple[str, str, str], alternatives: list[tuple[object, ...]]
) -> None:
    grammar, rule, text = case
    rejection = abnforge.load(grammar)[rule].explain(text)
    assert rejection is not None
    results = [(a.rule, a.start, a.offset, a.complete, a.expected) for a in rejection.attempts]
    assert [each for each in results if each[0]] == alternatives
    assert rejection.attempts is rejection.attempts
    assert len(rejection.to_dict(attempts=True)["attempts"]) == len(results)


def test_alternatives_of_bytes_count_bytes() -> None:
    rule = abnforge.loads('r = %xE9 ( "a" / "b" ) "c"\n')["r"]
    text, octets = rule.explain("\xe9x"), rule.explain("\xe9x".encode())
    assert text is not None
    assert octets is not None
    assert [each.start for each in text.attempts] == [1, 1]
    assert [each.start for each in octets.attempts] == [2, 2]


@each_row("text", ["a" * 3000 + "?", "["])
def test_without_attempts(text: str) -> None:
    rule = abnforge.loads('r = *ALPHA ( "1" / "2" )\n')["r"]
    rejection = (rule if len(text) > 1 else rule | rule).explain(text)
    assert rejection is not None
    assert rejection.attempts == ()


def test_messages_name_a_character_that_the_alternative_excludes() -> None:
    for (grammar, rule, text), _ in ALTERNATIVES:
        rejection = abnforge.load(grammar)[rule].explain(text)
        assert rejection is not None
        for each in rejection.attempts:
            has_problem = each.offset < len(text) if each.complete else True
            assert bool(each.message) == (has_problem and (each.offset > each.start or not each.complete))
            if each.expected and each.offset < len(text):
                assert not re.fullmatch(f"[{each.expected}]", text[each.offset])
