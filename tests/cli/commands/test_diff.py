"""``abnforge diff``: arguments, formats, exit statuses."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from tests.cli.command import Seen
from tests.cli.command import run as command

run = partial(command, "diff")


STATUSES = [
    (["rfc3986", "rfc3986"], 0),
    (["rfc3986", "rfc2396bis-07"], 0),
    (["rfc3986", "rfc2396"], 1),
    (["rfc3986:URI", "rfc3987:IRI"], 1),
    (["rfc3986:port", "rfc3987"], 0),
    (["rfc2396", "rfc3986:PORT"], 0),
    (["rfc2396:rel_path", "rfc3986:path-noscheme"], 0),
    (["abnf:rfc3986", "rfc3986"], 0),
    (["abnf:rfc3986:host", "rfc3986"], 0),
    (["rfc3986"], 2),
    (["rfc3986", "rfc3968"], 2),
    (["rfc3986", "abnf:rfc3968"], 2),
    (["rfc3986:hots", "rfc3986"], 2),
    (["rfc3986:", "rfc3986"], 2),
    (["rfc3986", "no/such.abnf"], 2),
    (["rfc2396", "rfc3986", "-t", "uric"], 2),
    (["rfc2396", "rfc3986", "-t", "uric=1*"], 2),
    (["rfc2396", "rfc3986", "-t", "urci=pchar"], 2),
    (["rfc2396:uric", "rfc3986:pchar", "-t", "uric=pchar"], 2),
    (["rfc3986", "rfc3986", "-f", "xml"], 2),
]


@pytest.mark.parametrize(("arguments", "status"), STATUSES)
def test_status(arguments: list[str], status: int) -> None:
    result = run(*arguments)
    assert result.exit_code == status, result.output
    assert (status == 2) == (
        not result.stdout and "rules:" not in result.stderr and "rule:" not in result.stderr
    )


def test_text(seen: Seen) -> None:
    result = run("rfc2396", "rfc3986", "-t", 'hostport=host [ ":" port ]')
    lines = result.stdout.split("\n")
    assert lines[:2] == ["overlap        URI-reference", '    only rfc2396  "//:a"']
    seen(lines)
    assert "only rfc3986" in lines
    assert "equal" not in result.stdout
    assert " equal" in result.stderr
    assert "equal          scheme" in run("rfc2396", "rfc3986", "--all").stdout


def test_json() -> None:
    result = run("rfc2396:IPv4address", "rfc3986", "-f", "json")
    (results,) = json.loads(result.stdout)
    assert (results["rule"], results["relation"]) == ("IPv4address", "wider")
    assert results["only_left"]["text"] == "1.1.1.01"
    assert json.loads(run("rfc3986", "rfc3986", "-f", "json").stdout) == []


def test_markdown(tmp_path: Path, seen: Seen) -> None:
    (tmp_path / "a.abnf").write_text('a = "|" / "x"\n')
    (tmp_path / "b:c.abnf").write_text('a = "x" / ""\n')
    result = run(str(tmp_path / "a.abnf"), str(tmp_path / "b:c.abnf"), "-f", "markdown")
    head, rule, row = result.stdout.splitlines()
    seen(head)
    assert rule.count("|") == row.replace("\\|", "").count("|") == 6
    assert "<code>&#124;</code>: " in row
    assert "*(empty)*: " in row


def test_files_of_one_name_are_distinguished(tmp_path: Path) -> None:
    for name, text in (("old", "x"), ("new", "y")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "g.abnf").write_text(f'a = "{text}"\n')
    result = run(str(tmp_path / "old/g.abnf"), str(tmp_path / "new/g.abnf"))
    assert f'only {tmp_path / "old/g.abnf"}  "x"' in result.stdout
    assert f'only {tmp_path / "new/g.abnf"}  "y"' in result.stdout


@pytest.fixture
def change(tmp_path: Path) -> tuple[str, str]:
    """Return a grammar, and the same grammar without a rule."""
    old, new = tmp_path / "old.abnf", tmp_path / "new.abnf"
    old.write_text('top = part "!"\npart = "x" / "y"\nmore = "z"\n')
    new.write_text('top = ( part / "y" ) "!"\npart = "x"\nmore = "z" / "w"\n')
    return str(old), str(new)


COMPATIBLE = [
    ([], 0),
    (["--rule", "part"], 1),
    (["--rule", "PART", "--rule", "top"], 1),
    (["--rule", "prat"], 2),
    (["--rule", "part", "--translate", 'part=part / "y"'], 0),
]


@pytest.mark.parametrize(("options", "status"), COMPATIBLE)
def test_compat(options: list[str], status: int, change: tuple[str, str]) -> None:
    result = run(*change, "--compat", *options)
    assert result.exit_code == status, result.output
    assert ("broken     wider          part" in result.stdout) is (status == 1)


def test_compat_of_one_rule(change: tuple[str, str]) -> None:
    old, new = change
    assert run(f"{old}:part", new, "--compat").exit_code == 1
    assert run(f"{old}:more", new, "--compat").stdout.splitlines()[0] == "compatible narrower       more"
    assert run(f"{old}:part", f"{new}:more", "--compat").exit_code == 1
    assert run(old, f"{new}:more", "--compat").exit_code == 0


@pytest.mark.parametrize("report_format", ["text", "json", "github", "markdown"])
def test_compat_in_every_format(report_format: str, change: tuple[str, str]) -> None:
    result = run(*change, "--compat", "-r", "part", "-f", report_format)
    assert result.exit_code == 1
    assert "broken" in result.stdout
    if report_format == "json":
        assert json.loads(result.stdout)["compatible"] is False


def test_what_is_for_compat_alone(change: tuple[str, str]) -> None:
    assert run(*change, "--rule", "part").exit_code == 2


RECURSIVE = 'v = "[" *v "]" / "x"\n', 'v = "[" *( "[" *v "]" / "x" ) "]" / "x"\n'


@pytest.fixture
def undecided(tmp_path: Path) -> tuple[str, str]:
    """Return two definitions of a rule that no budget is enough to prove equal."""
    paths = [tmp_path / name for name in ("old.abnf", "new.abnf")]
    for path, text in zip(paths, RECURSIVE, strict=True):
        path.write_text(text)
    return str(paths[0]), str(paths[1])


@pytest.mark.parametrize("options", [[], ["--compat"]])
def test_a_budget_that_is_exceeded_is_named(
    options: list[str], undecided: tuple[str, str], seen: Seen
) -> None:
    result = run(*undecided, *options, "--budget", "0.1x")
    assert result.exit_code == 2
    assert "undecided" in result.stdout
    assert "raise the budget" in result.stdout
    seen(result.stdout)
    seen(result.stderr)
    assert "\nbackward compatible" not in result.stdout
    seen(result.stderr)


def test_broken_rules_are_broken_with_any_budget(undecided: tuple[str, str]) -> None:
    old, new = undecided
    for path in (old, new):
        with open(path, "a") as stream:
            stream.write(f'w = "{Path(path).stem}"\n')
    assert run(old, new, "--compat", "--budget", "0.1x").exit_code == 1
    assert run(old, new, "--budget", "0.1x").exit_code == 2


def test_what_is_compatible_by_how_it_is_built_is_within_the_budget(tmp_path: Path, seen: Seen) -> None:
    """The call does not need to decide whether the rules are equal, which would exceed the budget."""
    text = 'a = "x" a "x" / "y" a "y" / ""'
    (tmp_path / "old.abnf").write_text(f"{text}\n")
    (tmp_path / "new.abnf").write_text(f'{text} / b\nb = "x" b "x" / "y" b "y" / "xx"\n')
    paths = str(tmp_path / "old.abnf"), str(tmp_path / "new.abnf")
    result = run(*paths, "--compat", "--budget", "0.1x")
    assert result.exit_code == 0
    assert "\nbackward compatible" in result.stdout
    assert "error: " not in result.stderr
    result = run(*paths, "--budget", "0.1x")
    assert result.exit_code == 2
    seen(result.stderr)


@pytest.mark.parametrize("options", [[], ["--compat"]])
def test_a_comment_changes_nothing(options: list[str], tmp_path: Path) -> None:
    text = (
        "local = word word\nword = CFWS text FWS CFWS\nCFWS = FWS comment\n"
        "comment = *( [ FWS ] comment )\ntext = %d14-127 / %x6e\n"
        "FWS = CRLF 1*WSP / 1*WSP *( CRLF 1*WSP )\n"
    )
    (tmp_path / "old.abnf").write_text(text)
    (tmp_path / "new.abnf").write_text(f"; new\n{text.replace('6e', '6E')}")
    result = run(str(tmp_path / "old.abnf"), str(tmp_path / "new.abnf"), *options, "--budget", "0.01x")
    assert result.exit_code == 0, result.output


LINKED = [
    (["--import", "rfc3986"], 0),
    (["--define", "port = *DIGIT"], 0),
    (["--allow-undefined"], 1),
    ([], 2),
]


@pytest.mark.parametrize(("options", "status"), LINKED)
@pytest.mark.parametrize("compat", [[], ["--compat"]])
def test_rules_of_other_grammars(options: list[str], status: int, compat: list[str], tmp_path: Path) -> None:
    """The option applies to both grammars."""
    (tmp_path / "a.abnf").write_text('a = "x" port\n')
    (tmp_path / "b.abnf").write_text('a = %d88.49 / b\nb = "x" [ 1*DIGIT / port ]\n')
    result = run(str(tmp_path / "a.abnf"), str(tmp_path / "b.abnf:a"), *options, *compat)
    assert result.exit_code == status, result.output


def test_lists(tmp_path: Path) -> None:
    (tmp_path / "a.abnf").write_text('a = 1#"x"\n')
    (tmp_path / "b.abnf").write_text('a = "x" *( OWS "," OWS "x" )\nOWS = *( SP / HTAB )\n')
    files = [f"{tmp_path / name}:a" for name in ("a.abnf", "b.abnf")]
    assert run(*files).exit_code == 1
    assert run(*files, "--lists", "sender").exit_code == 0
