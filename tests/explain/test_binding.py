"""Mistakes bound to a grammar: what each needs is there, and the grammar stays as it is."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest

import abnforge
from abnforge.errors import GrammarError
from abnforge.explain.fixes import Fixer
from abnforge.explain.mistakes import literal_key
from abnforge.explain.reading import Interpreter
from abnforge.grammar.core import Chars
from tests.explain.small import bind_to, uris
from tests.law import each_row

RULES = '; Section 7\nhost = label *( "." label ) [ %x3A port ]\nlabel = 1*ALPHA\nport = *DIGIT\n'
M = "blame all; fix none"

# The mistakes, and each error: line, column, code of its message; None for errors of other packages.
ERRORS = [
    (
        f";@ of hots; {M}\nx = port\n",
        [(2, 1, "mistake-rule-unknown")],
    ),
    (f";@ of host; about prot; {M}\nx = port\n", [(2, 1, "mistake-rule-unknown")]),
    (";@ of host; blame all; fix drop(all, ok)\nx = port\n", [(2, 1, "mistake-rule-unknown")]),
    (f';@ of host; {M}; example u "a" -> none\nx = port\n', [(2, 1, "mistake-rule-unknown")]),
    (f';@ of host; {M}; near u "a"\nx = port\n', [(2, 1, "mistake-rule-unknown")]),
    (f';@ of host "/"; {M}\nx = port\n', [(2, 1, "literal-unknown-known")]),
    (f';@ of label "/"; {M}\nx = port\n', [(2, 1, "literal-unknown")]),
    (f";@ of host; {M}\nx = prt\n", [(2, 5, None)]),
    (f";@ of host; {M}\nx = a\nport = a\na = a\n", [(3, 1, None)]),
    (f";@ of host; {M}\nALPHA = %x41\n", [(2, 1, None)]),
]


@each_row(("mistakes", "errors"), ERRORS)
def test_errors(mistakes: str, errors: list[tuple[int, int, str | None]]) -> None:
    with pytest.raises(GrammarError) as raised:
        bind_to(RULES, mistakes)
    found = raised.value.errors
    assert [(each.line, each.column) for each in found] == [(line, column) for line, column, _ in errors]
    for each, (_, _, code) in zip(found, errors, strict=True):
        assert code is None or getattr(each.message, "code", None) == code


def test_the_rules_of_both() -> None:
    made = bind_to(RULES, f";@ of port; {M}\njunk = label other\nother = 1*%x2D\n")
    assert {"host", "label", "port", "alpha", "junk", "other"} <= made.core.rules.keys()
    assert [each.code for each in made.mistakes.mistakes] == ["junk"]
    assert made.marked == {}


def test_literals_are_rules_of_their_own() -> None:
    text = f';@ of host "."; {M}\ndots = ".."\n;@ of host "."; {M}\nspace = SP\n'
    text += f';@ of host ":"; {M}\nsemi = ";"\n'
    made = bind_to(RULES, text)
    assert list(made.marked) == ["host"]
    assert made.core.names[literal_key("host", ".")] == 'host "."'
    assert isinstance(made.core.rules[literal_key("host", ".")], Chars)
    # The grammar's own rule is as it was.
    plain = abnforge.loads(RULES)["host"]
    assert plain.matches("a.b:1")
    assert literal_key("host", ".") not in str(made.core.rules["host"])


def test_sections() -> None:
    text = f""";@ of port; {M}
a = "a"
;@ of port; {M}; section 8.1
b = "b"
;@ before *; {M}; about label
c = "c"
;@ before *; {M}
d = "d"
"""
    made = bind_to(RULES, text)
    assert [made.section(mistake) for mistake in made.mistakes.mistakes] == ["7", "8.1", "7", None]


def test_bound_mistakes_travel() -> None:
    """To other processes and as copies; shipped ones, too, of which nothing was asked before."""
    for made in (uris(), abnforge.load("rfc3339").compilation.mistakes):
        for again in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
            assert again == made
            assert hash(again) == hash(made)
            assert (again.names, again.count) == (made.names, made.count)
    assert uris() != abnforge.load("rfc3339").compilation.mistakes
    assert uris() != "uris"


def test_what_was_found_travels() -> None:
    made = uris()
    text = "http://a/b\\c d"
    reading = Interpreter(made, "URI").interpret(text)
    mended = Fixer(made).fix(reading)
    for again in (pickle.loads(pickle.dumps((reading, mended))), copy.deepcopy((reading, mended))):
        assert again == (reading, mended)
    travelled = pickle.loads(pickle.dumps(made))
    assert Interpreter(travelled, "URI").interpret(text) == reading


def test_bound_mistakes_never_change() -> None:
    with pytest.raises(FrozenInstanceError):
        uris().grammar = None
