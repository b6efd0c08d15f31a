"""The target JavaScript: modules give the answers of their rules in Node.js."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

import abnforge
from tests.codegen.test_stacked import SUITES, suite_cases
from tests.codegen.toolchain import follow, program, toolchain
from tests.codegen.utf8 import compare_depths, compare_suite, every_rule
from tests.codegen.utf16 import compare, from_utf8, small_rules
from tests.law import each_row
from tests.places import ROOT
from tests.test_recipes import run as shell

DRIVER = """
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";

const modules = [];
for (let number = 0; number < Number(process.argv[2]); number += 1) {
  modules.push(await import(`./rule${number}.mjs`));
}
const lines = [];
for (const line of readFileSync(0, "ascii").split("\\n").slice(0, -1)) {
  const [number, hexadecimal, depth] = line.split(" ");
  const { check, matches, parts } = modules[Number(number)];
  const units = hexadecimal.match(/..../g) ?? [];
  const text = units.map((unit) => String.fromCharCode(parseInt(unit, 16))).join("");
  let rejection;
  try {
    rejection = check(text, Number(depth));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    assert.throws(() => matches(text, Number(depth)), RangeError);
    for (const other of [null, NaN, -1, "9"]) assert.throws(() => check(text, other), TypeError);
    lines.push(`2 ${error.offset}||`);
    continue;
  }
  const places = parts?.(text);
  assert.equal(matches(text, Number(depth)), rejection === null);
  if (parts) assert.equal(places !== null, rejection === null);
  const { offset, expected } = rejection ?? { offset: text.length, expected: "" };
  const spans = Object.values(places ?? {}).map((span) => span?.join("-") ?? "-");
  lines.push(`${rejection ? 0 : 1} ${offset}|${expected}|${spans.join(" ")}`);
}
process.stdout.write(lines.join("\\n"));
"""


def run(folder: Path, files: Sequence[str], lines: str) -> list[str]:
    """Return the output of all modules in one process."""
    node = toolchain("node")
    for number, text in enumerate(files):
        (folder / f"rule{number}.mjs").write_text(text, "ascii")
    (folder / "driver.mjs").write_text(DRIVER)
    return program(folder, node, "driver.mjs", str(len(files)), input=lines).splitlines()


# A page with an input field that contains a mistake.
BROWSER = """
const input = {
  value: "http://a b/",
  addEventListener: (_, listener) => listener(),
  setCustomValidity: console.log,
  reportValidity: () => {},
};
globalThis.document = { querySelector: () => input };
"""


@pytest.mark.slow
def test_the_guide(tmp_path: Path) -> None:
    """The commands on the page print the output on the page, and the script in HTML reports a mistake."""
    node = toolchain("node")
    page = follow("export-javascript.md", tmp_path)
    (script,) = re.findall(r'<script type="module">(.*)</script>', page, re.DOTALL)
    (tmp_path / "browser.mjs").write_text(BROWSER + script)
    assert program(tmp_path, node, "browser.mjs") == "invalid at character 9\n"


@pytest.mark.slow
def test_the_example(tmp_path: Path) -> None:
    """The project in examples/ writes its module, validates its arguments, and compares times."""
    node = toolchain("node")
    folder = shutil.copytree(ROOT / "examples" / "javascript", tmp_path, dirs_exist_ok=True)
    scripts = json.loads((folder / "package.json").read_text("utf-8"))["scripts"]
    assert "[status" not in shell(scripts["generate"], folder)
    assert shell(f"{scripts['start']} http://b:1/ http:/%", folder).splitlines() == [
        "valid: http://b:1/; host: b",
        "invalid: http:/%; offset 7, expected: DIGIT [0-9]; HEXDIG [A-Fa-f]",
        "[status 1]",
    ]
    times = program(folder, node, "bench.mjs", str(ROOT / "examples" / "uris.txt")).splitlines()
    assert [line[:5] for line in times] == ["match", "check", "parts", "parts", "URL.c", "new U"]


def test_small_rules(tmp_path: Path) -> None:
    compare("code-js", run, tmp_path, small_rules()[::3], 0)


def test_depths(tmp_path: Path) -> None:
    compare_depths("code-js", from_utf8(run), tmp_path)


@pytest.mark.slow
def test_every_rule(tmp_path: Path) -> None:
    compare("code-js", run, tmp_path, [*small_rules(), *every_rule()], 4_000)


@pytest.mark.slow
@each_row("grammar, name, suite, verdicts", SUITES)
def test_suites(tmp_path: Path, grammar: str, name: str, suite: str, verdicts: tuple[bool, ...]) -> None:
    cases = suite_cases(suite, verdicts)
    compare_suite("code-js", from_utf8(run), tmp_path, abnforge.load(grammar)[name], cases)
