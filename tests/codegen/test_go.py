"""The target Go: packages are formatted, pass go vet, and give the answers of their rules."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import abnforge
from tests.codegen.test_stacked import SUITES, suite_cases
from tests.codegen.toolchain import follow, program, toolchain
from tests.codegen.utf8 import NAMES, compare, compare_depths, compare_suite, every_rule
from tests.law import each_row
from tests.places import ROOT
from tests.test_recipes import run as shell

DRIVER = """
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"

IMPORTS
)

var rules = []func(text string, maxDepth int) string{
FUNCTIONS
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	for input.Scan() {
		fields := strings.Split(input.Text(), " ")
		number, _ := strconv.Atoi(fields[0])
		maxDepth, _ := strconv.Atoi(fields[2])
		text, err := hex.DecodeString(fields[1])
		if err != nil {
			panic(err)
		}
		fmt.Println(rules[number](string(text), maxDepth))
	}
}
"""
STACK_FUNCTION = """
	func(text string, maxDepth int) string {
		err := NAME.Check(text, maxDepth)
		if reflect.DeepEqual(err, NAME.Check([]byte(text), maxDepth)) {
			switch err := err.(type) {
			case nil:
				return fmt.Sprintf("1 %d||", len(text))
			case *NAME.SyntaxError:
				return fmt.Sprintf("0 %d|%s|", err.Offset, err.Expected)
			case *NAME.DepthError:
				return fmt.Sprintf("2 %d||", err.Offset)
			}
		}
		panic(err)
	},
"""
FUNCTION = """
	func(text string, _ int) string {
		valid, offset, expected, spans := 1, len(text), "", ""
		if err, ok := NAME.Check(text).(*NAME.SyntaxError); ok {
			valid, offset, expected = 0, err.Offset, err.Expected
		}
		if !reflect.DeepEqual(NAME.Check(text), NAME.Check([]byte(text))) {
			panic(text)
		}
		if NAME.Matches(text) != (valid == 1) || NAME.Matches([]byte(text)) != (valid == 1) {
			panic(text)
		}
PARTS
		return fmt.Sprintf("%d %d|%s|%s", valid, offset, expected, spans)
	},
"""
PARTS = """
		parts, ok := NAME.Parts(text)
		if ok != (valid == 1) {
			panic(text)
		}
		if ok {
			spans = fmt.Sprint(parts)
		}
"""

IDENTIFIERS = [
    ("type", (), "typerule", []),
    ("r--1", (), "r1", []),
    ("start", ("type", "r--1", "r-1", "r1"), "start", ["Type", "R1", "R1_2", "R1_3"]),
]


def run(folder: Path, files: Sequence[str], lines: str) -> list[str]:
    """Return the output of all packages in one process."""
    go = toolchain("go")
    imports, functions = [], []
    for number, text in enumerate(files):
        package = folder / f"rule{number}"
        package.mkdir(exist_ok=True)
        (package / "rule.go").write_text(text, "ascii")
        imports.append(f'\trule{number} "example.com/driver/rule{number}"')
        function = FUNCTION if "func Matches" in text else STACK_FUNCTION
        function = function.replace("PARTS", PARTS if "func Parts" in text else "")
        functions.append(function.replace("NAME", f"rule{number}"))
    (folder / "go.mod").write_text("module example.com/driver\n\ngo 1.18\n")
    driver = DRIVER.replace("IMPORTS", "\n".join(imports)).replace("FUNCTIONS", "\n".join(functions))
    (folder / "main.go").write_text(driver.lstrip())
    assert not program(folder, toolchain("gofmt"), "-l", *(f"rule{n}" for n in range(len(files))))
    assert not program(folder, go, "vet", "./...")
    output = program(folder, go, "run", ".", input=lines)
    return list(map(_with_places, output.splitlines()))


def _with_places(line: str) -> str:
    """Return a line with the spans ``{0 4} {-1 -1}`` as ``0-4 -``."""
    answer, _, spans = line.rpartition("|")
    pairs = re.findall(r"(-?\d+) (-?\d+)", spans)
    return f"{answer}|{' '.join('-' if end == '-1' else f'{start}-{end}' for start, end in pairs)}"


@each_row("name, parts, expected_name, fields", IDENTIFIERS)
def test_identifiers(name: str, parts: tuple[str, ...], expected_name: str, fields: list[str]) -> None:
    text = abnforge.loads(NAMES)[name].export("code-go", parts=parts)
    assert re.findall(r"^package (\w+)$", text, re.MULTILINE) == [expected_name]
    assert re.findall(r"^\t(\w+) +Span //", text, re.MULTILINE) == fields


@pytest.mark.slow
def test_answers(tmp_path: Path) -> None:
    compare("code-go", run, tmp_path, every_rule(), 4_000)


@pytest.mark.slow
def test_too_deep(tmp_path: Path) -> None:
    compare_depths("code-go", run, tmp_path)


@pytest.mark.slow
@each_row("grammar, name, suite, verdicts", SUITES)
def test_suites(tmp_path: Path, grammar: str, name: str, suite: str, verdicts: tuple[bool, ...]) -> None:
    compare_suite("code-go", run, tmp_path, abnforge.load(grammar)[name], suite_cases(suite, verdicts))


@pytest.mark.slow
def test_the_guide(tmp_path: Path) -> None:
    toolchain("go")
    follow("export-go.md", tmp_path)


@pytest.mark.slow
def test_the_example(tmp_path: Path) -> None:
    """The program in examples/ and its benchmark run."""
    toolchain("go")
    folder = shutil.copytree(ROOT / "examples" / "go", tmp_path / "go")
    (folder / "uri").mkdir()
    printed = shell("go generate && go vet ./... && go run . a:b http://h/ '%' 2>/dev/null", folder)
    assert [line.partition("; ")[0] for line in printed.splitlines()] == [
        'a:b: valid, host ""',
        'http://h/: valid, host "h"',
        "%: uri: byte 0: expected ALPHA [A-Za-z]",
        "[status 1]",
    ]
    assert shell("go run ./bench main.go", folder).count(" of ") == 4
