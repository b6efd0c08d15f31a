"""Every public value can be copied, compared, pickled, and sent to other processes and back."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import pickle
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import cache
from importlib import import_module
from inspect import isclass
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import lark
import pytest

import abnforge
from abnforge import conformance, uri
from abnforge.comparison.grammars import diff, differences
from abnforge.parsing.lark import RuleParser
from abnforge.uri import rfc2396
from tests.places import ROOT
from tests.public_names import STABLE, public_names
from tests.raising import raises
from tests.sample_grammars import IMPORTING, KINDS, LOADED, TEXT, raised, values_of

RFC3986, RFC2396 = abnforge.load("rfc3986"), abnforge.load("rfc2396")


def explained(text: str | bytes) -> abnforge.Rejection:
    rejection = RFC3986["URI"].explain(text)
    assert rejection
    return rejection


REJECTED = "http://host:80x/"


@cache
def of_kinds() -> list[Any]:
    return [value for grammar in KINDS.values() for value in values_of(grammar)]


@cache
def values() -> list[Any]:
    """Return public values of all kinds. The facts that tests compare equal those of the copies."""
    rejection = explained(REJECTED)
    changes = differences(LOADED, abnforge.loads('word = 1*DIGIT\nother = "b"\n'), {"start": '"a" / word'})
    return [
        RFC3986,
        LOADED,
        abnforge.load(ROOT / "grammars" / "rfc5234.abnf"),
        RFC3986["URI"],
        RFC3986["host"].automaton,
        conformance.suite(LOADED["word"], "quick"),
        conformance.run(LOADED["word"], str.isdigit, "quick"),
        LOADED["WORD"],
        LOADED["ALPHA"],
        (RFC3986["URI"] - LOADED["WORD"]).at_most(9),
        uri.policy(schemes=["http"], rules=[RFC3986["host"]]),
        abnforge.Budget(steps=1),
        rejection,
        explained("é".encode() + b"\xff"),
        rejection.suggestion,
        *rejection.suggestion.edits,
        rejection.repairs[1],
        *rejection.repairs[1].edits,
        *rejection.hypotheses,
        *rejection.expected,
        abnforge.compare(RFC3986["host"], RFC2396["host"]),
        *abnforge.lint('start = "A"\nother = prose\nprose = <words>\n'),
        *abnforge.loads(';@ match "1", "x"\na = DIGIT\n').test(),
        RFC3986.examples["port"][0],
        changes,
        *changes.rules,
        *diff(RFC3986, RFC2396)[:3],
        uri.parse("http://u:p@[::1]:80/a/b?q#f"),
        uri.parse("../a?q"),
        uri.parse("u@h:1", "authority"),
        uri.resolve("http://a/b", "c"),
        uri.resolve("a:/b", "..//c", on_ambiguous="literal"),
        uri.normalize("HTTP://H/%7e", scheme=True),
        uri.equivalent("http://h", "HTTP://H:80/"),
        *uri.equivalent("http://h", "http://i").differences,
        uri.split("1:2"),
        *uri.split_differences("1:2"),
        *uri.scan("see <http://u:p@h/ a> and http://b/"),
        *uri.security("http://1.1@0x7f.1:81/"),
        uri.compare_editions("a?b", "http://h"),
        *uri.compare_editions("http://h_i/", "http://h").changes,
        uri.SuffixList(["com", "*.ck", "!www.ck"]),
        *uri.HostKind,
        *uri.PathKind,
        *uri.Step,
        *uri.Severity,
        *uri.Wrapper,
        *uri.SCHEMES.values(),
        uri.SCHEMES,
        uri.WELL_KNOWN_PORTS,
        uri.PLAIN_SCHEMES,
        uri.SYNTAX_BASED,
        rfc2396.parse("http://u@h.i:80/a;b/c?q#f"),
        rfc2396.parse("mailto:a"),
        rfc2396.parse("u@h:1", "authority"),
        rfc2396.parse("$,a", "authority"),
        *rfc2396.parse("/a;b/c").segments,
        *rfc2396.HostKind,
        *rfc2396.PathKind,
    ]


@cache
def errors() -> list[Exception]:
    return [
        raised(RFC3986["URI"].parse, REJECTED),
        raised(RFC3986["URI"].check, b"\xff"),
        raised(abnforge.loads, 'a = b\nA = "x"\nc = ("d"\n'),
        raised(abnforge.loads, "a = " + "(" * 100 + '"x"' + ")" * 100 + "\n"),
        raised(abnforge.Budget(steps=3).meter("a search").charge, 5),
        raised(abnforge.load, "rfc3968"),
        raised(RFC3986.__getitem__, "hots"),
    ]


@cache
def every() -> list[Any]:
    return [*values(), *(value for value in of_kinds() if not isinstance(value, Exception))]


@cache
def every_error() -> list[Exception]:
    return [*errors(), *(value for value in of_kinds() if isinstance(value, Exception))]


# Functions that can be passed to a pool of processes.
FUNCTIONS = [
    RFC3986["URI"].matches,
    RFC3986["URI"].explain,
    RFC3986["URI"].parse,
    LOADED["start"].matches,  # by Lark
    LOADED["word"].parse,
    abnforge.loads('r = [ "a" ] [ "a" "b" ] [ "a" "c" ]\n')["r"].matches,
    uri.parse,
    uri.percent.encode,
    rfc2396.percent.characters,
]


def classes() -> Iterator[type]:
    for module in (abnforge, uri, rfc2396):
        for name in module.__all__:
            value = getattr(module, name)
            if isclass(value):
                yield value


def test_there_is_a_value_of_every_public_class() -> None:
    """A subclass covers a class that is only a base class, such as ``Reference``."""
    instances = [*values(), *errors()]
    kept = (c for c in classes() if not issubclass(c, lark.Transformer))  # Lark compares these
    assert [c.__name__ for c in kept if not any(isinstance(value, c) for value in instances)] == []


def facts(error: Exception) -> tuple[object, ...]:
    """Return the content of an exception as a value."""
    result = getattr(error, "errors", (error,))
    assert result[0] is error
    own = {name: value for name, value in vars(error).items() if name != "_others"}
    return type(error), str(error), error.args, own, *map(facts, result[1:])


def pickled(value: Any, protocol: int) -> Any:
    return pickle.loads(pickle.dumps(value, protocol))


WAYS = {f"pickle {n}": (lambda value, n=n: pickled(value, n)) for n in range(2, pickle.HIGHEST_PROTOCOL + 1)}
LATEST = f"pickle {pickle.HIGHEST_PROTOCOL}"
WAYS |= {"copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("way", WAYS)
def test_copies_are_equal(way: str) -> None:
    old_protocol = way.startswith("pickle") and way != LATEST
    for value in values() if old_protocol else every():
        other = WAYS[way](value)
        assert type(other) is type(value)
        assert other == value
        assert repr(other) == repr(value) or isinstance(value, frozenset)  # sets have no order
        if not isinstance(value, Mapping) or value.__hash__ is not None:
            assert hash(other) == hash(value)
    for error in every_error():
        assert hash(error) == hash(error)
        assert facts(WAYS[way](error)) == facts(error)


def test_what_is_printed_is_as_short_as_the_value() -> None:
    """The length does not depend on the size of the value's grammar."""
    for value in of_kinds():
        assert 0 < len(repr(value)) < 2_000
        assert 0 < len(str(value)) < 2_000


def test_a_hash_takes_no_longer_for_a_larger_grammar() -> None:
    bound = IMPORTING.compilation.bound
    assert hash(replace(bound, rules={})) == hash(bound)
    again = abnforge.loads(IMPORTING.source.text)
    assert (again, hash(again), len({again["x"], IMPORTING["x"]})) == (IMPORTING, hash(IMPORTING), 1)
    other = abnforge.loads("x = port\n", imports=[abnforge.loads("port = 1*DIGIT\n")])
    same_name = abnforge.loads("x = port\n", imports=[abnforge.loads('port = "80"\n')])
    assert other != same_name


@cache
def promised() -> list[tuple[str, object, str]]:
    """Yield each promised member of a public class, with a value of the class."""
    members_of: list[tuple[str, object, str]] = []
    for label, members in public_names().items():
        module, _, name = label.rpartition(".")
        if label.endswith("()") or label in STABLE or module not in STABLE:
            continue
        cls = getattr(import_module(module), name)
        for value in [*values(), *errors()]:
            if isinstance(value, cls):
                members_of.extend((f"{label}.{member}", value, member) for member in members)
                break
    return members_of


def member_of(value: object, name: str) -> Any:
    try:
        return getattr(value, name)
    except ValueError as error:  # a rule without an automaton
        return error


@pytest.mark.parametrize("way", WAYS)
def test_attributes_of_members_are_pickled(way: str) -> None:
    """Methods are callable in the other process, and compare like functions.

    All other members equal their copies.
    """
    for label, value, name in promised():
        member = member_of(value, name)
        other = WAYS[way](member)
        assert (label, type(other)) == (label, type(member))
        if name == "errors" and isinstance(value, Exception):
            assert (label, *map(facts, other)) == (label, *map(facts, member))
        else:
            assert callable(member) or (label, other) == (label, member)


def test_members_were_looked_at() -> None:
    names = [label for label, _, _ in promised()]
    assert {"abnforge.Rule.lark", "abnforge.Rule.matches", "abnforge.Grammar.rules"} <= set(names)
    assert len(names) > 150


def test_nothing_internal_is_given_out_to_be_changed() -> None:
    """Each access to a mutable value creates a new one."""
    for label, value, name in promised():
        member = member_of(value, name)
        if isinstance(member, dict | list | set | bytearray):
            assert member is not getattr(value, name), label


def test_a_meter_is_an_account_and_no_value() -> None:
    """A copy counts independently of the original."""
    meter = abnforge.Budget(steps=10).meter("a search")
    meter.charge(4)
    for way in WAYS.values():
        other = way(meter)
        other.charge(6)
        assert (other != meter, other.left, meter.left) == (True, 0, 6)


def test_a_parser_of_no_rule_does_not_travel() -> None:
    result = LOADED.compilation
    parser = RuleParser(result.core, result.facts, "start", result.lark)
    assert parser == parser
    assert parser != LOADED["start"].lark
    assert len({parser, LOADED["start"].lark, pickle.loads(pickle.dumps(LOADED["start"].lark))}) == 2
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(parser)


def test_what_is_public_is_distinguished() -> None:
    """No two values are equal, except values of types that occur twice in the list."""
    distinct = [value for value in values() if type(value) not in (str, abnforge.Expected)]
    equal = [(a, b) for i, a in enumerate(distinct) for b in distinct[:i] if type(a) is type(b) and a == b]
    assert [type(a).__name__ for a, _ in equal if type(a) not in (uri.Scheme, uri.URI)] == []


def test_grammars_are_equal_by_what_they_were_made_of() -> None:
    again = abnforge.loads(TEXT, name="mine", budget=abnforge.Budget(steps=2_000_000))
    assert again == LOADED
    assert again["start"] == LOADED["START"]
    assert len({again, LOADED}) == len({again["word"], LOADED["word"]}) == 1
    others = [
        abnforge.loads(TEXT, name="mine"),
        abnforge.loads(TEXT, name="other", budget=LOADED.compilation.budget),
        abnforge.loads(TEXT + "\n", name="mine", budget=LOADED.compilation.budget),
        abnforge.loads(TEXT, name="mine", dialect="abnf", budget=LOADED.compilation.budget),
    ]
    assert [other for other in others if other == LOADED or other["word"] == LOADED["word"]] == []
    assert LOADED != TEXT
    assert LOADED["word"] != "word"


def test_a_grammar_travels_as_its_text(tmp_path: Path) -> None:
    """The pickle contains neither compiled data nor a path, which may not exist elsewhere."""
    file = tmp_path / "g.abnf"
    file.write_text(TEXT)
    grammar = abnforge.load(file)
    assert grammar["word"].matches("ab")
    assert grammar["start"].parse("(a)")
    data = pickle.dumps(grammar)
    file.unlink()
    there = pickle.loads(data)
    assert there["start"].matches("((a))")
    assert (there.name, there.source) == (grammar.name, grammar.source)
    assert len(data) < len(TEXT) + 400
    assert len(pickle.dumps(RFC3986["URI"])) < 250


@pytest.fixture(scope="module", params=[pytest.param("spawn", marks=pytest.mark.slow), "fork"])
def pool(request: pytest.FixtureRequest) -> Iterator[Pool]:
    if request.param not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {request.param} here")
    with multiprocessing.get_context(request.param).Pool(2) as result:
        yield result


def test_values_cross_processes(pool: Pool) -> None:
    assert pool.map(copy.copy, every()) == every()
    assert [facts(e) for e in pool.map(copy.copy, every_error())] == [facts(e) for e in every_error()]


def test_functions_cross_processes(pool: Pool) -> None:
    texts = ["", "a", "ab", "aac"]
    for function in FUNCTIONS[3:4] + FUNCTIONS[5:6]:
        assert pool.map(function, texts) == [function(text) for text in texts]
    assert pool.map(RFC3986["URI"].matches, ["a:b", "a b", b"a:b"]) == [True, False, True]
    assert pool.map(RFC3986["URI"].explain, ["a:b", "a b"]) == [None, RFC3986["URI"].explain("a b")]
    assert pool.apply(LOADED["word"].parse, ("ab",)) == LOADED["word"].parse("ab")
    assert pool.map(uri.parse, ["a:b"]) == [uri.parse("a:b")]
    assert pool.map(uri.percent.encode, ["é"]) == ["%C3%A9"]
    assert pool.map(rfc2396.percent.characters, ["mark"]) == [frozenset("-_.!~*'()")]


def test_errors_cross_processes(pool: Pool) -> None:
    """A pool would wait forever for an error that cannot be pickled."""
    with pytest.raises(abnforge.Rejected) as rejected:
        pool.apply_async(RFC3986["URI"].parse, ("http://host:80x/",)).get(60)
    assert rejected.value.rejection == explained(REJECTED)
    with raises(abnforge.GrammarError, "undefined-rule") as refused:
        pool.apply_async(abnforge.loads, ("a = b\n",)).get(60)
    assert (refused.value.line, refused.value.column) == (1, 5)
    with raises(abnforge.UnknownNameError, "grammar-unknown", grammar="rfc3968"):
        pool.apply_async(abnforge.load, ("rfc3968",)).get(60)


def test_functions_are_pickled() -> None:
    for function in FUNCTIONS:
        there = pickle.loads(pickle.dumps(function))
        text = {FUNCTIONS[2]: "a:b", rfc2396.percent.characters: "mark"}.get(function, "a")
        assert there(text) == function(text)


def test_weak_references() -> None:
    """A weak cache with a grammar, a rule or a rejection as its key does not keep the key alive."""
    gc.freeze()  # exclude objects of other tests from garbage collection
    grammar = abnforge.loads('a = "x"\n')
    rejection = grammar["a"].explain("y")
    cache = weakref.WeakKeyDictionary({grammar: 1, grammar["a"]: 2, rejection: 3})
    assert (cache[grammar], cache[grammar["a"]], cache[rejection]) == (1, 2, 3)
    del rejection
    assert len(cache) == 2
    del grammar
    gc.collect()  # a grammar and its rules refer to each other
    assert len(cache) == 0


def test_values_can_be_referred_to_weakly() -> None:
    """Tuples, dicts and enumeration members are exempt: Python does not support weak references to them."""
    for value in [*every(), *every_error()]:
        if not isinstance(value, tuple | Enum) and type(value) is not dict:
            assert weakref.ref(value)() is value


def hashes(value: object) -> bool:
    return type(value).__hash__ is not None and not isinstance(value, Enum)


def test_values_that_hash_never_change() -> None:
    """Enumerations are exempt: Python prevents changes of their members."""
    for value in filter(hashes, values()):
        hash(value)
        for name in dir(value):
            if not name.startswith("_"):
                with pytest.raises((AttributeError, TypeError)):
                    setattr(value, name, None)
                with pytest.raises((AttributeError, TypeError)):
                    delattr(value, name)
