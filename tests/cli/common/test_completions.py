"""Every parameter has completions for its values."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem, ShellComplete

from abnforge.cli.app import cli
from abnforge.cli.common import completions
from abnforge.cli.common.groups import CONTEXT
from abnforge.linting.finding import KINDS
from tests.cli.command_tree import VERBS
from tests.law import each_row

# Parameters without completions: parameter -> reason.
FREE = {
    "check --define": "a rule of one's own",
    "uri compare strings": "strings to judge",
    "uri compare --base": "a string to judge",
    "explain strings": "strings to judge; files with --whole-file",
    "check --budget": "limits of the user's own",
    "check --allow-port": "a port of a scheme",
    "conform command": "a command of one's own; the shell knows commands",
    "conform --flags": "letters that each dialect has its own of",
    "conform --pattern": "a pattern of one's own",
    "conform --python": "a function of one's own",
    "exercise check --due": "a date",
    "exercise export --playground": "an address",
    "playground --lessons": "an address",
    "export --column": "a name of one's own",
    "show --string": "a string to show",
    "test --examples": "a type of one's own code blocks",
    "test --non-examples": "a type of one's own code blocks",
    "export --name": "a name of one's own",
    "new name": "a name of one's own",
    "railroad string": "a string to judge",
    "split --encoding": "a name that Python knows",
    "check --scheme": "schemes with commas",
    "split --scheme": "schemes with commas",
    "uri scan --add-scheme": "a scheme",
    "split --delimiter": "any character",
    "split --quote": "any character",
    "split --partition-by": "names of columns, which no file has shown yet",
    "split --escape": "any character",
    "split --comment": "any character",
    "split --null-value": "any string",
    "split --header": "names of one's own",
    "split --job-name": "a name of your own",
    "split --run-id": "a UUID of your own",
    "split --id": "a column, which is read only when the job begins",
    "split --max-rejects": "a number, or a percentage",
    "uri normalize strings": "strings to judge",
    "parse strings": "strings to judge; files with --whole-file",
    "uri resolve base": "a string to judge",
    "uri resolve references": "strings to judge",
}
# Partial values of the other parameters, to be completed.
HALF = {"split --column": "url:"}


def label(words: tuple[str, ...], parameter: click.Parameter) -> str:
    name = parameter.name or ""
    long = next((each for each in parameter.opts if each.startswith("--")), name)
    result = " ".join((*words, long if isinstance(parameter, click.Option) else name))
    return f"check {long}" if long in ("--define", "--budget") else result


PARAMETERS = [
    (label(words, parameter), verb, parameter)
    for words, verb in VERBS.items()
    for parameter in verb.params
    if not (isinstance(parameter, click.Option) and (parameter.is_flag or parameter.count))
    and not isinstance(parameter.type, click.types.IntParamType | click.types.FloatParamType)
]


@each_row(("name", "verb", "parameter"), [pytest.param(*each, id=each[0]) for each in PARAMETERS])
def test_every_value_is_completed_or_free(name: str, verb: click.Command, parameter: click.Parameter) -> None:
    context = click.Context(verb, **CONTEXT)
    inputs = {"grammars": ["rfc3986"], "left": "rfc3986"}
    context.params = {each.name: inputs[each.name] for each in verb.params if each.name in inputs}
    offered = parameter.shell_complete(context, HALF.get(name, ""))
    assert bool(offered) is (name not in FREE)
    assert len({(item.value, item.type) for item in offered}) == len(offered)


def test_every_free_value_is_one() -> None:
    assert FREE.keys() | HALF.keys() <= {name for name, _, _ in PARAMETERS}


def found(*words: str) -> list[str]:
    """Return the completions of the last word of a command line."""
    complete = ShellComplete(cli, {}, "abnforge", "_ABNFORGE_COMPLETE")
    return [told(item) for item in complete.get_completions(list(words[:-1]), words[-1])]


def told(item: CompletionItem) -> str:
    return str(item.value) if item.type == "plain" else f"<{item.type} {item.value}>"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("check --grammar rfc398", ["rfc3986", "rfc3987"]),
        ("check --grammar abnf:rfc398", ["abnf:rfc3986", "abnf:rfc3987"]),
        ("check -g rfc2396 --rule abs", ["absoluteURI", "abs-path"]),
        ("check -g no-such --rule a", []),
        ("check -g own.abnf --rule W", ["word", "WSP"]),
        ("check -g broken.abnf --rule w", ["word"]),
        ("check -g undefined.abnf --rule wo", ["word"]),
        ("show IPv4", ["IPv4address"]),
        ("lint own.abnf --start s", ["start", "SP"]),
        ("lint --start s", []),
        ("test own.abnf -r st", ["start"]),
        ("diff rfc3986:IPv4", ["<file rfc3986:IPv4>", "rfc3986:IPv4address"]),
        ("diff abnf:rfc3986:IPv4", ["<file abnf:rfc3986:IPv4>", "abnf:rfc3986:IPv4address"]),
        ("diff own.abnf:st", ["<file own.abnf:st>", "own.abnf:start"]),
        ("diff own.abnf:start rfc3986 --rule st", ["start"]),
        ("diff rfc3986 rfc2396 --translate IPv4", ["IPv4address="]),
        ("diff rfc3986 rfc2396 --translate IPv4address=", []),
        ("export --groups host,por", ["host,port"]),
        ("code scheme-miss", ["scheme-missing"]),
        ("code --grammar rfc3339 no-such", []),
        ("split a.csv -c url:IPv4", ["url:IPv4address"]),
        ("split a.csv -c url:semver", ["url:semver-2.0.0:"]),
        ("split a.csv -c url:rfc3987:IRI-", ["url:rfc3987:IRI-reference"]),
        ("split a.csv -c a\\:b:IPv4", ["a\\:b:IPv4address"]),
        ("split a.csv -c ur", []),
        ("split a.csv --also IPv4", ["IPv4address"]),
        ("check --format=js", ["jsonl", "json"]),
        ("exercise show time-", ["time-24"]),
        ("explain x", []),
        ("explain --whole-file x", ["<file x>"]),
        ("parse --whole-file --newline ", ["crlf", "lf", "keep"]),
        ("format x", ["<file x>"]),
        ("exercise check --all d", ["<dir d>"]),
        ("exer", ["exercise"]),
        ("uri n", ["normalize"]),
        ("check --gra", ["--grammar"]),
        ("chekc --gra", []),
        ("uri chekc --gra", []),
    ],
)  # fmt: skip
def test_lines(line: str, offered: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("own.abnf").write_text("start = word\nword = 1*ALPHA\n", "utf-8")
    Path("broken.abnf").write_text("start = (\nword = 1*ALPHA\n", "utf-8")
    Path("undefined.abnf").write_text("start = nowhere\nword = 1*ALPHA\n", "utf-8")
    assert found(*line.split(" ")) == offered


def test_an_expression_of_rules() -> None:
    assert found("check", "--rule", "URI & (IPv4") == ["URI & (IPv4address"]


def test_codes_of_findings() -> None:
    assert found("code", "abnf00") == [kind.code for kind in KINDS.values() if kind.code < "ABNF010"]


def test_only_files_of_a_size_to_wait_for_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own.abnf"
    path.write_text("start = (\n", "utf-8")
    assert completions.rules_of(str(path)) == ["start"]
    monkeypatch.setattr(completions, "MAX_COMPLETED_OCTETS", 9)
    assert completions.rules_of(str(path)) == []
    assert completions.rules_of(str(tmp_path)) == []
    assert completions.rules_of("a\0b") == []
