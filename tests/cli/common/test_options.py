"""Options that several commands share: completions and values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import abnforge
from abnforge.cli.app import cli
from abnforge.engine import ENGINES
from abnforge.engine.cache import user_cache
from tests.cli.command import fails, offered, run
from tests.law import each_row


@each_row("verb", ["check", "explain", "parse"])
@each_row(
    ("arguments", "code"),
    [
        (("--whole-file", "--null"), "option-excluded"),
        (("--newline", "keep"), "option-requires"),
        (("--whole-file", "-", "-"), "stdin-repeated"),
        (("--whole-file", "--newline", "cr"), "choice-unknown"),
    ],
)
def test_options_that_contradict_each_other(verb: str, arguments: tuple[str, ...], code: str) -> None:
    result = run(verb, *arguments, stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    fails(result, code)


@pytest.mark.parametrize("verb", ["check", "explain", "parse"])
def test_the_engines_offered_are_the_library_s(verb: str) -> None:
    assert offered("engine", verb) == list(ENGINES)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--import", "rfc3986"], 0),
        (["--import", "words.abnf"], 0),
        (["--define", 'port = "80"'], 0),
        (["--allow-undefined", "--rule", "name"], 0),
        ([], 2),
        (["--allow-undefined"], 2),
        (["--import", "rfc39"], 2),
        (["--import", "missing.abnf"], 2),
        (["--define", 'name = "x"'], 2),
    ],
)
def test_what_a_grammar_is_put_together_with(
    arguments: list[str], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.abnf").write_text('a = port name\nname = *"x"\n', "utf-8")
    Path("words.abnf").write_text("port = 1*DIGIT\n", "utf-8")
    text = "xx" if "name" in arguments else "80xx"
    for verb in (["check"], ["parse"], ["explain"]):
        result = CliRunner().invoke(cli, [*verb, "-g", "g.abnf", *arguments], input=f"{text}\n")
        assert result.exit_code == status, (verb, result.output)


def test_lists_are_read_as_asked(tmp_path: Path) -> None:
    path = tmp_path / "g.abnf"
    path.write_text("a = 1#name\nname = 1*ALPHA\n", "utf-8")
    assert CliRunner().invoke(cli, ["lint", str(path)]).exit_code == 1
    assert CliRunner().invoke(cli, ["lint", str(path), "--lists", "sender"]).exit_code == 0
    for form, status in (("recipient", 0), ("sender", 1)):
        result = CliRunner().invoke(cli, ["check", "-g", str(path), "--lists", form], input="a,,b\n")
        assert result.exit_code == status


@pytest.mark.parametrize(
    ("verb", "expression", "text", "status"),
    [
        ("check", "URI & absolute-URI", "http://a/", 0),
        ("check", "URI & absolute-URI", "http://a/#f", 1),
        ("check", "URI - absolute-URI", "http://a/", 1),
        ("explain", "~URI", "http://a/", 1),
        ("parse", "URI.at_most(5)", "a:bcdef", 1),
        ("check", "URI & rfc9110", "a:b", 2),
        ("check", "URI &", "a:b", 2),
    ],
)
def test_rules_as_sets(verb: str, expression: str, text: str, status: int) -> None:
    result = CliRunner().invoke(cli, [verb, "--rule", expression], input=f"{text}\n")
    assert result.exit_code == status, result.output


def test_sentences_and_patterns_of_sets() -> None:
    result = CliRunner().invoke(cli, ["generate", "--rule", "port - dec-octet", "-n", "20", "--seed", "1"])
    assert result.exit_code == 0, result.output
    ports, octets = (abnforge.rule(f"rfc3986:{name}") for name in ("port", "dec-octet"))
    assert all(ports.matches(line) and not octets.matches(line) for line in result.stdout.splitlines())
    exported = CliRunner().invoke(cli, ["export", "--to", "python", "-q", "--rule", "port - dec-octet"])
    pattern = re.compile(exported.stdout.rstrip("\n"))
    assert all(pattern.search(line) for line in result.stdout.splitlines())
    assert not pattern.search("255")
    assert pattern.search("256")


def test_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ABNFORGE_CACHE", str(tmp_path / "cache"))
    user_cache.cache_clear()
    path = tmp_path / "mine.abnf"
    path.write_text('a = 1*90( "xy" / "y" DIGIT / "yyzz" )\n')
    for arguments, kept in ((("--no-cache",), False), ((), True)):
        result = run("check", "-g", str(path), *arguments, stdin="xyxy\n")
        assert (result.exit_code, (tmp_path / "cache").exists()) == (0, kept)
    user_cache.cache_clear()
