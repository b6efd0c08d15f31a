"""Examples in a grammar: which ones pass, which ones fail, and why."""

from __future__ import annotations

import pytest

import abnforge
from abnforge import GrammarError, LimitExceeded, UnknownNameError
from abnforge.engine.examples import SHOWN_PARTS, count, label
from tests.law import each_row
from tests.raising import raises

TEXT = """\
;@ match "a:80", "b" (a note)
;@ no-match "a:x"
address = host [ ":" port ]
port = *DIGIT ;@ match "80"; no-match "x"
host = 1*ALPHA
"""


def tried(text: str, *rules: str, **more: object) -> list[tuple[str, str]]:
    result = abnforge.loads(text, **more).test(rules or None)  # type: ignore[arg-type]
    return [(each.status, each.message) for each in result]


def test_examples_by_rule() -> None:
    grammar = abnforge.loads(TEXT)
    assert {rule: [each.text for each in some] for rule, some in grammar.examples.items()} == {
        "address": ["a:80", "b", "a:x"],
        "port": ["80", "x"],
    }
    assert grammar.examples["address"][0].note == "a note"
    assert count(grammar.examples["address"]) == (2, 1)
    assert label(grammar.examples["port"][1]) == 'port: no-match "x"'
    assert grammar.examples == grammar.examples


def test_all_pass() -> None:
    results = abnforge.loads(TEXT).test()
    assert [each.example.text for each in results] == ["a:80", "b", "a:x", "80", "x"]
    assert all(each.passed and each.message == "" and each.rejection is None for each in results)


def test_of_some_rules() -> None:
    grammar = abnforge.loads(TEXT)
    assert [each.example.rule for each in grammar.test(["PORT"])] == ["port", "port"]
    assert grammar.test(["host"]) == []
    with raises(UnknownNameError, "rule-name-unknown"):
        grammar.test(["prot"])
    with pytest.raises(TypeError):
        grammar.test("port")


FAILING = [
    (';@ match "8x"\na = *DIGIT\n', 'a does not match "8x":'),
    (';@ no-match "8"\na = *DIGIT\n', 'a matches "8"'),
    (';@ no-match ""\na = *DIGIT\n', 'a matches ""'),
    (
        ';@ no-match "a:80"\na = host ":" port\nhost = *c\nc = ALPHA\nport = 1*DIGIT\n',
        'a matches "a:80": host "a", port "80"',
    ),
    (';@ no-match "a"%x0A\na = ALPHA LF\n', 'a matches "a\\n": ALPHA "a", LF "\\n"'),
    (';@ match "(()"\na = [ "(" a ")" ]\n', 'a does not match "(()":'),
]


@each_row(("text", "message"), FAILING)
def test_failed_examples(text: str, message: str) -> None:
    [(status, result)] = tried(text)
    assert status == "failed"
    assert result.startswith(message)


def test_a_failed_match_has_its_rejection() -> None:
    [result] = abnforge.loads(FAILING[0][0]).test()
    assert result.rejection is not None
    assert result.rejection.offset == 1
    assert not result.passed


def test_much_of_a_tree_is_cut() -> None:
    text = ";@ no-match " + '"' + "x" * 500 + '"' + "\na = *b\nb = %x78\n"
    [(_, result)] = tried(text)
    assert result == f'a matches "{"x" * 40}...": ' + ", ".join(['b "x"'] * SHOWN_PARTS) + ", ..."


@pytest.mark.parametrize(
    "text",
    [
        ';@ match "x"\na = <some words>\n',
        ';@ match "' + "x" * 3000 + '"\na = ( a / b / "x" ) a / b\nb = *"x" a / "x"\n',
    ],
    ids=["prose", "budget"],
)
def test_undecided_examples(text: str) -> None:
    budget = abnforge.Budget.parse("steps=10")
    [result] = abnforge.loads(text + '\n;@ match "1"\nb2 = DIGIT\n', budget=budget).test(["a"])
    assert result.status == "undecided"
    assert result.rejection is None
    assert not result.passed


def test_examples_that_cannot_be_understood() -> None:
    grammar = abnforge.loads(';@ match 1\na = DIGIT\n\n;@ match "1"\n')
    assert grammar["a"].matches("1")  # examples do not affect verdicts
    with pytest.raises(GrammarError) as caught:
        grammar.test()
    assert [(each.code, each.line) for each in caught.value.errors] == [
        ("example-directive", 1),
        ("example-directive", 4),
    ]
    assert not isinstance(caught.value, LimitExceeded)


def test_the_definitions_spelling_and_what_is_put_together() -> None:
    text = ';@ match "1"\nHOST =/ "1"\n\n;@ no-match "x"\na = host\n'
    grammar = abnforge.loads(text, imports=[abnforge.loads('host = "0"\n')])
    assert list(grammar.examples) == ["HOST", "a"]
    assert all(each.passed for each in grammar.test())
    lists = ';@ match ",a"\na = 1#b\nb = "a"\n'
    assert tried(lists) == [("passed", "")]
    assert tried(lists, lists="sender")[0][0] == "failed"


def test_examples_next_to_mistakes() -> None:
    text = (
        ';@ match "80"\nport = *DIGIT ;@ no-match "x"\n\n'
        ';@ of port; blame all; fix none; say "letters"\nword = 1*ALPHA\n'
    )
    assert tried(text) == [("passed", ""), ("passed", "")]


def test_grammars_without_examples() -> None:
    assert abnforge.loads("a = DIGIT\n").examples == {}
    assert abnforge.load("abnf:rfc3986").test() == []
    rule = abnforge.load("rfc3986")["port"] & abnforge.load("rfc3986")["scheme"]
    assert rule.grammar.examples == {}  # type: ignore[attr-defined]
