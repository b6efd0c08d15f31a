"""Mistakes files of bundled grammars: every example, every near miss, every message, and the proofs.

``pytest --snapshot-update`` regenerates the messages.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.explain.bind import BoundMistakes, bind_mistakes
from abnforge.explain.declare import ADOPTING, MEANINGS
from abnforge.explain.fixes import FixedText, Fixer
from abnforge.explain.mistakes import MAX_SHOWN, Mistake, MistakeExample, Mistakes, fill, message_slots
from abnforge.explain.mistakes_file import read_mistakes, with_inherited
from abnforge.explain.proofs import UNPROVED, ProofRemark, Prover, remarks
from abnforge.explain.reading import Interpretation, Interpreter
from tests.law import each_row, one_in
from tests.places import DATA, ROOT

FILES = sorted((ROOT / "grammars").glob("*.mistakes.abnf"))
NAMES = [path.name.removesuffix(".mistakes.abnf") for path in FILES]


@cache
def own(name: str) -> Mistakes:
    """Return the expectations in a mistakes file."""
    path = ROOT / "grammars" / f"{name}.mistakes.abnf"
    return read_mistakes(path.read_text("utf-8"), path.name)


@cache
def bound(name: str) -> BoundMistakes:
    return bind_mistakes(with_inherited(own(name), adopted), grammar(name).compilation.bound)


def adopted(name: str) -> Mistakes:
    return with_inherited(own(name), adopted)


@cache
def grammar(name: str) -> abnforge.Grammar:
    return abnforge.load(name)


@cache
def reader(name: str, rule: str) -> Interpreter:
    """Return a reader with the stored sets, if any.

    tests/explain/test_shipped.py tests readers without them.
    """
    compilation, key = grammar(name).compilation, rule.lower()
    if compilation.mistakes_of(key) == bound(name):
        result = compilation.mistakes_reader(key)
        assert result is not None
        return result
    return Interpreter(bound(name), rule)


def read(name: str, rule: str | None, text: str) -> tuple[Interpretation, FixedText | None]:
    reading = reader(name, rule or grammar(name).start.name).interpret(text)
    return reading, Fixer(bound(name)).fix(reading, include_unwanted=True)


@cache
def declared(name: str) -> list[Mistake]:
    """Return all mistakes of a grammar.

    Of a family, only the first member is included, since the members share examples.
    """
    return list({written(mistake): mistake for mistake in own(name).mistakes[::-1]}.values())[::-1]


def written(mistake: Mistake) -> str:
    """Return the name of the rule as written in the file, which is the family name for a member."""
    return mistake.family or mistake.rule.name


@cache
def examples(name: str) -> list[tuple[Mistake, MistakeExample]]:
    return [(mistake, example) for mistake in declared(name) for example in mistake.examples]


@pytest.mark.parametrize("name", NAMES)
def test_every_mistake_has_its_examples(name: str) -> None:
    for mistake in declared(name):
        assert len(mistake.examples) >= 3, mistake
        assert len(mistake.near) >= 2, mistake
        assert mistake.say, mistake
        assert bound(name).section(mistake) or mistake.targets == ("*",), mistake


@pytest.mark.parametrize("name", one_in(2, NAMES))
def test_every_example_is_read_as_its_mistake(name: str) -> None:
    for mistake, example in examples(name):
        reading, fixed = read(name, example.rule, example.wrong)
        assert written(mistake) in [
            result.mistake and written(result.mistake) for result in reading.all_mistakes
        ]
        assert reading.exact, example
        assert (fixed and fixed.text) == example.right, example
        if example.right is not None:
            rule = grammar(name)[reading.rule]
            assert rule.matches(example.right), example
            assert not rule.matches(example.wrong), example


@each_row("name", NAMES)
def test_near_misses_are_valid(name: str) -> None:
    for mistake in declared(name):
        for near in mistake.near:
            rule = grammar(name)[near.rule or grammar(name).start.name]
            assert rule.matches(near.valid), near
            assert read(name, near.rule, near.valid)[0].mistakes == (), near


@pytest.mark.parametrize("step", [40, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_suggestions_are_valid_for_the_lark_engine(name: str, step: int) -> None:
    for _, example in examples(name)[::step]:
        if example.right is not None:
            rule = grammar(name)[example.rule or grammar(name).start.name]
            assert rule.matches(example.right, engine="lark")


@pytest.mark.parametrize("step", [400, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", one_in(3, NAMES))
def test_every_fix_is_proved_and_every_mistake_is_read(name: str, step: int) -> None:
    prover = Prover(bound(name))
    results: list[ProofRemark] = []
    for mistake in (bound(name).mistakes if step == 1 else own(name)).mistakes[::step]:
        results += prover.fix_remarks(mistake)
        results += prover.overlaps(mistake)
    assert [each.message for each in results if each.is_error or each.kind == UNPROVED] == []


def adopted_examples() -> list[tuple[str, Mistake, MistakeExample]]:
    return [
        (name, mistake, example)
        for name in NAMES
        if own(name).adopts
        for mistake in bound(name).mistakes.mistakes
        for example in mistake.examples
        if mistake.rule.name not in {each.rule.name for each in own(name).mistakes}
    ]


@pytest.mark.parametrize("step", [40, pytest.param(4, marks=pytest.mark.slow)])
def test_what_is_inherited_is_read_and_fixed_as_there(step: int) -> None:
    """Inherited examples have the same mistakes and fixes in the grammar that inherits them."""
    for name, mistake, example in adopted_examples()[::step]:
        reading, fixed = read(name, example.rule, example.wrong)
        assert written(mistake) in [
            result.mistake and written(result.mistake) for result in reading.all_mistakes
        ]
        assert (fixed and fixed.text) == example.right, example
        assert example.right is None or grammar(name)[reading.rule].matches(example.right)


# The rules URI and absolute-URI (without a fragment) report the same mistakes.
@each_row(
    "text",
    [
        *("", "  ", "null", ">", "<script>", "not a uri", "HTTP/1.0 200 OK", "/a/b", ":a", "://a", "//a"),
        *("www.example.com/a b", "127.0.0.1:80/x", "john@example.com", "git@a.example:b", "C:\\a"),
        *("http//a", "https;//a"),
    ],
)
def test_rules_to_start_from_say_the_same(text: str) -> None:
    one, other = (grammar("rfc3986")[rule].explain(text) for rule in ("URI", "absolute-URI"))
    assert one is not None
    assert other is not None
    assert (one.code, one.hypotheses[0].offset, one.message) == (
        (other.code, other.hypotheses[0].offset, other.message)
    )
    assert (one.suggestion and one.suggestion.text) == (other.suggestion and other.suggestion.text)


# Rule, input and code. A fix would be undesirable, so it is not suggested.
WITHHELD = [
    ("URI", r"https://example\.com/", "backslash-escape"),
    ("URI", "https://example.com/caf\ufffd", "misread-utf-8"),
    ("URI", "https://example.com/?q=caf\ufffd", "misread-utf-8"),
    ("URI", r"http://a/\u0025", "json-escape"),
    ("URI", "http://a/b \ud800", "space-in-path"),
    ("URI", "http://a/?\udc00", "non-ascii-in-query"),
    ("URI", "com.example_app:/oauth", "underscore-in-scheme"),
    ("URI", "http://[::10.0.0.0.1]/", "ipv4-five-numbers"),
    ("URI", "http://[1::2::3]/", "ipv6-colons-twice"),
    ("URI", "https://user:pass[", "port-not-digits"),
    # The fixed string would have another mistake.
    ("URI", "ttps://example.com/cut path", "scheme-typo"),
    ("URI", "http:://example.com/ x", "space-in-path"),
    ("URI", "localhost:3000/a b", "space-in-path"),
    ("URI", "D:\\", "windows-path"),
    ("URI", "https://example.com/%E4%A5 %BD", "space-in-path"),
    ("URI", "http://example.com/%C3%", "percent-cut-off"),
    ("URI", 'href="https://example.com/?x=1&amp;y=2"', "wrapped"),
    ("URI", "[click](javascript:alert(1))", "wrapped"),
    ("URI", "urn:isbn:978 3 16 148410 0", "space-in-path"),
    ("URI", "https://example,com/with space", "space-in-path"),
    ("URI", "http://ex\u0251mple.com/", "look-alike-in-host"),
    ("URI", "http://example.com:44e/", "port-not-digits"),
    ("relative-ref", "http://a/b", "scheme-in-relative-ref"),
    ("absolute-URI", "http://a/#b", "fragment-in-absolute-URI"),
]


@each_row(("rule", "text", "code"), WITHHELD)
def test_what_two_people_would_mend_differently_is_not_fixed(rule: str, text: str, code: str) -> None:
    rejection = grammar("rfc3986")[rule].explain(text)
    assert rejection is not None
    assert (rejection.code, rejection.suggestion) == (code, None)


@each_row("text", ["amqp://u:s3cr@et pass@h/v", "https://user:s3cret[", "http://u:s3%@cret@h/"])
def test_no_password_is_quoted(text: str) -> None:
    rejection = grammar("rfc3986")["URI"].explain(text)
    assert rejection is not None
    assert "s3" not in rejection.message
    assert rejection.code in ("at-in-userinfo", "port-not-digits", "percent-in-userinfo")


def cases(name: str) -> list[dict[str, Any]]:
    return json.loads((DATA / f"mistakes_{name}.json").read_text("utf-8"))


def answer(name: str, rule: str | None, text: str) -> dict[str, object]:
    """Return the interpretation of a string, without messages."""
    reading, fixed = read(name, rule, text)
    offset = grammar(name)[reading.rule].explain(text, suggest=False)
    return {
        "text": text,
        "rule": reading.rule,
        "cost": reading.cost,
        "offset": offset and offset.offset,
        "found": [[each.code, *each.span, each.rule_path[-1]] for each in reading.all_mistakes],
        "fix": fixed and fixed.text,
        "edits": fixed and [[each.start, each.end, each.text] for each in fixed.edits],
    }


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_a_case(name: str, step: int) -> None:
    """The case files have the code, offset, span, fix and edits of every example."""
    for case in cases(name)[::step]:
        assert answer(name, case["rule"], case["text"]) == case


@each_row("name", NAMES)
def test_unfinished_input_is_reported_as_such(name: str) -> None:
    """Only mistakes with a valid fix, or of a whole string, are reported before the end."""
    valid = [(each.rule, each.right) for _, each in examples(name)[::12] if each.right is not None]
    for rule, text in valid:
        judge = grammar(name)[rule or grammar(name).start.name]
        for end in range(len(text)):
            rejection = judge.explain(text[:end])
            if rejection is not None and rejection.offset == end and rejection.suggestion is None:
                assert rejection.span[1] == end, text[:end]


def codes_of_examples(name: str, made: BoundMistakes) -> list[tuple[str, ...]]:
    """Return the codes in the interpretation of each example with these mistakes."""
    readers: dict[str, Interpreter] = {}
    results = []
    for _, example in examples(name):
        rule = example.rule or grammar(name).start.name
        readers.setdefault(rule, Interpreter(made, rule))
        results.append(readers[rule].interpret(example.wrong).codes)
    return results


def by_rule(bound: BoundMistakes) -> dict[str, Mistake]:
    return {mistake.rule.name: mistake for mistake in bound.mistakes.mistakes}


def inverted(made: BoundMistakes, one: str, two: str) -> BoundMistakes:
    """Return the mistakes after swapping two of them."""
    first, second = by_rule(made)[one], by_rule(made)[two]
    changed = by_rule(made) | {
        one: replace(first, order=second.order),
        two: replace(second, order=first.order),
    }
    order = tuple(sorted(changed.values(), key=lambda mistake: mistake.order))
    return bind_mistakes(replace(made.mistakes, mistakes=order, adopts=()), made.grammar)


def meeting(made: BoundMistakes) -> set[tuple[str, str]]:
    """Return the pairs of mistakes that share a string and have equal cost, in order of precedence."""
    pairs = ((each.other, each.rule) for each in remarks(made) if each.other in by_rule(made))
    return {(one, two) for one, two in pairs if by_rule(made)[one].cost == by_rule(made)[two].cost}


def rules_of(reading: Interpretation) -> list[str]:
    return [result.mistake.rule.name if result.mistake else result.code for result in reading.all_mistakes]


ORDER = [json.loads(line) for line in (DATA / "order_rfc3986.jsonl").read_text("utf-8").splitlines()]


def test_which_of_two_that_meet_is_meant() -> None:
    for case in ORDER:
        assert rules_of(read("rfc3986", case["rule"], case["text"])[0]) == case["meant"], case


@pytest.mark.slow
def test_the_order_of_two_that_meet_is_that_of_a_case() -> None:
    result = bound("rfc3986")
    assert {tuple(case["pair"]) for case in ORDER} == meeting(result)
    for case in ORDER:
        again = Interpreter(inverted(result, *case["pair"]), case["rule"])
        assert rules_of(again.interpret(case["text"])) != case["meant"], case


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "rfc3986" and not own(name).adopts])
def test_the_order_of_two_that_meet_is_that_of_an_example(name: str) -> None:
    result = bound(name)
    usual = codes_of_examples(name, result)
    pairs = meeting(result)
    assert pairs
    for one, two in pairs:
        assert codes_of_examples(name, inverted(result, one, two)) != usual, (one, two)


@each_row("name", NAMES)
def test_every_member_of_a_family_has_an_example(name: str) -> None:
    """Without an example, a lost member would not be detected."""
    readings = (read(name, example.rule, example.wrong)[0] for _, example in examples(name))
    seen = {result.mistake.rule.name for each in readings for result in each.all_mistakes if result.mistake}
    assert seen >= {mistake.rule.name for mistake in own(name).mistakes}


def test_everything_of_the_notation_is_used() -> None:
    """docs/mistakes.md presents the file as a complete example."""
    text = (ROOT / "grammars" / "rfc3986.mistakes.abnf").read_text("utf-8")
    for word in (
        *(word for word in MEANINGS if word not in ADOPTING),
        "encode(",
        "drop(",
        "decode(",
        "like(",
        "subst(",
        "before *",
        "fix none",
        "idna(",
        "unescape(",
        "future.2",
    ):
        assert re.search(rf"^;@.*(?<![\w-]){re.escape(word)}", text, re.MULTILINE), word


@each_row("name", NAMES)
def test_every_example_is_such_a_case(name: str) -> None:
    texts = [example.wrong for _, example in examples(name)]
    assert [case["text"] for case in cases(name)] == texts


MAX_WORDS = 14  # a slot in a template can have several words
# The snapshot has two messages for each mistake: the shortest and the longest for its examples.
HOSTILE = "\x1b[2J\u202e{all}\"'\n<b>"
TEXTS = {"long": "abc " * 100, "empty": "", "hostile": HOSTILE}


def rendered(name: str, mistake: Mistake) -> Iterator[str]:
    """Yield the distinct messages for the examples of a mistake, each after its example."""
    known: dict[str, str] = {}
    for example in mistake.examples:
        reading, _ = read(name, example.rule, example.wrong)
        for result in reading.all_mistakes:
            if result.mistake is not None and written(result.mistake) == written(mistake):
                known.setdefault(result.message(example.wrong), f"{result.code} {example.wrong!r}")
    shown = sorted(known, key=len)
    for message in dict.fromkeys((shown[0], shown[-1])):
        assert message == message.strip()
        yield f"{known[message]}: {message}"


@pytest.mark.parametrize("name", NAMES)
def test_messages(name: str, snapshot: SnapshotAssertion) -> None:
    lines = [line for mistake in declared(name) for line in rendered(name, mistake)]
    assert "\n".join(lines) == snapshot


@pytest.mark.parametrize("name", NAMES)
def test_messages_can_be_read_whatever_their_slots_hold(name: str) -> None:
    for mistake in declared(name):
        say = mistake.say or ""
        slots = message_slots(mistake)
        assert len(say.split()) <= MAX_WORDS, say
        assert re.match(r"[a-z{'H%]|[A-Z]", say), say
        assert not say.endswith("."), say
        for text in TEXTS.values():
            message = fill(say, dict.fromkeys(slots, text))
            # Control characters and text directions are escaped, and long slots are shortened.
            assert not [char for char in message if unicodedata.category(char) in ("Cc", "Cf")], message
            assert len(message) <= len(say) + len(slots) * 6 * MAX_SHOWN
