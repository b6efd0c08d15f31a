"""Errors in command lines name similar commands and options."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from abnforge.cli.common.misuse import is_file
from tests.cli.command import Seen, fails, run

# A command line, and the code and data of its error.
LINES: list[tuple[str, str, dict[str, object]]] = [
    ("chekc", "command-unknown", {"near": ("check",)}),
    ("lnt x.abnf", "command-unknown", {"near": ("lint",)}),
    ("uri explain", "command-unknown", {"near": ("abnforge explain",)}),
    ("uri scna", "command-unknown", {"near": ("scan",)}),
    ("scan x", "command-unknown", {"near": ("abnforge uri scan",)}),
    ("exercise parse", "command-unknown", {"near": ("abnforge parse",)}),
    ("http://a/b", "command-unknown", {"near": ("abnforge explain http://a/b",)}),
    ("own.abnf", "command-unknown", {"near": ("abnforge lint own.abnf",)}),
    ("'a b.txt'", "command-unknown", {"near": ("abnforge check 'a b.txt'",)}),
    ("qqqq", "command-unknown", {}),
    ("grammar lint x", "command-unknown", {}),
    ("--compat", "option-after-command", {"option": "--compat"}),
    ("check --compat", "option-unknown", {}),
    ("check -V", "option-unknown", {}),
    ("check -grammar rfc3986", "grammar-unknown", {}),
    ("uri qqqq", "command-unknown", {}),
    ("check --gramar rfc3986", "option-unknown", {"near": ("--grammar",)}),
    ("check --gramar=rfc3986", "option-unknown", {"near": ("--grammar",)}),
    ("check --hlep", "option-unknown", {"near": ("--help",)}),
    ("check --frobnicate", "option-unknown", {}),
    ("explain --rul host x", "option-unknown", {"near": ("--rule",)}),
    ("--grammar rfc3986 check", "option-after-command", {}),
    ("--color check", "option-color", {}),
    ("check --no-colour", "option-color", {}),  # codespell:ignore
    ("check --colors=always", "option-color", {}),
    ("check --json", "option-unknown", {"near": ("--format json",)}),
    ("parse --tree x", "option-unknown", {"near": ("--format tree",)}),
    (
        "check --format jsn",
        "choice-unknown",
        {"choices": ("text", "jsonl", "json", "github", "sarif", "junit"), "near": ("json",)},
    ),
    ("check --rule --rule host", "argument-of-option-missing", {"option": "--rule"}),
    ("check --define x", "option-malformed", {"option": "--define"}),
    ("conform --known none.toml -- true", "file-missing", {"path": "none.toml"}),
    ("check --rule hots", "rule-name-unknown", {"near": ("host",)}),
    ("check --grammar rfc398", "grammar-unknown", {}),
    ("check --grammar frob", "grammar-unknown", {}),
    ("code scheme-mising", "code-unknown", {"near": ("scheme-missing", "slashes-missing")}),
    ("exercise show tme-24", "exercise-unknown", {}),
    (
        "check --grammar rfc3986:host",
        "name-unknown-hint",
        {"near": ("abnforge check --grammar rfc3986 --rule host",)},
    ),
    (
        "check --rule rfc3986:host",
        "name-unknown-hint",
        {"near": ("abnforge check --grammar rfc3986 --rule host",)},
    ),
    ("check --rule rfc398:host", "rule-name-unknown", {}),
    ("show own.abnf", "name-unknown-hint", {"near": ("abnforge show --grammar own.abnf",)}),
    (
        "generate own.abnf",
        "arguments-extra",
        {"arguments": "own.abnf", "near": ("abnforge generate --grammar own.abnf",)},
    ),
    (
        "generate rfc3339",
        "arguments-extra",
        {"arguments": "rfc3339", "near": ("abnforge generate --grammar rfc3339",)},
    ),
    ("generate no-such", "arguments-extra", {"arguments": "no-such"}),
    ("uri", "command-missing", {}),
    ("exercise", "command-missing", {}),
    ("help", "command-unknown", {"near": ("abnforge --help",)}),
    ("grammars", "command-unknown", {"near": ("abnforge list",)}),
    ("check none.txt", "file-missing", {"path": "none.txt"}),
    ("check .", "file-is-directory", {"path": "."}),
    ("check s3://bucket/none.txt", "file-missing", {}),
    ("check https://h/", "file-missing", {}),
    ("coverage none.txt", "file-missing", {}),
    ("uri scan none.txt", "file-missing", {}),
    ("explain --whole-file none.txt", "file-missing", {}),
    ("exercise check none.abnf", "file-missing", {"path": "none.abnf"}),
    ("exercise list --file .", "file-is-directory", {}),
    ("extract none.txt", "file-missing", {}),
    ("extract rows.csv", "no-abnf", {}),
    ("format none.abnf", "file-missing", {}),
    ("lint .", "file-is-directory", {}),
    ("split --config none.toml", "file-missing", {}),
    ("railroad own.abnf", "file-as-string-drawn", {"name": "own.abnf"}),
    ("check --grammar semver", "grammar-unknown", {"near": ("semver-2.0.0",)}),
    ("check --rule URL", "rule-name-unknown", {"near": ("URI",)}),
    ("diff semver-2.0.0 URI", "grammar-unknown", {}),
    ("split rows.csv --rule URI", "option-unknown", {"near": ("--column NAME[:RULE]",)}),
    ("split rows.csv --output x", "option-unknown", {"near": ("--valid PATH",)}),
    ("export --grammar rfc8259 --to re2", "rule-not-regular", {}),
    ("code --grammar rfc3339 no-such", "code-unknown", {"grammar": "rfc3339"}),
    ("check --max-errors 0", "option-number", {"option": "--max-errors"}),
    ("check --jobs many", "option-number", {"option": "--jobs"}),
    ("check --budget 0x", "budget-empty", {}),
    ("check --whole-file --null own.abnf", "option-excluded", {}),
    ("check --newline lf own.abnf", "option-requires", {"other": "--whole-file"}),
    ("check --allow-port http:81", "option-requires", {"other": "--security"}),
    ("check --security --grammar own.abnf", "security-rule", {}),
    ("test --list --require 2 own.abnf", "option-excluded", {"option": "--require", "other": "--list"}),
    ("generate --kind suite --how pairs", "option-requires", {"other": "--kind strings"}),
    ("generate --kind suite --seed 1", "option-excluded", {"other": "--kind suite"}),
    ("generate --how pairs --size 9", "option-requires", {"other": "--how random"}),
    ("generate --kind strings --level quick", "option-requires", {"other": "--kind suite"}),
    ("generate --extra-states 1", "option-requires", {"other": "--kind suite"}),
    ("generate --null --format json", "option-requires", {"other": "--format text"}),
    ("parse --ascii --format components x", "option-excluded", {"other": "--format components"}),
    ("parse --full --format components x", "option-excluded", {"other": "--format components"}),
    ("check --verbose own.abnf", "option-requires", {"option": "--verbose"}),
    ("conform --pattern x --protocol jsonl", "option-requires", {"other": "COMMAND"}),
    ("conform --pattern x --stdin", "option-requires", {"option": "--stdin"}),
    ("conform --pattern x --jobs 2", "option-requires", {"option": "--jobs"}),
    ("conform --against rfc3986:URI --timeout 2", "option-requires", {"option": "--timeout"}),
    ("conform --python re:compile --flags i", "option-requires", {"other": "--pattern"}),
    ("conform --how search -- true", "option-requires", {"option": "--how"}),
    ("lint --diff --strict own.abnf", "option-excluded", {"other": "--strict"}),
    ("diff --compat --all own.abnf own.abnf", "option-excluded", {"option": "--all"}),
    ("code --list --verbose --format json", "option-excluded", {"other": "--format json"}),
    ("playground --build new --port 80", "option-excluded", {"other": "--port"}),
    ("uri compare --file own.abnf a b", "option-requires", {"other": "--between"}),
    (
        "uri compare --between rfc2396 rfc3986 --level case a",
        "option-excluded",
        {"option": "--level", "other": "--between"},
    ),
    ("uri scan --add-scheme 1x", "argument-value", {}),
    ("uri scan --add-scheme x --any-scheme", "option-excluded", {"other": "--add-scheme"}),
    ("explain --teach --format json x", "option-requires", {"option": "--teach"}),
    ("parse --order leftmost x", "option-requires", {"other": "--format derivation|json"}),
    ("parse --grammar own.abnf --format components x", "components-unavailable", {}),
    ("show --format svg", "option-requires", {"other": "one RULE"}),
    ("lint", "argument-missing", {}),
    ("lint --fix --diff own.abnf", "option-excluded", {}),
    ("lint --fix rfc3986", "grammar-file-required", {}),
    ("export", "export-target-missing", {}),
    ("export --to perl", "choice-unknown", {"option": "--to"}),
    ("export --column url --to re2", "option-requires", {"other": "--check"}),
    ("diff rfc3986", "argument-missing", {}),
    ("conform", "implementation-missing", {}),
    ("code", "argument-missing", {}),
    ("code --list scheme-missing", "option-excluded", {}),
    ("playground --wheel none", "file-missing", {"path": "none"}),
    ("playground --modules none", "file-missing", {"path": "none"}),
    ("uri compare http://a/", "uris-required", {}),
    ("uri resolve ../a b", "uri-invalid", {}),
    ("completion tcsh", "choice-unknown", {}),
    ("split rows.csv -c url --valid good.csv", "parameter-required-unless", {}),
    ("split", "sources-argument-missing", {}),
    ("split rows.csv -c ulr --valid good.csv --on-error drop", "column-unknown", {}),
    ("split rows.csv -c url:no-rule --valid good.csv", "rule-name-unknown", {}),
    ("split rows.csv -c url --valid rows.csv --on-error drop", "source-is-output", {}),
    ("split none.csv -c url --valid good.csv --on-error drop", "source-missing", {}),
    *(
        (f"split rows.csv -c url --valid good.csv --rejects bad.csv {options}", code, data)
        for options, code, data in [
            ("--rejects other.csv", "option-repeated", {"option": "--rejects"}),
            ("--id url --id other", "option-repeated", {"option": "--id"}),
            ("--suggest --no-suggest", "option-repeated", {"option": "--suggest"}),
            ("-o other.csv", "option-repeated", {"option": "--valid"}),
            ("--id ''", "option-empty", {"option": "--id"}),
            ("--job-name ''", "option-empty", {"option": "--job-name"}),
            ("--run-id 7", "option-number", {"option": "--run-id", "expected": "a UUID", "value": "7"}),
            ("--scheme ''", "option-empty", {"option": "--scheme"}),
            ("--also ''", "option-empty", {"option": "--also"}),
            ("--define 'x = \"a\"'", "grammar-file-required", {"option": "--define"}),
            ("--mistakes none", "file-missing", {"path": "none"}),
            ("--summary none/s.json", "output-unusable", {}),
            ("--accepted x", "option-unknown", {"near": ("--valid PATH",)}),
            ("--rejected x", "option-unknown", {"near": ("--rejects",)}),
            ("--max-rejects 200%", "max-rejects-malformed", {}),
            ("--delimiter ab", "delimiter-malformed", {}),
            ("--header a,a", "header-name-repeated", {}),
            ("--encoding none", "encoding-unknown", {}),
            ("--replay", "rejects-lack", {}),
            ("-c url", "column-repeated", {"column": "url"}),
        ]
    ),
    ("split rows.csv -c url --valid good.xyz --on-error drop", "format-of-accepted", {}),
    ("split rows.csv -c url --rejects bad.xyz", "format-of-rejects", {}),
    ("split rows.csv -c url --rejects bad.csv --on-error fail", "parameter-excluded-if", {}),
    ("split rows.csv -c : --rejects bad.csv", "column-unnamed", {}),
    ("split rows.csv -c url: --rejects bad.csv", "column-rule-missing", {}),
    ("split own.abnf -c url --rejects bad.csv", "format-unknown", {}),
    ("split - -c url --rejects bad.csv", "format-missing", {}),
    ("split '*.none' -c url --rejects bad.csv", "glob-empty", {}),
    ("split rows.csv rows.csv -c url --rejects bad.csv", "source-repeated", {}),
    ("split '' -c url --rejects bad.csv", "source-unnamed", {}),
    (
        "split x.jsonl -c url --rejects bad.csv --no-header",
        "parameter-requires-format",
        {"parameter": "--no-header"},
    ),
    ("ingest rows.csv", "command-unknown", {"near": ("abnforge split",)}),
    ("check --define 'x = ('", "grammar-file-required", {"option": "--define", "grammar": "rfc3986"}),
    ("check --import rfc5234", "grammar-file-required", {"option": "--import"}),
    ("show --allow-undefined", "grammar-file-required", {"option": "--allow-undefined"}),
    ("lint --define 'x = 1' rfc3986", "grammar-file-required", {}),
    ("diff --define 'x = 1' rfc2396 rfc3986:URI", "grammar-file-required", {}),
    ("test --import rfc5234 rfc3986 rfc2396", "grammar-file-required", {}),
    ("check --format json --format jsonl own.abnf", "option-repeated", {"option": "--format"}),
    ("explain -r host --rule port x", "option-repeated", {"option": "--rule"}),
    ("check --rule ''", "option-empty", {"option": "--rule"}),
    ("export --to re2 --groups ''", "option-empty", {"option": "--groups"}),
    ("check ''", "file-unnamed", {}),
    ("format ''", "file-unnamed", {}),
    ("check --allow-port http:8080 --security", "port-of-scheme", {}),
    ("check --budget steps", "budget-unknown", {}),
    ("check --rule 'URI - '", "expression-rule", {}),
    ("check --engine automaton --grammar rfc8259", "rule-recursive", {}),
    ("show none --grammar own.abnf", "rule-name-unknown", {"grammar": "own"}),
    ("show --format svg --grammar rfc8259 value", "automaton-unavailable", {}),
    ("new a/b", "output-directory-missing", {}),
    ("new own", "file-exists", {}),
    ("new x --from rfc3986 --like date", "option-excluded", {}),
    ("diff own.abnf: own.abnf", "rule-name-missing", {}),
    ("diff own.abnf own.abnf --translate x", "option-malformed", {}),
    ("export --check none --column x", "choice-unknown", {"option": "--check"}),
    ("export --to lark --groups host", "option-excluded", {"other": "--to lark"}),
    ("conform --pattern (", "pattern-python", {}),
    ("conform --pattern x --flags q", "flag-unknown", {}),
    ("conform --python none", "judge-name", {}),
    ("conform --python none:x", "judge-import", {}),
    ("conform --raises -- true", "option-requires", {}),
    ("uri compare a:b 'c d'", "uri-invalid", {"name": "B"}),
    ("uri compare --base x: a 'c d'", "uri-invalid", {}),
    ("uri compare --between rfc3986 rfc3986 a:b", "editions-equal", {}),
    ("exercise list --file own.abnf", "exercises-not-toml", {}),
    ("exercise check --exercise none own.abnf", "exercise-unknown", {}),
    ("playground --build own.abnf", "directory-is-file", {}),
    ("playground --build x y", "option-excluded", {}),
    ("server --tcp 99999", "option-number", {}),
    ("server --port 80", "option-unknown", {"near": ("--tcp N",)}),
    ("check - -", "stdin-repeated", {}),
    ("uri parse http://h/", "command-unknown", {"near": ("abnforge parse",)}),
    ("export re2", "arguments-extra", {"near": ("abnforge export --to re2",)}),
    ("export --target re2", "option-unknown", {"near": ("--to TARGET",)}),
    ("list json", "arguments-extra", {"near": ("abnforge list --format json",)}),
    ("lint --rule x own.abnf", "option-unknown", {"near": ("--start RULE",)}),
    ("diff own.abnf own.abnf --translate start=start --translate start=ALPHA", "translation-repeated", {}),
    ("conform --pattern x --dialect javascript", "choice-unknown", {"near": ("ecmascript",)}),
    ("check --rule '(URI'", "expression-parenthesis", {}),
    ("check --suggest=yes", "usage-invalid", {}),
    ("split rows.csv -c url:rfc3986 --rejects bad.csv", "column-rule-grammar", {}),
    ("split rows.csv -c 1 --rejects bad.csv", "column-unknown-header", {}),
    ("split rows.csv -c url[] --rejects bad.csv", "column-unknown-path", {}),
    ("split rows.csv -c url -o s4://b/x --on-error drop", "scheme-unknown", {}),
    ("split rows.csv -c url -o - --rejects -", "outputs-equal", {}),
    ("parse --full --format json x", "option-excluded", {}),
    ("conform --known own.abnf -- true", "known-toml", {}),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.abnf").write_text("start = 1*ALPHA\n", "utf-8")
    Path("a b.txt").write_text("x\n", "utf-8")
    Path("rows.csv").write_text("url\nhttp://h/\n", "utf-8")
    Path("x.jsonl").write_text('{"url": "http://h/"}\n', "utf-8")


@pytest.mark.parametrize(("line", "code", "data"), LINES, ids=[line for line, _, _ in LINES])
def test_wrong_command_lines(line: str, code: str, data: dict[str, object], seen: Seen) -> None:
    if line.startswith("split"):
        pytest.importorskip("numpy")
    if line.startswith("railroad"):
        pytest.importorskip("railroad")
    result = run(*shlex.split(line), stdin="")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    fails(result, code, **data)
    seen(result.stderr)


@pytest.mark.parametrize("line", [["check", "--", "-grammar"], ["explain", "--", "-format", "x"]])
def test_after_two_hyphens_nothing_is_an_option(line: list[str]) -> None:
    assert run(*line).code != "option-unknown"


def test_passwords_are_not_reported() -> None:
    assert "secret" not in run("http://u:secret@h/").stderr
    assert "secret" not in run("check", "--format", "http://u:secret@h/").stderr


@pytest.mark.parametrize(
    "line",
    [["\x1b[31m"], ["check", "--\x1b[31m"], ["generate", "\x1b[31m"], ["check", "-g", "\x1b"]],
)
def test_quoted_arguments_are_escaped(line: list[str]) -> None:
    result = run(*line)
    assert result.exit_code == 2
    assert "\x1b" not in result.stderr
    assert "\\x1b" in result.stderr


@pytest.mark.parametrize(
    ("name", "answer"), [("own.abnf", True), (".", False), ("a\0", False), ("x" * 9999, False)]
)
def test_is_file(name: str, answer: bool) -> None:
    assert is_file(name) is answer


@pytest.fixture
def links() -> None:
    Path("links.txt").write_text("a b\n", "utf-8")


@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("verb", ["explain", "parse"])
def test_a_string_that_is_a_file(verb: str, seen: Seen) -> None:
    result = run(verb, "http://h/", "links.txt")
    assert result.exit_code == 1
    seen(result.stderr)
    for arguments in (["other.txt"], ["--rule", "relative-ref", "links.txt"], ["--whole-file", "links.txt"]):
        assert "note: " not in run(verb, *arguments).stderr


@pytest.mark.usefixtures("links")
def test_a_grammar_judged_as_uris(seen: Seen) -> None:
    seen(run("check", "own.abnf").stderr)
    for arguments in (["links.txt"], ["--grammar", "rfc3986", "own.abnf"], ["-"]):
        assert "note: " not in run("check", *arguments, stdin="a b\n").stderr
