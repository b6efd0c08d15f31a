"""Targets for coverage-guided fuzzing. Each takes any bytes, and raises an exception for a fault.

    python fuzz/targets.py NAME [LIBFUZZER-OPTION...] [DIRECTORY...]   fuzz with Atheris, like fuzz/run.py
    python fuzz/targets.py NAME FILE                                   run a target once, without Atheris
    python fuzz/targets.py                                             list names, dictionaries and files

The checks are those of the laws in ``tests/laws`` and of the tests of ``ingest``.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, NamedTuple

FUZZ = Path(__file__).resolve().parent
ROOT = FUZZ.parent
PATIENCE = 120  # seconds per input

os.environ["ABNFORGE_CACHE"] = "off"
sys.path.insert(0, str(ROOT))  # the tests contain the checks


def reader() -> Callable[[bytes], None]:
    """Read, load, lint, extract from and print any text; what is read prints, and reads again the same."""
    from tests.laws import test_any_text

    law: Any = test_any_text.test_any_text
    return lambda data: law.body(string(data))


def engines() -> Callable[[bytes], None]:
    """Parse a string with a grammar in all engines and with the reference; an empty line separates them."""
    import abnforge
    from abnforge.budget import Budget
    from tests.laws import test_random_grammars as laws
    from tests.laws.engines import check_suggestion
    from tests.laws.test_trees import check_trees
    from tests.reference.recognizer import Recognizer

    budget = Budget(steps=300_000)

    def check(data: bytes) -> None:
        source, _, text = string(data).rpartition("\n\n")
        text = text[:60]
        with suppress(abnforge.GrammarError):  # LimitExceeded is one: not a verdict
            grammar = abnforge.loads(source, budget=budget)
            if not grammar.own_rules:
                return
            rule = grammar.own_rules[0]
            try:
                reading = Recognizer(grammar.core, rule.key).read(text)
            except ValueError:  # more symbols than the reference supports
                return
            compared = laws.engines_of(rule, lark=len(text) <= laws.LARK_LONGEST)
            laws.check_verdicts(rule, text, reading.valid, compared)
            if reading.valid:
                check_trees(rule, [text], 4, compared)
            else:
                around = "".join(sorted({*text, *laws.OTHER, *map(chr, range(33, 127))}))
                laws.check_rejections(rule, text, reading, around, compared)
                check_suggestion(rule, text)

    return check


def uri() -> Callable[[bytes], None]:
    """Compare ``uri.parse`` with a rule, which the first byte selects; C with Python; and all engines."""
    import abnforge
    from abnforge import uri
    from tests.laws import test_references, test_uri_transformers
    from tests.laws.engines import check_fast, check_lark

    def check(data: bytes) -> None:
        name, rule = test_uri_transformers.RULES[sum(data[:1]) % len(test_uri_transformers.RULES)]
        edition, text = test_uri_transformers.EDITIONS[name], string(data[1:])
        is_valid = test_uri_transformers.check(name, rule, text)
        assert edition.is_valid(text, rule) is is_valid
        assert (edition.explain(text, rule) is None) is is_valid
        check_fast(abnforge.load(name)[rule], text)
        if len(text) <= 20:
            check_lark(abnforge.load(name)[rule], text)
        test_references.check_all(text, test_references.BASES[:2])
        for match in uri.scan(text):
            assert uri.is_valid(match.uri, "URI")
            assert "".join(text[piece.start : piece.end] for piece in match.pieces) == match.uri

    return check


def csv() -> Callable[[bytes], None]:
    """Split CSV, and compare rows, cells and verdicts with a state machine and the csv module."""
    from tests.ingest.jobs import URI
    from tests.reference import csv_rows

    head = b"url,n\n"
    split = splitter("rows.csv", {"url": URI})

    def check(data: bytes) -> None:
        valid, rejected = [head], []
        for row, is_regular in csv_rows.rows(data):
            cells = csv_rows.cells(row) if is_regular else []
            is_null = row.startswith(b",")
            if len(cells) == 2 and (is_null or URI.matches(cells[0])):
                valid.append(row)
            else:
                rejected.append(cells)
        for reject, cells in split(head + data, valid, rejected):
            assert len(cells) != 2 or [reject["url"], reject["n"] or ""] == cells

    return check


def jsonl() -> Callable[[bytes], None]:
    """Split JSON Lines, and compare objects and verdicts with the json module."""
    from tests.ingest.jobs import PORT, URI
    from tests.ingest.test_jsonl_rows import NAMED, reasons

    split = splitter("rows.jsonl", {"url": URI, "page.port": PORT, "links[]": URI})

    def check(data: bytes) -> None:
        if data.count(b"[") + data.count(b"{") > 400:  # the depth that Python supports depends on the caller
            return
        valid, rejected = [NAMED + b"\n"], []
        for row in lines(data):
            if not row.strip(b" \t\r\n"):
                continue  # split skips empty lines
            if why := reasons(row.removesuffix(b"\n")):
                rejected.append((row, why))
            else:
                valid.append(row)
        for reject, (row, why) in split(NAMED + b"\n" + data, valid, rejected):
            assert {each["column"] for each in reject["_errors"]} == why
            if None not in why:
                own = {key: value for key, value in reject.items() if not key.startswith("_")}
                assert own == json.loads(row)

    return check


def lines(data: bytes) -> list[bytes]:
    """Return the lines of a file with their line feeds."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + parts[-1:] * bool(parts[-1])


def splitter(
    name: str, rules: dict[str, Any]
) -> Callable[[bytes, list[bytes], list[Any]], Iterator[tuple[dict[str, Any], Any]]]:
    """Return a function that splits a file in small blocks, and checks that no row is lost.

    It yields each reject with its expected value.
    """
    from abnforge.ingest import Column, JobError
    from abnforge.ingest.sources import text
    from tests.ingest.jobs import done, job, lines_of

    memory = Path("/dev/shm")  # jobs wait for disks
    folder = Path(mkdtemp(dir=memory if memory.is_dir() else None))
    atexit.register(rmtree, folder, ignore_errors=True)
    valid_path, rejects_path = folder / f"valid-{name}", folder / "rejects.jsonl"
    text.BLOCK = 64
    columns = [Column(name, rule) for name, rule in rules.items()]

    def split(data: bytes, valid: list[bytes], rejected: list[Any]) -> Iterator[tuple[dict[str, Any], Any]]:
        path = folder / name
        path.write_bytes(data)
        task = job(folder, path, columns=columns, valid=valid_path, rejects=rejects_path)
        try:
            result = done(task)
        except JobError:
            return
        assert result.counts.rows == len(valid) - (name == "rows.csv") + len(rejected)
        assert valid_path.read_bytes() == b"".join(valid)
        yield from zip(lines_of(rejects_path), rejected, strict=True)

    return split


def string(data: bytes) -> str:
    """Return any bytes as a string; bytes that are not UTF-8 become lone surrogates."""
    return data.decode(errors="surrogateescape")


class Target(NamedTuple):
    """A target: a function that returns its check; dictionary and size of inputs; more files with inputs."""

    check: Callable[[], Callable[[bytes], None]]
    dictionary: str
    size: int
    files: tuple[str, ...] = ()


TARGETS = {
    "reader": Target(reader, "abnf", 800, ("grammars/*.abnf",)),
    "engines": Target(engines, "abnf", 400),
    "uri": Target(uri, "uri", 200),
    "csv": Target(csv, "csv", 400),
    "jsonl": Target(jsonl, "json", 400),
}


def seeds(name: str) -> list[Path]:
    """Return the files with the inputs of a target: examples, and every input that revealed a fault."""
    paths = [*(FUZZ / "seeds" / name).iterdir()]
    return sorted([*paths, *(path for each in TARGETS[name].files for path in ROOT.glob(each))])


def main(name: str, *arguments: str) -> None:
    """Fuzz a target, or run it on one file."""
    target = TARGETS[name]
    if len(arguments) == 1 and Path(arguments[0]).is_file():
        target.check()(Path(arguments[0]).read_bytes())
        return
    import atheris

    options = [f"-max_len={target.size}", f"-timeout={PATIENCE}"]
    dictionary = FUZZ / "dictionaries" / f"{target.dictionary}.dict"
    if dictionary.is_file():  # OSS-Fuzz has its own copy
        options.append(f"-dict={dictionary}")
    with atheris.instrument_imports(include=["abnforge"]):  # also modules that are imported later
        check = target.check()
        check(b"")  # compute what each call needs, without a time limit
        atheris.Setup([name, *options, *arguments], check)
        atheris.Fuzz()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        for name, target in TARGETS.items():
            print(name, target.dictionary, *seeds(name))
    else:
        main(*sys.argv[1:])
