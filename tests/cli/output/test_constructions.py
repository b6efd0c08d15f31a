"""First and follow sets and the steps to a minimal automaton, as tables."""

from __future__ import annotations

import abnforge
from abnforge.charset import CharSet
from abnforge.teaching.pictures.automata import set_label
from tests.cli.command import Seen
from tests.cli.output.outcomes import written

URI = abnforge.load("rfc3986")


def test_tables(seen: Seen) -> None:
    seen(written("rule", "tables", URI["authority"]))


def test_steps(seen: Seen) -> None:
    seen(written("rule", "steps", URI["dec-octet"]))


SUM = abnforge.loads('sum = sum "-" term / term\nterm = "(" sum ")" / 1*DIGIT\n')["sum"]


def test_left_recursion(seen: Seen) -> None:
    seen(written("rule", "left-recursion", SUM))


NONE = abnforge.loads('none = "a" none\n')["none"]


def test_a_rule_of_no_string(seen: Seen) -> None:
    for format_ in ("left-recursion", "normal-form"):
        seen(written("rule", format_, NONE))
    seen(written("rule", "cyk", (NONE, "a")))


def test_normal_form(seen: Seen) -> None:
    seen(written("rule", "normal-form", SUM))


def test_derivatives(seen: Seen) -> None:
    seen(written("rule", "derivatives", (SUM, "1-(2"), (URI["URI"], "a/")))


def test_spans(seen: Seen) -> None:
    texts = ("1-2", "1-", "", "(1-2)-(3)")
    seen(written("rule", "cyk", *((SUM, text) for text in texts)))


def test_unsafe_characters_are_escaped() -> None:
    rule = abnforge.loads("r = %x1B / %x202E\n")["r"]
    names = ("tables", "steps", "left-recursion", "normal-form")
    outputs = [written("rule", name, rule) for name in names]
    outputs += [written("rule", name, (rule, "\u202e")) for name in ("derivatives", "cyk", "constructions")]
    for output in outputs:
        assert "\x1b" not in output
        assert "\u202e" not in output


def test_parts() -> None:
    assert set_label(CharSet.of("a"), end=True) == "{a end}"
