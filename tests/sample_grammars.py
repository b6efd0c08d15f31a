"""Sample grammars with every construct (bundled, from files, from strings), and their values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import abnforge
from abnforge import conformance

TEXT = 'start = "a" / "(" start ")"\nword = 1*ALPHA ; letters\n'
LOADED = abnforge.loads(TEXT, name="mine", budget=abnforge.Budget(steps=2_000_000))


def from_files() -> dict[str, abnforge.Grammar]:
    """Return grammars from files that no longer exist when a test copies the grammars."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "common.abnf").write_text("word = 1*ALPHA\nfar = beyond\n")
        (folder / "imports.abnf").write_text(
            ";@ import rfc3986: port\n;@ import ./common.abnf\nx = port word\n"
        )
        (folder / "imports.mistakes.abnf").write_text(MISTAKE)
        (folder / "page.md").write_text("# A page\n\n```abnf\na = 1*DIGIT\n```\n")
        return {
            "file": abnforge.load(folder / "common.abnf", allow_undefined=True),
            "file that imports": abnforge.load(folder / "imports.abnf"),
            "document": abnforge.load(folder / "page.md"),
            "import of a path": abnforge.loads("x = word\n", imports=[folder / "common.abnf"]),
        }


MISTAKE = ';@ of x; blame all; fix none; say "{all} is short"\nshort = "!"\n'
IMPORTING = abnforge.loads(";@ import rfc3986: port\nx = port\n")

KINDS: dict[str, abnforge.Grammar] = {
    "bundled": abnforge.load("rfc3986"),
    "bundled that imports": abnforge.load("rfc8288"),
    "bundled with lists": abnforge.load("rfc9110", lists="sender"),
    "bundled with mistakes": abnforge.load("rfc3339", mistakes=MISTAKE.replace("of x", "of time-offset")),
    **from_files(),
    "text": LOADED,
    "text that imports": IMPORTING,
    "import of a name": abnforge.loads("x = port\n", imports=["rfc3986"]),
    "import of a grammar": abnforge.loads("x = port word\n", imports=[IMPORTING, LOADED]),
    "definitions": abnforge.loads("x = y\n", define=['y = "z"\n']),
    "exceptions": abnforge.loads(';@ except word\nx = 1*ALPHA\nword = "if"\n'),
    "undefined": abnforge.loads('x = "a"\ny = z\n', allow_undefined=True),
    "recipient": abnforge.loads('x = 1#y\ny = "y"\n', lists="recipient"),
    "sender": abnforge.loads('x = 1#y\ny = "y"\n', lists="sender"),
    "package": abnforge.load("abnf:rfc3339"),
    "recursive": abnforge.loads('x = "(" *x ")"\n'),
    "mistakes": abnforge.loads('x = "!!"\n', mistakes=MISTAKE),
    "mistakes among its rules": abnforge.loads('x = "!!"\n' + MISTAKE),
    "notation of RFC 822": abnforge.loads('x = "a" | "b"\n', dialect="rfc822"),
    "combined": (LOADED["word"] - IMPORTING["port"]).at_most(9).grammar,
}


def raised(function: Any, *arguments: object) -> Exception:
    try:
        function(*arguments)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def values_of(grammar: abnforge.Grammar) -> Iterator[Any]:
    """Yield a grammar, its first rule, and objects that are built from them."""
    rule = next(iter(grammar.values()))
    rejection = rule.explain("!\0")
    assert rejection
    yield from (grammar, rule, rejection, *rejection.hypotheses, raised(rule.parse, "!\0"))
    if rule.regular:
        yield from (rule - rule.at_most(2), abnforge.compare(rule, rule.at_most(2)))
    if rule.regular and rule.automaton.states < 9:
        suite = conformance.suite(rule, "quick")
        yield from (suite, conformance.run(rule, str.isdigit, "quick"))
    if len(grammar.own_rules) < 9 and grammar.start._expression is None:
        yield from grammar.lint()[:2]
