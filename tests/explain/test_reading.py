"""Interpretations: the cheapest one, for pieces in any order."""

from __future__ import annotations

import copy
import pickle
from random import Random

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.explain import reading as module
from abnforge.explain.error_grammar import UNIT
from abnforge.explain.fixes import Fixer
from abnforge.explain.reading import FoundMistake, Interpreter
from tests.explain.random_mistakes import Case, bind_to, bound, cases, left_recursive_cases, uris
from tests.law import each_row, law
from tests.reference.cheapest import cheapest
from tests.reference.small_languages import TEXTS, abnf, grammar
from tests.work import steps


@law(cases(), few=8, many=300)
def test_the_cheapest_reading_costs_the_least(case: Case) -> None:
    """An independent enumeration agrees, for all strings up to a length."""
    expected = cheapest(*case, "r0")
    reader = Interpreter(bound(case), "r0")
    for text in TEXTS:
        reading = reader.interpret(text)
        assert (text, reading.cost, reading.exact) == (text, expected[text], True)


@law(cases(), few=8, many=200)
def test_what_a_reading_says_is_so(case: Case) -> None:
    """Valid strings have no mistakes, weights add up, and the pieces match their rules."""
    rules, wrongs = case
    bodies = "".join(f"m{number} = {abnf(wrong.body)}\n" for number, wrong in enumerate(wrongs))
    judge = abnforge.loads(grammar(rules) + bodies)
    reader = Interpreter(bound(case), "r0")

    def check(found: FoundMistake, start: int, end: int, text: str) -> float:
        assert start <= found.start <= found.end <= end
        assert found.rule_path[0] == "r0"
        price = sum(check(each, found.start, found.end, text) for each in found.inner)
        piece = text[found.start : found.end]
        if found.mistake is None:
            assert found.code == f"unreadable-{found.rule_path[-1]}"
            return 4 + 0.5 * len(piece)
        if not found.inner:
            assert judge[found.code].matches(piece)
        return price + found.mistake.cost

    for text in TEXTS[:40]:
        reading = reader.interpret(text)
        assert (reading.mistakes == ()) is judge["r0"].matches(text)
        at, price = 0, 0.0
        for found in reading.mistakes:
            price += check(found, at, len(text), text)
            at = found.end
        assert reading.cost == price


@law(cases(), few=3, many=60)
def test_the_order_of_questions_changes_nothing(case: Case) -> None:
    texts = TEXTS[:31]
    result = bound(case)
    expected = {text: Interpreter(result, "r0").interpretations(text) for text in texts}
    reader = Interpreter(result, "r0")
    for seed in range(2):
        Random(seed).shuffle(texts)
        assert {text: reader.interpretations(text) for text in texts} == expected


def test_what_is_forgotten_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["http://a:8x/b c", " a", "x http://a::80/\\", "http://a:80/", "://a", "]"]
    result = uris()
    expected = [Interpreter(result, "URI").interpret(text) for text in texts]
    monkeypatch.setattr(module, "MAX_KEPT_SETS", 20)
    reader = Interpreter(result, "URI")
    for _ in range(2):
        assert [reader.interpret(text) for text in texts] == expected
        assert reader.kept < 400


# String, cost, codes and spans of the outermost mistakes.
READINGS = [
    ("http://a:80/", 0, (), []),
    ("http://a:80x9/b", 1, ("port-junk",), [(9, 13)]),
    ("://a:80/", 1, ("scheme-empty",), [(0, 0)]),
    ("http://a/b c/d  e?f g", 3, ("space-in-segment", "space-in-segment", "space-in-query"), None),
    ("http://a::80/", 1, ("two-colons",), [(8, 10)]),
    ("http://a/b\\c d\\e", 2, ("backs", "space-in-segment"), [(8, 16)]),
    ("curl http://a/?b# ", 3, ("word-before", "space-after"), [(0, 5), (17, 18)]),
    ("http://a/{b}", 5.5, ("unreadable-segment",), [(9, 12)]),
    ("{", 4.5, ("unreadable-URI",), [(0, 1)]),
    ("", 4, ("unreadable-URI",), [(0, 0)]),
]


@each_row(("text", "cost", "codes", "spans"), READINGS)
def test_readings(
    text: str, cost: float, codes: tuple[str, ...], spans: list[tuple[int, int]] | None
) -> None:
    reading = Interpreter(uris(), "uri").interpret(text)
    assert (reading.rule, reading.text, reading.exact) == ("URI", text, True)
    assert (reading.cost, reading.codes) == (cost, codes)
    assert spans is None or [(each.start, each.end) for each in reading.mistakes] == spans


def test_what_a_mistake_reports() -> None:
    outer = Interpreter(uris(), "URI").interpret("http://a/b\\c d").mistakes[0]
    assert outer.rule_path == ("URI", "hier-part", "path-abempty")
    assert [(str(each.slot), each.start, each.end) for each in outer.slots] == [("back", 10, 11)]
    assert outer.span == (10, 11)
    assert outer.inner[0].rule_path == ("URI", "hier-part", "path-abempty", "segment")
    assert outer.inner[0].span == (12, 13)


# A mistake, a string that contains it, and the rule path of the mistake.
RULE_PATHS = [
    (';@ of x; blame all; fix none\nm = "1"\n', "1", ("top", "x")),
    (';@ of x "a"; blame all; fix none\nm = "1"\n', "1b", ("top", "x")),
    (';@ of x "a"; blame all; fix none; about c\nm = "1"\n', "1b", ("top", "x", "c")),
    (';@ of x; blame all; fix none; about x\nm = "1"\n', "1", ("top", "x")),
    (';@ before x; blame all; fix none\nm = "1"\n', "1ab", ("top", "x")),
    (';@ after x; blame all; fix none\nm = "1"\n', "ab1", ("top", "x")),
    (';@ before *; blame all; fix none\nm = "1"\n', "1ab", ("top",)),
    (';@ after *; blame all; fix none; about c\nm = "1"\n', "ab1", ("top", "c")),
    (';@ of c; blame all; fix none\nm = "1"\n', "a1", ("top", "x", "c")),
    (
        ';@ before x; inner c; blame all; fix none\nn = c\n;@ of c; blame all; fix none\nm = "1"\n',
        "1ab",
        ("top", "x", "c"),
    ),
    (
        ';@ after x; inner c; blame all; fix none\nn = c\n;@ of c; blame all; fix none\nm = "1"\n',
        "ab1",
        ("top", "x", "c"),
    ),
    (
        ';@ of x; inner c; blame all; fix none\nn = "0" c\n;@ of c; blame all; fix none\nm = "1"\n',
        "01",
        ("top", "x", "c"),
    ),
]


@each_row(("mistake", "text", "rule_path"), RULE_PATHS)
def test_rule_paths(mistake: str, text: str, rule_path: tuple[str, ...]) -> None:
    reading = Interpreter(bind_to('top = x\nx = "a" c\nc = "b"\n', mistake), "top").interpret(text)
    assert [each.rule_path for each in reading.all_mistakes if each.code == "m"] == [rule_path]


@each_row(
    ("text", "rule_path"),
    [("bb1", ("top", "x")), ("bb-1", ("top",)), ("1", ("top",)), ("bb!bb1", ("top", "x"))],
)
def test_what_comes_after_stands_in_the_rules_that_were_being_read(
    text: str, rule_path: tuple[str, ...]
) -> None:
    rules = 'top = x [ "-" ]\nx = *"b"\n'
    text_of = ';@ after top; blame all; fix none\nm = "1"\n;@ before x; blame all; fix none\nn = *"b" "!"\n'
    reading = Interpreter(bind_to(rules, text_of), "top").interpret(text)
    assert (reading.all_mistakes[-1].code, reading.all_mistakes[-1].rule_path) == ("m", rule_path)


def test_a_cheap_text_is_read_once() -> None:
    """Wider bands do not create sets while the narrow band is enough."""
    for text in ("http://a/" + "b" * 100, "http://a:8x/" + "b" * 100):
        reader = Interpreter(uris(), "URI")
        assert reader.interpret(text).exact
        assert reader.kept <= 16


@pytest.mark.parametrize(("cost", "exact"), [(3, True), (4, False)])
def test_a_reading_is_exact_up_to_its_band(cost: int, exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEAM_WIDTHS", (3 * UNIT,))
    mistakes = f';@ of x; blame all; fix none; cost {cost}\nm = 20"1"\n'
    reading = Interpreter(bind_to('x = "a"\n', mistakes), "x").interpret("1" * 20)
    assert (reading.exact, reading.codes) == (exact, ("m",) if exact else ("unreadable-x",))


def test_counts_are_read_as_they_are() -> None:
    reader = Interpreter(
        bind_to('x = 200"a" 2*3"b" 150*( *"c" )\n', ';@ of x; blame all; fix none\nm = "1"\n'), "x"
    )
    for text, valid in (("a" * 200 + "bbccc", True), ("a" * 199 + "bb", False), ("a" * 200 + "bbbb", False)):
        assert (reader.interpret(text).mistakes == ()) is valid


def test_uses_of_a_rule_are_counted() -> None:
    (result,) = Interpreter(uris(), "URI").interpret("http://a\\b\\c\\d").mistakes
    assert [(str(each.slot), each.start) for each in result.slots] == [
        ("back", 8),
        ("back.2", 10),
        ("back.3", 12),
    ]
    assert result.span == (10, 11)  # the first of the blamed rules


def test_further_readings_do_without_the_first_mistake() -> None:
    readings = Interpreter(uris(), "URI").interpretations("http://a:8x/", 4)
    assert [reading.mistakes[0].code for reading in readings][:1] == ["port-junk"]
    firsts = [reading.mistakes[0].code for reading in readings]
    assert len(set(firsts)) == len(firsts)
    assert [reading.cost for reading in readings] == sorted(reading.cost for reading in readings)
    assert Interpreter(uris(), "URI").interpretations("a:b") == (Interpreter(uris(), "URI").interpret("a:b"),)
    assert len(Interpreter(uris(), "URI").interpretations("http://a:8x/", 1)) == 1


def test_only_some_readers_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["http://a:8x/", "://a", "x http://a/ ", "http://a/b c"]
    expected = [Interpreter(uris(), "URI").interpretations(text, 4) for text in texts]
    monkeypatch.setattr(module, "MAX_KEPT_EXCLUSIONS", 1)
    reader = Interpreter(uris(), "URI")
    assert [reader.interpretations(text, 4) for text in texts] == expected


def test_readings_travel() -> None:
    reading = Interpreter(uris(), "URI").interpret("http://a/b\\c d")
    assert pickle.loads(pickle.dumps(reading)) == reading
    assert len({reading, copy.deepcopy(reading)}) == 1


def test_the_earlier_of_equals_is_meant() -> None:
    rules = 'x = "a" y "b"\ny = *"c"\n'
    one = ";@ of y; blame all; fix none\nfirst = 1*DIGIT\n"
    other = ';@ of y; blame all; fix none\nsecond = 1*( DIGIT / "c" )\n'
    for text, code in ((one + other, "first"), (other + one, "second")):
        assert Interpreter(bind_to(rules, text), "x").interpret("a1b").codes == (code,)


def test_mistakes_of_rules_that_recurse() -> None:
    rules = 'value = "[" [ value *( "," value ) ] "]" / 1*DIGIT\n'
    text = ';@ of value ","; blame all; fix ","\nother-comma = ";"\n'
    text += ";@ of value; blame all; fix none\nword = 1*ALPHA\n"
    reader = Interpreter(bind_to(rules, text), "value")
    nested = reader.interpret("[1;[2,x;3]]")
    assert (nested.cost, nested.codes) == (3, ("other-comma", "word", "other-comma"))
    assert nested.mistakes[1].rule_path == ("value",) * 3
    assert reader.interpret("[" * 30 + "1" + "]" * 30).mistakes == ()


def test_direct_left_recursion_is_read() -> None:
    rules = 'sum = sum "+" 1*DIGIT / 1*DIGIT\n'
    text = ';@ of sum "+"; blame all; fix "+"\ntwice = "++"\n'
    assert Interpreter(bind_to(rules, text), "sum").interpret("1+2++3+4").codes == ("twice",)


@law(left_recursive_cases(), few=4, many=200)
def test_left_recursion_costs_at_least_the_least(case: Case) -> None:
    """A mistake in a left-recursive rule may be missed; a valid string has no mistake."""
    least = cheapest(*case, "r0")
    reader = Interpreter(bound(case), "r0")
    for text in TEXTS[:31]:
        interpretation = reader.interpret(text)
        if interpretation.exact:
            assert interpretation.cost >= least[text]
            assert (interpretation.cost == 0) is (least[text] == 0)


# a grammar, a mistake for x, a string, its cost and codes
LEFT_RECURSIVE = [
    ('x = y "a" / "a"\ny = x "b" / "b"\n', "c", 1, ("m",)),
    ('x = y "a" / "a"\ny = x "b" / "b"\n', "baba", 0, ()),
    ('y = x "a" / "d"\nx = y "b" / "b"\n', "caba", 1, ("m",)),
    ('x = *y x "a" / "a"\ny = "b"\n', "bbaaa", 0, ()),
    ('x = y / "a"\ny = x / "b" / x "d"\n', "bdd", 0, ()),
]


@each_row(("rules", "text", "cost", "codes"), LEFT_RECURSIVE)
def test_left_recursion(rules: str, text: str, cost: float, codes: tuple[str, ...]) -> None:
    mistakes = ';@ of x; blame all; fix none\nm = "c"\n'
    interpretation = Interpreter(bind_to(rules, mistakes), rules[0]).interpret(text)
    assert (interpretation.cost, interpretation.codes) == (cost, codes)


def test_an_unknown_rule_is_named() -> None:
    with pytest.raises(abnforge.errors.UnknownNameError) as caught:
        Interpreter(uris(), "URIs")
    assert caught.value.data["near"] == ("URI",)


def test_a_string_beyond_the_budget_has_a_reading() -> None:
    """The interpretation does not depend on earlier input, and is marked as possibly not the cheapest."""
    result = uris()
    text = "http://a/" + "x y/" * 20 + "{"
    budget = Budget(steps=2_000, per_character=0)
    cold = Interpreter(result, "URI", budget).interpret(text)
    assert (cold.codes, cold.exact, cold.cost) == (("unreadable-URI",), False, 4 + len(text) / 2)
    warm = Interpreter(result, "URI", budget)
    warm.budget = Budget()
    assert warm.interpret(text).codes != cold.codes
    warm.budget = budget
    assert warm.interpret(text) == cold


def test_long_strings_cost_a_look_a_character() -> None:
    """The transitions of a set are cached, so a longer string does not need more sets."""
    reader = Interpreter(uris(), "URI")
    reader.interpret("http://a:8x/" + "b/" * 50)
    kept = reader.kept
    reading = reader.interpret("http://a:8x/" + "b/" * 20_000)
    assert (reading.codes, reader.kept) == (("port-junk",), kept)


@pytest.mark.parametrize("more", ["b", "b" * 50])
def test_a_set_is_paid_for_once(more: str) -> None:
    """A slot leads back to the set where it began. A string pays only for its own transitions."""
    result = bind_to('s = "a"\n', ';@ of s; blame slot; fix none\nbe = *slot\nslot = "b"\n')

    def least(text: str) -> int:
        """Return the number of steps that a string needs."""
        sets = Interpreter(result, "s").search.beams[0]
        low, high = 0, 100_000
        while high - low > 1:
            middle = (low + high) // 2
            try:
                sets.cheapest(text, middle)
            except abnforge.LimitExceeded:
                low = middle
            else:
                high = middle
        return high

    assert least("b") == least(f"b{more}")


def test_slots_without_number_are_found_in_linear_time() -> None:
    reader, fixed = Interpreter(uris(), "URI"), Fixer(uris())
    readings = [reader.interpret("http://a" + "\\b" * size) for size in (100, 1_000)]
    assert [len(reading.mistakes[0].slots) for reading in readings] == [100, 1_000]
    short, long = (steps(reader.interpret, reading.text) + steps(fixed.fix, reading) for reading in readings)
    assert long < 11 * short


def test_any_text_can_be_read() -> None:
    reader = Interpreter(uris(), "URI-reference")
    for text in ("\0", "\ud800", "%" * 30, "\U0010ffff" * 5, "[" * 40, "http://[" * 3):
        assert reader.interpret(text).mistakes or abnforge.load("rfc3986")["URI-reference"].matches(text)


def test_a_literal_with_a_slash_is_read_without_its_mistake() -> None:
    result = bind_to('x = "//" 1*ALPHA\n', ';@ of x "//"; blame all; fix "//"\nm = "\\\\"\n')
    assert [reading.codes for reading in Interpreter(result, "x").interpretations("\\\\a")] == [
        ("m",),
        ("unreadable-x",),
    ]
