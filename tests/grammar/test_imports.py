"""Bundled grammars that take rules from others: what is stored of that is what linking gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import abnforge
from abnforge.errors import GrammarError
from abnforge.grammar.imports import bundled_grammar, has_lists
from abnforge.grammar.printer import print_alternation
from abnforge.grammar.shipped import bundled_names, generated
from abnforge.grammar.syntax import SENDER, BoundRule
from tests.raising import raises
from tools import build_grammars

IMPORTS = {
    name: re.findall(
        r"^;@ import ([\w.-]+)", generated().joinpath(f"{name}.abnf").read_text("utf-8"), re.MULTILINE
    )
    for name in bundled_names()
}
IMPORTING = [name for name, others in IMPORTS.items() if others]


def told(rule: BoundRule) -> tuple[str, str, str | None, str]:
    return rule.name, rule.origin, rule.section, print_alternation(rule.elements)


@pytest.mark.parametrize("name", IMPORTING)
def test_what_is_stored_is_what_linking_gives(name: str) -> None:
    text = (build_grammars.GRAMMARS / f"{name}.abnf").read_text("utf-8")
    linked = build_grammars.bound_grammar(name, text)
    assert [told(rule) for rule in bundled_grammar(name).rules.values()] == [
        told(rule) for rule in linked.rules.values()
    ]
    assert not bundled_grammar(name).warnings


def test_there_are_some_and_they_lead_in_no_circle() -> None:
    assert "rfc9110" in IMPORTING
    left = dict(IMPORTS)
    while left:
        ready = [name for name, others in left.items() if not left.keys() & set(others)]
        assert ready, left
        for name in ready:
            del left[name]


def test_a_circle_is_refused_when_it_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build_grammars, "GRAMMARS", tmp_path)
    (tmp_path / "one.abnf").write_text(";@ import two: b\na = b\n")
    (tmp_path / "two.abnf").write_text(';@ import one: a\nb = "x" / a\n')
    with raises(GrammarError, "import-directive"):
        build_grammars.bound_grammar("one", (tmp_path / "one.abnf").read_text())
    with raises(GrammarError, "import-directive"):
        build_grammars.bound_grammar("four", ";@ import three\na = b\n")


def test_imported_rules_are_called_after_their_origin_where_their_name_is_taken() -> None:
    grammar = abnforge.load("rfc9110")
    assert (grammar["host-rfc3986"].section, grammar["Host"].section) == ("RFC 3986, section 3.2.2", "7.2")
    assert grammar["mailbox"].matches("Joe <joe@example.org>")
    assert grammar["comment-rfc5322"].origin == "import"


@pytest.mark.parametrize(("name", "lists"), [("rfc9110", True), ("rfc8288", True), ("rfc9651", False)])
def test_lists_are_read_as_asked(name: str, lists: bool) -> None:
    assert has_lists(bundled_grammar(name)) is lists
    assert bundled_grammar(name, SENDER).rules.keys() == bundled_grammar(name).rules.keys()


def test_a_bundled_grammar_as_a_sender_writes_it() -> None:
    allow = abnforge.load("rfc9110")["Allow"]
    sent = abnforge.load("rfc9110", lists="sender")["Allow"]
    assert [rule.matches("GET,,HEAD") for rule in (allow, sent)] == [True, False]
    assert [rule.matches("GET, HEAD") for rule in (allow, sent)] == [True, True]
    assert abnforge.load("rfc3986", lists="sender") == abnforge.load("rfc3986")
    assert sent != allow


def test_a_grammar_of_the_package_is_suggested() -> None:
    with raises(abnforge.UnknownNameError, "import-unknown-near", grammar="rfc3629", near=("abnf:rfc3629",)):
        abnforge.loads("a = UTF8-char\n", imports=["rfc3629"])
