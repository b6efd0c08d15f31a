"""Long strings are explained around the failure, with positions in the whole string."""

from __future__ import annotations

import pytest

import abnforge
from abnforge.explain import reading as module
from abnforge.explain.reading import MAX_WHOLE, NARROW_WINDOWS, WINDOW, Interpreter, windows
from tests.explain.random_mistakes import Case, bind_to, bound, cases, uris
from tests.law import law, one_in
from tests.reference.small_languages import TEXTS
from tests.work import calls


@pytest.fixture(autouse=True)
def _shorter(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the limit for long strings to 2,000 characters, which makes tests faster."""
    if request.node.originalname != "test_windows":
        monkeypatch.setattr(module, "MAX_WHOLE", 2_000)


def test_windows() -> None:
    assert windows(10, 3)[0] == (0, 10)
    for size, around in ((10, 3), (MAX_WHOLE, 100), (MAX_WHOLE + 1, 1_000), (MAX_WHOLE + 1, MAX_WHOLE + 1)):
        first = size if size <= MAX_WHOLE else WINDOW
        expected = [(max(0, around - each), min(size, around + each)) for each in (first, *NARROW_WINDOWS)]
        assert windows(size, around) == sorted(set(expected), key=expected.index)


def test_the_code_does_not_depend_on_the_nesting() -> None:
    rule = abnforge.load("rfc8259")["JSON-text"]
    for wrong in ("1,]", "1 2]", "'a']", "[1}]", "nul]", "1,] {"):
        rejections = [rule.explain("[" * n + wrong + "]" * (n - 1), suggest=False) for n in (1, 15, 40, 90)]
        places = {
            (each.code, each.hypotheses[0].offset - each.offset, each.message) for each in rejections if each
        }
        assert len(places) == 1, wrong


LONG = "b/" * 600_000
# String, position of failure, codes, spans, window.
READINGS = [
    ("http://a:8x/" + LONG, 10, ("port-junk",), [(9, 11)], (0, 410)),
    ("http://a/" + LONG + " c", len(LONG) + 9, ("space-in-segment",), None, None),
    (
        "http://a/" + LONG + "b c/d?e e",
        len(LONG) + 10,
        ("space-in-segment", "space-in-query"),
        None,
        None,
    ),
    ("http://a/" + LONG + "é/" + LONG, len(LONG) + 9, ("unreadable-segment",), None, None),
    (" " * 5_000, 0, ("unreadable-URI", "space-after"), [(0, 0), (0, 400)], (0, 400)),
    ("http://a/" + "b c" * 1_000, 10, ("space-in-segment",), [(9, 410)], (0, 410)),
]


@pytest.mark.parametrize(("text", "around", "codes", "spans", "window"), one_in(2, READINGS))
def test_of_long_strings_a_window_is_read(
    text: str,
    around: int,
    codes: tuple[str, ...],
    spans: list[tuple[int, int]] | None,
    window: tuple[int, int] | None,
) -> None:
    """Positions refer to the whole string. Rules that are open at the end of the window end there."""
    reading = Interpreter(uris(), "URI").interpret(text, around)
    begin = max(0, around - WINDOW)
    assert reading.window == (window or (begin, min(len(text), around + WINDOW)))
    assert reading.codes == codes
    assert reading.text is text
    if spans is None:
        whole = Interpreter(uris(), "URI").interpret("http://a/" + text[begin : begin + 2 * WINDOW])
        moved = begin - len("http://a/")
        assert [(each.start, each.end) for each in reading.mistakes] == [
            (each.start + moved, each.end + moved) for each in whole.mistakes
        ]
    else:
        assert [(each.start, each.end) for each in reading.mistakes] == spans


@law(cases(), few=10, many=300)
def test_a_window_that_holds_a_text_changes_nothing(case: Case) -> None:
    reader = Interpreter(bound(case), "r0")
    for text in TEXTS[:40]:
        assert reader.interpret(text, 0) == reader.interpret(text)


def test_short_strings_are_read_whole() -> None:
    reader = Interpreter(uris(), "URI")
    text = "http://a:x/" + "b/" * 990 + " "
    for around in (0, 9, len(text)):
        assert reader.interpret(text, around) == reader.interpret(text)
        assert reader.interpretations(text, 3, around) == reader.interpretations(text)
    assert reader.interpretations(text * 2, 3, 9)[1].window == (0, 9 + WINDOW)


def test_a_window_after_what_is_not_valid_reads_nothing() -> None:
    """The string already fails before the start of the window."""
    reading = Interpreter(uris(), "URI").interpret(" " * 5_000, 4_000)
    assert (reading.codes, reading.exact, reading.window) == (("unreadable-URI",), False, None)
    assert (reading.mistakes[0].start, reading.mistakes[0].end) == (0, 5_000)


NESTED = 'value = "[" [ value *( "," value ) ] "]" / 1*DIGIT\n'
OTHER = ';@ of value ","; blame all; fix ","\nother-comma = ";"\n'


def test_windows_within_rules_that_recurse() -> None:
    reader = Interpreter(bind_to(NESTED, OTHER), "value")
    text = "[" * 3_000 + "1" + "]" * 2_000 + ";1" + "]" * 1_000
    reading = reader.interpret(text, 5_001)
    assert (reading.codes, reading.cost, reading.exact) == (("other-comma",), 1, True)
    assert (reading.mistakes[0].start, reading.window) == (5_001, (4_601, 5_401))
    assert reading.mistakes[0].rule_path == ("value",) * 1_000
    assert reader.interpret("[" + "1," * 3_000 + ";1]", 6_001).cost == 5


def test_deep_nesting_is_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The string is reported as unreadable, after work that does not grow with its length."""
    monkeypatch.setattr(module, "MAX_PREFIX_STEPS", 20_000)
    reader = Interpreter(bind_to(NESTED, OTHER), "value")
    for size in (100_000, 200_000):
        reading = reader.interpret("[" * size + ";", size)
        assert (reading.codes, reading.exact, reading.window) == (("unreadable-value",), False, None)
    counts = []
    for size in (100_000, 200_000):
        fresh = Interpreter(bind_to(NESTED, OTHER), "value")
        counts.append(calls(fresh.interpret, "[" * size + ";", size))
    assert counts[1] < 1.1 * counts[0]


def test_expensive_strings_are_parsed_in_a_small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result does not depend on earlier input."""
    result = uris()
    text = "http://a/" + "x y/" * 6 + "{" + "/x" * 30
    whole = Interpreter(result, "URI").interpret(text, 10)
    monkeypatch.setattr(module, "MAX_BEAM_STEPS", 80_000)
    cold = Interpreter(result, "URI").interpret(text, 10)
    assert (whole.window, cold.window, cold.codes[0]) == (None, (4, 16), "space-in-segment")
    reader = Interpreter(result, "URI")
    monkeypatch.setattr(module, "MAX_BEAM_STEPS", 400_000)
    assert reader.interpret(text, 10) == whole
    monkeypatch.setattr(module, "MAX_BEAM_STEPS", 80_000)
    reader.interpret("", 0)
    assert reader.interpret(text, 10) == cold
