"""The target JavaScript: modules give the answers of their rules in Node.js."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.codegen.toolchain import program, toolchain
from tests.codegen.utf16 import built_in_rules, compare, small_rules

DRIVER = """
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";

const DEPTH = 150000;
const modules = [];
for (let number = 0; number < Number(process.argv[2]); number += 1) {
  modules.push(await import(`./rule${number}.mjs`));
}
const lines = [];
for (const line of readFileSync(0, "ascii").split("\\n").slice(0, -1)) {
  const [number, hexadecimal] = line.split(" ");
  const { check, matches, parts } = modules[Number(number)];
  const units = hexadecimal.match(/..../g) ?? [];
  const text = units.map((unit) => String.fromCharCode(parseInt(unit, 16))).join("");
  const rejection = check(text, DEPTH);
  const places = parts?.(text);
  assert.equal(matches(text, DEPTH), rejection === null);
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


def test_small_rules(tmp_path: Path) -> None:
    compare("code-js", run, tmp_path, small_rules()[3::7], 0)


@pytest.mark.slow
def test_rules_of_specifications(tmp_path: Path) -> None:
    compare("code-js", run, tmp_path, [*small_rules(), *built_in_rules()], 20_000)
