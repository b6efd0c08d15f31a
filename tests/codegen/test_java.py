"""The target Java: classes compile without warnings, and give the answers of their rules."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

import abnforge
from abnforge.codegen import java
from abnforge.records import replace
from tests.codegen.test_stacked import SUITES, suite_cases
from tests.codegen.toolchain import follow, program, tables_of, toolchain
from tests.codegen.utf8 import compare_depths, compare_suite, every_rule
from tests.codegen.utf16 import compare, from_utf8, small_rules
from tests.law import each_row
from tests.places import ROOT
from tests.raising import raises
from tests.test_recipes import run as shell

WARNINGS = ("-Xlint:all", "-Xdoclint:all/protected", "-Werror", "--release", "11")

DRIVER = """
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.*;

class Driver {
    static String text(String hexadecimal) {
        return IntStream.range(0, hexadecimal.length() / 4)
            .mapToObj(i -> String.valueOf((char) Integer.parseInt(hexadecimal, 4 * i, 4 * i + 4, 16)))
            .collect(Collectors.joining());
    }

    static String answer(int number, String text, int depth) {
        switch (number) {
CASES
            default: throw new IllegalArgumentException();
        }
    }

    static void require(boolean condition) {
        if (!condition) throw new IllegalStateException();
    }

    public static void main(String[] arguments) throws IOException {
        BufferedReader reader = new BufferedReader(new InputStreamReader(System.in));
        PrintStream output = new PrintStream(new BufferedOutputStream(System.out), false, "UTF-8");
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            String[] words = line.split(" ");
            int depth = Integer.parseInt(words[2]);
            output.print(answer(Integer.parseInt(words[0]), text(words[1]), depth) + "\\n");
        }
        output.flush();
    }
}
"""

CASE = """
            case NUMBER: {
                StringJoiner places = new StringJoiner(" ");
                Optional<NAME.Rejection> rejection;
                try {
                    rejection = NAME.check(textDEPTH);
                } catch (IllegalArgumentException error) {
                    return "2 " + OFFSET + "||";
                }
                require(NAME.matches(textDEPTH) == rejection.isEmpty());
                require(NAME.matches(textUNLIMITED) == rejection.isEmpty());
PLACES
                return rejection.map(each -> "0 " + each.offset() + "|" + each.expected() + "|")
                    .orElseGet(() -> "1 " + text.length() + "||" + places);
            }
"""

PLACES = """
                Optional<NAME.Parts> parts = NAME.parts(text);
                require(parts.isPresent() == rejection.isEmpty());
                for (NAME.Part part : NAME.Part.values()) {
                    if (parts.isEmpty()) break;
                    int start = parts.get().start(part), end = parts.get().end(part);
                    String found = parts.get().get(part);
                    require(parts.get().has(part) == (found != null));
                    require(found == null ? start + end == -2 : found.equals(text.substring(start, end)));
                    places.add(found == null ? "-" : start + "-" + end);
                }
"""


def run(folder: Path, files: Sequence[str], lines: str) -> list[str]:
    """Return the output of all classes in one process."""
    javac, java = toolchain("javac"), toolchain("java")
    cases = []
    for number, text in enumerate(files):
        name = re.findall(r"public final class (\w+)", text)[0]
        (folder / f"{name}.java").write_text(text, "ascii")
        fields = {
            "PLACES": PLACES if "enum Part " in text else "",
            "OFFSET": "((NAME.DepthException) error).offset()" if "int maxDepth" in text else "error",
            "UNLIMITED": ", Integer.MAX_VALUE" if "int maxDepth" in text else "",
            "DEPTH": ", depth" if "int maxDepth" in text else "",
            "NUMBER": str(number),
            "NAME": name,
        }
        case = CASE
        for field, value in fields.items():
            case = case.replace(field, value)
        cases.append(case)
    (folder / "Driver.java").write_text(DRIVER.replace("CASES", "".join(cases)))
    sources = sorted(path.name for path in folder.glob("*.java"))
    program(folder, javac, *WARNINGS, *sources)
    return program(folder, java, "Driver", input=lines).splitlines()


@pytest.mark.slow
def test_the_guide(tmp_path: Path) -> None:
    toolchain("javac")
    follow("export-java.md", tmp_path)
    assert ElementTree.parse(tmp_path / "pom.xml").getroot().tag.endswith("project")


@pytest.mark.slow
def test_the_example(tmp_path: Path) -> None:
    """The project in examples/ writes its class, validates its arguments, and compares times."""
    javac, java = toolchain("javac"), toolchain("java")
    folder = shutil.copytree(ROOT / "examples" / "java", tmp_path, dirs_exist_ok=True)
    (command,) = re.findall("^abnforge export .*", (folder / "README.md").read_text("utf-8"), re.MULTILINE)
    assert ElementTree.parse(folder / "pom.xml").getroot().tag.endswith("project")
    assert "[status" not in shell(command, folder)
    sources = [path.relative_to(folder).as_posix() for path in folder.rglob("*.java")]
    program(folder, javac, "-Xlint:all", "-Werror", "-d", "classes", *sources)
    run_class = partial(program, folder, java, "-cp", "classes")
    assert run_class("org.example.Main", "http://b:1/", "http:/%").splitlines() == [
        "valid: http://b:1/; host: b",
        "invalid: http:/%; offset 7: expected DIGIT [0-9]; HEXDIG [A-Fa-f]",
    ]
    times = run_class("org.example.Bench", str(ROOT / "examples" / "uris.txt")).splitlines()
    assert [line[:5] for line in times] == ["match", "check", "parts", "parts", "java."]


CLASSES = {
    "string": "StringRule", "part": "PartRule", "object": "Object", "class": "Class", "r2-d2": "R2D2",
    "Optional": "OptionalRule", "int": "Int",
}  # fmt: skip


@pytest.mark.slow
def test_class_names(tmp_path: Path) -> None:
    """Rules with names of Java have classes of other names, and a class can be in a package."""
    javac = toolchain("javac")
    for name, expected in CLASSES.items():
        rule = abnforge.loads(f'{name} = "a" part-1 part--1\npart-1 = "b"\npart--1 = ["c"]\n')[name]
        name = "org.example.r2_d2" if "-" in name else None
        file = rule.export("code-java", parts=["part-1", "part--1"], name=name)
        assert f"class {expected} {{" in file
        (tmp_path / f"{expected}.java").write_text(file)
    program(tmp_path, javac, *WARNINGS, *sorted(path.name for path in tmp_path.iterdir()))


def test_descriptions_that_java_cannot_store_are_refused() -> None:
    tables = tables_of(abnforge.rule("rfc3986:scheme"))
    for expected in (["a"] * 10_000, ["a" * 70_000]):
        with raises(ValueError, "code-too-large"):
            java.write(replace(tables, expected=expected))


@pytest.mark.slow
def test_every_rule(tmp_path: Path) -> None:
    compare("code-java", run, tmp_path, [*small_rules(), *every_rule()], 4_000)
    compare_depths("code-java", from_utf8(run), tmp_path)


@pytest.mark.slow
@each_row("grammar, name, suite, verdicts", SUITES)
def test_suites(tmp_path: Path, grammar: str, name: str, suite: str, verdicts: tuple[bool, ...]) -> None:
    cases = suite_cases(suite, verdicts)
    compare_suite("code-java", from_utf8(run), tmp_path, abnforge.load(grammar)[name], cases)
