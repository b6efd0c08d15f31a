"""The C extension through Python: arguments, references, threads, and damaged tables."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import abnforge
from abnforge import uri
from abnforge._native import compiled
from tests._native.tables import URI, plain, with_tags
from tests.law import each_row

pytestmark = pytest.mark.skipif(compiled is None, reason="there is no kernel")


@each_row(
    ("call", "error", "message"),
    [
        (lambda: compiled.Table(), TypeError, "octets"),
        (lambda: compiled.Table(b""), ValueError, "damaged table: magic"),
        (lambda: compiled.Table("text"), TypeError, "bytes-like"),
        (lambda: compiled.Table(plain()).read(b"a"), TypeError, "not bytes"),
        (lambda: compiled.Table(plain()).find(1), TypeError, "not int"),
        (
            lambda: compiled.Table(plain()).walking("quick"),
            ValueError,
            "'quick'",
        ),
        (lambda: compiled.Table(plain()).walking(1), ValueError, ": 1$"),
        (lambda: compiled.Table(plain()).walking("pairs"), ValueError, "'pairs'"),
        (lambda: compiled.Verdict(1, 2, 3), TypeError, "^table "),
        (lambda: compiled.Verdict(lambda: 1, 2, 3).matches("a"), TypeError, "^table "),
        (lambda: compiled.Reader(1, (), "", 2, 3), ValueError, "^classes "),
        (lambda: compiled.Reader(1, (compiled.Parts,) * 2, "", 2, 3), TypeError, "^table "),
        (
            lambda: compiled.Reader(compiled.Table(with_tags()), (str, str), "", 2, 3),
            TypeError,
            "of Parts$",
        ),
    ],
)
def test_wrong_arguments(call: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def refused(*arguments: object, **options: object) -> None:
    """Accept any arguments: the reader calls this for input that does not match."""


def reader(table: bytes | None = None) -> Any:
    class Found(compiled.Parts):  # type: ignore[misc,name-defined]
        host = compiled.Part(1, "The host.")

    return compiled.Reader(compiled.Table(table or with_tags()), (Found, Found), "URI", refused, ())


def test_a_table_without_tags_reports_no_places() -> None:
    table = compiled.Table(plain())
    assert table.find("urn:a") == ((), ())
    assert table.find("a b") is None
    assert reader(plain()).parse("urn:a")._places == ()


def test_a_reader_makes_objects_of_the_text() -> None:
    tree = reader().parse(URI)
    assert tree.host == "example.com"
    query = URI.index("query")
    assert tree._places == (0, 4, 12, 23, query, query + 5)
    assert tree._kinds == (2, *[0] * 15)
    assert reader().parse("a b") is None


# ---- verdicts ----


def test_a_verdict_passes_other_values_to_its_function() -> None:
    asked: list[object] = []

    def slow(*arguments: object, **options: object) -> str:
        asked.append((arguments, options))
        return "asked"

    matches = compiled.Verdict(compiled.Table(plain()), slow, ()).matches
    own = type("Own", (str,), {})("urn:a")
    assert (matches("urn:a"), matches("a b"), asked) == (True, False, [])
    assert [matches(b"urn:a"), matches(own), matches("urn:a", engine="lark"), matches()] == ["asked"] * 4
    assert asked == [((b"urn:a",), {}), ((own,), {}), (("urn:a",), {"engine": "lark"}), ((), {})]


def test_a_table_is_made_when_it_is_first_needed() -> None:
    asked: list[str] = []

    def prepare() -> Any:
        asked.append("prepare")
        return compiled.Table(plain())

    def slow(*arguments: object) -> str:
        return "asked"

    matches = compiled.Verdict(prepare, slow, ()).matches
    assert (matches(b"urn:a"), asked) == ("asked", [])
    assert (matches("urn:a"), matches("a b"), asked) == (True, False, ["prepare"])
    without = compiled.Verdict(lambda: asked.append("none"), slow, ()).matches
    assert (without("urn:a"), without("urn:a"), asked) == ("asked", "asked", ["prepare", "none"])


def test_errors_of_a_table_propagate_and_the_next_call_retries() -> None:
    tables = iter((None, compiled.Table(plain())))

    def prepare() -> Any:
        if (table := next(tables)) is None:
            raise KeyError("not yet")
        return table

    matches = compiled.Verdict(prepare, None, ()).matches
    with pytest.raises(KeyError, match="not yet"):
        matches("urn:a")
    assert matches("urn:a")


def test_errors_of_the_function_propagate() -> None:
    def slow(*arguments: object, **options: object) -> bool:
        raise KeyError("it")

    with pytest.raises(KeyError, match="it"):
        compiled.Verdict(compiled.Table(plain()), slow, ()).matches(b"a")


@pytest.mark.parametrize(
    "travel", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_verdicts_travel(travel: Callable[[Any], Any]) -> None:
    rule = abnforge.load("rfc3986")["URI"]
    assert type(rule.matches.__self__) is compiled.Verdict
    matches = travel(rule.matches)
    assert matches("urn:a")
    assert not matches("a b")
    assert not matches("\ud800")


# ---- threads, and released objects ----


def test_many_threads_read_one_table_while_strings_come_and_go() -> None:
    table, tags = compiled.Table(plain()), compiled.Table(with_tags())
    data = bytearray((URI * 40).encode())
    ends = array("i", range(0, len(data) + 1, len(URI)))
    column = compiled.Column(4, 0, 40, None, ends, (data,), False)
    wrong: list[object] = []

    def read(number: int) -> None:
        for turn in range(300):
            text = f"http://example.com/{number}/{turn}/" + "a" * (turn % 70)
            if table.read(text) != (len(text), True) or tags.find(text)[0][:4] != (0, 4, 7, 18):
                wrong.append(text)
            bits = bytearray(5)
            column.read(table, 0, 40, bits, None)
            if bits != b"\xff" * 5:
                wrong.append(bits)
            try:  # while other threads read
                data.append(0)
            except BufferError:
                continue
            wrong.append("a buffer that is held was resized")

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_many_threads_cut_parts_while_classes_come_and_go() -> None:
    wrong: list[object] = []
    rules = ("URI", "absolute-URI", "URI-reference", "uri", "Uri", "uRI", "absolute-uri")

    def read(number: int) -> None:
        for turn in range(200):
            own, text = reader(), f"http://h{number}.{turn}/?query"
            tree = own.parse(text)
            if (tree.host, tree.parts()) != (text[7:-7], ("http", text[7:-7], "query")):
                wrong.append(tree.parts())
            rule = rules[(number + turn) % len(rules)]
            u, ref = uri.parse(text, rule=rule), uri.parse(f"/{turn}")
            if (
                u.parts() != ("http", None, text[7:-7], None, "/", "query", None)
                or u.scheme is not u.parts()[0]
            ):
                wrong.append(u)
            if (ref.path, ref.parts()[4], uri.is_valid(text, rule)) != (f"/{turn}", f"/{turn}", True):
                wrong.append(ref)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def everything(table: Any, tags: Any, made: Any, verdict: Any) -> None:
    """Make each call once, with valid and with invalid arguments."""
    table.read(URI), table.read("é"), tags.find(URI), tags.find("a b"), table.walk
    made.parse(URI).host, made.parse("a b"), made.parse("a:\u20ac" + URI)
    verdict(URI), verdict("é"), verdict(URI, engine="auto"), verdict(b"urn:a")
    text = URI.encode()
    column = compiled.Column(4, 0, 1, None, array("i", (0, len(text))), (text,), False)
    column.read(table, 0, 1, bytearray(1), bytearray(8))
    column.places(tags, 0, 1, bytearray(1), (bytearray(1),) * 3, bytearray(24))
    column.views(tags, 0, 1, bytearray(1), (bytearray(1),) * 3, tuple(bytearray(16) for _ in range(3)))
    for wrong in (
        lambda: compiled.Table(b""),
        lambda: table.read(1),
        lambda: table.walking("quick"),
        lambda: verdict(URI, engine="none"),
        lambda: compiled.Column(4, 0, 9, b"", array("i", (0, 5)), (text,), False),
        lambda: compiled.Column(4, 0, 1, None, array("i", (0, 5)), (1,), False),
        lambda: column.read(table, 0, 1, bytearray(1), bytearray(7)),
        lambda: column.views(tags, 0, 1, bytearray(1), (bytearray(1),) * 3, (bytearray(16), b"", b"")),
        lambda: compiled.Parts("a", "b", (0, 2), ()),
        lambda: compiled.Part(99, "doc"),
    ):
        with pytest.raises((ValueError, TypeError, BufferError)):
            wrong()


@pytest.mark.memory
@pytest.mark.usefixtures("little_garbage")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("calls", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_nothing_is_kept(calls: int) -> None:
    table, tags, result = compiled.Table(plain()), compiled.Table(with_tags()), reader()
    verdict = abnforge.load("rfc3986")["URI"].matches
    for _ in range(200):
        everything(table, tags, result, verdict)
    gc.collect()
    before, blocks = resident(), sys.getallocatedblocks()
    for _ in range(calls):
        everything(table, tags, result, verdict)
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 200
    assert resident() - before < 2 << 20


@pytest.mark.memory
@pytest.mark.usefixtures("little_garbage")
def test_tables_and_readers_are_freed() -> None:
    size = len(with_tags())
    kept = [compiled.Table(with_tags()).walking("portable") for _ in range(10)]
    assert len(kept) * size > 0
    before = resident() if sys.platform == "linux" else 0
    for _ in range(200):
        reader().parse(URI)
    gc.collect()
    if before:
        assert resident() - before < 100 * size


@pytest.mark.parametrize("text", ["http://a/b", "//a", "?x", "http://é"])
def test_references_come_from_the_extension(text: str) -> None:
    result = uri.parse(text) if uri.is_valid(text) else None
    assert result is None or isinstance(result, compiled.Parts)
