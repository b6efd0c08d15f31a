"""Source code of grammars of bytes: files are proved, and run in C, Java, JavaScript and Python."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

import abnforge
from abnforge.codegen import proof, regular
from abnforge.engine import export
from abnforge.engine.grammar import sentences
from abnforge.records import replace
from tests.codegen.toolchain import program, toolchain
from tests.law import each_row
from tests.raising import raises

GRAMMAR = abnforge.loads(
    ';@ alphabet bytes\nframe = "#" 1*OCTET %xFF\nname = 1*( ALPHA / %xE9 ) [ "-" name ]\n'
    'word = 1*( %xC3 %xA9 / "a" )\nnest = %x81 [ nest / %xC3 %xA9 ] %xFE\nkey = 1*%x80-BF "=" value\n'
    "value = *%xC0-FF\n"
)
LANGUAGES = [name for name in export.BYTE_TARGETS if name in export.CODE_TARGETS]
MAIN = """
#include <stdio.h>
#include "rule.h"
int main(void) {
    unsigned char size[4];
    static char text[1 << 16];
    while (fread(size, 1, 4, stdin) == 4) {
        size_t length = size[0] | (size_t)size[1] << 8;
        if (fread(text, 1, length, stdin) != length) return 1;
        rule_result result = rule_check(text, length);
        printf("%d %zu\\n", result.valid, result.offset);
    }
    return 0;
}
"""


def texts(rule: abnforge.Rule, number: int) -> list[bytes]:
    source = Random(7)
    characters = b"#a-\x80\x81\xa9\xbf\xc0\xc3\xe9\xfe\xff\x00="
    drawn = [bytes(source.choices(characters, k=source.randint(0, 7))) for _ in range(number)]
    return [*drawn, *(bytes(text) for text in sentences(rule, count=number, seed=1))]


@each_row("rule", ["frame", "name", "word", "key", "value"])
def test_the_file_in_c(rule: str, tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    of_bytes = GRAMMAR[rule]
    (tmp_path / "rule.h").write_text(of_bytes.export("code-c", name="rule"))
    (tmp_path / "main.c").write_text(MAIN)
    subprocess.run([compiler, "-o", "main", "main.c"], cwd=tmp_path, check=True, timeout=60)
    rows = texts(of_bytes, 400)
    written = b"".join(struct.pack("<I", len(row)) + row for row in rows)
    result = subprocess.run([tmp_path / "main"], input=written, capture_output=True, check=True, timeout=60)
    for row, line in zip(rows, result.stdout.decode().splitlines(), strict=True):
        rejection = of_bytes.explain(row, suggest=False)
        assert line == (f"1 {len(row)}" if rejection is None else f"0 {rejection.offset}")


def answers(rule: abnforge.Rule, rows: list[bytes]) -> list[str]:
    """Return the verdict and the offset of each string, and the span of a part."""
    results = []
    for row in rows:
        rejection = rule.explain(row, suggest=False)
        span = rule.components(row, ["value"])["value"] if rejection is None and rule.name == "key" else None
        results.append(
            f"1 {len(row)} {'-'.join(map(str, span or ()))}"
            if rejection is None
            else f"0 {rejection.offset} "
        )
    return results


def parts_of(rule: str) -> list[str]:
    return ["value"] if rule == "key" else []


RULES = ["frame", "name", "word", "nest", "key"]


@each_row("rule", RULES)
def test_files_in_python(rule: str) -> None:
    module: dict[str, Any] = {"__name__": "rule"}
    exec(GRAMMAR[rule].export("code-python", parts=parts_of(rule)), module)
    rows = texts(GRAMMAR[rule], 400)
    results = []
    for row in rows:
        result = module["check"](row)
        span = module["parts"](row) if rule == "key" else None
        if rule != "nest":
            assert module["matches"](row) == result.valid
        results.append(
            f"{result.valid:d} {result.offset} {'-'.join(map(str, span['value'])) if span else ''}"
        )
    assert results == answers(GRAMMAR[rule], rows)
    with pytest.raises(TypeError):
        module["check"]("#")


DRIVER_JS = """
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { check, matches, OFFSET_UNIT } from "./rule.mjs";
import * as rule from "./rule.mjs";

assert.equal(OFFSET_UNIT, "bytes");
assert.throws(() => check("#"), TypeError);
for (const line of readFileSync(0, "ascii").split("\\n").slice(0, -1)) {
  const bytes = Buffer.from(line, "hex");
  const rejection = check(bytes);
  assert.equal(matches(new Uint8Array(bytes)), rejection === null);
  const span = rule.parts?.(bytes)?.value.join("-") ?? "";
  console.log(rejection ? `0 ${rejection.offset} ` : `1 ${bytes.length} ${span}`);
}
"""


@each_row("rule", RULES)
def test_files_in_javascript(rule: str, tmp_path: Path) -> None:
    node = toolchain("node")
    (tmp_path / "rule.mjs").write_text(GRAMMAR[rule].export("code-js", parts=parts_of(rule)))
    (tmp_path / "driver.mjs").write_text(DRIVER_JS)
    rows = texts(GRAMMAR[rule], 400)
    lines = "".join(f"{row.hex()}\n" for row in rows)
    assert program(tmp_path, node, "driver.mjs", input=lines).splitlines() == answers(GRAMMAR[rule], rows)


DRIVER_JAVA = """
import java.util.*;

class Driver {
    public static void main(String[] arguments) {
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            byte[] bytes = HexFormat.of().parseHex(lines.nextLine());
            Optional<RULE.Rejection> rejection = RULE.check(bytesDEPTH);
            if (RULE.matches(bytesDEPTH) != rejection.isEmpty()) throw new IllegalStateException();
            String span = "";
            PARTS
            int length = bytes.length;
            String places = span;
            System.out.println(rejection.map(each -> "0 " + each.offset() + " ")
                .orElseGet(() -> "1 " + length + " " + places));
        }
    }
}
"""
PARTS_JAVA = """
            Optional<RULE.Parts> parts = RULE.parts(bytes);
            if (parts.isPresent()) {
                int start = parts.get().start(RULE.Part.VALUE), end = parts.get().end(RULE.Part.VALUE);
                if (parts.get().get(RULE.Part.VALUE).length != end - start) throw new IllegalStateException();
                span = start + "-" + end;
            }
"""


@pytest.mark.slow
@each_row("rule", RULES)
def test_files_in_java(rule: str, tmp_path: Path) -> None:
    javac, java = toolchain("javac"), toolchain("java")
    name = rule.capitalize()
    driver = DRIVER_JAVA.replace("PARTS", PARTS_JAVA if rule == "key" else "")
    driver = driver.replace("RULE", name).replace("DEPTH", ", 1000" if rule == "nest" else "")
    (tmp_path / f"{name}.java").write_text(GRAMMAR[rule].export("code-java", parts=parts_of(rule), name=rule))
    (tmp_path / "Driver.java").write_text(driver)
    program(tmp_path, javac, "-Xlint:all", "-Werror", f"{name}.java", "Driver.java")
    rows = texts(GRAMMAR[rule], 400)
    lines = "".join(f"{row.hex()}\n" for row in rows)
    assert program(tmp_path, java, "Driver", input=lines).splitlines() == answers(GRAMMAR[rule], rows)


@each_row("rule", RULES)
def test_files_are_proved(rule: str) -> None:
    for target in LANGUAGES:
        text = GRAMMAR[rule].export(target)
        assert "UTF-8 is" not in text
        assert "--bytes" not in text  # the command is not known
    if rule == "key":
        assert GRAMMAR[rule].export("code-c", parts=["value"])


def test_tables_of_utf_8_do_not_agree_with_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    def of_utf8(automata, heading, meter, *, surrogates):  # type: ignore[no-untyped-def]
        tables = tables_of(automata, replace(heading, of_bytes=False), meter, surrogates=surrogates)
        return replace(tables, heading=heading)

    tables_of = regular.code_tables
    monkeypatch.setattr(proof.regular, "code_tables", of_utf8)
    with raises(proof.ProofError, "code-differs"):
        GRAMMAR["frame"].export("code-c")
