"""Results on the page for a string: verdict, tree, attempts, derivations."""

from __future__ import annotations

import pytest

from abnforge.charset import CharSet
from abnforge.explain.attempts import MAX_CHARACTERS
from abnforge.teaching.playground.loaded import MAX_RECURSIVE, MAX_STRING
from abnforge.teaching.playground.strings import MAX_FULL, MAX_LINES, named_characters
from tests.teaching.playground.calls import ask, refused

SUMS = 'sum = sum "+" number / number\nnumber = 1*DIGIT\n'
AMBIGUOUS = 's = s s / "a"\n'


def test_a_string_that_is_derived_has_a_tree() -> None:
    result = ask("string", text=SUMS, rule="SUM", string="1+22")
    assert (result["valid"], result["rule"]) == (True, "sum")
    assert result["derivations"] == {"count": 1, "said": "1"}
    assert [
        (each["names"], each["start"], each["end"], each["depth"]) for each in result["tree"]["boxes"]
    ] == [
        (["sum"], 0, 4, 0),
        (["sum"], 0, 1, 1),
        (["number"], 0, 1, 2),
        (["DIGIT"], 0, 1, 3),
        ([], 0, 1, 4),
        ([], 1, 2, 1),
        (["number"], 2, 4, 1),
        (["DIGIT"], 2, 3, 2),
        ([], 2, 3, 3),
        (["DIGIT"], 3, 4, 2),
        ([], 3, 4, 3),
    ]


@pytest.mark.parametrize("digits", [1, (MAX_FULL - 1) // 2, (MAX_FULL - 1) // 2 + 1, 60])
@pytest.mark.parametrize("full", [0, 1])
def test_small_trees_have_a_box_for_each_node_in_both_forms(digits: int, full: int) -> None:
    arguments = {"text": "a = 1*DIGIT\n", "rule": "a", "string": "1" * digits}
    tree = ask("string", **arguments)["tree"]
    assert tree["nodes"] == 2 * digits + 1
    assert tree["full"] is (tree["nodes"] <= MAX_FULL)
    assert tree["count"] == (tree["nodes"] if tree["full"] else 1)
    picture = ask("picture", **arguments, kind="tree", full=full)
    assert len(picture["boxes"]) == picture["svg"].count("<g ") == (tree["nodes"] if full else tree["count"])


def test_a_string_that_is_not_has_a_reason_and_attempts() -> None:
    result = ask("string", text=SUMS, rule="sum", string="1+x")
    assert not result["valid"]
    assert result["rejection"]["offset"] == 2
    assert result["rejection"]["code"]
    [root, *rest] = result["attempts"]["attempts"]
    assert (root["source"], root["end"], root["expected"]) == ("sum", 2, '"0" to "9"')
    last = rest[-1] if rest[-1]["leaf"] else None
    assert last is not None
    assert {each["depth"] for each in rest} >= {1, 2}


@pytest.mark.parametrize(
    ("characters", "named"),
    [
        ("*+-/0123456789", '"*", "+", "-", "/" or "0" to "9"'),
        ("0123456789:ABCDEF", '"0" to "9", ":" or "A" to "F"'),
        ("()*+,-", '"(" to "-"'),
    ],
)
def test_characters_are_named_by_kind(characters: str, named: str) -> None:
    """Ranges do not mix signs with digits or letters."""
    assert named_characters(CharSet.of(characters)) == named


@pytest.mark.parametrize(
    ("line", "text", "expected", "valid"),
    [
        ("+ 1+2", "1+2", True, True),
        ("- 1+2", "1+2", False, True),
        ("+ 1+", "1+", True, False),
        ("1+2", "1+2", None, True),
        ("1+\tvalid", "1+", True, False),
        ("1+\tinvalid", "1+", False, False),
        ("1+\tother", "1+\tother", None, False),
        ("+ 1\tvalid", "1\tvalid", True, False),
        ("+ ", "", True, False),
        ("+1", "+1", None, False),
        ("- 1\r", "1\r", False, False),
        ("+ " + "1" * (MAX_RECURSIVE + 1), "1" * (MAX_RECURSIVE + 1), True, None),
    ],
)
def test_a_line_has_a_string_and_an_expected_verdict(
    line: str, text: str, expected: bool | None, valid: bool | None
) -> None:
    [row] = ask("strings", text=SUMS, rule="sum", lines=f"\n{line}\n")
    assert (row["line"], row["text"], row["expected"], row["valid"]) == (1, text, expected, valid)
    assert bool(row["message"]) is (valid is None or valid is not (expected is not False))


def test_calls_have_few_lines() -> None:
    assert len(ask("strings", text=SUMS, rule="sum", lines="\n".join("1" * MAX_LINES))) == MAX_LINES
    assert refused("strings", text=SUMS, rule="sum", lines="\n" * MAX_LINES)["code"] == "limit-exceeded"


def test_what_is_tried_first_is_reported() -> None:
    text = 'host = address / name\naddress = 1*DIGIT "." 1*DIGIT\nname = 1*( ALPHA / DIGIT / "." )\n'
    result = ask("string", text=text, rule="host", string="1.2.3")
    [choice] = result["tried"]
    assert (choice["rule"], choice["taken"]) == ("host", "name")
    assert choice["attempts"] == [{"rule": "address", "end": 3, "complete": True}]


@pytest.mark.parametrize(("string", "count"), [("a", 1), ("aaa", 2), ("aaaa", 5)])
def test_derivations_are_counted_and_each_can_be_seen(string: str, count: int) -> None:
    assert ask("string", text=AMBIGUOUS, rule="s", string=string)["derivations"] == {
        "count": count,
        "said": str(count),
    }
    trees = [
        str(ask("derivation", text=AMBIGUOUS, rule="s", string=string, number=n)["tree"])
        for n in range(count)
    ]
    assert len(set(trees)) == count
    error = refused("derivation", text=AMBIGUOUS, rule="s", string=string, number=count)
    assert error["code"] == "call-derivation"


def test_derivations_without_end() -> None:
    result = ask("string", text='a = a / "x"', rule="a", string="x")["derivations"]
    assert result == {"count": 10, "said": "infinitely many"}
    result = ask("string", text=AMBIGUOUS, rule="s", string="a" * 60)["derivations"]
    assert result == {"count": 10, "said": "about 10^32"}


@pytest.mark.parametrize("order", ["leftmost", "rightmost"])
def test_steps_lead_from_the_rule_to_the_string(order: str) -> None:
    string = "1+2+3"
    result = ask("derivation", text=SUMS, rule="sum", string=string, order=order)
    form = [["sum", 0, 5]]
    for step in result["steps"]:
        assert [*step["before"], step["rule"], *step["after"]] == form
        assert step["definition"].startswith(step["rule"][0])
        form = [*step["before"], *step["by"], *step["after"]]
        form = merged(form)
    assert not result["more"]
    assert "".join(string[start:end] for rule, start, end in form if rule is None) == string


def merged(form: list[list[object]]) -> list[list[object]]:
    """Join adjacent strings, as in derivation forms."""
    results: list[list[object]] = []
    for rule, start, end in form:
        if rule is None and results and results[-1][0] is None:
            results[-1][2] = end
        elif rule is not None or start != end:
            results.append([rule, start, end])
    return results


def test_an_order_that_there_is_not() -> None:
    error = refused("derivation", text=SUMS, rule="sum", string="1", order="middle")
    assert error["code"] == "call-choice"
    assert refused("derivation", text=SUMS, rule="sum", string="x")


def test_strings_have_limits() -> None:
    limits = [(MAX_STRING, "a = *ALPHA", "a"), (MAX_RECURSIVE, "a = [ a ] ALPHA", "a")]
    for limit, text, rule in limits:
        error = refused("string", text=text, rule=rule, string="a" * (limit + 1))
        assert error["code"] == "limit-exceeded"
        assert f"{limit:,}" in (error["message"] or "")


def test_attempts_that_cannot_be_reported_leave_the_reason() -> None:
    result = ask("string", text="a = *DIGIT", rule="a", string="1" * 3_000 + "x")
    assert result["rejection"]["offset"] == 3_000
    assert f"{MAX_CHARACTERS:,}" in result["attempts"]["problem"]
