"""Compilers that tests need, and the answers that generated code must give."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from abnforge.codegen import proof
from abnforge.codegen.model import CodeTables
from abnforge.codegen.regular import expectation
from abnforge.codegen.writer import Target, arrays
from abnforge.engine import export
from abnforge.engine.rule import Rule
from abnforge.parsing.stop import expected
from tests import pages
from tests.places import ROOT
from tests.test_recipes import run as shell

Answer = tuple[bool, int, str, str]
"""Valid or not, the offset, the expected characters, and the places of parts such as ``0-4 -``."""


def toolchain(name: str) -> str:
    """Return the path of a program, or skip the test, unless ABNFORGE_TOOLCHAINS is "required"."""
    path = shutil.which(name)
    if path is None:
        if os.environ.get("ABNFORGE_TOOLCHAINS") == "required":
            pytest.fail(f"{name} is not installed")
        pytest.skip(f"{name} is not installed")
    return path


def program(folder: Path, *command: str, input: str = "") -> str:
    """Return the output of a program, which must be successful."""
    done = subprocess.run(command, cwd=folder, input=input, capture_output=True, text=True, timeout=600)
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


def follow(name: str, folder: Path) -> str:
    """Write the files of a guide, run its commands and compare their output; return the page."""
    page = (ROOT / "docs" / "guides" / name).read_text("utf-8")
    printed = ""
    for block in pages.blocks(page):
        if block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, "utf-8")
        elif block.language == "console":
            assert not any("[status" in shell(command.text, folder) for command in block.commands())
        elif block.language == "sh":
            printed = shell(block.text, folder)
            assert "[status" not in printed, printed
        elif block.language == "text":
            assert printed == block.text
    return page


def answer(rule: Rule, string: bytes | str, parts: Sequence[str] = ()) -> Answer:
    """Return the answer of a rule for a string, with offsets in bytes of UTF-8 or in code points.

    Octets that are not UTF-8 end the string; a file reports the characters that can follow there.
    """
    is_text = isinstance(string, str)
    text = string if is_text else string.decode(errors="surrogateescape")
    prefix = text if is_text else _readable(text)
    with rule.grammar.readers.taken() as readers:
        if rule.recursive:
            run = readers.machine.read(rule.key, (prefix,))
            offset, may_end = run.offset, run.last.accepting
            items = expected(readers.machine.expected_terminals(run.last), readers.derivatives.core.names)
        else:
            reached = readers.derivatives.read(rule.key, prefix)
            offset, may_end = len(reached) - 1, reached[-1].accepting
            items = readers.expectations.of(reached[-1].states)
    if offset == len(text) and may_end:
        spans = rule.components(string, parts) if parts else {}
        places = ["-" if (span := spans[part]) is None else f"{span[0]}-{span[1]}" for part in parts]
        return True, len(string), "", " ".join(places)
    return False, offset if is_text else len(prefix[:offset].encode()), expectation(items, may_end), ""


def _readable(text: str) -> str:
    """Return the characters before the first octet that is not UTF-8."""
    return text[: next((at for at, char in enumerate(text) if "\udc80" <= char <= "\udcff"), len(text))]


def tables_of(rule: Rule, parts: Sequence[str] = (), surrogates: bool = False) -> CodeTables:
    """Return the tables that a target would write, after their proof."""
    results: list[CodeTables] = []
    target = Target(
        name="code-test", language="", suffix="", unit="",
        write=lambda tables: str(results.append(tables)),
        read=lambda _, tables: arrays(tables),
        read_expected=lambda _, tables: tables.expected,
        surrogates=surrogates,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(proof.TARGETS, target.name, target)
        export.source_code(rule, target.name, tuple(parts), None)
    return results[0]


def cover(tables: CodeTables) -> Iterator[bytes]:
    """Yield strings that take each transition of an automaton, and continue to acceptance if possible.

    Together, the strings read every byte, each as one of its class in turn.
    """
    bytes_of: dict[int, list[int]] = {}
    for octet, number in enumerate(tables.class_of):
        bytes_of.setdefault(number, []).append(octet)
    rows = {place * tables.width: row for place, row in enumerate(tables.rows)}
    access = {tables.start: b""}
    for state in (queue := [tables.start]):
        for number, octets in bytes_of.items():
            if (target := rows[state][number]) not in access and target:
                access[target] = access[state] + bytes(octets[:1])
                queue.append(target)
    completion = {state: b"" for state in access if tables.accepting[state // tables.width]}
    while len(completion) < len(access) and tables.start:
        for state in access:
            for number, octets in bytes_of.items():
                if state not in completion and rows[state][number] in completion:
                    completion[state] = bytes(octets[-1:]) + completion[rows[state][number]]
    turns = dict.fromkeys(bytes_of, 0)
    for state, prefix in access.items():
        yield prefix
        for number, octets in bytes_of.items():
            turns[number] += 1
            octet = octets[turns[number] % len(octets)]
            yield prefix + bytes([octet]) + completion.get(rows[state][number], b"")
