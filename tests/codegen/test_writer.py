"""Comments, literals and identifiers with hostile names of grammars and rules."""

from __future__ import annotations

from pathlib import Path

import pytest

import abnforge
from abnforge.codegen.proof import TARGETS
from abnforge.codegen.writer import distinct, harmless, identifier
from abnforge.engine import export
from tests.codegen.toolchain import program, toolchain
from tests.law import each_row
from tests.raising import raises

HOSTILE = 'a*-/"""b\'\\u000a??\\$x{y}é'


@each_row(
    ("line", "shown"),
    [
        ("a */ b /* c", "a * / b / * c"),
        ("a ??/", "a ? ?/"),
        ("a \\", "a \\."),
        ("\\u000a", "\\ u000a"),
        ("é\t\n", "<U+00E9><U+0009><U+000A>"),
    ],
)
def test_comments_cannot_end(line: str, shown: str) -> None:
    assert harmless(line) == shown


@each_row(("name", "result"), [("path-abempty", "path_abempty"), ("(A - b)", "a_b"), ("1*", "rule_1")])
def test_identifiers(name: str, result: str) -> None:
    assert identifier(name) == result


def test_identifiers_are_distinct() -> None:
    names = distinct(["a", "a", "b", "a_2"])
    assert len(set(names)) == len(names) == 4


def hostile(folder: Path, target: str) -> str:
    """Return the file of a rule in a grammar whose name contains signs of many languages."""
    path = folder / f"{HOSTILE}.abnf".replace("/", "")
    path.write_text('start = %x22.5C [x] ; */ """ \\\nx = "a" [y]\ny = "${"\n', "utf-8")
    return abnforge.load(path)["start"].export(target, parts=["x"])


@pytest.mark.parametrize("target", TARGETS)
def test_files_are_ascii_without_directories(target: str, tmp_path: Path) -> None:
    text = hostile(tmp_path, target)
    assert text.isascii()
    assert str(tmp_path) not in text


def test_python_compiles(tmp_path: Path) -> None:
    namespace: dict[str, object] = {"__name__": "exported"}
    exec(compile(hostile(tmp_path, "code-python"), "exported.py", "exec"), namespace)
    assert str(namespace["RULE"]).endswith(":start")


@pytest.mark.slow
def test_c_compiles(tmp_path: Path) -> None:
    (tmp_path / "start.h").write_text(hostile(tmp_path, "code-c"))
    (tmp_path / "main.c").write_text('#include "start.h"\nint main(void) { return start_matches("", 0); }\n')
    flags = ("-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    program(tmp_path, toolchain("gcc"), *flags, "-o", "main", "main.c")
    program(tmp_path, "./main")


@each_row(
    ("target", "name", "file", "code"),
    [
        ("code-java", "org.class.Uri", "Uri.java", "code-name-reserved"),
        ("code-java", "org.int.x", "X.java", "code-name-reserved"),
        ("code-java", "java.lang.String", "StringRule.java", "code-name-reserved"),
        ("code-java", "org.uri", "uri.java", "code-output-class"),
        ("code-go", "func", "func.go", "code-name-reserved"),
        ("code-go", "uri", "uri.py", "code-output"),
        ("code-c", "_x", "x.h", "code-name"),
        ("code-java", "org.r2_d2", "R2D2.java", ""),
        ("code-java", "int", "Int.java", ""),
        ("code-go", "int", "any", ""),
        ("code-c", "func", "a.b.hpp", ""),
    ],
)
def test_names_that_compilers_reject_are_refused(target: str, name: str, file: str, code: str) -> None:
    arguments = abnforge.rule("rfc3986:scheme"), target, (), name, (), file
    if code:
        with raises(ValueError, code):
            export.source_code(*arguments)
    else:
        assert f"{file}\n" in export.source_code(*arguments)
