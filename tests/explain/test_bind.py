"""Mistakes are bound to a grammar, and another grammar inherits them."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest

import abnforge
from abnforge.errors import GrammarError
from abnforge.explain.bind import bind_mistakes
from abnforge.explain.fixes import Fixer
from abnforge.explain.mistakes import Adoption, Mistakes, literal_key
from abnforge.explain.mistakes_file import combined, read_mistakes, with_inherited
from abnforge.explain.proofs import remarks
from abnforge.explain.reading import Interpreter
from abnforge.grammar.core import Chars
from tests.explain.random_mistakes import bind_to, uris
from tests.law import each_row
from tests.raising import raises

RULES = '; Section 7\nhost = label *( "." label ) [ %x3A port ]\nlabel = 1*ALPHA\nport = *DIGIT\n'
M = "blame all; fix none"
# Mistakes, and the line, column and code of each error. The code is None if another package reports it.
BINDING_ERRORS = [
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
    (';@ withhold\nx = "a" [ x ] "b"\n', [(2, 1, "withheld-recursive")]),
]


@each_row(("mistakes", "errors"), BINDING_ERRORS)
def test_binding_errors(mistakes: str, errors: list[tuple[int, int, str | None]]) -> None:
    with pytest.raises(GrammarError) as raised:
        bind_to(RULES, mistakes)
    result = raised.value.errors
    assert [(each.line, each.column) for each in result] == [(line, column) for line, column, _ in errors]
    for each, (_, _, code) in zip(result, errors, strict=True):
        assert code is None or getattr(each.message, "code", None) == code


def test_the_rules_of_both() -> None:
    result = bind_to(RULES, f";@ of port; {M}\njunk = label other\nother = 1*%x2D\n")
    assert {"host", "label", "port", "alpha", "junk", "other"} <= result.core.rules.keys()
    assert [each.code for each in result.mistakes.mistakes] == ["junk"]
    assert result.marked == {}


def test_literals_are_rules_of_their_own() -> None:
    text = f';@ of host "."; {M}\ndots = ".."\n;@ of host "."; {M}\nspace = SP\n'
    text += f';@ of host ":"; {M}\nsemi = ";"\n'
    result = bind_to(RULES, text)
    assert list(result.marked) == ["host"]
    assert result.core.names[literal_key("host", ".")] == 'host "."'
    assert isinstance(result.core.rules[literal_key("host", ".")], Chars)
    # The rule in the original grammar is unchanged.
    plain = abnforge.loads(RULES)["host"]
    assert plain.matches("a.b:1")
    assert literal_key("host", ".") not in str(result.core.rules["host"])


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
    result = bind_to(RULES, text)
    assert [result.section(mistake) for mistake in result.mistakes.mistakes] == ["7", "8.1", "7", None]


def test_bound_mistakes_travel() -> None:
    """Bound mistakes can be pickled and copied, including bundled mistakes before their first use."""
    for result in (uris(), abnforge.load("rfc3339").compilation.mistakes):
        for again in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
            assert again == result
            assert hash(again) == hash(result)
            assert (again.names, again.count) == (result.names, result.count)
    assert uris() != abnforge.load("rfc3339").compilation.mistakes
    assert uris() != "uris"


def test_what_was_found_travels() -> None:
    result = uris()
    text = "http://a/b\\c d"
    reading = Interpreter(result, "URI").interpret(text)
    fixed = Fixer(result).fix(reading)
    for again in (pickle.loads(pickle.dumps((reading, fixed))), copy.deepcopy((reading, fixed))):
        assert again == (reading, fixed)
    travelled = pickle.loads(pickle.dumps(result))
    assert Interpreter(travelled, "URI").interpret(text) == reading


def test_bound_mistakes_never_change() -> None:
    with pytest.raises(FrozenInstanceError):
        uris().grammar = None


OTHERS = """
;@ of port; blame junk.2 junk; fix digits encode(junk, ok) subst(junk, "x"); about host; inner digits
;@ say "a {host} or {{port}} has no {junk}"
;@ example port "a" -> "1"; near host "b"
port-junk = digits junk [ host junk ]
digits = *DIGIT
junk = 1*odd
odd = ALPHA
ok = "x" / odd
;@ before * port; blame all; fix ""; code blank
blank-before = 1*gap
gap = SP
"""
FILE = """
; a file
;@ adopt other
;@ without blank-before
;@ as port haven host Wirt

;@ of haven; blame all; fix none
haven-empty = ""
"""


def find(name: str) -> Mistakes | None:
    return read_mistakes(OTHERS) if name == "other" else None


def test_what_is_inherited_is_about_the_rules_of_the_other_names() -> None:
    own = read_mistakes(FILE)
    assert own.adopts == (Adoption("other", ("blank-before",), (), (("port", "haven"), ("host", "Wirt"))),)
    result = with_inherited(own, find)
    assert [mistake.code for mistake in result.mistakes] == ["haven-empty", "port-junk"]
    assert [mistake.order for mistake in result.mistakes] == [0, 1]
    assert [rule.name for rule in result.helpers] == ["digits", "junk", "odd", "ok"]
    by_hand = (
        OTHERS.replace("of port", "of haven").replace("about host", "about Wirt").replace("{host}", "{wirt}")
    )
    by_hand = by_hand.replace("[ host", "[ Wirt").replace("example port", "example haven")
    (taken,) = read_mistakes(by_hand.replace("near host", "near Wirt")).mistakes[:1]
    adopted = result.mistakes[1]
    assert (adopted.targets, adopted.blame, adopted.fix, adopted.about, adopted.inner, adopted.say) == (
        (taken.targets, taken.blame, taken.fix, taken.about, taken.inner, taken.say)
    )
    assert (adopted.examples, adopted.near) == (taken.examples, taken.near)


def test_it_is_read_by_the_other_grammar() -> None:
    grammar = abnforge.loads('ort = Wirt ":" haven\nWirt = *ALPHA\nhaven = *DIGIT\n')
    result = bind_mistakes(with_inherited(read_mistakes(FILE), find), grammar.compilation.bound)
    assert Interpreter(result, "ort").interpret("a:1x").codes == ("port-junk",)


@pytest.mark.parametrize(("helper", "strings"), [("", "xy"), ('odd = "y"\n', "y")])
def test_a_helper_replaces_an_inherited_one(helper: str, strings: str) -> None:
    grammar = abnforge.loads('ort = Wirt ":" haven\nWirt = *ALPHA\nhaven = *DIGIT\n')
    result = bind_mistakes(with_inherited(read_mistakes(FILE + helper), find), grammar.compilation.bound)
    recognized = [
        each for each in "xy" if Interpreter(result, "ort").interpret(f"a:1{each}").codes == ("port-junk",)
    ]
    assert "".join(recognized) == strings


def test_some_alone_are_taken_over() -> None:
    result = with_inherited(read_mistakes(";@ adopt other; only blank-before\n\nx = SP\n"), find)
    assert [mistake.code for mistake in result.mistakes] == ["blank"]
    assert [rule.name for rule in result.helpers] == ["x", "gap"]


def test_an_example_that_is_none_here_is_left_out() -> None:
    (written,) = (each.examples for each in read_mistakes(OTHERS).mistakes if each.code == "port-junk")
    file = FILE.replace(";@ as", f';@ without-example "{written[0].wrong}"\n;@ as')
    adopted = with_inherited(read_mistakes(file), find).mistakes[1]
    assert [each.wrong for each in adopted.examples] == [each.wrong for each in written[1:]]


def test_nothing_is_inherited_unasked() -> None:
    own = read_mistakes(OTHERS)
    assert own.adopts == ()
    assert with_inherited(own, find) is own


# The first lines of a file, and the code of the message. None if another package reports the error.
INHERITANCE_ERRORS = [
    (";@ adopt another", "adopted-grammar-unknown"),
    (';@ adopt other; without-example "8"', "adopted-example-unknown"),
    (";@ adopt other; without blank-befor", "adopted-mistake-unknown"),
    (";@ adopt other; only blank", "adopted-mistake-unknown"),
    (";@ without blank-before", "directive-without-adopt"),
    (";@ adopt other; adopt other", "directive-misplaced"),
    (";@ adopt other; cost 2", "directive-misplaced"),
    (";@ adopt other; as port", None),
    (";@ adopt", None),
    (";@ adopt other\nx = y", "directive-of-file"),
]


@each_row(("head", "code"), INHERITANCE_ERRORS)
def test_inheritance_errors(head: str, code: str | None) -> None:
    with pytest.raises(GrammarError) as raised:
        with_inherited(read_mistakes(f"{head}\n\ny = SP\n"), find)
    assert raised.value.code == "mistake-directive"
    assert code is None or getattr(raised.value.message, "code", None) == code


def test_close_names_are_suggested() -> None:
    with raises(GrammarError, "adopted-mistake-unknown", near=["blank-before"]):
        with_inherited(read_mistakes(";@ adopt other; without blank-befor\n\ny = SP\n"), find)


@pytest.mark.slow
def test_users_take_over_what_is_shipped() -> None:
    text = ";@ adopt rfc3986\n;@ without scp-address\n\n"
    grammar = abnforge.loads(abnforge.load("rfc3986").source.text, mistakes=text)
    assert "space-in-path" in grammar.codes
    assert "scp-address" not in grammar.codes


def test_what_is_inherited_travels() -> None:
    result = read_mistakes(FILE)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again == result


def test_withheld_rules_are_inherited_and_renamed() -> None:
    """A helper of the file replaces the inherited one, and a helper of the user replaces its name."""
    other = read_mistakes(';@ withhold\nodd = helper label\nhelper = "x"\n', "other")
    inherited = with_inherited(read_mistakes(";@ adopt other; as label name\n\n"), lambda _: other)
    bound = bind_mistakes(inherited, abnforge.loads("name = 1*DIGIT").compilation.bound)
    assert (inherited.withheld, bound.is_withheld("x1"), bound.is_withheld("1")) == (("odd",), True, False)
    both = combined(read_mistakes(';@ withhold\nodd = "y"\nhelper = "z"\n'), inherited)
    bound = bind_mistakes(both, abnforge.loads("name = 1*DIGIT").compilation.bound)
    assert both.withheld == ("odd", "odd-2")
    assert [bound.is_withheld(text) for text in ("x1", "y", "z", "")] == [True, True, False, False]
    again = pickle.loads(pickle.dumps(bound))
    assert [again.is_withheld(text) for text in ("x1", "y", "z", "")] == [True, True, False, False]


def test_what_is_inherited_is_not_complete() -> None:
    """The file accepts the collision for its grammar.

    A grammar that inherits the mistakes must accept the collision, too.
    """
    complete = read_mistakes(";@ complete\n\n" + OTHERS)
    for head, results in (("", False), (";@ complete\n\n", True)):
        result = with_inherited(read_mistakes(f"{head};@ adopt other\n\n"), lambda _: complete)
        assert (result.complete, len(result.mistakes)) == (results, len(complete.mistakes))


@each_row("head", ["", ";@ complete\n\n"])
def test_a_mistake_of_the_strings_that_a_rule_excludes(head: str) -> None:
    """The mistakes are bound to the rule without the strings of its exception."""
    mistakes = f'{head};@ of name; {M}\n;@ say "{{all}} is a keyword"\nkeyword = kw\n'
    grammar = abnforge.loads(';@ except kw\nname = 1*ALPHA\nkw = "if" / "else"\n', mistakes=mistakes)
    rejection = grammar["name"].explain("else")
    assert rejection is not None
    assert (rejection.code, rejection.span, rejection.rule_path) == ("keyword", (0, 4), ("name",))
    bound = bind_mistakes(read_mistakes(mistakes), grammar.compilation.bound)
    assert remarks(bound) == []
