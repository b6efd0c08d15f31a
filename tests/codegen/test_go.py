"""The target Go: packages are formatted, pass go vet, and give the answers of their rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

import abnforge
from tests.codegen.toolchain import program, toolchain
from tests.codegen.utf8 import NAMES, all_rules, compare
from tests.law import each_row

DRIVER = """
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

IMPORTS
)

var rules = []func(text string) string{
FUNCTIONS
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var number int
		rule, digits, _ := strings.Cut(input.Text(), " ")
		fmt.Sscan(rule, &number)
		text, err := hex.DecodeString(digits)
		if err != nil {
			panic(err)
		}
		fmt.Println(rules[number](string(text)))
	}
}
"""
FUNCTION = """
	func(text string) string {
		valid, offset, expected, spans := 1, len(text), "", ""
		if err, ok := NAME.Check(text).(*NAME.SyntaxError); ok {
			valid, offset, expected = 0, err.Offset, err.Expected
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
        package.mkdir()
        (package / "rule.go").write_text(text, "ascii")
        imports.append(f'\trule{number} "example.com/driver/rule{number}"')
        function = FUNCTION.replace("PARTS", PARTS if "func Parts" in text else "")
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
    compare("code-go", run, tmp_path, all_rules(), 20_000)
