"""``abnforge conform`` tests an implementation against a rule."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from abnforge.cli.commands.conform import implementation
from abnforge.cli.common.errors import UsageError
from abnforge.conformance.judges import Judge
from tests.cli.command import Seen, fails
from tests.cli.command import run as command
from tests.raising import raises

run = partial(command, "conform")
# The implementation gets each string as its last argument, as a line of JSON, or as a line.
PROGRAM = """
import json, re, sys

def judge(text):
    return bool(re.match("^[0-9]{0,5}$", text))

if sys.argv[1] == "jsonl":
    for line in sys.stdin:
        print(json.dumps({"valid": judge(json.loads(line)["text"])}), flush=True)
elif sys.argv[1] == "stdin":
    sys.exit(0 if judge(sys.stdin.buffer.read().decode()) else 1)
else:
    sys.exit(0 if judge(sys.argv[-1]) else 1)
"""


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    path = tmp_path / "check.py"
    path.write_text(PROGRAM)
    return ["--", sys.executable, "-S", str(path)]


def test_who_is_right_passes(seen: Seen) -> None:
    result = run("--rule", "IPv4address", "--python", "ipaddress:IPv4Address")
    assert result.exit_code == 0
    seen(result.stdout)
    seen(result.stderr)


@pytest.mark.slow
def test_what_differs_is_told(program: list[str], seen: Seen) -> None:
    result = run("--rule", "port", "--protocol", "jsonl", *program, "jsonl")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    seen(lines[0])
    assert lines[1].startswith("  accepted (and 1 more): ")
    assert lines[1].endswith(" [space-before]")
    assert lines[2:5] == ["      \\n", "      ^^", "    rule     port; RFC 3986, appendix C"]
    seen(lines[5])
    seen(lines[6])
    assert lines[7:9] == ["      111111", "           ^"]
    seen(result.stderr)


@pytest.mark.parametrize("more", ["argument", "stdin"])
def test_protocols(more: str, program: list[str], seen: Seen) -> None:
    options = ["--stdin"] if more == "stdin" else []
    arguments = ["--rule", "port", "--level", "quick", "--protocol", "exit", "-j", "2", *options]
    result = run(*arguments, *program, more)
    assert result.exit_code == 0, result.output
    seen(result.stderr)


@pytest.mark.slow
def test_json(program: list[str]) -> None:
    result = run("--rule", "port", "--protocol", "jsonl", "--format", "json", "-q", *program, "jsonl")
    data = json.loads(result.stdout)
    assert (data["grammar"], data["rule"], data["passed"], data["skipped"]) == ("rfc3986", "port", False, 39)
    assert [(each["text"], each["valid"]) for each in data["deviations"]] == [("\n", False), ("111111", True)]
    assert data["implementation"].endswith("check.py jsonl")
    assert result.stderr == ""


@pytest.mark.slow
def test_known_ones(program: list[str], tmp_path: Path, seen: Seen) -> None:
    known = tmp_path / "known.toml"
    arguments = ["--rule", "port", "--protocol", "jsonl"]
    assert run(*arguments, "--write-known", str(known), *program, "jsonl").exit_code == 1
    assert known.read_text().count("[[known]]") == 2
    entry = "\n[[known]]\ntext = '8x'\nvalid = false\nreason = 'once'\n"
    known.write_text(known.read_text().replace("not looked at yet", "so") + entry)
    result = run(*arguments, "--known", str(known), *program, "jsonl")
    assert result.exit_code == 0
    seen(result.stdout.splitlines())
    assert result.stderr.endswith("2 causes, 2 known, 1 vanished\n")
    data = json.loads(run(*arguments, "--known", str(known), "-f", "json", *program, "jsonl").stdout)
    assert [each["known"] for each in data["deviations"]] == ["so", "so"]
    assert data["vanished"] == [{"text": "8x", "valid": False, "reason": "once"}]


@pytest.mark.slow
def test_what_machines_read(program: list[str], tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text("[[known]]\ntext = '111111'\nvalid = true\nreason = 'so'\n")
    arguments = ["--rule", "port", "--protocol", "jsonl", "--known", str(known)]
    [suite] = ElementTree.fromstring(run(*arguments, "-f", "junit", *program, "jsonl").stdout)
    counts = {name: suite.get(name) for name in ("tests", "failures", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "skipped": "1"}
    commands = run(*arguments, "-f", "github", *program, "jsonl").stdout.splitlines()
    assert [line.split(" ", 1)[0] for line in commands] == ["::error", "::notice"]
    assert commands[0].startswith("::error title=space-before (port%2C rfc3986)::")
    log = json.loads(run(*arguments, "-f", "sarif", *program, "jsonl").stdout)
    results = log["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == ["space-before", "rejected"]
    assert results[1]["suppressions"] == [{"kind": "external", "justification": "so"}]


def test_strings_are_saved(tmp_path: Path) -> None:
    path = tmp_path / "port.vectors.jsonl"
    result = run("--rule", "port", "--level", "quick", "--save", str(path))
    assert result.exit_code == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(each["text"], each["valid"]) for each in lines] == [
        ("", True), ("1", True), ("a", False), ("a1", False), ("aa", False),
    ]  # fmt: skip
    assert "5 strings in " in result.stderr


def test_only_so_many_are_shown(seen: Seen) -> None:
    arguments = ("--rule", "IPv6address", "--level", "quick", "--python", f"{__name__}:by_length")
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stdout.count("  accepted") == 20 < run(*arguments, "--all").stdout.count("  accepted")
    seen(result.stdout)


def by_length(text: str) -> bool:
    return len(text) % 3 == 0


def test_extra_states_and_the_budget(seen: Seen) -> None:
    arguments = (
        "--rule",
        "dec-octet",
        "--level",
        "quick",
        "--python",
        "tests.cli.commands.test_conform:octet",
    )
    assert run(*arguments).exit_code == 0  # it accepts 0256, but has more states than the suite covers
    result = run(*arguments, "--extra-states", "2")
    assert result.exit_code == 1
    assert "0256" in result.stdout
    result = run(*arguments, "--extra-states", "2", "--budget", "steps=1000")
    seen(result.stderr)


def test_patterns_and_rules_are_proved(seen: Seen) -> None:
    javascript = ("--dialect", "ecmascript", "--how", "search")
    result = run("--rule", "port", "--pattern", "^[0-9]*$", *javascript)
    assert result.exit_code == 0
    seen(result.stdout)
    assert result.stderr == "proved\n"
    result = run("--rule", "scheme", "--pattern", "[a-z][a-z0-9+.-]*", "--flags", "i", "-f", "json", "-q")
    data = json.loads(result.stdout)
    assert data["proof"] == "different"
    # Non-ASCII letters that case folding maps to US-ASCII letters.
    assert {each["text"] for each in data["deviations"]} <= set("\u0130\u0131\u017f\u212a")
    result = run("--rule", "host", "--against", "rfc3986:reg-name", "--level", "quick")
    seen(result.stdout)
    assert run("--rule", "host", "--against", "rfc3986:host").exit_code == 0


def octet(text: str) -> bool:
    return text == "0256" or (
        text.isascii() and text.isdigit() and str(int(text)) == text and int(text) < 256
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "implementation-missing"),
        (("--pattern", "("), "pattern-python"),
        (("--pattern", r"(a)\1"), "pattern-construct"),
        (("--pattern", "a", "--flags", "q"), "flag-unknown"),
        (("--against", "rfc3986:prot"), "rule-name-unknown"),
        (("--raises", "--", "true"), "option-requires"),
        (("--python", "json"), "judge-name"),
        (("--python", "json:nothing"), "judge-import"),
        (("--python", "nothing_of_this_name:f"), "judge-import"),
        (("--", "./nothing-of-this-name"), "file-missing"),
        (("--stdin", "--protocol", "jsonl", "--", "true"), "option-excluded"),
        (("--timeout", "0", "--", "true"), "option-number"),
        (("--known", "KNOWN", "--", "true"), "known-tables"),
        (("--grammar", "rfc8259", "--extra-states", "1", "--", "true"), "suite-not-regular"),
        (("--rule", "prot", "--", "true"), "rule-name-unknown"),
        (
            ("--level", "quick", "--protocol", "jsonl", "--", sys.executable, "-c", "input(); print('hm')"),
            "judge-answer",
        ),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], code: str, tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    known.write_text("a = 1\n")
    result = run(*(str(known) if each == "KNOWN" else each for each in arguments))
    assert result.exit_code == 2
    fails(result, code)


PLAIN = {
    "pattern": None,
    "dialect": "python",
    "how": "search",
    "flags": "",
    "against": None,
    "function": None,
    "command": (),
    "raises": False,
    "protocol": "exit",
    "stdin": False,
    "timeout": 5.0,
    "jobs": 1,
}


def test_a_function_in_this_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_this_folder.py").write_text("class Checks:\n    ok = staticmethod(str.isdigit)\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    with implementation({**PLAIN, "function": "of_this_folder:Checks.ok"}) as (judge, name):
        assert isinstance(judge, Judge)
        assert judge("1")
        assert not judge("x")
    assert name == "of_this_folder:Checks.ok"
    assert sys.path == before


def test_a_program_is_called_as_a_shell_would() -> None:
    with implementation({**PLAIN, "command": ("echo", "a b")}) as (judge, name):
        assert name == "echo 'a b'"
        assert isinstance(judge, Judge)
        assert judge("x")


def test_one_is_named() -> None:
    with (
        raises(UsageError, "implementation-missing"),
        implementation({**PLAIN, "command": ("true",), "function": "a:b"}),
    ):
        raise AssertionError


SEVERAL = """
[implementations.ipaddress]
python = "ipaddress:IPv4Address"
raises = true

[implementations.pattern]
pattern = '[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+'

[implementations.reg-name]
against = "rfc3986:reg-name"
"""


@pytest.fixture
def several(tmp_path: Path) -> list[str]:
    path = tmp_path / "all.toml"
    path.write_text(SEVERAL)
    return ["--rule", "IPv4address", "--level", "quick", "--implementations", str(path)]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_several_implementations(form: str, several: list[str], seen: Seen) -> None:
    result = run(*several, "--format", form)
    assert result.exit_code == 1
    seen(result.stdout)
    seen(result.stderr)


def test_several_implementations_in_other_formats(several: list[str]) -> None:
    data = json.loads(run(*several, "-f", "json", "-q").stdout)
    names = [each["implementation"] for each in data["implementations"]]
    assert names == ["ipaddress", "pattern", "reg-name"]
    differing = {tuple(each["names"]): each["differing"] for each in data["pairs"]}
    assert differing["ipaddress", "pattern"] == data["implementations"][1]["differing"] > 0
    accepted = [tuple(each["accepted"]) for each in data["clusters"]]
    assert accepted[0] == ("pattern", "reg-name")
    failures = ElementTree.fromstring(run(*several, "-f", "junit").stdout).get("failures")
    assert failures == str(sum(len(each["deviations"]) for each in data["implementations"]))
    one = run("--rule", "port", "--level", "quick", "--python", "builtins:int", "--raises", "-f", "markdown")
    assert one.stdout.startswith("# Conformance to rfc3986:port")
    pytest.importorskip("jinja2")
    page = run(*several, "-f", "html").stdout
    assert page.startswith("<!doctype html>")
    assert page.count("<tr>") >= 2 * len(names)


def test_known_ones_of_several(several: list[str], tmp_path: Path) -> None:
    known = tmp_path / "known.toml"
    assert run(*several, "--write-known", str(known)).exit_code == 1
    assert 'implementation = "pattern"' in known.read_text()
    entry = "\n[[known]]\ntext = '1'\nvalid = false\nreason = 'once'\n"
    old = entry + "implementation = 'pattern'\n" + entry.replace("'1'", "'1.1.1.1'").replace("false", "true")
    known.write_text(known.read_text() + entry + old)
    result = run(*several, "--known", str(known), "-f", "json")
    assert result.exit_code == 0
    vanished = {
        each["implementation"]: [one["text"] for one in each["vanished"]]
        for each in json.loads(result.stdout)["implementations"]
    }
    assert vanished == {"ipaddress": ["1.1.1.1"], "pattern": ["1", "1.1.1.1"], "reg-name": ["1.1.1.1"]}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "config-tables"),
        ("implementations = 1", "config-tables"),
        ("[implementations]\na = 1", "config-tables"),
        ("[other.a]", "config-tables"),
        ("[implementations.a", "config-unreadable"),
        ("[implementations.a]\npyton = 'a:b'", "config-option-unknown"),
        ("[implementations.a]\nrule = 'port'", "config-option-unknown"),
        ("[implementations.a]\npython = 1.5\nraises = 'x'", "config-choice"),
        ("[implementations.a]\nprotocol = 'http'\ncommand = 'x'", "choice-unknown"),
        ("[implementations.a]", "implementation-missing"),
        ("[implementations.a]\npython = 'a:b'\npattern = ''", "implementation-missing"),
        ("[implementations.a]\npython = 'nothing_of_this_name:f'", "judge-import"),
        ("[implementations.a]\ncommand = ['./nothing-of-this-name']", "file-missing"),
    ],
)
def test_invalid_files_of_implementations(text: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "all.toml"
    path.write_text(text)
    fails(run("--rule", "port", "--implementations", str(path)), code)
