"""Source code of grammars of bytes: the files are proved, and the one in C is compiled and run."""

from __future__ import annotations

import shutil
import struct
import subprocess
from pathlib import Path
from random import Random

import pytest

import abnforge
from abnforge.codegen import proof, regular
from abnforge.engine import export
from abnforge.engine.grammar import sentences
from abnforge.records import replace
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


@each_row("rule", ["frame", "name", "word", "nest", "key"])
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
