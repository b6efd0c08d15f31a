"""Normalization and resolution in the C extension: arguments, tables of other kinds, threads, memory.

tests/laws/test_references.py compares the results with those of Python.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pytest

import abnforge
from abnforge import uri
from abnforge._native import compiled
from abnforge.automata.tables import packed
from abnforge.uri import URI, RelativeRef
from abnforge.uri.rfc3986.parse import PARTS
from tests._native.tables import with_tags
from tests.law import one_in

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")

CLASSES = (URI, RelativeRef)
RULES = ("URI-reference", "URI", "relative-ref")


@cache
def table(parts: tuple[tuple[str, ...], ...]) -> Any:
    result = abnforge.load("rfc3986").compilation
    points = result.tagged("uri-reference", {"/".join(part): part for part in parts}, {})
    assert points is not None
    return compiled.Table(packed(points))


def resolver(parts: Iterable[tuple[str, ...]] = PARTS.values(), rules: tuple[Any, ...] = RULES) -> Any:
    return compiled.Resolver(table(tuple(parts)), CLASSES, rules)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: compiled.Resolver(1, (URI,), RULES), ValueError, "^classes "),
        (lambda: compiled.Resolver(1, (str, str), RULES), TypeError, "of Parts$"),
        (lambda: compiled.Resolver(1, CLASSES, RULES), TypeError, "^table "),
        (lambda: resolver(rules=RULES[:2]), TypeError, "length 3"),
        (lambda: resolver(rules=(1, 2, 3)), TypeError, "must be str"),
        (lambda: compiled.Resolver(1, list(CLASSES), RULES), TypeError, "must be tuple"),
        (lambda: compiled.Resolver(lambda: 1, CLASSES, RULES).normalized("a"), TypeError, "^table "),
        (lambda: resolver().resolved("a:b"), TypeError, "a base and a reference"),
        (lambda: resolver().resolved("a:b", "c", True), TypeError, "a base and a reference"),
    ],
)
def test_wrong_arguments(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_unsupported_inputs_return_none() -> None:
    it = resolver()
    for value in ("a b", "é:", "\ud800", "a:é", b"a:b", None, 1, type("Own", (str,), {})("A:b")):
        assert it.normalized(value) is None
        assert it.resolved("a:b", value) is None
        assert it.resolved(value, "b") is None
    assert it.resolved("//a", "b") is None  # no base
    assert compiled.Resolver(lambda: None, CLASSES, RULES).normalized("A:b") is None


def test_the_rules_of_what_is_read_and_made() -> None:
    it = resolver()
    text, reference = "a:b", uri.parse("a:b", "absolute-URI")
    assert (it.normalized(text).rule, str(it.normalized(text)) is text) == ("URI-reference", True)
    assert it.normalized(reference) is reference
    assert (type(it.normalized("A:b")), it.normalized("A:b").rule) == (URI, "URI")
    assert (type(it.normalized("%41")), it.normalized("%41").rule) == (RelativeRef, "relative-ref")
    assert (it.resolved("x:y", text).rule, str(it.resolved("x:y", text)) is text) == ("URI", True)
    assert (type(it.resolved("x:y", "b")), it.resolved("x:y", "b").rule) == (URI, "URI")


OTHER_PARTS = [
    (("segment",), ("pchar",), ("unreserved",), ("h16",), PARTS["path"], ("query",), ("uri",)),
    tuple(PARTS.values())[::-1],  # in reverse order
    (("authority",), ("userinfo",), ("host",), ("port",), PARTS["path"], ("query",), ("fragment",)),
    (("scheme",), ("userinfo",), ("host",), ("port",), ("segment",), ("query",), ("fragment",)),
]


@pytest.mark.parametrize("parts", one_in(8, [(parts,) for parts in OTHER_PARTS]))
def test_tables_of_wrong_components_are_safe(parts: tuple[tuple[str, ...], ...]) -> None:
    """With wrong components, a result is the right one or None."""
    it = resolver(parts)
    for text in ("A://U@H:1/%7e/../b?q#f", "A:b/c", "//h:", "a/../b", "", "?", "#", "A:" + "/%7E" * 300):
        assert it.normalized(text) in (None, uri.normalize(text))
        assert it.resolved("a://h/b?c", text) in (None, uri.resolve("a://h/b?c", text))


def test_a_table_with_fewer_parts_answers_nothing() -> None:
    it = compiled.Resolver(compiled.Table(with_tags()), CLASSES, RULES)
    assert it.normalized("A:b") is it.resolved("a:b", "c") is None


def test_many_threads_with_bases_of_their_own() -> None:
    it, wrong = resolver(), []

    def read(number: int) -> None:
        for turn in range(2_000):
            base = f"http://{number}/{turn % 7}/"
            for ref in ("../a", "b"):
                if str(it.resolved(base, ref)) != (base + ref if ref == "b" else f"http://{number}/a"):
                    wrong.append((base, ref))

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.usefixtures("little_garbage")
def test_the_last_base_is_kept_and_no_other() -> None:
    it, bases = resolver(), ["http://a/" + "b" * number for number in range(9)]
    before = [sys.getrefcount(base) for base in bases]
    for base in bases * 3:
        assert str(it.resolved(base, "c")) == "http://a/c"
    del base
    assert [sys.getrefcount(base) for base in bases] == [*before[:-1], before[-1] + 1]
    del it
    gc.collect()
    assert [sys.getrefcount(base) for base in bases] == before


@pytest.mark.memory
@pytest.mark.usefixtures("little_garbage")
def test_nothing_is_kept() -> None:
    it = resolver()
    values = ["A:%7e/..//b", "b", "é", uri.parse("HTTP://A"), uri.parse("a:b"), None, "x:/%7e" * 300, "a b"]

    def everything() -> None:
        for value in values:
            it.normalized(value)
            for other in values:
                it.resolved(other, value)

    everything()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        everything()
    gc.collect()
    assert sys.getallocatedblocks() - before < 50


@pytest.mark.parametrize("value", ["HTTP://H/%7e", "a:b", "x:/%7e" * 300])
def test_where_memory_runs_out(value: str) -> None:
    memory = pytest.importorskip("_testcapi")
    it, raised = resolver(), 0
    calls = [(it.normalized, (value,)), (it.resolved, ("a://h/b/", value)), (it.resolved, (value, "../c"))]
    for call, values in calls:
        expected = call(*values)
        for number in range(8):  # fail this allocation
            result = None
            memory.set_nomemory(number, number + 1)
            try:
                result = call(*values)
            except MemoryError:
                raised += 1
            finally:
                memory.remove_mem_hooks()
            assert result in (None, expected)
    assert raised > len(calls)
