"""The target Rust: modules are formatted, compile without std, and give the answers of their rules."""

from __future__ import annotations

import re
import shutil
import subprocess
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
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let [rule, digits, size] = line.split(' ').collect::<Vec<_>>()[..] else {
            unreachable!()
        };
        let _stack = &mut vec![0; size.parse().unwrap()][..];
        let digit = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap();
        let text: Vec<u8> = (0..digits.len() / 2).map(digit).collect();
        match rule.parse().unwrap() {
FUNCTIONS
            _ => unreachable!(),
        }
    }
}
"""
STACK_FUNCTION = """
            NUMBERusize => match rules::NAME::check(&text, _stack) {
                Ok(()) => println!("1 {}||", text.len()),
                Err(rules::NAME::Error::Syntax { offset, expected }) => println!("0 {offset}|{expected}|"),
                Err(rules::NAME::Error::TooDeep { offset }) => println!("2 {offset}||"),
            },
"""
FUNCTION = """
            NUMBERusize => {
                let result = rules::NAME::check(&text);
                assert_eq!(rules::NAME::matches(&text), result.is_ok());
                let (offset, expected) = match result {
                    Ok(()) => (text.len(), ""),
                    Err(error) => (error.offset, error.expected),
                };
                print!("{} {offset}|{expected}|", result.is_ok() as u8);
PARTS
                println!();
            }
"""
PARTS = """
                let parts = rules::NAME::parts(&text);
                assert_eq!(parts.is_some(), result.is_ok());
                if let Some(parts) = parts {
                    print!("{parts:?}");
                }
"""


@pytest.fixture(autouse=True, scope="module")
def recent_rust() -> None:
    """Skip the tests if Rust is older than the guide says: modules use ``core::error``."""
    if path := shutil.which("rustc"):
        version = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60).stdout
        if tuple(map(int, re.findall(r"\d+", version)[:2])) < (1, 81):
            pytest.skip(f"{version.strip()} is older than 1.81")


def run(folder: Path, files: Sequence[str], lines: str) -> list[str]:
    """Return the output of all modules in one process. The modules form a library without ``std``."""
    rustc = toolchain("rustc")
    library = ["#![no_std]\n#![forbid(unsafe_code)]\n"]
    functions = []
    for number, text in enumerate(files):
        (folder / f"rule{number}.rs").write_text(text, "ascii")
        library.append(f"pub mod rule{number};\n")
        function = FUNCTION if "pub fn matches" in text else STACK_FUNCTION
        function = function.replace("PARTS", PARTS if "pub fn parts" in text else "")
        functions.append(function.replace("NUMBER", str(number)).replace("NAME", f"rule{number}"))
    (folder / "rules.rs").write_text("".join(library))
    (folder / "driver.rs").write_text(DRIVER.replace("FUNCTIONS", "\n".join(functions)))
    program(folder, toolchain("rustfmt"), "--check", *(f"rule{number}.rs" for number in range(len(files))))
    options = ("--edition", "2021", "-O", "-D", "warnings")
    program(folder, rustc, *options, "--crate-type", "lib", "rules.rs")
    program(folder, rustc, *options, "--extern", "rules=librules.rlib", "driver.rs")
    return list(map(_with_places, program(folder, "./driver", input=lines).splitlines()))


def _with_places(line: str) -> str:
    """Return a line with the spans ``Some(0..4), None`` as ``0-4 -``."""
    answer, _, spans = line.rpartition("|")
    pairs = re.findall(r"Some\((\d+)\.\.(\d+)\)|None", spans)
    return f"{answer}|{' '.join('-' if not end else f'{start}-{end}' for start, end in pairs)}"


def test_identifiers() -> None:
    parts = ("type", "self", "r--1", "r-1", "r1")
    text = abnforge.loads(NAMES)["start"].export("code-rust", parts=parts)
    fields = re.findall(r"pub (\w+): Option", text)
    assert fields == ["type_", "self_", "r_1", "r_1_2", "r1"]


@pytest.mark.slow
def test_answers(tmp_path: Path) -> None:
    compare("code-rust", run, tmp_path, every_rule(), 4_000)


@pytest.mark.slow
def test_too_deep(tmp_path: Path) -> None:
    compare_depths("code-rust", run, tmp_path)


@pytest.mark.slow
@each_row("grammar, name, suite, verdicts", SUITES)
def test_suites(tmp_path: Path, grammar: str, name: str, suite: str, verdicts: tuple[bool, ...]) -> None:
    compare_suite("code-rust", run, tmp_path, abnforge.load(grammar)[name], suite_cases(suite, verdicts))


@pytest.mark.slow
def test_the_guide(tmp_path: Path) -> None:
    toolchain("cargo")
    follow("export-rust.md", tmp_path)


@pytest.mark.slow
def test_the_example(tmp_path: Path) -> None:
    """The program in examples/ runs. Its benchmark needs other crates."""
    toolchain("cargo")
    folder = shutil.copytree(ROOT / "examples" / "rust", tmp_path / "rust")
    source = (folder / "src" / "main.rs").read_text("utf-8")
    [commands] = re.findall("(?s)```sh\\n(.*?)```", source.replace("//! ", "").replace("//!", ""))
    assert shell(commands.replace("cargo run", "RUSTFLAGS='-D warnings' cargo run -q --"), folder) == (
        'https://example.org/: valid, host Some("example.org")\n'
    )
