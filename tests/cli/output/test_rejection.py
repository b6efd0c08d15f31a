"""Drawings of rejections as a whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abnforge.cli.common.inputs import StringRecord, Unreadable, decode
from abnforge.cli.common.outcome import Outcome, Target
from abnforge.cli.common.output import Style
from abnforge.cli.output import diagnostic
from abnforge.cli.output import rejection as render
from abnforge.rejection import Edit, Expected, Hypothesis, OtherMistake, Rejection, Suggestion
from tests.cli.command import Seen
from tests.law import each_row


def finding(outcome: Outcome) -> str:
    return "\n".join(line for each in diagnostic.outcomes(outcome) for line in each.lines())


SPACE = Rejection(
    grammar="rfc3986",
    rule="URI",
    input="http://exa mple.com/",
    offset=10,
    found=" ",
    expected=(
        Expected("unreserved", "A-Za-z0-9\\-._~"),
        Expected("pct-encoded", "%"),
        Expected("authority", "@"),
    ),
    rule_path=("URI", "hier-part", "authority", "host", "reg-name"),
    section="3.2.2",
    message='" " cannot appear here',
    suggestion=Suggestion("http://exa%20mple.com/", (Edit(10, 11, "%20"),), 1.0),
    end_expected=True,
    code="space-in-host",
)

PORT = Rejection(
    grammar="rfc3986",
    rule="URI",
    input="http://host:80x/",
    offset=15,
    found="/",
    expected=(Expected("authority", "@"),),
    rule_path=("URI", "hier-part", "authority", "userinfo"),
    section="3.2.3",
    message='"x" cannot appear in a port',
    hypotheses=(
        Hypothesis(
            ("URI", "hier-part", "authority", "port"),
            14,
            15,
            (Expected("DIGIT", "0-9"), Expected("path-abempty", "/")),
            "a port is digits only",
        ),
        Hypothesis(
            ("URI", "hier-part", "authority", "userinfo"),
            15,
            15,
            (Expected("authority", "@"),),
            'a userinfo ends with "@"',
        ),
    ),
    suggestion=Suggestion("http://host:80/", (Edit(14, 15, ""),), 1.0),
    code="letter-in-port",
)


@pytest.mark.parametrize("rejection", [SPACE, PORT])
def test_explanation(rejection: Rejection, seen: Seen) -> None:
    seen(render.explanation(rejection))


def test_finding(seen: Seen) -> None:
    outcome = Outcome(StringRecord("links.txt", 3, PORT.input), Target("rfc3986", "URI"), PORT)
    seen(finding(outcome))


def test_finding_of_undecodable_bytes(seen: Seen) -> None:
    record = decode("é\udc80x".encode("utf-8", "surrogateescape"), "f", 1)
    seen(finding(Outcome(record, Target("rfc3986", "URI"))))


def test_a_line_too_long_has_no_drawing() -> None:
    record = Unreadable("f", 1, "line-too-long", "too long", 10)
    assert render.unreadable(record) == "too long"


EVIL = "a\x1b[31m\u202eb\r\n"


def test_nothing_from_an_input_reaches_the_terminal_raw() -> None:
    """Every string in this rejection contains terminal escapes."""
    rejection = Rejection(
        grammar=EVIL,
        rule=EVIL,
        input=EVIL,
        offset=1,
        found="\x1b",
        expected=(Expected(EVIL, EVIL),),
        rule_path=(EVIL,),
        section=EVIL,
        message=EVIL,
        hypotheses=(Hypothesis((EVIL,), 0, 7, (Expected(EVIL, "\x1b"),), EVIL + "!"),) * 2,
        suggestion=Suggestion(EVIL, (Edit(0, 1, EVIL), Edit(2, 3, "")), 1.0),
    )
    shown = render.explanation(rejection)
    shown += finding(Outcome(StringRecord(EVIL, 1, EVIL), Target(EVIL, EVIL), rejection))
    shown += render.accepted(EVIL, Target(EVIL, EVIL))
    assert all(c == "\n" or c.isprintable() for c in shown)
    assert "\u202e" not in shown
    assert "\\u202e" in shown


def test_accepted(seen: Seen) -> None:
    target = Target("rfc3986", "URI-reference")
    seen(render.accepted("", target))
    assert render.accepted("a b", target) == "valid: URI-reference (RFC 3986)\n    a b"


def test_color_adds_nothing_but_color() -> None:
    import click

    colored = render.explanation(PORT, Style(color=True))
    assert colored != render.explanation(PORT)
    assert click.unstyle(colored) == render.explanation(PORT)


@each_row(
    ("chars", "shown"),
    [("/", '"/"'), ("\\-", '"-"'), ("\\\\", '"\\"'), ('"', "'\"'"), ("A-Z", "[A-Z]"), ("\\x20", "[\\x20]")],
)
def test_characters(chars: str, shown: str) -> None:
    assert render.characters(chars) == shown


def test_a_wide_class_is_cut() -> None:
    assert render.characters("ab" * 100) == f"[{'ab' * 30}...]"


def test_a_deep_rule_path_loses_its_middle() -> None:
    names = [f"r{n}" for n in range(100)]
    shown = render.rule_path(names)
    assert shown.startswith("r0 > r1 > r2 > r3 > ... 88 more ... > r92 > ")
    assert shown.endswith(" > r99")


@pytest.mark.parametrize(
    ("name", "shown"),
    [("rfc3986", "RFC 3986"), ("abnf:rfc9110", "RFC 9110"), ("rfc2396bis-07", "rfc2396bis-07"), ("my", "my")],
)
def test_specification(name: str, shown: str) -> None:
    assert render.specification(name) == shown


@pytest.mark.parametrize(
    ("edit", "shown"),
    [
        (Edit(1, 2, "x"), 'replace "b" by "x" at offset 1'),
        (Edit(1, 2, ""), 'delete "b" at offset 1'),
        (Edit(1, 1, "x"), 'insert "x" at offset 1'),
    ],
)
def test_edit(edit: Edit, shown: str) -> None:
    assert render.edit(edit, "abc") == shown


def test_a_long_suggestion_shows_its_edit() -> None:
    text = "a" * 5000 + "%20" + "b" * 5000
    shown = render.suggested(Suggestion(text, (Edit(5000, 5001, "%20"),), 1.0))
    assert "a%20b" in shown
    assert len(shown) <= 80
    assert render.suggested(Suggestion("a%20b", (), 1.0)) == "a%20b"


PAGE = replace(
    PORT,
    input="漢\nhttp://host:80x/\ny\n",
    offset=17,
    hypotheses=tuple(replace(h, offset=h.offset + 2, end=h.end + 2) for h in PORT.hypotheses),
    suggestion=Suggestion("漢\nhttp://host:80/\ny\n", (Edit(16, 17, ""),), 1.0),
)


def test_explanation_of_a_text_of_several_lines(seen: Seen) -> None:
    seen(render.explanation(PAGE))


@pytest.mark.parametrize(
    ("text", "offset", "head"),
    [
        ("ab\nc", 1, "f:4:2: wrong [wrong] (exact offset 1, line 1, column 2)"),
        ("ab\nc", 4, "f:4: line 2, column 2: wrong [wrong] (exact offset 4, line 2, column 2)"),
        ("abc\n", 3, "f:4:4: wrong [wrong] (exact offset 3)"),
    ],
)
def test_finding_in_a_text_of_several_lines(text: str, offset: int, head: str) -> None:
    rejection = Rejection("g", "r", text, offset, None, (), ("r",), None, "wrong", code="wrong")
    outcome = Outcome(StringRecord("f", 4, text), Target("g", "r"), rejection)
    assert finding(outcome).split("\n")[0] == head


SAME = [OtherMistake("space-in-host", at, at + 1) for at in (12, 14)]
OTHER = [OtherMistake("percent", at, at + 1) for at in range(16, 24)]


@pytest.mark.parametrize(
    ("other_mistakes", "suggested", "lines"),
    [
        ([], True, []),
        (SAME, True, ["2 more of the same, also fixed: offset 12, offset 14"]),
        (
            [*SAME, OtherMistake("percent", 30, 31)],
            True,
            ["2 more of the same, also fixed: offset 12, offset 14"],
        ),
        (OTHER[:1], False, ["1 other mistake: offset 16 [percent]"]),
        (
            [*OTHER, SAME[0]],
            True,
            [
                "1 more of the same, also fixed: offset 12",
                "8 other mistakes, also fixed: offset 16 [percent], offset 17 [percent], "
                "offset 18 [percent], offset 19 [percent], offset 20 [percent], offset 21 [percent], ...",
            ],
        ),
    ],
)
def test_further_mistakes(other_mistakes: list[OtherMistake], suggested: bool, lines: list[str]) -> None:
    edits = tuple([Edit(at, at + 1, "") for at in range(12, 24)])
    suggestion = Suggestion("http://a", edits, 1.0) if suggested else None
    rejection = replace(SPACE, other_mistakes=tuple(other_mistakes), suggestion=suggestion)
    assert render.other_mistakes(rejection) == lines
    outcome = Outcome(StringRecord("links.txt", 3, rejection.input), Target("rfc3986", "URI"), rejection)
    for text in (render.explanation(rejection), finding(outcome)):
        assert ("  also          " + "\n                ".join(lines) in text) is bool(lines)
