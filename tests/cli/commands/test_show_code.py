"""``abnforge code`` explains codes of rejections and of lint findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import abnforge
from abnforge import uri
from abnforge.cli.common.codes import bundled_with, message_code, message_codes
from abnforge.grammar.shipped import bundled_names, generated
from abnforge.linting.finding import KINDS
from abnforge.policies import POLICY_CODES
from tests.cli.command import Seen, answers, fails, run
from tests.explain.endpoints import ENDPOINT
from tests.law import one_in


@pytest.fixture
def endpoint(tmp_path: Path) -> str:
    path = tmp_path / "endpoint.abnf"
    path.write_text(ENDPOINT)
    return str(path)


def test_a_code_of_a_rejection(endpoint: str, seen: Seen) -> None:
    text = run("code", "--grammar", endpoint, "port-junk").stdout
    seen(text)
    [plain] = json.loads(run("code", "-g", endpoint, "--format", "json", "PORT-JUNK").stdout)
    assert plain["code"] == "port-junk"
    assert run("code", "unreadable-port").stdout.startswith("unreadable-port\n")


def test_a_code_of_a_finding() -> None:
    expected = run("code", "ABNF012").stdout
    assert run("code", "abnf012").stdout == run("code", "ambiguous").stdout == expected
    assert run("code", "ABNF012", "ABNF012").stdout == f"{expected}\n{expected}"
    [plain] = json.loads(run("code", "ABNF012", "--format", "json").stdout)
    assert plain == KINDS["ambiguous"].to_dict()
    assert "## ambiguous (ABNF012)\n" in run("code", "ABNF012", "--format", "markdown").stdout


def test_a_code_of_an_error() -> None:
    text = run("code", "Argument-Type").stdout
    assert text.startswith("argument-type\n  <name> ")
    assert "  package     abnforge\n  exceptions  " in text
    [plain] = json.loads(run("code", "rule-undefined", "--format", "json").stdout)
    assert (plain["code"], plain["package"], plain["fields"]) == (
        "rule-undefined",
        "abnforge.grammar",
        ["name", "hints"],
    )
    assert "## rule-undefined\n" in run("code", "rule-undefined", "--format", "markdown").stdout


def test_every_code_of_a_catalog_is_known() -> None:
    codes = {each.code for each in message_codes()}
    assert codes >= {"argument-type", "import-cycle", "unused-rule-fix", "size-negative"}


def test_codes_that_several_messages_share() -> None:
    results = message_code("No-String"), message_code("automaton-too-large")
    assert [(each.code, each.package) for each in results if each] == [
        ("no-string", "abnforge.grammar"),
        ("automaton-too-large", "abnforge"),
    ]


def test_codes_that_there_are_not(endpoint: str) -> None:
    result = run("code", "-g", endpoint, "port-jnuk")
    fails(result, "code-unknown", name="port-jnuk", grammar="endpoint", near=("port-junk",))
    answers(["code", "-g", endpoint, "ABNF999"], 2, "", "code-unknown")
    answers(["code"], 2, "", "argument-missing")


def test_mistakes_of_a_file(endpoint: str, tmp_path: Path, seen: Seen) -> None:
    more = tmp_path / "more.abnf"
    more.write_text(';@ of port; blame all; fix none; say "this is a star"\nstar = "*"\n')
    seen(run("code", "-g", endpoint, "--mistakes", str(more), "star").stdout)


def test_codes_that_are_of_no_grammar() -> None:
    """Codes for rows and for policies do not depend on the grammar."""
    for code in [*abnforge.ROW_CODES, *POLICY_CODES]:
        for grammar in ("rfc3986", "rfc3339"):
            [plain] = json.loads(run("code", "-g", grammar, "--format", "json", code).stdout)
            assert (plain["code"], bool(plain["meaning"])) == (code, True)
    assert "policy-host" in run("code", "policy-hots").data["near"]


def test_codes_of_sets_of_rules() -> None:
    rules = abnforge.load("rfc3986")
    for rule, text in (
        (rules["URI"] - rules["absolute-URI"], "a:b"),
        (rules["URI-reference"] & rules["URI"], "b"),
        (~rules["URI"], "a:b"),
    ):
        rejection = rule.explain(text)
        assert rejection is not None
        answers(["code", rejection.code], 0, rejection.code, "")


def test_every_code_of_a_policy_is_known() -> None:
    uris = uri.policy(schemes=["a"], require_host=True, max_length=9, max_port=9, rules=["rfc3986:URI"])
    others = uri.policy(address_limits=True, leap_seconds="utc")
    assert {**uris.codes, **others.codes}.keys() == POLICY_CODES.keys()


def test_every_code_that_jobs_write_is_known(tmp_path: Path) -> None:
    """The job writes a code of each kind: for a row, for a policy, and for a grammar."""
    pytest.importorskip("numpy")
    pytest.importorskip("pyarrow")
    from abnforge import ingest

    source = tmp_path / "rows.csv"
    source.write_bytes(
        b"id,url\n1,\n2,a\n3,http://h:8x/\n4\n5,\xff\n6," + b"x" * 3000 + b"\n7,javascript:x\n8,http:a\n"
    )
    rule = uri.policy(schemes=["http"], require_host=True).rule("rfc3986:URI")
    result: set[str] = set()
    for on_error in ("reject", "drop"):
        rejected = {"rejects": tmp_path / "bad.jsonl"} if on_error == "reject" else {}
        counts = ingest.split(
            [str(source)],
            {"url": rule},
            valid=tmp_path / "good.csv",
            nulls="reject",
            max_row_bytes=2000,
            samples=1,
            on_error=on_error,
            **rejected,
        ).counts
        result |= {code for codes in counts.by_column.values() for code in codes}
    assert result >= {
        "null",
        "malformed-row",
        "not-utf-8",
        "too-long",
        "not-explained",
        "policy-scheme",
        "policy-host",
    }
    for code in result:
        answers(["code", code], 0, code, "")


def test_lists(endpoint: str, seen: Seen) -> None:
    seen(run("code", "--list", "-g", endpoint).stdout.splitlines()[0])
    plain = json.loads(run("code", "--list", "-g", endpoint, "--format", "json").stdout)
    assert [each["code"] for each in plain] == ["port-junk", "space-in-host", "space-in-label"]
    assert "\n## port-junk\n" in run("code", "--list", "-g", endpoint, "-f", "markdown").stdout
    assert "  as ABNF:\n" in run("code", "--list", "-v", "-g", endpoint).stdout


def test_a_file_beside_the_grammar_and_one_more(tmp_path: Path, seen: Seen) -> None:
    path = tmp_path / "word.abnf"
    path.write_text("word = 1*ALPHA\n")
    (tmp_path / "word.mistakes.abnf").write_text(";@ of word; blame all; fix none\ndigits = 1*DIGIT\n")
    (tmp_path / "own.abnf").write_text(";@ of word; blame all; fix none\ndashes = 1*%x2D\n")
    seen(run("code", "--list", "-g", str(path)).stdout)
    codes = run("code", "--list", "-g", str(path), "--mistakes", str(tmp_path / "own.abnf")).stdout
    assert [line.split(":")[0] for line in codes.splitlines()] == ["dashes", "digits"]
    checked = run("check", "-g", str(path), "--format", "jsonl", stdin="12\n").stdout
    assert json.loads(checked)["code"] == "digits"


def test_errors_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.abnf"
    path.write_text(";@ of prot; blame all; fix none\nw = 1*ALPHA\n")
    result = run("code", "--list", "--mistakes", str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {path}:2:1: ")
    answers(["code", "--list", "--mistakes", str(tmp_path / "none")], 2, "", "file-missing")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "argument-missing"),
        (["--list", "port-junk"], "option-excluded"),
        (["--derived", "port-junk"], "option-requires"),
        (["-v", "port-junk"], "option-requires"),
    ],
)
def test_options_that_contradict(arguments: list[str], code: str) -> None:
    fails(run("code", *arguments), code)


@pytest.mark.parametrize("code", ["none", "host", "missing-foo-host", "missing-colon-in-host", "-", ""])
def test_an_unknown_code_loads_no_other_grammar(code: str) -> None:
    assert list(bundled_with(code)) == []


def test_a_code_is_found_in_another_grammar() -> None:
    assert "unreadable-date-mday" in next(bundled_with("unreadable-date-mday")).codes
    assert "offset-missing" in next(bundled_with("offset-missing")).codes


@pytest.mark.parametrize("name", one_in(12, bundled_names()))
def test_stored_codes_are_those_of_the_grammar(name: str) -> None:
    stored = json.loads((generated() / f"{name}.codes.json").read_bytes())["codes"]
    assert stored == sorted(abnforge.load(name).codes)
