"""The engines of notations, if they are installed, as functions of grammars and strings.

Each function yields the verdicts on the strings of each job. Install the dependency group
``grammar-engines``. For ANTLR, set ANTLR_JAR to the path of its complete JAR file (npm package
``antlr4ng-cli``).
"""

from __future__ import annotations

import os
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import lark
import pytest

from tests.codegen.toolchain import toolchain

Job = tuple[str, Sequence[str]]
HERE = Path(__file__).parent
TIMEOUT = 300  # seconds


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
        pytest.skip("ANTLR_JAR is not a file")
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


ENGINES: Mapping[str, Mapping[str, Callable[[Sequence[Job]], Iterator[list[bool]]]]] = {
    "gbnf": {"xgrammar": xgrammar},
    "llguidance": {"llguidance": llguidance},
    "antlr4": {"antlr4": antlr4},
}
"""The engines of each notation."""
