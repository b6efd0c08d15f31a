"""Codes as text, as a page and as JSON."""

from __future__ import annotations

import abnforge
from abnforge.cli.common.codes import known_code, known_codes
from abnforge.cli.output.codes import CodePage, CodeText, code, plain
from abnforge.linting.finding import KINDS
from tests.cli.command import Seen
from tests.cli.output.outcomes import run, written
from tests.explain.endpoints import ENDPOINT
from tests.law import each_row

GRAMMAR = abnforge.loads(ENDPOINT, name="endpoint")

PORT = """\
port-junk
  a port has digits only, and no <junk>

  found instead of port
  error, family other, component port
  see endpoint, section 2
  seen: an issue tracker

  wrong: a port has digits only, and no "x"
    a:80x
        ^
  right:
    a:80

  wrong: a port has digits only, and no "O"
    8O
     ^
  right:
    8

  valid:
    a:80

  as ABNF:
    port-junk = digits junk
"""

LIST = """\
port-junk: a port has digits only, and no <junk> [other, port]
    a:80x  ->  a:80
space-in-host: no host has a space [whitespace, host]
    a b
space-in-label: no label has a space [whitespace, label]
"""

PAGE = """
## port-junk

A port has digits only, and no &lt;junk&gt;. Stands instead of port; endpoint, section 2.

| wrong | right | what is said |
|---|---|---|
| `a:80x` | `a:80` | a port has digits only, and no "x" |
| `8O` | `8` | a port has digits only, and no "O" |

Valid: `a:80`

Seen: an issue tracker.
"""


def test_text() -> None:
    assert run(CodeText, known_code(GRAMMAR, "PORT-junk"), full=True) == PORT
    assert run(CodeText, *known_codes(GRAMMAR)) == LIST
    two = run(CodeText, known_code(GRAMMAR, "port-junk"), known_code(GRAMMAR, "unreadable-port"), full=True)
    assert two.startswith(PORT + "\nunreadable-port\n")


def test_page(seen: Seen) -> None:
    seen(run(CodePage, known_code(GRAMMAR, "port-junk")))
    assert "\n## not-utf-8\n" in run(CodePage, known_code(GRAMMAR, "not-utf-8"))


def test_data(seen: Seen) -> None:
    plain = known_code(GRAMMAR, "port-junk").to_dict()
    assert list(plain) == [
        "code", "grammar", "family", "component", "severity", "meaning", "rule", "place", "section",
        "examples", "valid_examples", "sources", "definition",
    ]  # fmt: skip
    seen(plain["examples"][1])
    assert plain["valid_examples"] == [{"rule": None, "valid": "a:80"}]


CODES = [
    ("a", "`a`"),
    ("", "*(empty)*"),
    ("a|b", "<code>a&#124;b</code>"),
    ("`", "<code>&#96;</code>"),
    ("\\|", "<code>&#92;&#124;</code>"),
    (" <", "<code>&#32;&lt;</code>"),
    ("\n", "<code>&#92;n</code>"),
]


@each_row(("text", "shown"), CODES)
def test_code_in_a_cell(text: str, shown: str) -> None:
    assert code(text) == shown


def test_text_in_a_cell() -> None:
    assert plain("a_b|c <x> & *") == "a\\_b\\|c &lt;x&gt; &amp; \\*"


def test_a_lint_rule_is_explained_with_its_examples(seen: Seen) -> None:
    text = written("code", "text", KINDS["empty-range"])
    seen(text)
    assert "\nReported:\n\n    digit-char = %x39-30\n" in text
    assert text.endswith("\nNot reported:\n\n    digit-char = %x30-39\n")
    assert "\nReported:" not in written("code", "text", KINDS["file-too-large"])
