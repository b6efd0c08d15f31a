"""What is wrong with calls of programs in pages."""

from __future__ import annotations

import pytest

from tests import shell

CALLS = [
    ("a b 'c d' # e", [["a", "b", "c d"]]),
    ("a | b && c; d", [["a"], ["b"], ["c"], ["d"]]),
    ("A=1 a b=2 < c > d", [["a", "b=2"]]),
    ("a b \\\n  c\nd\n", [["a", "b", "c"], ["d"]]),
    ("a 'b|c' \"d>e\"", [["a", "b|c", "d>e"]]),
    ("# a\n\n", []),
]


@pytest.mark.parametrize(("text", "expected"), CALLS)
def test_calls(text: str, expected: list[list[str]]) -> None:
    assert list(shell.calls(text)) == expected


RIGHT = [
    "abnforge check --format jsonl -g rfc3986 -",
    "abnforge grammar lint --all a.abnf",
    "abnforge --version",
    "abnforge",
    ".venv/bin/pip install -q '.[ingest,test]' other",
    "python3 -m venv .venv",
    "python tools/stability.py --check",
    "python tools/bench.py --section kernel,columns",
    ".ci/run",
    "jq -r .code",
]
WRONG = [
    ("abnforge chek", "there is no verb chek"),
    ("abnforge grammar lint --al", "lint has no option --al"),
    ("abnforge check -z --format=json", "check has no option -z"),
    ("pip install 'abnforge[nothing,test]'", "there is no extra nothing"),
    ("python tools/nothing.py", "there is no file tools/nothing.py"),
    ("python tools/stability.py --chek", "tools/stability.py has no option --chek"),
    ("nothing -x", "what nothing is nobody knows (tests/shell.py, OTHERS)"),
]


@pytest.mark.parametrize(("text", "said"), [*((text, None) for text in RIGHT), *WRONG])
def test_complaints(text: str, said: str | None) -> None:
    (call,) = shell.calls(text)
    assert shell.complaint(call) == said
