"""Bundled grammars give verdicts out of what is stored: a first one compiles nothing."""

from __future__ import annotations

import subprocess
import sys

import abnforge
from abnforge.engine.stores import AUTOMATON
from tests.law import each_row

VERDICTS = """
import sys
import abnforge
for name in sys.argv[1:]:
    grammar = abnforge.load(name)
    for rule, examples in grammar.examples.items():
        matches = grammar[rule].matches
        assert all(matches(each.text) is each.valid for each in examples), rule
print(*sorted(name for name in sys.modules if name.startswith(("abnforge.", "lark"))), sep="\\n")
"""

COMPILERS = {
    "abnforge.automata.dfa",
    "abnforge.regex",
    "abnforge.linting",
    "abnforge.explain",
    "abnforge.parsing.transducer",
    "lark",
}


def test_no_verdict_on_an_example_compiles_anything() -> None:
    """Whatever the number of rules: what is compiled would be imported."""
    run = subprocess.run(
        [sys.executable, "-c", VERDICTS, *abnforge.grammar_names()],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.stderr == ""
    # Without the kernel stored automata are walked as what that module builds.
    walked = set() if abnforge.KERNEL == "compiled" else {"abnforge.automata.dfa"}
    assert COMPILERS & set(run.stdout.split()) == walked


@each_row("name", abnforge.grammar_names())
def test_what_one_starts_from_is_stored(name: str) -> None:
    """Each rule with examples has its automaton, or configurations that all valid ones are read by."""
    grammar = abnforge.load(name)
    made = grammar.compilation
    for rule, examples in grammar.examples.items():
        key = grammar[rule].key
        stored = made.stored(key)
        if stored is None:
            assert made.store.get(AUTOMATON, key) is not None
        else:
            texts = [each.text for each in examples if each.valid]
            assert [stored.read(text) for text in texts] == [(True, None)] * len(texts)
