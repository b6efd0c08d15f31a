"""Stored mistakes equal the mistakes bound from the files, and are used only if they are current."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import abnforge
from abnforge.engine.compilation import Compilation
from abnforge.engine.stores import BundledStore, KeyedLines
from abnforge.explain.bind import BoundMistakes, bind_mistakes
from abnforge.explain.error_grammar import ErrorGrammar, long_rules, named_slots, touched_rules
from abnforge.explain.mistakes import Mistake, Mistakes
from abnforge.explain.mistakes_file import read_mistakes, with_inherited
from abnforge.explain.reading import Interpreter
from abnforge.explain.shipped import PrebuiltMistakes, decoded, encoded, to_data
from abnforge.grammar.core import Node, StoredRules
from abnforge.grammar.imports import bundled_grammar
from abnforge.grammar.shipped import generated
from tests.explain.random_mistakes import uris
from tests.law import one_in
from tests.laws.test_same_results import FEW, LABELED, MANY, answers, without
from tests.places import ROOT
from tools.build_grammars import GRAMMARS, mistakes_data, one_a_line

GENERATED = ROOT / "src" / "abnforge" / "_data"
NAMES = sorted(path.name.split(".")[0] for path in GENERATED.glob("*.mistakes.json"))
assert NAMES


@cache
def written(name: str) -> Mistakes:
    """Return the mistakes of a bundled grammar from its file."""
    text = (ROOT / "grammars" / f"{name}.mistakes.abnf").read_text("utf-8")
    return with_inherited(read_mistakes(text), written)


@cache
def read(name: str) -> BoundMistakes:
    """Return the mistakes of a bundled grammar, bound from its file."""
    return bind_mistakes(written(name), abnforge.load(name).compilation.bound)


@pytest.mark.parametrize("name", one_in(9, NAMES))
def test_stored_mistakes_equal_the_source(name: str) -> None:
    compilation = abnforge.load(name).compilation
    assert isinstance(compilation.store, BundledStore)
    known, expected = compilation.mistakes, read(name)
    assert known.count == len(expected.mistakes.mistakes)
    assert known.names == expected.core.names
    assert known.mistakes.mistakes == expected.mistakes.mistakes
    assert known.mistakes.helpers == expected.mistakes.helpers
    assert known.core.rules.keys() == expected.core.rules.keys()
    data = to_data(expected, {})
    again = prebuilt(data)
    assert again.withheld == expected.withheld_data == known.withheld_data
    assert known.mistakes.withheld == expected.mistakes.withheld
    for rule in data["sets"]:
        assert (
            again.single_character_strings(rule)
            == expected.single_character_strings(rule)
            == known.single_character_strings(rule)
        )


def test_a_first_text_needs_no_binding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since bound mistakes are stored, the mistakes file is not read."""
    monkeypatch.setattr(Compilation, "_bind_mistakes", None)  # a call would raise TypeError
    compilation = abnforge.load("rfc3986", budget=abnforge.Budget(seconds=99)).compilation
    reader = compilation.mistakes_reader("uri")
    assert reader is not None
    assert reader.interpret("http://example.com:80x/").codes == ("port-not-digits",)


def prebuilt(data: dict[str, Any]) -> PrebuiltMistakes:
    """Return mistakes from their stored form."""
    return PrebuiltMistakes(KeyedLines(one_a_line(data).encode()))


def test_each_mistake_is_one_object() -> None:
    known = prebuilt(to_data(uris(), {}))
    for mistake in uris().mistakes.mistakes:
        assert known.mistake(mistake.key) == mistake
        assert known.mistake(mistake.key) is known.mistake(mistake.key)
    assert known.count == len(uris().mistakes.mistakes)


DATA_FOLDER = Path(str(generated()))
MISTAKES_FILES = sorted(path.name.split(".")[0] for path in GRAMMARS.glob("*.mistakes.abnf"))
LIKE_ANOTHER = "rfc6874"  # it inherits the mistakes of rfc3986, as rfc3987 does
each_name = pytest.mark.parametrize(
    "name", one_in(3, [name for name in MISTAKES_FILES if name != LIKE_ANOTHER] + [LIKE_ANOTHER])
)


def copied(name: str, folder: Path) -> Path:
    """Copy a grammar's files, and the file from which it inherits mistakes, into a directory."""
    for path in DATA_FOLDER.iterdir():
        if path.name.startswith((f"{name}.", "rfc3986.mistakes.abnf")) and path.suffix != ".sets":
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


def stored(name: str, folder: Path = DATA_FOLDER) -> PrebuiltMistakes | None:
    """Return the mistakes that are stored for a grammar in a directory, or None if they are not current."""
    return BundledStore(name, folder).mistakes


@cache
def known(name: str) -> PrebuiltMistakes:
    result = stored(name)
    assert result is not None, f"what is stored of the mistakes in {name} is not current"
    return result


@cache
def bound(name: str) -> BoundMistakes:
    """Return the mistakes of a grammar, bound from the file."""
    return Compilation(bundled_grammar(name), store=_Unstored(name, DATA_FOLDER)).mistakes


class _Unstored(BundledStore):
    mistakes = None


def described(node: Node, numbers: dict[int, int]) -> Any:
    """Return a node by value, with a number for each object, so that shared nodes have the same number."""
    number = numbers.setdefault(id(node), len(numbers))
    values = [getattr(node, each.name) for each in fields(node)]
    below = [described(each, numbers) for value in values if isinstance(value, tuple) for each in value]
    item = getattr(node, "item", None)
    below += [] if item is None else [described(item, numbers)]
    plain = [value for value in values if not isinstance(value, tuple) and value is not item]
    return number, type(node), plain, below


@each_name
def test_stored_rules_are_the_bound_ones(name: str) -> None:
    binding = known(name).binding(name, str)
    expected = bound(name)
    assert list(binding.core.rules) == list(expected.core.rules)
    assert list(binding.core.names.items()) == list(expected.core.names.items())
    assert list(binding.marked) == list(expected.marked)
    for key, node in expected.core.rules.items():
        assert described(binding.core.rules[key], {}) == described(node, {})
        assert binding.core.rules[key] is binding.core.rules[key]
    for key, node in expected.marked.items():
        assert described(binding.marked[key], {}) == described(node, {})


@each_name
def test_stored_mistakes_are_the_bound_ones(name: str) -> None:
    result, expected = known(name).binding(name, str).mistakes, bound(name).mistakes
    assert (result.mistakes, result.helpers) == (expected.mistakes, expected.helpers)
    assert expected.mistakes == result.mistakes
    assert result.complete is expected.complete
    for one, other in zip(result.mistakes, expected.mistakes, strict=True):
        assert (one.key, one.place, one.cost, one.order) == (other.key, other.place, other.cost, other.order)
        assert hash(one) == hash(other)


@each_name
def test_stored_facts_are_those_of_the_bound_mistakes(name: str) -> None:
    shipped, expected = known(name), bound(name)
    assert shipped.long_rules == long_rules(expected)
    assert shipped.touched_rules == touched_rules(expected, expected.mistakes.mistakes, long_rules(expected))
    whole = Compilation(expected.grammar)
    assert shipped.large_rules == {key for key in expected.grammar.rules if whole._is_large(key)}
    assert shipped.class_ranges == expected.classes.ranges
    assert shipped.count == expected.count
    assert shipped.complete is expected.complete
    for mistake in expected.mistakes.mistakes:
        assert shipped.named_slots(mistake) == named_slots(mistake)


@each_name
def test_stored_mistakes_augment_the_same_rules(name: str) -> None:
    expected = bound(name)
    start = next(iter(expected.grammar.rules))
    result = BoundMistakes(expected.grammar, lambda: known(name).binding(name, str), known(name))
    one, other = ErrorGrammar(result, start), ErrorGrammar(expected, start)
    for key in expected.grammar.rules:
        assert described(one.plain(key), {}) == described(other.plain(key), {})
        for mark in "+-*":
            place, same = one.site(f"{mark}{key}"), other.site(f"{mark}{key}")
            assert described(place.body, {}) == described(same.body, {})
            assert (place.of, place.before, place.after) == (same.of, same.before, same.after)
            assert (place.key, place.catch_all) == (same.key, same.catch_all)
    for mistake in result.mistakes.mistakes:
        assert described(one.body(mistake), {}) == described(other.body(mistake), {})
    assert one._slots.keys() == other._slots.keys()
    for reference in one._slots:
        assert one.slot(reference).reference.key == other.slot(reference).reference.key


@each_name
def test_stored_mistakes_are_what_the_grammars_give(name: str) -> None:
    assert (DATA_FOLDER / f"{name}.mistakes.json").read_text("utf-8") == mistakes_data(bound(name))


@pytest.mark.parametrize("ending", ["rfc3987.abnf", "rfc3987.mistakes.abnf", "rfc3986.mistakes.abnf"])
def test_mistakes_are_read_from_the_text_if_a_file_has_changed(ending: str, tmp_path: Path) -> None:
    copied("rfc3987", tmp_path)
    assert stored("rfc3987", tmp_path) is not None
    octets = (tmp_path / ending).read_bytes()
    (tmp_path / ending).write_bytes(octets.replace(b"NOT", b"not", 1))
    assert stored("rfc3987", tmp_path) is None
    (tmp_path / ending).unlink()
    assert stored("rfc3987", tmp_path) is None
    (tmp_path / ending).write_bytes(octets)
    assert stored("rfc3987", tmp_path) is not None


@pytest.mark.parametrize("name", ["rfc3987", "rfc6874"])
def test_every_file_is_hashed(name: str) -> None:
    """The hash covers the grammar, its imports, its mistakes and its inherited mistakes."""
    files = KeyedLines((DATA_FOLDER / f"{name}.mistakes.json").read_bytes()).object("files")
    own = {f"{name}.abnf", f"{name}.mistakes.abnf", "rfc3986.mistakes.abnf"}
    imports = f"{name}.imports.json"
    assert files.keys() == own | ({imports} if (DATA_FOLDER / imports).is_file() else set())


@pytest.mark.parametrize("change", [(b'"format": 3', b'"format": 0'), (b'  "format": 3,\n', b"")])
def test_data_of_another_version_is_not_read(change: tuple[bytes, bytes], tmp_path: Path) -> None:
    path = copied("rfc3339", tmp_path) / "rfc3339.mistakes.json"
    path.write_bytes(path.read_bytes().replace(*change))
    assert stored("rfc3339", tmp_path) is None
    assert stored("rfc3339", copied("rfc3339", tmp_path)) is not None


def test_a_changed_mistake_is_found(tmp_path: Path) -> None:
    path = copied("rfc3339", tmp_path) / "rfc3339.mistakes.abnf"
    key = known("rfc3339").mistake(next(iter(known("rfc3339").every))).key
    old = path.read_text("utf-8")
    code = bound("rfc3339").mistakes.mistakes[0].code
    path.write_text(old.replace(code, f"{code}-changed"), "utf-8")
    changed = Compilation(bundled_grammar("rfc3339"), store=BundledStore("rfc3339", tmp_path)).mistakes
    assert changed.stored is None
    assert key != changed.mistakes.mistakes[0].key
    assert changed.mistakes.mistakes[0].code == f"{code}-changed"


def test_a_first_string_reads_few_mistakes() -> None:
    compilation = Compilation(bundled_grammar("rfc3986"), store=BundledStore("rfc3986", DATA_FOLDER))
    assert Interpreter(compilation.mistakes, "URI").interpret("http://exa mple/").codes == ("space-in-host",)
    every = compilation.mistakes.mistakes.mistakes
    read = [each.code for each in every if object.__getattribute__(each, "_value") is not None]
    assert read == ["space-in-host"]
    rules = compilation.mistakes.core.rules
    assert isinstance(rules, StoredRules)
    assert 0 < len(rules._read) < len(rules)


def test_a_stored_mistake_is_a_value() -> None:
    (one, *others), expected = known("rfc5321").every.values(), bound("rfc5321").mistakes.mistakes
    assert one == expected[0] == one
    assert one != others[0]
    assert expected[0] != others[0]
    assert repr(one) == repr(copy.copy(one))
    for each in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert type(each) is Mistake
        assert each == one
    dearer = replace(one, cost=one.cost + 1)
    assert (type(dearer), dearer.cost, dearer.rule) == (Mistake, one.cost + 1, one.rule)
    with pytest.raises(AttributeError):
        one.cost = 7
    with pytest.raises(AttributeError):
        _ = one.nothing
    again = pickle.loads(pickle.dumps(known("rfc5321").binding("x", str).mistakes))
    assert type(again) is Mistakes
    assert again.mistakes == expected


def test_left_recursion_is_stored() -> None:
    """Stored mistakes record which rules are left-recursive, and lead to the same interpretations."""
    grammar = abnforge.loads('a = b\nb = c\nc = b "x" / "y"\n', name="g").compilation.bound
    bound = bind_mistakes(
        read_mistakes(';@ of b\n;@ blame all\n;@ fix none\n;@ say "x"\nwrong = "q"\n', "g.mistakes.abnf"),
        grammar,
    )
    shipped = prebuilt(to_data(bound, {}))
    assert shipped.is_left_recursive
    result = BoundMistakes(grammar, lambda: shipped.binding("g", str), shipped)
    for text in ("yxx", "q", "qxx", "yxq"):
        assert Interpreter(result, "a").interpret(text) == Interpreter(bound, "a").interpret(text)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        *((name, FEW) for name in ("rfc3339", "rfc5321")),
        *(pytest.param(name, MANY, marks=pytest.mark.slow) for name in LABELED),
    ],
)
def test_stored_mistakes_explain_as_the_bound_ones_do(name: str, number: int, tmp_path: Path) -> None:
    result = without(name, tmp_path, ("mistakes.json",))
    assert result.compilation.mistakes.stored is None
    assert abnforge.load(name).compilation.mistakes.stored is not None
    for options in ({}, {"hypotheses": 3})[: 1 if number == FEW else 2]:
        assert answers(result, number, **options) == answers(abnforge.load(name), number, **options)


SHIPPED = sorted(path.name.split(".")[0] for path in (ROOT / "grammars").glob("*.mistakes.abnf"))


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_mistakes_are_what_they_were(name: str) -> None:
    mistakes = abnforge.load(name).compilation.mistakes.mistakes
    for value in (*mistakes.mistakes, *mistakes.helpers):
        assert decoded(json.loads(json.dumps(encoded(value)))) == value


def test_values_of_all_kinds() -> None:
    text = """
;@ of x y; blame a.2 all; fix a "b" %x21 encode(c, d) drop(c.2, d); inner a c; cost 2; unwanted
;@ say "a {a}"; section 3; example "a" -> none; example y "b" -> "c"; near "d"; seen "there"
m = a [ a ] 1*2( c / %s"x" / %x41-5A / %d65.66 ) [ c ] <words>
;@ of z "lit"; blame all; fix subst(a, "x")
n = a
a = "a"
"""
    for mistake in read_mistakes(text).mistakes:
        assert decoded(json.loads(json.dumps(encoded(mistake)))) == mistake


def test_other_values_are_rejected() -> None:
    with pytest.raises(KeyError, match="object"):
        encoded((object(),))
