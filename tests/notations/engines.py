"""The engines of notations, if they are installed, as functions of grammars and strings.

Each function yields the verdicts on the strings of each job. Install the dependency group
``grammar-engines``. For ANTLR, set ANTLR_JAR to the path of its complete JAR file (npm package
``antlr4ng-cli``). For Peggy, set NODE_PATH to the directory of its npm package. For pest, install
Debian's packages ``cargo`` and ``librust-pest-derive-dev``.

``python -m tests.notations.engines`` prints the tables of docs/decoders.md.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import lark
import pytest

import abnforge
from abnforge import conformance
from abnforge.charset import CharSet
from abnforge.notations.notation import NOTATIONS
from tests.codegen.toolchain import program, toolchain

Job = tuple[str, Sequence[str]]
HERE = Path(__file__).parent
TIMEOUT = 300  # seconds


def strings(rule: abnforge.Rule, most: int, alphabet: CharSet) -> list[str]:
    """Return strings over an alphabet from the test suite, and near misses."""
    texts = [vector.text for vector in conformance.suite(rule, "quick")]
    texts += [each.text for each in conformance.near_misses(rule)]
    usual = [text for text in dict.fromkeys(texts) if all(char in alphabet for char in text)]
    return random.Random(0).sample(usual, min(most, len(usual)))


def lark_parser(jobs: Sequence[Job], **options: str) -> Iterator[list[bool]]:
    """Yield verdicts of Lark, which reads the grammars for llguidance."""
    for grammar, strings in jobs:
        parser = lark.Lark(grammar, **options)  # type: ignore[arg-type]

        def accepts(text: str, parser: lark.Lark = parser) -> bool:
            try:
                parser.parse(text)
            except lark.exceptions.UnexpectedInput:
                return False
            return True

        yield list(map(accepts, strings))


def xgrammar(jobs: Sequence[Job]) -> Iterator[list[bool]]:
    engine = pytest.importorskip("xgrammar")
    compiler = engine.GrammarCompiler(engine.TokenizerInfo([]), max_threads=1)
    for grammar, strings in jobs:
        compiled = compiler.compile_grammar(engine.Grammar.from_ebnf(grammar))

        def accepts(text: str, compiled: object = compiled) -> bool:
            matcher = engine.GrammarMatcher(compiled, terminate_without_stop_token=True)
            return (not text or matcher.accept_string(text.encode())) and matcher.is_completed()

        yield list(map(accepts, strings))


class _Bytes:
    """A tokenizer whose tokens are bytes."""

    eos_token_id = 256
    bos_token_id = None
    tokens = (*(bytes([byte]) for byte in range(256)), b"<end>")
    special_token_ids = (256,)

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text.encode() if isinstance(text, str) else text)


def llguidance(jobs: Sequence[Job]) -> Iterator[list[bool]]:
    engine = pytest.importorskip("llguidance")
    tokenizer = engine.LLTokenizer(engine.TokenizerWrapper(_Bytes()))
    for grammar, strings in jobs:
        compiled = engine.LLMatcher.grammar_from_lark(grammar)

        def accepts(text: str, compiled: str = compiled) -> bool:
            matcher = engine.LLMatcher(tokenizer, compiled, log_level=0)
            assert not matcher.is_error(), matcher.get_error()
            tokens = list(text.encode())
            return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()

        yield list(map(accepts, strings))


def _encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def antlr4(jobs: Sequence[Job]) -> Iterator[list[bool]]:
    java, jar = toolchain("java"), os.environ.get("ANTLR_JAR", "")
    if not Path(jar).is_file():
        pytest.skip("ANTLR_JAR names no file")
    lines = [
        line
        for grammar, strings in jobs
        for line in (_encoded(grammar), str(len(strings)), *map(_encoded, strings))
    ]
    command = [java, "-Xss64m", "-cp", jar, str(HERE / "Antlr.java")]
    run = subprocess.run(
        command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=TIMEOUT
    )
    assert not run.returncode, run.stderr
    for line in run.stdout.splitlines():
        assert not line.startswith("error"), line
        yield [sign == "+" for sign in line]


PEGGY = """
const peggy = require("peggy");
const jobs = JSON.parse(require("fs").readFileSync(0, "utf8"));
const accepts = (parser, text) => {
    try {
        parser.parse(text);
        return true;
    } catch (error) {
        if (!(error instanceof parser.SyntaxError)) throw error;
        return false;
    }
};
const verdicts = ([grammar, strings]) => {
    const parser = peggy.generate(grammar);
    return strings.map((text) => accepts(parser, text));
};
console.log(JSON.stringify(jobs.map(verdicts)));
"""


def peggy(jobs: Sequence[Job]) -> Iterator[list[bool]]:
    node = toolchain("node")
    if not (Path(os.environ.get("NODE_PATH", "")) / "peggy").is_dir():
        pytest.skip("NODE_PATH has no peggy")
    run = subprocess.run(
        [node, "-e", PEGGY], input=json.dumps(jobs), capture_output=True, text=True, timeout=TIMEOUT
    )
    assert not run.returncode, run.stderr
    yield from json.loads(run.stdout)


REGISTRY = Path("/usr/share/cargo/registry")  # of Debian's packages
CARGO = """
[package]
name = "verdicts"
version = "0.0.0"
edition = "2021"

[dependencies]
pest = "2"
pest_derive = "2"
"""
CONFIG = f"""
[source.crates-io]
replace-with = "debian"

[source.debian]
directory = "{REGISTRY}"
"""
MAIN = """
fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split(' ').collect();
        let numbers = words[1].split(',').filter(|each| !each.is_empty());
        let bytes = numbers.map(|each| each.parse::<u8>().unwrap()).collect();
        let text = String::from_utf8(bytes).unwrap();
        print!("{}", if parse(words[0], &text) { '+' } else { '-' });
    }
}
"""


def pest(jobs: Sequence[Job]) -> Iterator[list[bool]]:
    cargo = toolchain("cargo")
    if not any(REGISTRY.glob("pest_derive-*")):
        pytest.skip("pest is not installed")
    modules, arms, lines = [], [], []
    for number, (grammar, strings) in enumerate(jobs):
        attribute = f'#[grammar_inline = r####"{grammar}"####]'
        modules.append(f"mod g{number} {{ #[derive(pest_derive::Parser)] {attribute} pub struct P; }}")
        arms.append(f'"{number}" => g{number}::P::parse(g{number}::Rule::start, text).is_ok(),')
        lines += [f"{number} {','.join(map(str, text.encode()))}\n" for text in strings]
    choice = "\n".join(["match job {", *arms, "_ => unreachable!()", "}"])
    function = f"use pest::Parser;\nfn parse(job: &str, text: &str) -> bool {{\n{choice}\n}}\n"
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = {"Cargo.toml": CARGO, ".cargo/config.toml": CONFIG}
        files["src/main.rs"] = "\n".join(modules) + function + MAIN
        for file, text in files.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text, "utf-8")
        verdicts = program(folder, cargo, "run", "--quiet", "--offline", input="".join(lines))
    for _, strings in jobs:
        yield [sign == "+" for sign in verdicts[: len(strings)]]
        verdicts = verdicts[len(strings) :]


ENGINES: Mapping[str, Mapping[str, Callable[[Sequence[Job]], Iterator[list[bool]]]]] = {
    "gbnf": {"xgrammar": xgrammar},
    "llguidance": {"llguidance": llguidance},
    "antlr4": {"antlr4": antlr4},
    "peggy": {"peggy": peggy},
    "pest": {"pest": pest},
}
"""The engines of each notation."""

DECODERS = ["gbnf", "llguidance"]
"""The notations of engines that restrict the output of language models."""
DECODED = [
    "rfc3339:date-time", "rfc3986:URI", "rfc3986:URI-reference", "rfc3986:IPv6address", "rfc3987:IRI",
    "rfc5321:Mailbox", "rfc5322:addr-spec", "rfc5322:address", "rfc5646:Language-Tag",
    "rfc6265:set-cookie-string", "rfc6570:URI-Template", "rfc8259:JSON-text", "rfc9110:Accept",
    "rfc9110:comment", "rfc9535:jsonpath-query", "semver-2.0.0:valid-semver", "toml-1.0.0:toml",
    "toml-1.0.0:val",
]  # fmt: skip
PLAIN = [
    ('%s"ab" / %s"abc"', 'root ::= "a" "b" | "ab" "c"', 'start: "a" "b" | "ab" "c"'),
    ('*( %s"a" / %s"b" ) %s"b"', 'root ::= [ab]* "b"', 'start: /[ab]*/ "b"'),
]
"""ABNF elements, and translations of the same structure to each of these notations."""


def main() -> None:
    """Print the number of strings on which each engine differs from the rule, and a shortest one."""
    cases = [
        (name, rule := abnforge.rule(name), [rule.export(each) for each in DECODERS]) for name in DECODED
    ]
    for abnf, *grammars in PLAIN:
        cases.append((grammars[1], abnforge.loads(f"start = {abnf}\n")["start"], grammars))
    for name, rule, grammars in cases:
        cells = [f"`{name}`".replace("|", "\\|")]
        for target, grammar in zip(DECODERS, grammars, strict=True):
            texts = strings(rule, 5000, NOTATIONS[target].alphabet)
            for engine in ENGINES[target].values():
                (verdicts,) = engine([(grammar, texts)])
                both = zip(texts, verdicts, strict=True)
                wrong = sorted((text for text, yes in both if yes is not rule.matches(text)), key=len)
                shortest = f" {wrong[0]!a}" if wrong else ""
                cells.append(f"{len(texts):,} | {len(wrong):,}{shortest}")
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
