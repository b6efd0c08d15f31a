"""``columns.matches`` and ``columns.offsets`` return the result of the rule for each string."""

from __future__ import annotations

import gc
import os
from typing import Any

import pyarrow as pa
import pytest

import abnforge
from abnforge import columns, uri
from abnforge.columns import verdicts
from abnforge.columns.arrays import in_characters, layout_of
from tests.columns.expected import (
    BROKEN,
    IRI,
    TEXTS,
    TYPES,
    URI,
    broken,
    layouts,
    matches,
    octets_in,
    rejection,
    wanted_matches,
    wanted_offsets,
)
from tests.law import one_in
from tests.raising import raises

pytestmark = pytest.mark.usefixtures("implementation")

RECURSIVE = abnforge.loads('a = "(" a ")" / "x"\n', name="nested")["a"]
PROSE = abnforge.loads("a = <as it was>\n", name="prose")["a"]
WEB = uri.policy(schemes=["http", "https", "a"]).rule(URI)
SEVEN_BIT = abnforge.loads("seven-bit = *%x00-7F\n", name="mine")["seven-bit"]
COMBINED = {  # rules with an automaton, and with length limits
    "narrower": WEB & SEVEN_BIT,
    "difference": IRI - SEVEN_BIT,
    "union": WEB | SEVEN_BIT.at_most(3),
    "complement": ~WEB,
    "short": WEB.at_most(12),
    "long": IRI.at_most(2000),
    "near its bound": URI.at_most(12) | WEB.at_most(9),
}
LARGE = abnforge.loads('a = *("a" / "b") "a" 14("a" / "b")\n', name="large")["a"]


@pytest.mark.parametrize("layout", layouts([]))
def test_offsets(layout: str) -> None:
    array = layouts(TEXTS)[layout]
    expected = wanted_offsets(TEXTS, octets_in(array.type))
    for start in (0, 3):
        offsets = columns.offsets(URI, array.slice(start))
        offsets.validate(full=True)
        assert offsets.type == pa.int64()
        assert offsets.to_pylist() == expected[start:]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("rfc3987:IRI", [*TEXTS, "http://é/日本?\ue000", "http://\ue000/", "é:"]),
        ("rfc3986:IPv6address", ["::", "1::", "1:2:3:4:5:6:7:8", "::1.2.3.4", "1:::2", "g::", ":", ""]),
        ("rfc3339:date-time", ["2026-11-22T16:00:00Z", "2026-11-22t16:00:60.5+01:00", "2026-11-22", None]),
        ("rfc5321:Mailbox", ["a@b", '"a b"@[1.2.3.4]', "a@", "@b", "ü@b", "a" * 300 + "@b"]),
    ],
)
def test_rules_of_other_grammars(name: str, texts: list[str | None]) -> None:
    rule = abnforge.rule(name)
    expected = [None if text is None else rule.matches(text) for text in texts]
    explained = [None if text is None else rule.explain(text, suggest=False) for text in texts]
    offsets = [None if each is None else each.offset for each in explained]
    for kind in (pa.string(), pa.string_view()):
        array = pa.array(texts).cast(kind)
        assert columns.matches(name, array).to_pylist() == expected
        assert columns.offsets(rule, array).to_pylist() == offsets


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("rule", one_in(2, [URI, IRI, RECURSIVE]))
@pytest.mark.parametrize("few", [0, verdicts.FEW])
def test_bytes_that_are_not_utf_8(
    kind: Any, rule: abnforge.Rule, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No rule matches invalid UTF-8, even if the type of the column promises UTF-8. RE2 agrees."""
    monkeypatch.setattr(verdicts, "FEW", few)
    array, layout = broken(kind), layout_of(kind)
    assert layout is not None
    assert columns.matches(rule, array).to_pylist() == [matches(each, rule) for each in BROKEN]
    results = [rejection(each, rule) for each in BROKEN]
    expected = [
        None if each is None else in_characters(octets, each.offset, layout)
        for octets, each in zip(BROKEN, results, strict=True)
    ]
    assert columns.offsets(rule, array).to_pylist() == expected


@pytest.mark.parametrize("rule", [RECURSIVE, LARGE])
def test_rules_without_a_table(rule: abnforge.Rule) -> None:
    texts = ["((x))", "((x)", "", None, "a" * 15, "b" * 15, "x"]
    for array in (
        pa.array(texts),
        pa.array(texts).cast(pa.binary_view()),
        pa.array(texts).dictionary_encode(),
    ):
        assert columns.matches(rule, array).to_pylist() == [t and rule.matches(t) for t in texts[:2]] + [
            False,
            None,
            *map(rule.matches, texts[4:]),
        ]
        offsets = [None if text is None else rule.explain(text, suggest=False) for text in texts]
        assert columns.offsets(rule, array).to_pylist() == [e and e.offset for e in offsets]


def test_rules_that_no_program_knows() -> None:
    asked = [pa.array(["x"]), pa.array([None, None]), pa.chunked_array([], pa.string())]
    for array in asked:
        for ask in (columns.matches, columns.offsets, columns.rejections):
            with raises(abnforge.GrammarError, "prose-val"):
                ask(PROSE, array)
        with raises(abnforge.GrammarError, "prose-val"):
            columns.components(PROSE, array, names=["a"])


def test_re2_gives_the_same_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the C extension, RE2 validates with a pattern that is proved equal to the rule."""
    monkeypatch.setattr(verdicts, "compiled", None)
    monkeypatch.setattr(verdicts, "FEW", 0)

    def texts_of(array: Any) -> list[Any]:
        raise AssertionError("read text by text")

    monkeypatch.setattr(verdicts, "texts_of", texts_of)
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        verdict = columns.matches(URI, pa.array(TEXTS).cast(kind))
        verdict.validate(full=True)
        assert verdict.to_pylist() == wanted_matches(TEXTS)


def test_rules_that_re2_rejects_are_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "compiled", None)
    monkeypatch.setattr(verdicts, "FEW", 0)
    rule = abnforge.loads('a = 4000("a" / "bc" / "bd" / "e" *"f")\n', name="long")["a"]
    texts = ["a" * 4000, "a" * 3999, "e" * 4000]
    assert columns.matches(rule, pa.array(texts)).to_pylist() == [True, False, True]


@pytest.mark.parametrize(
    ("rule", "error", "code"),
    [
        (7, TypeError, "argument-type"),
        (None, TypeError, "argument-type"),
        (pa.array(["a:b"]), TypeError, "argument-type"),
        ("rfc3986:UR", abnforge.UnknownNameError, "rule-name-unknown"),
        ("nothing:URI", abnforge.UnknownNameError, "grammar-unknown"),
    ],
)
def test_arguments_that_are_not_rules(rule: Any, error: type[Exception], code: str) -> None:
    for ask in (columns.matches, columns.offsets, columns.rejections):
        with raises(error, code):
            ask(rule, pa.array(["a:b"]))


@pytest.mark.usefixtures("little_garbage")
def test_results_outlive_the_column() -> None:
    """A result keeps alive only the parts of the column that it refers to."""
    texts = [f"http://example.com/some/long/path/{number}?and=query" for number in range(100)]
    arrays = [pa.array(texts).cast(kind) for kind in TYPES.values()]
    results = [
        each
        for array in arrays
        for each in (
            columns.matches(URI, array),
            columns.components("URI-reference", array),
            columns.offsets(URI, array),
        )
    ]
    before = pa.total_allocated_bytes()
    del arrays
    gc.collect()
    pa.array(["x" * 40] * 5000)  # overwrite freed memory
    for each in results:
        each.validate(full=True)
    for number in range(1, 9, 3):
        assert results[number].field("query").to_pylist() == ["and=query"] * 100
    assert pa.total_allocated_bytes() <= before
    del results, each
    gc.collect()
    assert pa.total_allocated_bytes() < before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
def test_a_fork_answers_too() -> None:
    """The child does not inherit the threads of the parent, and starts new ones."""
    array = pa.array(TEXTS * 2000)
    expected = columns.matches(URI, array, threads=2)
    child = os.fork()
    if not child:
        os._exit(columns.matches(URI, array, threads=2) != expected)
    assert os.waitpid(child, 0)[1] == 0
    assert columns.matches(URI, array, threads=2) == expected


@pytest.mark.parametrize("kind", one_in(3, ["string", "string_view", "large_binary"]))
@pytest.mark.parametrize("name", COMBINED)
def test_combined_rules(name: str, kind: str) -> None:
    rule, octets = COMBINED[name], octets_in(TYPES[kind])
    ends = ["a:" + length * "b" + end for length in (1995, 1997, 1998) for end in ("", "é", "%", "%4", "%41")]
    texts = [text and text.encode() if octets else text for text in [*TEXTS, *ends]]
    array = pa.array(texts, TYPES[kind])
    results = [None if text is None else rule.explain(text, suggest=False) for text in texts]
    expected = [None if text is None else each is None for text, each in zip(texts, results, strict=True)]
    assert columns.matches(rule, array).to_pylist() == expected
    assert columns.offsets(rule, array).to_pylist() == [each and each.offset for each in results]


@pytest.mark.parametrize("kind", TYPES)
def test_lengths_are_in_code_points(kind: str) -> None:
    """The function in pyarrow does not support views or bytes."""
    octets = octets_in(TYPES[kind])
    texts = ["", "a", "é", "日本", "𝒶", None, "e\u0301"]
    array = pa.array([text and text.encode() if octets else text for text in texts], TYPES[kind])
    expected = [None if text is None else len(text) for text in texts]
    assert verdicts.lengths(array).to_pylist() == expected
    assert verdicts.lengths(array.slice(2)).to_pylist() == expected[2:]
    assert len(verdicts.lengths(broken(TYPES[kind]))) == len(BROKEN)
