"""``abnforge extract``: output files and exit status."""

from __future__ import annotations

from pathlib import Path

import pytest

from abnforge.grammar.reader import MAX_GRAMMAR_BYTES
from tests.cli.command import Seen, run

DRAFT = """\
# Title

~~~ abnf
a = "x" / b
b = "y"
~~~
"""
DIFFERS = DRAFT + '\n~~~ abnf\nb = "z"\na = "x" / b\n~~~\n'
UNNAMED = DRAFT + "\n~~~\nc = a b\n~~~\n"


@pytest.mark.parametrize(
    ("arguments", "text", "status", "out"),
    [
        ([], DRAFT, 0, 'a = "x" / b\nb = "y"\n'),
        (
            [],
            DIFFERS,
            1,
            'a = "x" / b\nb = "y"\nb = "z"\n',
        ),
        (
            ["--collected"],
            DIFFERS,
            1,
            'a = "x" / b\nb = "y"\n',
        ),
        (
            [],
            UNNAMED,
            1,
            'a = "x" / b\nb = "y"\n',
        ),
        (
            ["--from", "text"],
            "a = x\n   b = (\n",
            1,
            "a = x\n",
        ),
        (
            [],
            "# Title\n",
            2,
            "",
        ),
    ],
)
def test_what_is_written_and_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    text: str,
    status: int,
    out: str,
    seen: Seen,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("draft.md").write_text(text, "utf-8")
    result = run("extract", "draft.md", *arguments)
    assert (result.exit_code, result.stdout) == (status, out)
    seen(result.stderr)


APPENDIX = """\
# 1. Pairs

~~~ abnf
pair  = name "=" value ; a pair
name  = 1*ALPHA
value = 1*DIGIT / "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" / "bbbbbbbbbbbbbbbbbbbbbbbbbbb"
~~~

## 1.2. Names

~~~ abnf
nick = name
Nick =/ 1*DIGIT
~~~

# Appendix A. Collected ABNF

~~~ abnf
name = 1*ALPHA
~~~
"""


def test_appendix(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "draft.md"
    path.write_text(APPENDIX, "utf-8")
    collected = tmp_path / "collected.abnf"
    assert run("extract", "--appendix", str(path), "-o", str(collected)).exit_code == 0
    text = collected.read_text("utf-8")
    seen(text)
    assert max(map(len, text.splitlines())) <= 69
    plain = tmp_path / "plain.abnf"
    run("extract", str(path), "-o", str(plain))
    assert run("diff", str(plain), str(collected)).exit_code == 0
    assert run("extract", "--appendix", "--collected", str(path)).code == "option-excluded"


def test_output_and_standard_input(tmp_path: Path, seen: Seen) -> None:
    target = tmp_path / "a.abnf"
    result = run("extract", "-", "--from", "markdown", "-o", str(target), stdin=DRAFT)
    assert (result.exit_code, result.stdout) == (0, "")
    expected = 'a = "x" / b\nb = "y"\n'
    assert target.read_text("utf-8") == expected
    assert run("extract", "-", stdin=DRAFT).stdout == target.read_text("utf-8")
    assert run("lint", str(target)).exit_code == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"<rfc>\n<a></rfc>", "a.xml:2:6: "),
        (b"<rfc>\xff", "0xFF"),
        (b" " * (MAX_GRAMMAR_BYTES + 1), "MAX_GRAMMAR_BYTES"),
        (None, "a.xml"),
    ],
)
def test_documents_that_cannot_be_read(tmp_path: Path, data: bytes | None, message: str) -> None:
    path = tmp_path / "a.xml"
    if data is not None:
        path.write_bytes(data)
    result = run("extract", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_reports_are_escaped_for_terminals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a\x1b[31m.md").write_text(UNNAMED, "utf-8")
    assert "\x1b" not in run("extract", "a\x1b[31m.md").stderr


def test_lint_and_fix_of_a_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("draft.md")
    text = DRAFT.replace('"x" / b', '"x" | bee').replace('"y"', "'y'")
    path.write_text(text.replace("bee", "b"), "utf-8")
    result = run("lint", "draft.md")
    assert result.exit_code == 1
    assert "draft.md:5:5: " in result.stdout
    assert run("lint", "--fix", "draft.md").exit_code == 0
    assert path.read_text("utf-8") == DRAFT.replace("'y'", '"y"')
