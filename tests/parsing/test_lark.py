"""The engine "lark" is a real ``lark.Lark`` with the rule names of the grammar."""

from __future__ import annotations

import lark
import pytest

import abnforge


def test_rule_lark_is_lark() -> None:
    rule = abnforge.load("rfc3986")["authority"]
    assert isinstance(rule.lark, lark.Lark)
    assert rule.lark.parse("u@h:1") == rule.parse("u@h:1")
    with pytest.raises(lark.exceptions.UnexpectedInput):
        rule.lark.parse("[")


def test_any_transformer_reads_the_trees() -> None:
    class Text(lark.Transformer[lark.Token, str]):
        def __default__(self, data: str, children: list[str], meta: object) -> str:
            return "".join(children)

    class Port(lark.Visitor[lark.Token]):
        result = ""

        def port(self, tree: lark.Tree[lark.Token]) -> None:
            self.found = "".join(map(str, tree.scan_values(lambda token: True)))

    text = "http://u@1.2.3.4:80/p?q#f"
    tree = abnforge.load("rfc3986")["URI"].parse(text)
    assert Text().transform(tree) == text
    port = Port()
    port.visit(tree)
    assert port.found == "80"


@pytest.mark.parametrize("name", ["rfc3986", "rfc2396", "rfc5234"])
def test_names_map_back(name: str) -> None:
    grammar = abnforge.load(name)
    names = grammar["ALPHA"].lark_names
    assert sorted(names.values()) == sorted(grammar)
    assert all(lark_name == name.lower().replace("-", "_") for lark_name, name in names.items())


def test_names_that_differ_in_a_dash_stay_apart() -> None:
    grammar = abnforge.loads("s = a-b a_b\na_b = %x61\na-b = %x62\n", dialect="rfc822")
    names = grammar["s"].lark_names
    assert len(names) == len(set(names.values())) == len(grammar)


@pytest.mark.parametrize("repeated", ['[ [ "a" ] [ never ] ]', '2*3( *2"a" *never )', '*( 1*"a" [ never ] )'])
def test_what_is_left_of_a_sequence_is_repeated(repeated: str) -> None:
    """Lark operators are not nested, and a part without strings does not leave empty parentheses."""
    rule = abnforge.loads(f"s = {repeated}\nnever = never\n")["s"]
    assert [rule.matches("a" * n, engine="lark") for n in range(3)] == [
        True,
        True,
        "2*3" in repeated or "1*" in repeated,
    ]
    assert not rule.matches("b", engine="lark")


def test_repetitions_in_repetitions_are_written_once() -> None:
    depth = 40
    text = abnforge.loads(f'r = {"*( " * depth}"a"{" )" * depth}\n')["r"].lark_text
    assert text.count("\n") < 2 * depth
    assert text.count("*") == depth
