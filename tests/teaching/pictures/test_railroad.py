"""Railroad diagrams draw every construct, distinguish similar ones, and show strings unchanged."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion

import abnforge
from abnforge.grammar import syntax

pytest.importorskip("railroad")
from abnforge.teaching.pictures.railroad import (
    MAX_ALTERNATIVES,
    described,
    path_of,
    rule_svg,
    times,
)
from tests.raising import raises

SVG = "{http://www.w3.org/2000/svg}"
RFC3986 = abnforge.load("rfc3986")


def told(svg: str) -> list[tuple[str, str]]:
    """Return the boxes of a diagram as classes and text, and the comments, which do not have boxes."""
    results = []
    for group in ElementTree.fromstring(svg).iter():
        if group.tag not in (f"{SVG}g", f"{SVG}a"):
            continue
        for text in group.findall(f"{SVG}text"):
            kind = "comment" if text.get("class") else group.get("class", "").split(maxsplit=1)[-1]
            results.append((kind, text.text or ""))
    return results


def of(text: str, rule: str = "a", **options: int) -> list[tuple[str, str]]:
    return told(rule_svg(abnforge.loads(text)[rule], **options))


def test_boxes_of_every_kind() -> None:
    grammar = 'a = "x" %s"Y" "--" %x41-5A %x0D.0A %d66 b <said> ""\nb = "c"\n'
    assert of(grammar) == [
        ("any-case", '"x"'),
        ("one-case", '%s"Y"'),
        ("exact", '"--"'),
        ("range", "A-Z  %x41-5A"),
        ("value", "%x0D.0A"),
        ("value", "B  %d66"),
        ("rule", "b"),
        ("prose", "<said>"),
        ("comment", "empty"),
    ]


@pytest.mark.parametrize(
    ("count", "message"),
    [("2*3", "2 to 3"), ("4", "exactly 4"), ("2*", "2 or more"), ("*5", "at most 5"), ("1*", ""), ("*", "")],
)
def test_counts_are_reported(count: str, message: str) -> None:
    result = of(f'a = {count}"-"\n')
    assert result == [("exact", '"-"'), *([("comment", message)] if message else [])]


def test_times() -> None:
    results = [times(0, 1_000), times(1_000, None), times(1, 7)]
    assert results == [
        "at most 1,000",
        "1,000 or more",
        "at most 7",
    ]


def test_terminals_are_described(snapshot: SnapshotAssertion) -> None:
    numbers = [((0x30, 0x39), True), ((0x0D, 0x0A), False), ((0x110000,), False)]
    strings = [("a-", None), ("a", "%s"), ("-", None)]
    terminals = [
        *(syntax.NumVal("x", values, is_range) for values, is_range in numbers),
        *(syntax.CharVal(value, prefix) for value, prefix in strings),
    ]
    assert [described(each) for each in terminals] == snapshot


def test_every_rule_of_every_grammar_is_drawn() -> None:
    for name in ("rfc3986", "rfc8259", "rfc5322", "rfc3261", "toml-1.0.0"):
        for rule in abnforge.load(name).own_rules:
            root = ElementTree.fromstring(rule_svg(rule))
            title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
            assert title is not None
            assert title.text == f"Railroad diagram of {rule.name}"
            assert desc is not None
            assert (desc.text or "").startswith(f"{rule.name} = ")
            assert root.get("aria-labelledby") == "t d"


def test_rules_are_drawn_in_the_place_of_their_names() -> None:
    grammar = 'a = b ALPHA\nb = "-" c\nc = "." / a\n'
    assert of(grammar) == [("rule", "b"), ("rule", "ALPHA")]
    # A comment names a group. Recursive rules and core rules are shown by name.
    assert of(grammar, depth=1) == [("exact", '"-"'), ("rule", "c"), ("comment", "b"), ("rule", "ALPHA")]
    deep = of(grammar, depth=9)
    assert deep[:4] == [("exact", '"-"'), ("exact", '"."'), ("rule", "a"), ("comment", "c")]


def test_what_a_string_uses_stands_out() -> None:
    rule = RFC3986["authority"]
    result = told(rule_svg(rule, path=path_of(rule, "host:80")))
    assert result == [
        ("rule idle", "userinfo"),
        ("exact idle", '"@"'),
        ("rule used", "host"),
        ("exact used", '":"'),
        ("rule used", "port"),
    ]
    result = told(rule_svg(rule, path=path_of(rule, "a@[::1]"), depth=1))
    assert ("rule used", "IP-literal") in result
    assert ("rule idle", "reg-name") in result
    assert ("rule idle", "DIGIT") in result


@pytest.mark.parametrize("text", ["7", "x", "-a"])
def test_core_rules_have_a_path_too(text: str) -> None:
    rule = abnforge.loads('a = [ "-" ] HEXDIG / ALPHA\n')["a"]
    result = told(rule_svg(rule.grammar["HEXDIG"], path=path_of(rule, text)))
    used = [results for kind, results in result if kind.endswith("used")]
    assert used == {"7": ["DIGIT"], "x": [], "-a": ['"A"']}[text]


def test_text_stays_text() -> None:
    svg = rule_svg(abnforge.loads('a = <]]&"x"> "<a>" %x202E\n')["a"])
    assert [result for _, result in told(svg)] == ['<]]&"x">', '"<a>"', "%x202E"]
    assert "\u202e" not in svg


def test_large_rules_are_cut() -> None:
    words = " / ".join(f'"w{n}"' for n in range(1_000))
    result = of(f"a = {words}\n")
    assert len(result) == MAX_ALTERNATIVES + 1
    assert result[-1] == ("comment", "800 more")
    deep = of("a = " + "*( b / " * 45 + "b" + " )" * 45 + '\nb = "c"\n')
    assert ("comment", "...") in deep


def test_long_sequences_are_broken_into_lines() -> None:
    root = ElementTree.fromstring(rule_svg(abnforge.loads("a = " + "DIGIT " * 100 + "\n")["a"]))
    assert float(root.get("width", "")) < 1_200
    assert float(root.get("height", "")) > 200


def test_misuse() -> None:
    with raises(TypeError, "argument-type", name="rule"):
        rule_svg("port")  # type: ignore[arg-type]
    with raises(ValueError, "depth-negative", value=-1):
        rule_svg(RFC3986["port"], depth=-1)
    with pytest.raises(abnforge.Rejected):
        path_of(RFC3986["port"], "x")
    with raises(TypeError, "argument-type", name="text"):
        path_of(RFC3986["port"], 7)  # type: ignore[arg-type]


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "railroad", None)
    with pytest.raises(ModuleNotFoundError) as caught:
        rule_svg(RFC3986["port"])
    assert (caught.value.name, caught.value.code) == ("railroad", "railroad-missing")
