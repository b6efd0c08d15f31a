"""The engines that run exported patterns, if they are installed, as functions of jobs.

A job consists of a pattern, the names of its groups, and strings. The result for a string is None if the
pattern does not match, and the contents of the groups otherwise. One process per engine runs all jobs.
"""

from __future__ import annotations

import atexit
import ctypes
import ctypes.util
import io
import json
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Timer
from typing import IO

import pytest

from abnforge.regex.dialects import DIALECTS
from tests.reference import postgres

HERE = Path(__file__).parent
TIMEOUT = 300  # seconds; on an idle machine, each engine takes less than ten

Job = tuple[str, Sequence[str], Sequence[str]]
Found = tuple[str | None, ...] | None
Engine = Callable[[Sequence[Job]], list[list[Found]]]


def holds(dialect: str, text: str) -> bool:
    """Return whether the engine can represent a string.

    In UTF-16, two surrogates can form another character.
    """
    if dialect in ("ecmascript", "java"):
        return text == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return all(char in DIALECTS[dialect].alphabet for char in text)


def python(jobs: Sequence[Job]) -> list[list[Found]]:
    def one(pattern: re.Pattern[str], groups: Sequence[str], text: str) -> Found:
        match = pattern.search(text)
        return None if match is None else tuple(match[name] for name in groups)

    return [[one(re.compile(pattern), groups, text) for text in texts] for pattern, groups, texts in jobs]


def re2(jobs: Sequence[Job]) -> list[list[Found]]:
    engine = pytest.importorskip("re2", reason="google-re2 is not installed")

    def one(pattern, groups: Sequence[str], text: str) -> Found:
        match = pattern.search(text)
        return None if match is None else tuple(match[name] for name in groups)

    return [[one(engine.compile(pattern), groups, text) for text in texts] for pattern, groups, texts in jobs]


def rust(jobs: Sequence[Job]) -> list[list[Found]]:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    results: list[list[Found]] = []
    for pattern, groups, texts in jobs:
        column = polars.Series(texts, dtype=polars.String)
        verdicts = column.str.contains(pattern)
        if groups:
            rows = column.str.extract_groups(pattern).to_list()
            held = [tuple(row[name] for name in groups) for row in rows]
        else:
            held = [()] * len(texts)
        results.append([result if verdict else None for verdict, result in zip(verdicts, held, strict=True)])
    return results


class Program:
    """A program that reads requests, each preceded by its length. The first request starts the program."""

    def __init__(self, name: str, *arguments: str) -> None:
        self._name = name
        self._arguments = arguments
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None

    def ask(self, request: bytes) -> bytes:
        """Return the answer, or skip the test if the program is not installed."""
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        overdue = Timer(TIMEOUT, process.kill)
        overdue.start()
        try:
            process.stdin.write(struct.pack(">i", len(request)) + request)
            process.stdin.flush()
            size = process.stdout.read(4)
            answer = process.stdout.read(*struct.unpack(">i", size)) if size else b""
        except BrokenPipeError:
            size = b""
        finally:
            overdue.cancel()
        if not size:
            raise AssertionError(f"{self._name} has ended: {self.stop()[-2000:]}")
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        path = shutil.which(self._name)
        if path is None:
            pytest.skip(f"no {self._name}")
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 -- stop() closes it
        self._process = subprocess.Popen(
            [path, *self._arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        atexit.register(self.stop)
        return self._process

    def stop(self) -> str:
        """Stop the process and return its standard error. The next request starts a new process."""
        if self._process is None or self._errors is None:
            return ""
        with self._errors as errors, self._process as process:
            self._process = self._errors = None
            process.kill()
            process.communicate()
            errors.seek(0)
            return errors.read().decode(errors="replace")


# For rarely used patterns, Java's second compiler costs more time than it saves.
NODE = Program("node", str(HERE / "match.js"))
JAVA = Program("java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", str(HERE / "Match.java"))


def ecmascript(jobs: Sequence[Job]) -> list[list[Found]]:
    lists = json.loads(NODE.ask(json.dumps(jobs).encode()))
    return [[None if result is None else tuple(result) for result in results] for results in lists]


def java(jobs: Sequence[Job]) -> list[list[Found]]:
    request = io.BytesIO()

    def write(text: str) -> None:
        units = text.encode("utf-16-be", "surrogatepass")
        request.write(struct.pack(">i", len(units) // 2) + units)

    request.write(struct.pack(">i", len(jobs)))
    for pattern, groups, texts in jobs:
        write(pattern)
        for strings in (groups, texts):
            request.write(struct.pack(">i", len(strings)))
            for string in strings:
                write(string)
    response = io.BytesIO(JAVA.ask(request.getvalue()))

    def read() -> str | None:
        (length,) = struct.unpack(">i", response.read(4))
        return None if length < 0 else response.read(2 * length).decode("utf-16-be", "surrogatepass")

    return [
        [tuple(read() for _ in groups) if response.read(1) == b"\1" else None for _ in texts]
        for _, groups, texts in jobs
    ]


def pcre2(jobs: Sequence[Job]) -> list[list[Found]]:
    path = ctypes.util.find_library("pcre2-8")
    if path is None:
        pytest.skip("no PCRE2 library")
    lib = ctypes.CDLL(path)
    size, pointer = ctypes.c_size_t, ctypes.c_void_p
    lib.pcre2_compile_8.restype = lib.pcre2_match_data_create_from_pattern_8.restype = pointer
    lib.pcre2_get_ovector_pointer_8.restype = ctypes.POINTER(size)
    utf = 0x00080000

    def one(code: int, groups: Sequence[str], text: str) -> Found:
        subject = text.encode()
        data = pointer(lib.pcre2_match_data_create_from_pattern_8(pointer(code), None))
        status = lib.pcre2_match_8(pointer(code), subject, size(len(subject)), size(0), 0, data, None)
        assert status > 0 or status == -1, f"pcre2_match says {status}"
        offsets = lib.pcre2_get_ovector_pointer_8(data)
        result: list[str | None] = []
        for name in groups if status > 0 else ():
            number = lib.pcre2_substring_number_from_name_8(pointer(code), name.encode())
            start, end = offsets[2 * number], offsets[2 * number + 1]
            result.append(None if start == size(-1).value else subject[start:end].decode())
        lib.pcre2_match_data_free_8(data)
        return tuple(result) if status > 0 else None

    results: list[list[Found]] = []
    for pattern, groups, texts in jobs:
        error, place = ctypes.c_int(), size()
        code = lib.pcre2_compile_8(
            pattern.encode(), size(len(pattern.encode())), utf, ctypes.byref(error), ctypes.byref(place), None
        )
        assert code, f"pcre2_compile says {error.value} at {place.value}: {pattern[: place.value][-50:]}"
        results.append([one(code, groups, text) for text in texts])
        lib.pcre2_code_free_8(pointer(code))
    return results


def sql(jobs: Sequence[Job]) -> list[list[Found]]:
    """Return a function for PostgreSQL, if a server is available."""
    statements = []
    for pattern, groups, texts in jobs:
        assert not groups
        assert "'" not in pattern
        array = json.dumps(list(texts), ensure_ascii=False).replace("'", "''")
        statements.append(
            f"select coalesce(string_agg((t ~ '{pattern}')::int::text, '' order by n), '')"
            f" from json_array_elements_text('{array}') with ordinality as x (t, n);"
        )
    lines, _ = postgres.statements("\n".join(statements))
    return [[() if bit == "1" else None for bit in line] for line in lines]


ENGINES: dict[str, Engine] = {
    "python": python,
    "re2": re2,
    "rust": rust,
    "pcre2": pcre2,
    "ecmascript": ecmascript,
    "java": java,
    "sql": sql,
}
