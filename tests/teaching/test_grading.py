"""Grades: equal answers, shortest counterexamples, hints on style, and hostile answers."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.catalog import Message
from abnforge.comparison.rules import reason
from abnforge.rejection import applied
from abnforge.teaching.exercises import Exercise, exercises, load_answer, reference
from abnforge.teaching.grading import MOST_HINTS, TrialResult, grade, size, style_hints, try_answer
from tests.law import each_row, one_in
from tests.raising import raises

ANSWERS = tomllib.loads(Path(__file__).with_name("answers.toml").read_text("utf-8"))
KNOWN = {each.id: each for each in exercises()}
# Right answers that recurse differently from the reference, so that strings are tested.
BOUNDED = {("balanced", 2), ("sums", 3)}


def test_five_of_each_for_all() -> None:
    assert list(ANSWERS) == list(KNOWN)
    for value in ANSWERS.values():
        assert len(set(value["right"])) == len(value["right"]) == 5
        assert len(set(value["wrong"])) == len(value["wrong"]) == 5


@pytest.mark.parametrize("exercise", one_in(4, KNOWN.values()), ids=KNOWN)
def test_right_answers(exercise: Exercise) -> None:
    for number, text in enumerate(ANSWERS[exercise.id]["right"]):
        result = grade(exercise, text, advice=False)
        assert (result.verdict, result.right) == ("right", True), text
        assert (result.bound is not None) is ((exercise.id, number) in BOUNDED), text
        assert result.witness is result.key_example is result.mistake is None


def test_reasons_name_no_rule_of_a_reference_that_recurses() -> None:
    secret = 'pin = secret\nsecret = "(" [secret] ")"\n'
    exercise = replace(KNOWN["pin"], reference=secret, valid=(), invalid=(), misconceptions=())
    result = grade(exercise, 'pin = "(" [pin] ")" / "(x)" / "(("\n', advice=False)
    assert result.wrongly_accepted is not None
    assert "secret" not in result.wrongly_accepted.reason
    assert result.wrongly_accepted.text in ("((", "(x)")


def test_reasons_without_mistakes_of_data() -> None:
    witness = grade(KNOWN["pin"], 'pin = 4*6DIGIT / "null"').wrongly_accepted
    assert witness is not None
    assert isinstance(witness.reason, Message)
    assert witness.reason.data == {"character": "n", "offset": 0}


@pytest.mark.parametrize(
    ("name", "answer", "known", "written"),
    [
        ("lower-word", "word = 1*ALPHA", 0, True),
        ("lower-word", "word = ALPHA *ALPHA", 0, True),
        ("greeting", 'greeting = %s"hello"', 0, True),
        ("traffic-light", 'light = ["green" / "red" / "amber"]', 1, True),
        ("some-digits", "number = *DIGIT", 0, True),
        ("point", 'point = (DIGIT "," DIGIT)', 0, True),
        ("header", 'field = 1*ALPHA ":" 1*1%x20 1*VCHAR', 1, False),
    ],
)
def test_a_misconception_is_said_of_what_an_answer_has(
    name: str, answer: str, known: int, written: bool
) -> None:
    """If the answer does not contain the misconception, the hint only says that the strings are the same."""
    result, misconception = grade(KNOWN[name], answer), KNOWN[name].misconceptions[known]
    assert result.recognized
    assert result.mistake is not None
    assert (result.mistake == misconception.why) is written
    assert misconception.why.removesuffix(".") in result.mistake
    assert (misconception.abnf.strip() in result.mistake) is not written


@each_row(
    ("name", "answer", "code"),
    [
        ("greeting", "greeting = %x68.65.6c.6c.6f", "change-case"),
        ("traffic-light", 'light = "green" / "red" / "amber" / ""', "change-extra"),
        ("some-digits", "number = [1*DIGIT]", "change-brackets"),
        ("point", 'point = DIGIT "," DIGIT', "change-around"),
        ("pin", 'pin = 4*6(DIGIT / "")', "change-extra"),
        pytest.param(
            "good-day",
            'greeting = "hello" / a / b\na = "good" SP "morning"\nb = "evening"',
            "change-missing",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_change_is_preferred_to_a_misconception_that_is_written_differently(
    name: str, answer: str, code: str
) -> None:
    result = grade(KNOWN[name], answer)
    assert not result.recognized
    assert isinstance(result.mistake, Message)
    assert (result.mistake.code, result.mistake.data["change"].code) == ("change-one", code)


@pytest.mark.parametrize("exercise", one_in(4, KNOWN.values()), ids=lambda each: each.id)
def test_wrong_answers(exercise: Exercise) -> None:
    expected = reference(exercise)
    for text in ANSWERS[exercise.id]["wrong"]:
        result, rule = grade(exercise, text, advice=False), load_answer(exercise, text)
        assert (result.verdict, result.right) == ("wrong", False), text
        assert result.witness is not None
        assert result.witness.reason
        for witness, accepting in ((result.wrongly_accepted, True), (result.wrongly_rejected, False)):
            if witness is None:
                continue
            if accepting:
                hidden = {each.name for each in expected.grammar.own_rules if each.key != expected.key}
                assert not hidden & set(re.findall(r"[\w-]+", witness.reason)), witness
            verdicts = (rule.matches(witness.text, engine="general"), expected.matches(witness.text))
            assert verdicts == (accepting, not accepting)
            # No shorter string over the available characters shows the difference.
            letters = sorted({*witness.text, *"".join(exercise.valid)})
            for length in range(len(witness.text)):
                if len(letters) ** length > 60:
                    break
                for chars in product(letters, repeat=length):
                    shorter = "".join(chars)
                    derived = rule.matches(shorter, engine="general")
                    assert not (derived is accepting is not expected.matches(shorter)), text


@pytest.mark.parametrize("exercise", one_in(4, KNOWN.values()), ids=KNOWN)
def test_misconceptions_are_recognised(exercise: Exercise) -> None:
    for each in exercise.misconceptions:
        result = grade(exercise, f"; an answer\n{each.abnf}")
        assert (result.verdict, result.mistake, result.recognized) == ("wrong", each.why, True)


@pytest.mark.slow
def test_a_misconception_in_other_words() -> None:
    result = grade(KNOWN["time-24"], 'time = DIGIT DIGIT %x3A *2"x" 2%x30-39'.replace('*2"x" ', ""))
    assert result.recognized
    assert result.mistake is not None
    assert KNOWN["time-24"].misconceptions[0].why.removesuffix(".") in result.mistake
    assert result.wrongly_accepted is not None
    assert result.wrongly_accepted.text == "24:00"  # as short as the others, and shown in the task


def test_a_mistake_that_is_not_a_misconception() -> None:
    result = grade(KNOWN["pairs-of-a"], 'even = *%s"aa"')
    assert result.mistake is not None
    assert not result.recognized


@pytest.mark.parametrize(
    ("name", "text", "key_example", "witness"),
    [
        ("pin", "pin = 3*6DIGIT", "accepted", "123"),  # the only one
        ("pin", "pin = 6DIGIT", "refused", "1234"),
        ("some-digits", "number = *2DIGIT", "accepted", ""),  # the task shows these
        ("some-digits", 'number = 1*"ab"', "refused", "0"),  # no required string is accepted
        ("octal-digit", 'octal = %x31-37 / "xy"', "refused", "0"),
        ("decimal", 'decimal = 1*DIGIT / 1*DIGIT "-" 1*DIGIT', "accepted", None),
    ],
)
def test_which_string_teaches_more(name: str, text: str, key_example: str, witness: str | None) -> None:
    result = grade(KNOWN[name], text, advice=False)
    assert result.key_example == key_example
    assert result.witness is (
        result.wrongly_accepted if key_example == "accepted" else result.wrongly_rejected
    )
    assert result.witness is not None
    assert witness is None or result.witness.text == witness


@each_row(
    ("text", "code", "edits"),
    [
        ('pin = "1', "syntax-error", 0),
        ("pin = 4-6DIGIT", "syntax-error", None),
        ("pin = 4*6DIGTI", "undefined-rule", 1),
        ("pin := 4*6DIGIT", "syntax-error", None),
        ("nip = 4*6DIGIT", "undefined-rule", 0),
        ("", "syntax-error", 0),
        ("pin = <four>", "prose-val", 0),
        ("pin = DIGIT\npin = 2DIGIT", "duplicate-rule", None),
        ("x" * 200_000, "file-too-large", 0),
        ("pin = " + "(" * 60 + "DIGIT" + ")" * 60, "nesting-too-deep", None),
        ("\0\ud800", "syntax-error", None),
    ],
)
def test_unreadable_answers(text: str, code: str, edits: int | None) -> None:
    result = grade(KNOWN["pin"], text)
    assert result.verdict == "unreadable"
    assert not result.right
    assert code in {each.name for each in result.findings}
    if edits is not None:
        assert len(result.findings[0].edits) == edits


def test_findings_suggest_only_allowed_imports() -> None:
    for allow, code in ((("core-rules",), "name-as-text"), (("imports",), "import-possible")):
        [finding] = grade(replace(KNOWN["pin"], allow=allow), "pin = 4*6Number").findings
        assert [hint.code for hint in finding.message.data["hints"]] == [code]


def test_letters_without_quotes_do_not_resemble_names() -> None:
    findings = grade(KNOWN["greeting"], "greeting = h e l l o").findings
    hints = {hint.code for each in findings for hint in each.message.data["hints"]}
    assert (len(findings), hints) == (4, {"name-as-text"})


@each_row(
    ("name", "text", "code", "edits"),
    [
        ("comma-list", "list = DIGIT , DIGIT , DIGIT", "sign-unquoted", 2),
        ("comma-list", 'list = DIGIT , *( "," DIGIT )', "comma-misplaced", 1),  # a comma is quoted
        ("method", 'method = %s"GET", %s"POST"', "comma-ambiguous", 0),
        ("year-month", "month = 4DIGIT - 2DIGIT", "sign-unquoted", 1),
        ("hex-color", "color = # 3HEXDIG", "sign-unquoted", 1),
        ("date-range", "range = full-date / / full-date", "sign-unquoted", 1),
        ("link", "link = < URI >", "notation-unquoted", 0),
        ("quoted", "quoted = DQUOTE *(VCHAR - DQUOTE) DQUOTE", "caret-misplaced", 0),
        ("flight", 'ticket = [FB] DIGIT / "E" 2DIGIT', "set-or-option", 0),
        ("yes-no", 'answer = "yes" / [NO]', "rule-undefined", 0),
        ("year-month", "month = 4DIGIT-2DIGIT", "rule-undefined", 0),
        ("signed-digit", "number = [+-]?DIGIT", "set-of-regex", 0),
        ("pin", "pin = {4,6}DIGIT", "count-after", 0),
        ("pin", "pin = (4 / 5 / 6)DIGIT", "repeated-element-missing", 0),
        ("octal-digit", "octal = 0 / 1 / 2", "repeat-of-nothing", 0),
        ("some-digits", "number = 1*9", "count-of-numbers", 0),
        ("percentage", 'percentage = 0-100 "%"', "range-of-numbers", 0),
        ("signed-digit", "number = (\\+|-)?DIGIT", "set-of-regex", 0),
        ("hello-world", 'phrase ::= "hello" "," SP "world"', "definition-sign", 1),
    ],
)
def test_findings_suit_the_exercise(name: str, text: str, code: str, edits: int) -> None:
    [finding] = grade(KNOWN[name], text).findings
    assert isinstance(finding.message, Message)
    assert (finding.message.code, len(finding.edits)) == (code, edits)


def test_edits_quote_the_sign_of_the_task() -> None:
    [finding] = grade(KNOWN["point"], 'point = "(" DIGIT , DIGIT ")"').findings
    text = applied('point = "(" DIGIT , DIGIT ")"', finding.edits)
    assert grade(KNOWN["point"], text).right


@each_row(
    ("name", "text", "code"),
    [
        ("version", "version = 1*3DIGIT", "never-matched"),
        ("json-number", 'number = ["-"] int\nint = "0" / %x31-39 *DIGIT', "never-matched"),
        ("point", 'point = DIGIT "_" ALPHA', "never-required"),
        pytest.param("year-month", 'month = 1*DIGIT "_" 1*ALPHA', "never-required", marks=pytest.mark.slow),
    ],
)
def test_characters_that_an_answer_lacks_or_adds(name: str, text: str, code: str) -> None:
    mistake = grade(KNOWN[name], text).mistake
    assert isinstance(mistake, Message)
    assert mistake.code == code


@each_row(
    ("name", "text"), [("year-month", "month = 4DIGIT 2DIGIT"), ("commands", 'command = "get" ";" 1*DIGIT')]
)
def test_the_reason_of_a_right_string_is_not_a_fix(name: str, text: str) -> None:
    """A fix would follow a semicolon; another semicolon is in quotes."""
    witness = grade(KNOWN[name], text, advice=False).wrongly_rejected
    assert witness is not None
    rejection = load_answer(KNOWN[name], text).explain(witness.text)
    assert rejection is not None
    problem, _, fix = reason(rejection).partition("; ")
    assert witness.reason == problem
    assert bool(fix) is (name == "year-month")


HOSTILE = [
    "pin = *999999999(*999999999(DIGIT))",
    'pin = *("a" / "b") "a" 30("a" / "b")',
    "pin = 999999999*DIGIT",
    "pin = 4*6DIGIT pin / 4*6DIGIT",
    "pin = " + "[" * 45 + "DIGIT" + "]" * 45,
    "pin = 4*6DIGIT\n" + "".join(f"a{n} = 2a{n + 1}\n" for n in range(300)) + "a300 = DIGIT",
    "pin = a0\n" + "".join(f"a{n} = 2a{n + 1}\n" for n in range(300)) + "a300 = DIGIT",
    "pin = DIGIT pin",
    'pin = pin pin / "1" / ""',
    "pin = pin",
    "pin = 4*6(%x0-10FFFF)",
    "pin = " + " / ".join(f'"{n}"' for n in range(1000, 5000)),
]


@pytest.mark.parametrize("text", one_in(6, HOSTILE))
def test_hostile_answers_are_bounded(text: str) -> None:
    result = grade(KNOWN["pin"], text, budget=Budget(steps=100_000, per_character=10, memory=30_000_000))
    assert result.verdict in ("right", "wrong", "unreadable", "undecided")
    assert (result.verdict == "wrong") is (result.witness is not None)
    assert result.right is (text == HOSTILE[5])


def test_the_budget_ends_before_anything_is_found() -> None:
    other = KNOWN["ipv4"].reference.replace('3( "." number )', '2( "." number ) "." number')
    result = grade(KNOWN["ipv4"], other, budget=Budget(steps=10))
    assert result.verdict == "undecided"
    assert not result.right
    assert result.bound is not None
    # The strings of the task are always tested.
    wrong = grade(KNOWN["pin"], 'pin = *("a" / "b") "a" 18("a" / "b")', budget=Budget(steps=5_000))
    assert wrong.verdict == "wrong"
    assert wrong.wrongly_rejected is not None
    assert wrong.wrongly_rejected.text == "1234"


@pytest.mark.parametrize("text", ["pin = DIGIT pin", "pin = pin", "pin = a\na = 4DIGIT pin"])
def test_an_answer_that_derives_nothing(text: str) -> None:
    result = grade(KNOWN["pin"], text)
    assert result.mistake is not None
    assert (result.mistake.code, result.key_example) == ("answer-empty", "refused")


def test_style_comes_after_correctness() -> None:
    assert grade(KNOWN["pin"], "pin = 4DIGIT [DIGIT] [DIGIT]").style
    assert grade(KNOWN["pin"], "pin = 4DIGIT [DIGIT] [DIGIT]", advice=False).style == ()
    assert grade(KNOWN["pin"], "pin = 4DIGIT [DIGIT] [DIGIT] [DIGIT]").style == ()


def test_plain_data() -> None:
    plain = grade(KNOWN["some-digits"], "number = *DIGIT").to_dict()
    assert plain["exercise"] == "some-digits"
    assert plain["verdict"] == "wrong"
    assert plain["wrongly_accepted"]["text"] == ""
    assert plain["wrongly_rejected"] is None
    assert plain["key_example"] == "accepted"
    assert plain["recognized"] is True
    assert grade(KNOWN["pin"], "pin").to_dict()["findings"][0]["name"] == "syntax-error"


def test_misuse() -> None:
    for arguments, name, code in (
        (("pin", "x"), "exercise", "argument-type"),
        ((KNOWN["pin"], b"pin = 4DIGIT"), "text", "argument-bytes"),
        ((KNOWN["pin"], abnforge.load("rfc3986")), "text", "argument-type"),
    ):
        with raises(TypeError, code, name=name):
            grade(*arguments)
    with raises(TypeError, "argument-type", name="budget"):
        grade(KNOWN["pin"], "pin = 4DIGIT", budget=7)


@each_row(
    ("name", "text", "codes"),
    [
        ("pin", "pin = 4*6DIGIT\n", []),
        ("pin", "pin = 4DIGIT [DIGIT] [DIGIT]\n", ["ambiguous"]),
        ("pin", "pin = 4*6digits\ndigits = %x30-39\n", ["style-core-rule"]),
        ("greeting", 'greeting = ("h" / "h") "ello"\n', ["shadowed-alternative"]),
        (
            "pin",
            "pin = " + " / ".join(" ".join(n * ["DIGIT"]) for n in (4, 5, 6)) + "\n",
            ["style-long"],
        ),
        ("comma-list", 'list = [list ","] DIGIT\n', ["left-recursion-direct"]),
        ("pin", 'pin = 4*6DIGIT\nmore = "x"\n', ["unused-rule"]),
    ],
)
def test_hints(name: str, text: str, codes: list[str]) -> None:
    hints = style_hints(KNOWN[name], text, load_answer(KNOWN[name], text))
    assert len(hints) == len(codes)
    for hint, code in zip(hints, codes, strict=True):
        assert code == getattr(hint, "code", None) or hint.endswith(f"{code}]")


def test_hints_have_data() -> None:
    long = "pin = " + " / ".join(" ".join(n * ["DIGIT"]) for n in (4, 5, 6)) + "\n"
    texts = (long, "pin = 4*6digits\ndigits = %x30-39\n")
    hints = [style_hints(KNOWN["pin"], text, load_answer(KNOWN["pin"], text))[0] for text in texts]
    data = [{"own": 15, "enough": 1}, {"name": "digits", "core": "DIGIT"}]
    assert [hint.data for hint in hints] == data


def test_no_more_than_some() -> None:
    text = "pin = 4*6DIGIT\n" + "".join(f"d{number} = %x30-39\n" for number in range(20))
    assert len(style_hints(KNOWN["pin"], text, load_answer(KNOWN["pin"], text))) == MOST_HINTS


def test_size() -> None:
    grammar = 'x = "a" / ( "b" y ) [ "c" ]\ny = 2*3DIGIT\n'
    assert size(grammar) == 7


def test_references_are_no_worse_than_they_ask_for() -> None:
    for each in exercises():
        hints = style_hints(each, each.reference, load_answer(each, each.reference))
        assert not hints, (each.id, hints)


BALANCED = KNOWN["balanced"]
# Wrong from the 61st character on, which is beyond the length to which all strings are tested.
LONG = 'balanced = *pair\npair = "(" *pair ")" / ' + " ".join(["pair"] * 30) + ' "x"\n'
RIGHT = 'balanced = *pair\npair = "(" *pair ")"\n'


def tried(text: str, budget: Budget | None = None) -> TrialResult:
    return try_answer(BALANCED, load_answer(BALANCED, text, budget), reference(BALANCED))


def test_right_and_wrong() -> None:
    assert tried(RIGHT) == (None, None, True)
    assert tried('balanced = [ "(" balanced ")" ]').refused is not None
    assert tried('balanced = *( "(" / ")" )').accepted == "("


def test_answers_that_are_wrong_only_for_long_strings() -> None:
    result = grade(BALANCED, LONG, advice=False)
    assert result.verdict == "wrong"
    assert result.wrongly_accepted is not None
    assert len(result.wrongly_accepted.text) == 61
    assert result.bound is not None


def test_nothing_is_right_that_was_hardly_tried() -> None:
    """With any budget, a wrong answer is graded as wrong or as undecided."""
    verdicts = [
        grade(BALANCED, LONG, advice=False, budget=Budget(steps=steps, per_character=1)).verdict
        for steps in (10, 100, 1000, 10_000, 100_000)
    ]
    assert verdicts == ["undecided", "undecided", "undecided", "wrong", "wrong"]
    assert not tried(LONG, Budget(steps=100, per_character=1)).complete
    assert grade(BALANCED, RIGHT, advice=False).right
