"""Sources of grammars, and errors in grammars that cannot be loaded."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import abnforge
from abnforge.engine.loading import lintable, locate
from abnforge.grammar import reader
from tests.cli.command import run
from tests.raising import raises


def test_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "g.abnf"
    path.write_bytes(b'\xef\xbb\xbfa = "x"\r\n')
    assert abnforge.load(path)["a"].matches("x")
    assert abnforge.load(str(path)).name == "g"


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "g.abnf"
    path.write_bytes(b'a = "x"\nb = "\xff"\n')
    with raises(abnforge.GrammarError, "syntax-error") as caught:
        abnforge.load(path)
    assert (caught.value.line, caught.value.column) == (2, 6)


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_GRAMMAR_BYTES", 10)
    path = tmp_path / "g.abnf"
    path.write_text('a = "xxxxxxxx"\n')
    with raises(abnforge.GrammarError, "file-too-large"):
        abnforge.load(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        abnforge.load(tmp_path / "none.abnf")
    with pytest.raises(IsADirectoryError):
        abnforge.load(tmp_path)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: abnforge.load(""),
        lambda: abnforge.rule(""),
        lambda: abnforge.rule(":URI"),
        lambda: locate(""),
        lambda: lintable(""),
    ],
)
def test_no_name(ask: Callable[[], object]) -> None:
    with raises(abnforge.UnknownNameError, "grammar-missing"):
        ask()


def test_no_name_on_the_command_line() -> None:
    result = run("check", "-g", "", stdin="a\n")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", abnforge.package_names())
def test_every_rule_of_a_package_grammar_compiles(name: str) -> None:
    for rule in abnforge.load(name).own_rules:
        try:
            assert rule.lark.abnf_names
        except abnforge.GrammarError as error:
            assert error.code == "prose-val"  # noqa: PT017


LOCATED = [
    ("rfc3986", "rfc3986", None),
    ("rfc3986:host", "rfc3986", "host"),
    ("abnf:rfc3986", "rfc3986", None),
    ("abnf:rfc3986:host", "rfc3986", "host"),
    ("b:c.abnf", "b:c", None),
    ("b:c.abnf:x", "b:c", "x"),
]


@pytest.mark.parametrize(("text", "name", "rule"), LOCATED)
def test_a_grammar_and_a_rule_of_it(
    text: str, name: str, rule: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b:c.abnf").write_text('x = "x"\n')
    grammar, result = locate(text)
    assert (grammar.name.removeprefix("abnf:"), result) == (name, rule)


def test_what_cannot_be_located_is_named() -> None:
    with raises(ValueError, "rule-name-missing", text="rfc3986:"):
        locate("rfc3986:")
    for text in ("rfc3968", "rfc3968:host", "abnf:rfc3968"):
        with pytest.raises(abnforge.UnknownNameError) as caught:
            locate(text)
        assert "rfc3986" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name"), [("rfc3986:host", "host"), ("rfc3986", "URI"), ("abnf:rfc9110:token", "token")]
)
def test_a_rule_in_one_step(text: str, name: str) -> None:
    assert abnforge.rule(text).name == name


def test_a_rule_that_is_not_there() -> None:
    with raises(abnforge.UnknownNameError, "rule-name-unknown"):
        abnforge.rule("rfc3986:hots")
    with raises(ValueError, "rule-name-missing", text="rfc3986:"):
        abnforge.rule("rfc3986:")
    with raises(TypeError, "argument-bytes", name="text", type="bytes"):
        abnforge.rule(b"rfc3986:URI")  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_package_may_lie_in_an_archive(tmp_path: Path) -> None:
    package = Path(abnforge.__file__).parent
    archive = shutil.make_archive(str(tmp_path / "package"), "zip", package.parent, package.name)
    script = (
        'import abnforge; print(abnforge.rule("rfc3986:URI").matches("urn:a"), *abnforge.grammar_names())'
    )
    result = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {archive!r}); {script}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (result.stdout.split(), result.stderr) == (["True", *abnforge.grammar_names()], "")
