"""Weighted sets in the C extension equal those in Python."""

from __future__ import annotations

from array import array
from functools import cache
from typing import Any
from unittest import mock

import pytest

import abnforge
from abnforge._native import compiled
from abnforge.budget import Budget
from abnforge.errors import LimitExceeded
from abnforge.explain import reading
from abnforge.explain.bind import BoundMistakes, bind_mistakes
from abnforge.explain.mistakes import fill, message_slots
from abnforge.explain.mistakes_file import read_mistakes
from abnforge.explain.program import MAX_MESSAGE_SLOTS
from abnforge.explain.reading import Interpretation, Interpreter, MistakeAssembler
from abnforge.explain.weighted import MAX_CLASSES, NativeSearch
from abnforge.grammar.syntax import BoundGrammar
from tests.explain.random_mistakes import URIS, Case, bind_to, bound, cases, uris
from tests.explain.test_shipped import NAMES, written
from tests.law import law, one_in
from tests.reference.small_languages import TEXTS

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")
WRONG = [
    "",
    " ",
    "http://a:8x/b c",
    "x http://a::80/\\",
    "http://a/\\b\\c\\d",
    "http://a/" + "\\" * 50,
    "://a",
    "]",
    "http://a/é",
    "http://日本/😀 \U0010ffff",
    "\ud800",
    "http://a\udc80/\ud83d\ude00 ",
    "http://a/" + "x y/" * 30,
    "a" * 300 + " http://b",
]


def make(*arguments: Any, walked: bool = True) -> Interpreter:
    """Return an interpreter with the weighted sets of the C extension or of Python."""
    with mock.patch.object(reading, "MAX_CLASSES", MAX_CLASSES if walked else 0):
        result = Interpreter(*arguments)
    assert all(isinstance(sets, NativeSearch) is walked for sets in result.search.beams)
    return result


def said() -> BoundMistakes:
    """Return a few mistakes for URIs, with messages."""
    text = URIS.replace("; fix", '; say "{all} is wrong"; fix')
    return bind_mistakes(read_mistakes(text), abnforge.load("rfc3986").compilation.bound)


def pair(*arguments: Any) -> tuple[Interpreter, Interpreter]:
    return make(*arguments), make(*arguments, walked=False)


@cache
def shipped(name: str, rule: str) -> tuple[Interpreter, Interpreter]:
    """Return interpreters for a rule of a bundled grammar: C extension and Python."""
    compilation = abnforge.load(name).compilation
    return pair(compilation.mistakes_of(compilation.bound.key(rule)), rule, compilation.budget)


def told(made: Interpreter, band: int, text: str, limit: int, **options: Any) -> object:
    """Run a band of sets on a string; return its weight and mistakes, None, or the exceeded limit."""
    sets = made.search.beams[band]
    try:
        result = sets.cheapest(text, limit, **options)
    except LimitExceeded as error:
        return str(error), error.operation, error.used, error.limit, error.setting
    if result is None:
        return None
    assert all(way is not None for _, way in result[1])
    return result[0], MistakeAssembler(made.bound.names, made.rule).assemble(result[1], len(text))


def agree(
    both: tuple[Interpreter, Interpreter], text: str, limit: int = 10**9, bands: int = 3, **options: Any
) -> None:
    for band in range(bands):
        one, other = (told(each, band, text, limit, **options) for each in both)
        assert one == other, (text, band, limit)


# ---- equal results ----


@cache
def examples(name: str) -> list[tuple[str, str]]:
    """Return the example strings for a grammar's mistakes, with their rules."""
    start = abnforge.load(name).start.name
    mistakes = written(name).mistakes
    return [(each.rule or start, each.wrong) for mistake in mistakes for each in mistake.examples]


@pytest.mark.parametrize("step", [150, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", one_in(2, NAMES))
def test_examples_of_mistakes(name: str, step: int) -> None:
    for rule, text in examples(name)[::step]:
        both = shipped(name, rule)
        agree(both, text, bands=1)
        assert both[0].interpret(text) == both[1].interpret(text)
        agree(both, text, 0, bands=1)  # a limit of 0: compares the costs


@pytest.mark.parametrize("text", WRONG)
def test_strings_of_all_kinds(text: str) -> None:
    for both in (shipped("rfc3986", "URI"), pair(uris(), "URI")):
        agree(both, text)
        agree(both, text, is_cut=True)
        agree(both, both[0].search.representatives(text))
        assert both[0].interpret(text) == both[1].interpret(text)


def test_limits_end_the_same_strings_in_the_same_words() -> None:
    for arguments in ((uris(), "URI"), (uris(), "path-abempty")):
        both = pair(*arguments)
        for limit in (0, 1, 150, 400, 1_000, 3_000, 10_000, 40_000, 200_000, 10**9, 1_000, 0):
            for text in WRONG:
                agree(both, text, limit)
                agree(both, text, limit, is_cut=True)


def test_a_string_that_ended_at_a_limit_is_read_from_its_beginning() -> None:
    both = pair(uris(), "URI")
    for text in ("http://a/" + "x y/" * 30, "http://a:8x/b c"):
        expected = told(make(uris(), "URI", walked=False), 0, text, 10**9)
        for limit in (100, 2_000, 30_000, 100):
            agree(both, text, limit)
        assert told(both[0], 0, text, 10**9) == expected


def test_what_is_forgotten_changes_nothing() -> None:
    both = pair(uris(), "URI")
    for _ in range(2):
        for text in WRONG:
            agree(both, text)
        for each in both:
            each.search.forget()


def test_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpretation of a window depends on the characters before it, but not on those after it."""
    monkeypatch.setattr(reading, "MAX_WHOLE", 4)
    monkeypatch.setattr(reading, "WINDOW", 6)
    cut = 0
    for both in (shipped("rfc3986", "URI"), pair(uris(), "URI")):
        for text in ("http://a:8x/b c", "http://a/é \U0010ffff/b/c/d\\e", "http://a\ud800/b/c/d e"):
            for around in range(len(text) + 1):
                one, other = (each.interpret(text, around) for each in both)
                assert one == other
                cut += one.window is not None
    assert cut > 20


@law(cases(), few=8, many=300)
def test_small_grammars(case: Case) -> None:
    both = pair(bound(case), "r0")
    for limit in (10**9, 0, 500):
        for text in TEXTS[:31]:
            agree(both, text, limit, bands=2)
            agree(both, text, limit, bands=1, is_cut=True)


def test_many_classes_of_characters_are_read_without_the_extension() -> None:
    mistakes = bind_mistakes(read_mistakes(';@ of r; blame all; fix none\nw = *c1 "!" *c2\n'), letters(20))
    more = len(Interpreter(mistakes, "r").search.classes) - 20
    readers: list[Interpreter] = []
    for count in (MAX_CLASSES - more, MAX_CLASSES - more + 1):
        result = Interpreter(bind_mistakes(mistakes.mistakes, letters(count)), "r")
        assert len(result.search.classes) == count + more
        assert [isinstance(sets, NativeSearch) for sets in result.search.beams] == [
            count + more <= MAX_CLASSES
        ] * 3
        readers.append(result)
    assert readers[1].first_mistakes(*column(["!"])) is None
    for text in ("\u0400\u0401", "\u0401!\u0402", "!", "?", "", "\u0402!"):
        assert readers[0].interpret(text).codes == readers[1].interpret(text).codes


def letters(count: int) -> BoundGrammar:
    """Return a grammar with this number of distinct characters."""
    rules = [f"c{number} = %x{0x400 + number:X}\n" for number in range(count)]
    any_of = " / ".join(f"c{number}" for number in range(count))
    return abnforge.loads(f"r = *( {any_of} )\n" + "".join(rules)).compilation.bound


# ---- columns ----


def column(texts: list[str]) -> tuple[Any, Any, tuple[Any, ...]]:
    """Return strings as a column for the C extension, the positions of failure, and result buffers."""
    rows = [text.encode(errors="surrogatepass") for text in texts]
    ends = array("i", [0])
    for row in rows:
        ends.append(ends[-1] + len(row))
    count = len(texts)
    result = compiled.Column(4, 0, count, None, ends, (b"".join(rows),), False)
    sizes = zip("iiiqq", (1, 1, 2 * MAX_MESSAGE_SLOTS, 1, 1), strict=True)
    answers = tuple(array(kind, [0] * (size * count)) for kind, size in sizes)
    return result, array("q", [0] * count), answers


Told = tuple[str, int, int, str]


def of_column(made: Interpreter, texts: list[str]) -> list[Told | None]:
    """Return the code, position and message of the first mistake in each string, or None if not reported."""
    result, offsets, answers = column(texts)
    mistakes = made.first_mistakes(result, offsets, answers)
    assert mistakes is not None
    messages: list[Told | None] = []
    for row, text in enumerate(texts):
        numbers, _, said, begins, ends = answers
        mistake = mistakes[numbers[row]]
        if mistake is None:
            messages.append(None)
            continue
        places = said[2 * MAX_MESSAGE_SLOTS * row :][: 2 * MAX_MESSAGE_SLOTS]
        shown = message_slots(mistake)
        texts_of = {
            slot: text[places[2 * at] : places[2 * at + 1]]
            for at, slot in enumerate(shown)
            if places[2 * at] >= 0
        }
        assert mistake.say is not None
        messages.append((mistake.code, begins[row], ends[row], fill(mistake.say, texts_of)))
    return messages


def of_reading(reading: Interpretation) -> Told | None:
    result = reading.mistakes[0] if reading.mistakes else None
    if result is None or result.mistake is None or result.mistake.say is None:
        return None
    return result.code, *result.span, result.message(reading.text)


@pytest.mark.parametrize("name", one_in(6, NAMES))
def test_a_column_is_reported_the_first_mistakes_of_readings(name: str) -> None:
    start = abnforge.load(name).start.name
    results, plain = shipped(name, start)
    texts = [text for rule, text in examples(name) if rule == start][::15]
    texts += [text for text in WRONG if text.isascii() or text.isprintable()]
    left = 0
    for text, result in zip(texts, of_column(results, texts), strict=True):
        reading = plain.interpret(text)
        expected = of_reading(reading)
        assert result in (expected, None)
        left += result is None and expected is not None and reading.cost < 4  # within the first band
    assert left <= 1  # more slots than the limit


SLOTS = """
;@ of r; blame bad.2 bad end; say "{bad} and {bad.2}, {bad.3}, of {all}"; fix none
two = x bad x bad [ x bad ] x
;@ of r; blame start; say "{{nothing}} in {all}"; fix none
nothing = "()"
;@ of r; blame x.2 end; say "{x.3} is there"; fix none; inner x
within = "<" *x ">"
;@ of x; blame all; say "{sign}"; fix none
wrong-x = sign
;@ of r; blame bad; fix none; say "many: {bad}"
many = "!" *bad
;@ of r; blame all; fix none
untold = "?"
bad = "-" / "--"
sign = "*"
"""


def test_slots() -> None:
    both = pair(bind_to('r = *x\nx = "x"\n', SLOTS), "r")
    texts = ["x-x--x", "x-x-x--x", "()", "<x>", "<x*x>", "<*>", "*", "x*x*", "!", "!-", "!" + "-" * 32]
    texts += ["!" + "-" * 33, "!" + "-" * 200, "?", "x", "xx()"]
    expected = [of_reading(both[1].interpret(text)) for text in texts]
    assert [each and each[0] for each in expected[:4]] == ["two", "two", "nothing", "within"]
    result = of_column(both[0], texts)
    assert result[:11] == expected[:11]
    assert None not in result[:11]
    assert result[11:] == [None] * 5  # more slots than the limit, no message, or no mistake
    assert [each and each[0] for each in expected[11:]] == ["many", "many", None, None, None]


@pytest.mark.parametrize(
    ("limit", "most"), [("MAX_KEPT_SETS", 15), ("MAX_KEPT_MEMBERS", 20), ("MAX_KEPT_STATES", 200)]
)
def test_memory_of_a_column_is_bounded(limit: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that lead to more sets than the limit have the same results, and mistake numbers do not change."""
    texts = [
        "http://a/" + "b/" * (number % 7) + " " * (number % 3) + "c d" + "\\" * (number % 5) + "x"
        for number in range(60)
    ]
    texts += [f"{text}:8x" for text in texts] + WRONG[:6]
    expected = of_column(make(said(), "URI"), texts)
    assert expected.count(None) < len(texts) / 2
    monkeypatch.setattr(reading, limit, most)
    forgotten: list[int] = []
    forget = reading.BeamSearch.forget

    def noted(search: reading.BeamSearch) -> None:
        forgotten.append(search.kept)
        forget(search)

    monkeypatch.setattr(reading.BeamSearch, "forget", noted)
    result = make(said(), "URI")
    assert of_column(result, texts) == expected
    assert len(forgotten) > 3
    assert max(forgotten) < 40  # a single string can add some sets beyond the limit
    assert of_column(result, texts) == expected


@pytest.mark.parametrize(
    ("steps", "more", "told_of"), [(0, 0, 0), (0, 300, 0), (3_000, 300, 1), (20_000, 0, 3), (20_000, 300, 3)]
)
def test_a_column_keeps_to_the_budget(steps: int, more: int, told_of: int) -> None:
    """The column skips a string that exceeds the limit, and the caller reports the limit."""
    both = pair(said(), "URI", Budget(steps=steps, per_character=more))
    result = of_column(both[0], WRONG[:8])
    for text, each in zip(WRONG[:8], result, strict=True):
        assert each in (of_reading(both[1].interpret(text)), None)
    assert len(result) - result.count(None) == told_of


def test_a_row_that_ends_at_a_limit_ends_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["http://a:8x/", "http://a/" + "x y/" * 30 + "]" * 9, "http://b:9y/"]
    free = of_column(make(said(), "URI"), texts)
    monkeypatch.setattr(reading, "MAX_BEAM_STEPS", 9_000)
    result = of_column(make(said(), "URI"), texts)
    assert result == [free[0], None, free[2]]
    assert free[0] is not None
