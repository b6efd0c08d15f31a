"""Compare generated code with rules in languages whose strings are UTF-16: Java and JavaScript."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import abnforge
from abnforge.engine.rule import Rule
from tests.codegen.test_stacked import ENOUGH, Walk
from tests.codegen.toolchain import answer, cover, tables_of
from tests.codegen.utf8 import Case, Run, strings

# The ends of the lengths of UTF-8 and of surrogates. Characters from U+10000 on have two code units.
SURROGATES = (0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000)
ENDS = (0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF, *SURROGATES)
SMALL = {
    f'start = *(a / b)\na = {" / ".join(f"%x{end:X}" for end in ENDS)}\nb = "(" %x400-10FFFF\n': ("b",),
    'start = *(word " ") [number "."]\nword = 1*%x61-10FFFF\nnumber = 1*DIGIT\n': ("word", "number"),
    # Names with a meaning in Java or JavaScript, and literals that can end comments or strings.
    'start = string / "\\u000a*/" / "\'" / %x22.5C / class\nstring = "a" constructor\n'
    'constructor = [int]\nint = DIGIT\nclass = "${x}"\n': ("string", "constructor", "int", "class"),
    'start = "<" start ">" / %xD800-DFFF / %x10000-10FFFF start %x7F-D800\n': (),
}


def small_rules() -> list[Case]:
    """Return small rules with surrogates and names that need care, with their parts."""
    return [(abnforge.loads(text)["start"], parts) for text, parts in SMALL.items()]


def compare(target: str, run: Run, folder: Path, cases: Sequence[Case], count: int) -> None:
    """Compare the files of rules, with and without parts, with the rules, for about ``count`` strings."""
    files: list[str] = []
    lines: list[str] = []
    answers: list[str] = []
    for rule, parts in cases:
        texts = texts_of(rule, parts, count)
        results = [answer(rule, text, parts) for text in texts]
        for names in dict.fromkeys([(), parts]):
            for text, (valid, offset, expected, places) in zip(texts, results, strict=True):
                spans = re.sub(r"\d+", partial(units, text), places) if names else ""
                lines.append(f"{len(files)} {code_units(text).hex()} {ENOUGH}\n")
                answers.append(f"{valid:d} {units(text, offset)}|{expected}|{spans}")
            files.append(rule.export(target, parts=names, name=f"rule{len(files)}"))
    outputs = run(folder, files, "".join(lines))
    wrong = [each for each in zip(lines, answers, outputs, strict=True) if each[1] != each[2]]
    assert not wrong, wrong[:5]


def from_utf8(run: Run) -> Run:
    """Return a function that runs files on strings of UTF-8."""

    def convert(folder: Path, files: Sequence[str], text: str) -> list[str]:
        lines = []
        for line in text.splitlines():
            number, string, depth = line.split(" ")
            lines.append(f"{number} {code_units(bytes.fromhex(string).decode()).hex()} {depth}\n")
        return run(folder, files, "".join(lines))

    return convert


def code_units(text: str) -> bytes:
    """Return a string in UTF-16, where a high surrogate before a low one is one character."""
    return text.encode("utf-16-be", "surrogatepass")


def units(text: str, offset: int | re.Match[str]) -> str:
    """Convert an offset in code points to UTF-16."""
    prefix = text[: int(offset if isinstance(offset, int) else offset[0])]
    return str(len(code_units(prefix)) // 2)


def texts_of(rule: Rule, parts: Sequence[str], count: int) -> list[str]:
    """Return strings that take each transition with surrogates, and about ``count`` other strings."""
    tables = tables_of(rule, parts, surrogates=True)
    octets = [*(Walk(tables).cover() if tables.stack else cover(tables)), *strings(rule, parts, count // 2)]
    texts = [*dict.fromkeys(map(readable, octets))]
    chance = random.Random(rule.name)
    while len(texts) < count:
        text = chance.choice(texts)
        at = chance.randrange(len(text) + 1)
        texts.append(text[:at] + chr(chance.choice(ENDS)) + text[at + chance.randrange(2) :])
    return [code_units(text).decode("utf-16-be", "surrogatepass") for text in texts]


def readable(octets: bytes) -> str:
    """Return the characters of UTF-8 with surrogates, up to the first byte that is not UTF-8."""
    try:
        return octets.decode(errors="surrogatepass")
    except UnicodeDecodeError as error:
        return octets[: error.start].decode(errors="surrogatepass")
