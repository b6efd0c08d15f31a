"""Set algebra of rules: sets, expressions, pickles, and rejections."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.engine.rule import ENGINES
from abnforge.engine.set_algebra import MAX_NESTING, MAX_OPERATIONS, evaluate, is_expression
from abnforge.rejection import Rejection
from tests.law import each_row, law
from tests.raising import raises
from tests.reference.small_languages import LENGTH, TEXTS, Expression, abnf, expressions, strings

RFC3986 = abnforge.load("rfc3986")
URI, HOST, PORT = RFC3986["URI"], RFC3986["host"], RFC3986["port"]
HTTP = abnforge.loads('http = ("http" / "https") ":" *%x0-10FFFF\n', name="mine")["http"]
OPERATIONS: dict[str, Callable[[set[str], set[str]], set[str]]] = {
    "&": lambda left, right: left & right,
    "-": lambda left, right: left - right,
    "|": lambda left, right: left | right,
    "~": lambda left, right: set(TEXTS) - left,
    "at most": lambda left, right: {text for text in left if len(text) <= 2},
}


def combined(operation: str, left: abnforge.Rule, right: abnforge.Rule) -> abnforge.Rule:
    match operation:
        case "&":
            return left & right
        case "-":
            return left - right
        case "|":
            return left | right
        case "~":
            return ~left
        case _:
            return left.at_most(2)


def rule(expression: Expression, name: str = "s") -> abnforge.Rule:
    return abnforge.loads(f"{name} = part\npart = {abnf(expression)}\n")[name]


def viable(texts: set[str], text: str) -> int:
    """Return the length of the longest prefix that a string shares with any of ``texts``."""
    heads = {each[:length] for each in texts for length in range(len(each) + 1)}
    return max((length for length in range(len(text) + 1) if text[:length] in heads), default=0)


@law(expressions, expressions, few=3, many=60)
def test_they_are_sets(first: Expression, second: Expression) -> None:
    a, b = rule(first), rule(second, "t")
    for operation, sets in OPERATIONS.items():
        expected = sets(set(strings(first)), set(strings(second)))
        whole = combined(operation, a, b)
        short = whole.at_most(LENGTH)  # all of its strings are in the list
        assert {text for text in TEXTS if whole.matches(text)} == expected
        if operation != "~":  # it also has strings with other characters
            assert {text for text in TEXTS if short.automaton.accepts(text)} == expected
        for engine in ENGINES:
            assert {text for text in TEXTS[:15] if whole.matches(text, engine=engine)} == expected & {
                *TEXTS[:15]
            }
        for text in (text for text in TEXTS if text not in expected):
            rejection = short.explain(text, suggest=False)
            assert rejection is not None
            if operation != "~":
                assert rejection.offset == viable(expected, text)
        assert {text for text in TEXTS if short.matches(iter(text))} == expected


@law(expressions, expressions, few=3, many=40)
def test_offsets_within_a_bound_are_exact(first: Expression, second: Expression) -> None:
    """The limit is checked by distances; an automaton that counts characters agrees."""
    a, b = rule(first), rule(second, "t")
    for longest in range(LENGTH):
        for bounded in ((a | b).at_most(longest), a.at_most(longest + 1) & b.at_most(longest)):
            counting = bounded.automaton
            for text in TEXTS:
                offset, row = counting.read(text)
                assert bounded.matches(text) == counting.accepts(text)
                rejection = bounded.explain(text)
                if rejection is None:
                    continue
                assert rejection.offset == offset
                assert rejection.end_expected == (row in counting.accepting)
                assert bool(rejection.expected) == bool(counting.expected(row))


@law(expressions, expressions, few=3, many=40)
def test_trees_are_those_of_the_operand_that_derives_it(first: Expression, second: Expression) -> None:
    a, b = rule(first), rule(second, "t")
    for text in TEXTS[:20]:
        in_a, in_b = a.matches(text), b.matches(text)
        for result, results in (
            (a & b, a if in_a and in_b else None),
            (a - b, a if in_a and not in_b else None),
            (a | b, a if in_a else b if in_b else None),
        ):
            assert result.matches(text) is (results is not None)
            if results is None:
                for ask in (result.parse, result.events, result.check):
                    with pytest.raises(abnforge.Rejected):
                        ask(text)
                with pytest.raises(abnforge.Rejected):
                    result.components(text, ["part"])
                assert result.count_derivations(text) == 0
                assert list(result.derivations(text)) == []
                continue
            assert result.parse(text) == results.parse(text)
            assert result.events(text) == results.events(text)
            assert result.components(text, ["PART"]) == results.components(text, ["PART"])
            assert result.count_derivations(text) == results.count_derivations(text)
            assert list(result.derivations(text)) == list(results.derivations(text))


def test_a_complement_has_no_trees() -> None:
    assert (~HOST).matches("/")
    with raises(ValueError, "combination-tree", rule="~host"):
        (~HOST).parse("/")


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (URI & HTTP, "(URI & http)"),
        (URI - HTTP, "(URI - http)"),
        (URI | HTTP, "(URI | http)"),
        (~URI, "~URI"),
        (URI.at_most(2048), "(URI, at most 2048)"),
        (~(URI & HTTP) | HOST, "(~(URI & http) | host)"),
    ],
)
def test_they_are_rules(made: abnforge.Rule, name: str) -> None:
    assert isinstance(made, abnforge.Rule)
    assert (made.name, made.origin, made.regular, made.recursive) == (name, "combined", True, False)
    assert made.definition.startswith(f"{name} = <")
    assert made.grammar[name.upper()] is made
    assert made.grammar["host"] is HOST
    assert copy.copy(made) is copy.deepcopy(made) is made
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    assert hash(again) == hash(made)
    assert pickle.loads(pickle.dumps(made.matches))("http:") == made.matches("http:")
    assert made != URI
    for ask in (lambda: made.lark, lambda: made.lark_text):
        with raises(ValueError, "rule-combined", what="a Lark grammar"):
            ask()


def test_they_are_equal_when_the_same_is_made() -> None:
    assert (URI & HTTP) == (URI & HTTP)
    assert (URI & HTTP) != (HTTP & URI)
    assert (URI & HTTP) != (URI - HTTP)
    assert URI.at_most(3) != URI.at_most(4)
    assert abnforge.compare(URI & HTTP, HTTP & URI).relation == "equal"


def test_sections_and_uses_are_the_operands() -> None:
    assert (URI & HTTP).section == URI.section
    assert (URI | HTTP).section is None
    assert (URI & HTTP).uses == ("URI", "http")
    assert (URI & HTTP).grammar.name == "rfc3986"
    assert (URI | HTTP).grammar.name == "rfc3986, mine"


def test_they_are_compared() -> None:
    assert abnforge.compare(URI | RFC3986["relative-ref"], RFC3986["URI-reference"]).relation == "equal"
    assert abnforge.compare(URI & HTTP, URI).relation == "narrower"
    assert abnforge.compare(~URI, URI).relation == "disjoint"
    assert abnforge.compare(~~PORT, PORT).relation == "equal"
    assert abnforge.compare(PORT - PORT, PORT & ~PORT).relation == "equal"
    nested = abnforge.loads('s = "(" [ s ] ")" / *DIGIT\n')["s"]
    comparison = abnforge.compare(PORT.at_most(3), nested)
    assert (comparison.relation, comparison.only_left, comparison.only_right, comparison.common) == (
        "narrower",
        None,
        "()",
        "",
    )
    comparison = abnforge.compare(nested, (PORT - HOST) | URI.at_most(8))
    assert (comparison.relation, comparison.only_left, comparison.only_right) == ("disjoint", "", "a:")


def test_patterns_are_made_where_they_are_small() -> None:
    assert PORT.at_most(2).pattern is not None
    assert PORT.at_most(2).export("re2") == r"\A(?:(?:[0-9][0-9]?)?)\z"
    assert (URI | RFC3986["relative-ref"]).pattern == RFC3986["URI-reference"].pattern
    assert (URI & HTTP).export("re2").startswith(r"\A(?:(?:[Hh][Tt][Tt][Pp]")
    assert (~URI).pattern is None
    with raises(ValueError, "export-failed", rule="~URI", dialect="re2"):
        (~URI).export("re2")
    with raises(ValueError, "export-failed", rule="(URI - URI)", dialect="re2"):
        (URI - URI).export("re2")


def test_what_they_have_not_is_reported() -> None:
    with raises(ValueError, "export-failed", dialect="re2"):
        URI.at_most(900).export("re2")
    with raises(ValueError, "rule-combined-lint", rule="(URI & http)"):
        (URI & HTTP).grammar.lint()  # type: ignore[attr-defined]
    with raises(ValueError, "rule-combined", operands=("URI",), what="a Lark grammar"):
        _ = (URI - HTTP).at_most(3).lark
    with raises(
        ValueError, "rule-combined", rule="(URI | http)", operands=("URI", "http"), what="a Lark grammar"
    ):
        _ = (URI | HTTP).lark


def test_only_regular_rules_are_combined() -> None:
    nested = abnforge.loads('s = "(" s ")" / "x"\n')["s"]
    for ask in (lambda: URI & nested, lambda: nested | URI, lambda: ~nested, lambda: nested.at_most(3)):
        with raises(ValueError, "rule-not-regular", rule="s", grammar="<string>"):
            ask()
    prose = abnforge.loads("a = <something in words>\n")["a"]
    with raises(abnforge.GrammarError, "rule-prose", rule="a", text="something in words"):
        URI - prose
    with pytest.raises(TypeError):
        URI & "http"  # type: ignore[operator]
    with raises(ValueError, "argument-value", name="length", value=-1):
        URI.at_most(-1)


def test_a_rule_that_recurses_to_one_side_is_regular() -> None:
    words = abnforge.loads('s = "a" s / "b"\n')["s"]
    short = words.at_most(3) - abnforge.loads('t = "aab"\n')["t"]
    assert [text for text in ("b", "ab", "aab", "aaab") if short.matches(text)] == ["b", "ab"]
    assert short.recursive
    rejection = short.explain("aab")
    assert rejection is not None
    assert (rejection.code, rejection.offset) == ("excluded-t", 1)


def test_there_are_not_too_many() -> None:
    """The deepest allowed combination supports every method of rules."""
    result = PORT
    for _ in range(MAX_OPERATIONS):
        result = result | PORT
    assert result.matches("80")
    assert result.parse("80") == PORT.parse("80")
    assert result.explain("8x") is not None
    assert pickle.loads(pickle.dumps(result)) == copy.copy(result)
    assert hash(result)
    with raises(abnforge.LimitExceeded, "combination-limit", limit=50):
        result | PORT
    half = PORT
    for _ in range(5):
        half = half | half
    with raises(abnforge.LimitExceeded, "combination-limit", limit=50):
        half | half


def test_what_is_too_large_says_so_and_is_read_even_so() -> None:
    long = URI.at_most(100_000)
    assert long.matches("urn:" + 99_996 * "a")
    assert not long.matches("urn:" + 99_997 * "a")
    assert not long.matches(b"\xff")
    assert long.matches(iter(["urn:", 99_996 * "a"]))
    assert not long.matches(iter(["urn:", 99_997 * "a"]))
    with raises(abnforge.LimitExceeded, "limit-steps", limit=1200000):
        _ = long.automaton
    assert long.components("http://h:80/", ["port"]) == {"port": (9, 11)}


def test_octets_that_are_no_text_are_in_no_set() -> None:
    for result in (~HOST, HOST | PORT, URI - HOST, URI.at_most(9)):
        assert not result.matches(b"a:\xff")
        rejection = result.explain(b"a:\xff")
        assert rejection is not None
        assert rejection.offset_unit == "bytes"
    rejection = (~HOST).explain("é/".encode() + b"\xff")
    assert rejection is not None
    assert (rejection.code, rejection.offset, rejection.found) == ("not-utf-8", 3, "\udcff")


GRAMMAR = abnforge.loads('a = *"x"\nb-c = "x" / "y"\nd = 1*2"y" / "x"\n')
NAMES = {"b-c": "q", "d": "d"}


def named(name: str) -> abnforge.Rule:
    other, _, own = name.rpartition(":")
    return (abnforge.load(other) if other else GRAMMAR)[own]


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, st.sampled_from([" & ", " - ", " | ", "&", "|"]), inner).map("".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"~{text}"),
        inner.map(lambda text: f"({text}).at_most(1)"),
    )


@law(st.recursive(st.sampled_from(sorted(NAMES)), _wider, max_leaves=6), few=20, many=1_000)
def test_what_python_makes_of_the_same(text: str) -> None:
    python = text
    for name, variable in NAMES.items():
        python = python.replace(name, variable)
    intended = eval(python, {variable: GRAMMAR[name] for name, variable in NAMES.items()})
    result = evaluate(text, named)
    for string in ("", "x", "y", "xx", "yy", "xy", "z"):
        assert result.matches(string) == intended.matches(string)


@each_row(
    ("text", "valid", "invalid"),
    [
        ("a - b-c", ["", "xx"], ["x", "y"]),
        ("a & (b-c | d)", ["x"], ["", "y", "xx"]),
        ("~a & b-c", ["y"], ["x", "z"]),
        ("a.at_most(1)", ["", "x"], ["xx"]),
        (" ( a ) .at_most(0)", [""], ["x"]),
        ("rfc3986:port - d | a", ["80", "xx"], ["8x"]),
        ("abnf:rfc9110:token & a", ["x"], ["", "y"]),
    ],
)
def test_expressions(text: str, valid: list[str], invalid: list[str]) -> None:
    assert is_expression(text)
    result = evaluate(text, named)
    assert [string for string in valid if not result.matches(string)] == []
    assert [string for string in invalid if result.matches(string)] == []


@each_row("text", ["a", "b-c", "rfc3986:URI-reference", "", "abnf:rfc9110:token", "x_y"])
def test_names_are_no_expressions(text: str) -> None:
    assert not is_expression(text)


@each_row(
    ("text", "code"),
    [
        ("a &", "expression-rule"),
        ("& a", "expression-rule"),
        ("(a", "expression-parenthesis"),
        ("a) & a", "expression-operator"),
        ("a d & a", "expression-operator"),
        ("a & 3", "expression-sign"),
        ("a -b & a", "expression-sign"),
        ("()", "expression-rule"),
        ("a.at_most(x) & a", "expression-sign"),
        ("a.at_most(99999999999)", "expression-length"),
        ("(" * (MAX_NESTING + 1) + "a" + ")" * (MAX_NESTING + 1), "expression-nesting"),
        ("~" * 5_000 + "a", "expression-nesting"),
    ],
)
def test_invalid_expressions(text: str, code: str) -> None:
    with raises(ValueError, code, expression=text):
        evaluate(text, named)


def test_rules_that_are_not_there() -> None:
    with raises(abnforge.UnknownNameError, "rule-name-unknown"):
        evaluate("a & e", named)


OTHER = abnforge.loads('http = ("http" / "https") ":" *%x0-10FFFF\nshort = *5%x0-10FFFF\n', name="mine")
OTHER_HTTP, SHORT = OTHER["http"], OTHER["short"]


def explained(rule: abnforge.Rule, text: str | bytes, **options: object) -> Rejection:
    rejection = rule.explain(text, **options)  # type: ignore[arg-type]
    assert rejection is not None
    assert rejection.code in (*rule.grammar.codes, "not-utf-8")  # type: ignore[attr-defined]
    assert (rejection.rule, rejection.grammar) == (rule.name, rule.grammar.name)
    return rejection


# Rule, string, and the code, offset and blamed text of the rejection.
CASES = [
    (URI & OTHER_HTTP, "ftp:", "outside-http", 0, "f"),
    (URI - OTHER_HTTP, "http:", "excluded-http", 4, "http:"),
    (~OTHER_HTTP, "http:", "excluded-http", 4, "http:"),
    (PORT.at_most(2), "123", "over-length", 2, "3"),
    (~(URI | HOST), "a", "excluded-URI-host", 1, "a"),
    (URI & SHORT & OTHER_HTTP, "http:x", "outside-short", 5, "http:x"),
    (URI & SHORT & OTHER_HTTP, "urn:", "outside-http", 0, "u"),
]


@pytest.mark.parametrize(("rule", "text", "code", "offset", "blamed"), CASES)
def test_refusals(rule: abnforge.Rule, text: str, code: str, offset: int, blamed: str) -> None:
    rejection = explained(rule, text)
    assert (rejection.code, rejection.offset) == (code, offset)
    assert rejection.hypotheses[0].message == rejection.message
    start, end = rejection.span
    assert text[start:end] == blamed
    assert rejection.suggestion is None
    octets = explained(rule, text.encode())
    assert octets == rejection.to_byte_offsets()
    assert rule.grammar.codes[code].meaning  # type: ignore[attr-defined]


@each_row("text", ["http://h:80x/", "http://a b/", "", "https", "http://[::1/"])
@each_row("rule", [URI & OTHER_HTTP, (URI - SHORT).at_most(2000)])
def test_the_left_operand_says_what_it_rejects(rule: abnforge.Rule, text: str) -> None:
    """The suggestion and the message come from the operand, and the offset from the combined rule."""
    rejection, plain = explained(rule, text), URI.explain(text)
    assert plain is not None
    for name in ("input", "code", "message", "section", "hypotheses", "rule_path", "other_mistakes"):
        assert getattr(rejection, name) == getattr(plain, name)
    assert rejection.suggestion in (plain.suggestion, None)
    assert rejection.offset <= plain.offset
    if rejection.suggestion is not None:
        assert rule.matches(rejection.suggestion.text)


def test_a_suggestion_is_in_the_set() -> None:
    assert URI.explain("http:// a/") != explained(URI & SHORT, "http:// a/")
    for text in ("ftp://h /", "ftp://a/b|c"):
        plain = URI.explain(text)
        assert plain is not None
        if plain.suggestion is not None:
            assert explained(URI & OTHER_HTTP, text).suggestion is None
            assert explained(URI - OTHER_HTTP, text).suggestion == plain.suggestion


def test_what_is_expected_is_reported_in_the_words_of_the_rules() -> None:
    rejection = explained(URI & OTHER_HTTP, "httq:")
    assert [(each.rule, each.chars) for each in rejection.expected] == [("ALPHA", "Pp")]
    rejection = explained(URI & OTHER_HTTP, "http")
    assert (rejection.found, [each.chars for each in rejection.expected]) == (None, [":", "Ss"])
    assert [each.rule for each in rejection.expected] == ["URI", "ALPHA"]
    rejection = explained(HOST | PORT, "/")
    assert {"ALPHA", "DIGIT"} <= {each.rule for each in rejection.expected}
    rejection = explained(~PORT, "8")
    assert rejection.expected[0].rule == "~port"
    assert not rejection.end_expected


def test_of_alternatives_the_one_says_it_that_reads_more() -> None:
    first, second = PORT, abnforge.loads('word = "12" ALPHA\n')["word"]
    for result in (first | second, second | first):
        assert explained(result, "12-").code == explained(result, "12-", engine="general").code
    assert explained(first | second, "12-").message == first.explain("12-").message  # type: ignore[union-attr]
    assert explained(second | first, "12-").message == second.explain("12-").message  # type: ignore[union-attr]


@pytest.mark.parametrize("engine", ["auto", "automaton", "general", "lark"])
def test_every_engine_says_the_same(engine: str) -> None:
    for text in ("ftp:", "http:// ", "x"):
        assert explained(URI & OTHER_HTTP, text, engine=engine) == explained(URI & OTHER_HTTP, text)
    assert (URI & OTHER_HTTP).explain("http:", engine=engine) is None


def test_steps() -> None:
    lesson = (URI & OTHER_HTTP).lesson("http://h/a b")
    assert lesson is not None
    assert lesson.parts == URI.lesson("http://h/a b").parts  # type: ignore[union-attr]
    assert lesson.rejection == explained(URI & OTHER_HTTP, "http://h/a b")
    lesson = (URI & OTHER_HTTP).lesson("urn:x")
    assert lesson is not None
    assert (lesson.parts, lesson.code and lesson.code.code) == ((), "outside-http")
    assert (URI & OTHER_HTTP).lesson("http:") is None
