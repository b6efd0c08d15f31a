"""Stored sets change no answer; what is behind them is found; rows say what they are said to."""

from __future__ import annotations

from random import Random

import pytest

from abnforge.errors import LimitExceeded
from abnforge.mistakes import exploring
from abnforge.mistakes.binding import BoundMistakes
from abnforge.mistakes.reader import Reader
from abnforge.mistakes.stored import Table, Tables, numbers
from tests.law import law
from tests.mistakes.small import Case, bound, cases, uris
from tests.reference.small_languages import TEXTS
from tests.work import steps


def table(made: BoundMistakes, rule: str, texts: list[str]) -> Table:
    """What is stored of a rule by some texts."""
    stored = exploring.to_text("", made, {rule: texts})
    found = Tables(stored.encode(), lambda key: made.by_rule[key]).table(rule.lower())
    assert found is not None
    return found


@law(cases(), few=5, many=300)
def test_what_is_stored_changes_no_answer(case: Case) -> None:
    """By many texts or few, whatever is read first, and after everything else was forgotten."""
    made = bound(case)
    plain = Reader(made, "r0")
    wanted = {text: plain.readings(text) for text in TEXTS[:40]}
    texts = list(wanted)
    for seed, size in enumerate((0, 3, 40)):
        reader = Reader(made, "r0", table=table(made, "r0", TEXTS[:size]))
        Random(seed).shuffle(texts)
        assert {text: reader.readings(text) for text in texts} == wanted
        reader.lane.forget()
        assert {text: reader.readings(text) for text in texts} == wanted


TRAINED = ["http://a:80/", "http://a:8x/", "://a", "curl http://a/b c", "http://a/b\\c d"]


def test_a_stored_text_is_read_without_states() -> None:
    """Neither the grammar nor the mistakes are looked at, and each text leads along the table."""
    made = uris()
    known = table(made, "URI", TRAINED)
    reader = Reader(made, "URI", table=known)
    for text in TRAINED:
        assert reader.read(text) == Reader(made, "URI").read(text)
    assert reader.kept == 0
    assert "augmented" not in reader.lane.states.__dict__
    first, second = Reader(made, "URI", table=known), Reader(made, "URI")
    assert steps(first.read, TRAINED[1]) <= 1.1 * steps(second.read, TRAINED[1])  # once both are warm


def test_behind_the_table_the_sets_are_made_and_lead_back() -> None:
    made = uris()
    reader = Reader(made, "URI", table=table(made, "URI", ["http://a:80/", "http://a:8x/", "http://a/bc"]))
    assert reader.read("http://a::8x/bc/b").codes == ("two-colons", "port-junk")
    kept = reader.kept
    assert 0 < kept < 60
    assert reader.read("http://a::8x/bc/b/c/b/c").codes == ("two-colons", "port-junk")
    # A text that leaves the table by a character and is back at once, for one set more at most.
    assert reader.read("http://a:80/bc").codes == ()
    assert reader.kept <= kept + 2


def test_limits_end_the_same_texts() -> None:
    """A set is charged whether it is stored or not."""
    made = uris()
    texts = ["http://a/" + "x y/" * 20 + "{", "http://a:8x/", "[" * 30]
    known = table(made, "URI", texts)
    for limit in (1_000, 5_000, 20_000, 100_000):
        for text in texts:
            ended = []
            for reader in (Reader(made, "URI"), Reader(made, "URI", table=known)):
                try:
                    reader.lane.bands[0].read(text, limit)
                    ended.append(True)
                except LimitExceeded:
                    ended.append(False)
            assert ended[0] is ended[1], (limit, text)


def test_only_some_rules_are_stored() -> None:
    made = uris()
    stored = exploring.to_text("", made, {"URI": ["a:b"], "relative-ref": ["a"]})
    tables = Tables(stored.encode(), lambda key: made.by_rule[key])
    assert tables.table("path") is None
    for rule, text in (("uri", "a:b"), ("relative-ref", "/a b")):
        found = tables.table(rule)
        assert found is not None
        assert Reader(made, rule, table=found).read(text) == Reader(made, rule).read(text)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([], ""),
        ([7], "7"),
        ([7, 8], "7-8"),
        ([7, 7], "7*2"),
        ([1, 2, 3, 3, 3, 9, 8], "1-3,3*2,9,8"),
        ([0, 0, 1, 2], "0*2,1-2"),
        ([10, 11, 11, 12], "10-11,11-12"),
    ],
)
def test_runs_of_numbers(values: list[int], text: str) -> None:
    assert exploring.runs(values) == text
    assert numbers(text) == values


def test_the_texts_are_the_same_each_time() -> None:
    made = uris()
    assert exploring.known_texts(made) == []  # there are no examples
    one, two = (exploring.to_text("x", made, {"URI": TRAINED}) for _ in range(2))
    assert one == two
    assert one == exploring.to_text("x", uris(), {"URI": TRAINED})
