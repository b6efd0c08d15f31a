"""``abnforge test`` runs the examples of grammars."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import abnforge
from tests.cli.command import Seen, answers, offered, run
from tests.law import one_in
from tests.reference import junit

GOOD = ';@ match "80", "" (RFC 3986, section 3.2.3)\n;@ no-match "80x"\nport = *DIGIT\n'
BAD = (
    ';@ match "80x", "8" (a note)\nport = *DIGIT\n\n'
    ';@ no-match "a:8"\nserver = 1*host ":" port\nhost = ALPHA ;@ match "a"\n'
)


@pytest.fixture
def good(tmp_path: Path) -> str:
    return saved(tmp_path / "good.abnf", GOOD)


@pytest.fixture
def bad(tmp_path: Path) -> str:
    return saved(tmp_path / "bad.abnf", BAD)


def saved(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_all_as_they_say(good: str) -> None:
    result = run("test", good)
    assert (result.exit_code, result.stderr) == (0, "3 examples, 0 failed\n")
    assert result.stdout == "port  2 matches, 1 non-match\n"


def test_failures(bad: str, seen: Seen) -> None:
    result = run("test", bad)
    assert (result.exit_code, result.stderr) == (1, "4 examples, 2 failed\n")
    seen(result.stdout)


def test_some_rules(bad: str) -> None:
    result = run("test", bad, "--rule", "HOST", "-q")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "host  1 match, 0 non-matches\n", "")
    answers(["test", bad, "--rule", "hots"], 2, "", "rule-name-unknown")


def test_list(bad: str, seen: Seen) -> None:
    result = run("test", bad, "--list", "--rule", "port")
    assert (result.exit_code, result.stderr) == (0, "2 examples\n")
    seen(result.stdout)


def test_required(good: str, bad: str, seen: Seen) -> None:
    assert run("test", good, "--require", "1").exit_code == 0
    result = run("test", good, "--require", "2")
    seen((result.exit_code, result.stderr))
    seen(result.stdout)
    missing = run("test", bad, "--require", "1", "--format", "json").stdout
    assert [each["rule"] for each in json.loads(missing) if each["status"] == "missing"] == ["port", "server"]
    named = run("test", bad, "--require", "1", "-r", "host", "-r", "HOST", "--format", "json").stdout
    assert [each["rule"] for each in json.loads(named) if each["status"] == "missing"] == ["host"]
    core = run("test", good, "--require", "1", "--rule", "DIGIT")
    seen(core.stdout)


KEYS = ["path", "line", "column", "rule", "text", "valid", "note", "status", "code", "offset", "message"]


def test_json_and_lines_say_the_same(bad: str, seen: Seen) -> None:
    array = json.loads(run("test", bad, "--format", "json").stdout)
    lines = run("test", bad, "--format", "jsonl").stdout
    assert [json.loads(line) for line in lines.splitlines()] == array
    assert all(list(each) == KEYS for each in array)
    seen(array[0])
    assert [each["status"] for each in array] == ["failed", "passed", "failed", "passed"]


def test_github(good: str, bad: str, seen: Seen) -> None:
    assert run("test", good, "--format", "github").stdout == ""
    lines = run("test", bad, "--format", "github", "--require", "1").stdout.splitlines()
    assert len(lines) == 4
    bad.replace(":", "%3A")
    seen(lines[0])


def test_junit(good: str, bad: str) -> None:
    cases = junit.read(run("test", good, bad, "--format", "junit").stdout)
    assert [case.outcome for case in cases] == [*["passed"] * 3, "failure", "passed", "failure", "passed"]
    assert cases[3].name == '1:10 port: match "80x"'
    assert (cases[3].classname, cases[3].type) == (bad, "character-in-port")
    assert cases[5].type == "failed"
    assert "^^^^^" in cases[5].text


def test_junit_of_skipped_examples(good: str) -> None:
    text = run("test", good, "--format", "junit", "--list").stdout
    assert text.count("<skipped/>") == 3
    assert 'tests="3" failures="0" errors="0" skipped="3"' in text


@pytest.mark.parametrize("format", offered("format", "test"))
def test_every_format_has_an_end_without_examples(tmp_path: Path, format: str, seen: Seen) -> None:
    path = saved(tmp_path / "none.abnf", "a = DIGIT\n")
    result = run("test", path, "--format", format)
    assert result.exit_code == 0
    seen(result.stderr)
    if format == "json":
        assert json.loads(result.stdout) == []


@pytest.mark.parametrize(
    ("text", "options", "status", "output", "complaint"),
    [
        (";@ match 1\na = DIGIT\n", [], 2, "", ":1:10: "),
        ('a = "x\n', [], 2, "", ":1:5: "),
        ("a = b\n", [], 2, "", ':1:5: rule "b"'),
        (';@ match "1"\na = b\n', ["--define", "b = DIGIT"], 0, "a  1 match", "1 example, 0 failed"),
        (';@ match "a"\na = host\n', ["--import", "rfc3986"], 0, "a  1 match", "1 example, 0 failed"),
        (';@ match "1"\na = b / DIGIT\n', ["--allow-undefined"], 2, "1 not decided", ":1:10: "),
        (';@ match ",1"\na = 1#DIGIT\n', ["--lists", "sender"], 1, "1 failed", "1 example, 1 failed"),
        (
            ';@ match "1"\na = [ "(" a ")" ] / "1"\n',
            ["--budget", "steps=10"],
            2,
            "not decided",
            "1 not decided",
        ),
    ],
)
def test_statuses(
    tmp_path: Path, text: str, options: list[str], status: int, output: str, complaint: str
) -> None:
    path = saved(tmp_path / "g.abnf", text)
    result = run("test", path, *options, "--format", "text")
    assert result.exit_code == status
    assert output in result.stdout
    assert complaint in result.output


def test_nothing_is_reported_where_one_does_not_load(good: str, tmp_path: Path) -> None:
    result = run("test", good, str(tmp_path / "missing.abnf"), "--format", "json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert run("test").exit_code == 2


def test_output_is_escaped(tmp_path: Path) -> None:
    path = saved(tmp_path / "g.abnf", ";@ match %x1B.202E (\x1b[31m)\na = DIGIT\n")
    for format in offered("format", "test"):
        for options in ([], ["--list"]):
            stdout = run("test", path, "--format", format, *options).stdout
            assert "\x1b" not in stdout
            assert "\u202e" not in stdout


def test_several_grammars_are_distinguished(good: str, bad: str) -> None:
    stdout = run("test", good, bad).stdout
    assert f"{good}  port    2 matches, 1 non-match\n" in stdout
    assert f"{bad}  host    1 match, 0 non-matches\n" in stdout


@pytest.mark.parametrize("name", one_in(4, abnforge.grammar_names()))
def test_bundled_grammars_by_name(name: str) -> None:
    result = run("test", name)
    assert result.exit_code == 0, result.output
    assert result.stderr.endswith(" examples, 0 failed\n")


DOCUMENT = """\
# Orders

~~~ abnf
order = "ord-" 1*DIGIT
line  = order %x0D.0A
~~~

- A list

  ```order
  ord-12
  ```

  ```order
  ord-1x
  ```

```bad
ord-
```

```many
ord-1

ord-x
```
"""


@pytest.fixture
def document(tmp_path: Path) -> str:
    return saved(tmp_path / "orders.md", DOCUMENT)


@pytest.mark.parametrize(
    ("options", "statuses", "lines"),
    [
        (["--examples", "order=order"], ["passed", "failed"], [11, 15]),
        (["--examples", "order=line", "--newline", "crlf"], ["passed", "failed"], [11, 15]),
        (["--examples", "order=line"], ["failed", "failed"], [11, 15]),
        (["--examples", "order=ORDER", "--list"], ["listed", "listed"], [11, 15]),
        (["--non-examples", "bad=order"], ["passed"], [19]),
        (["--non-examples", "order=order"], ["failed", "passed"], [11, 15]),
        (["--examples", "many=order", "--lines"], ["passed", "failed"], [23, 25]),
        (["--examples", "bad=rfc3986:segment"], ["passed"], [19]),
        (["--examples", "bad=order", "--non-examples", "many=order"], ["failed", "passed"], [19, 23]),
        (["--examples", "order=line", "--examples", "bad=order", "--rule", "ORDER"], ["failed"], [19]),
        (["--examples", "many=line", "--rule", "order"], [], []),
    ],
)
def test_blocks_of_documents(
    document: str, options: list[str], statuses: list[str], lines: list[int]
) -> None:
    result = run("test", document, *options, "--format", "jsonl")
    reported = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["status"], each["line"]) for each in reported] == list(zip(statuses, lines, strict=True))
    assert result.exit_code == ("failed" in statuses)


def test_examples_of_bytes_are_utf8(tmp_path: Path) -> None:
    """As in the file; a value such as %xE9 is one byte."""
    grammar = ';@ alphabet bytes\n;@ match "caf\u00e9", %xC3.A9\n;@ no-match %xE9, "\u20ac"\n'
    grammar += "word = *( %x61-7A / %xC3 %xA9 )\n"
    path = saved(tmp_path / "word.abnf", grammar)
    assert run("test", path).exit_code == 0
    blocks = "".join(f"```word\n{text}\n```\n" for text in ("\u00e9a", "\u00e9\u20aca"))
    path = saved(tmp_path / "word.md", f"```abnf\n{grammar}```\n{blocks}")
    result = run("test", path, "--examples", "word=word", "--format", "jsonl")
    reported = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(each["text"], each["status"]) for each in reported[-2:]] == [
        ("\u00e9a", "passed"),
        ("\u00e9\u20aca", "failed"),
    ]
    assert (reported[-1]["offset"], reported[-1]["column"]) == (2, 2)


def test_documents_without_blocks_are_skipped(document: str, tmp_path: Path) -> None:
    other = saved(tmp_path / "other.md", "```abnf\nother = DIGIT\n```\n")
    plain = saved(tmp_path / "plain.md", "# Notes\n")
    result = run("test", other, document, plain, "--examples", "order=order", "--format", "jsonl")
    assert result.exit_code == 1
    assert [json.loads(line)["path"] for line in result.stdout.splitlines()] == [document] * 2
    assert plain in result.stderr
    answers(["test", other, "--examples", "order=order"], 2, "", "example-blocks-missing")
    assert run("test", plain, "--examples", "order=order").exit_code == 2


@pytest.mark.parametrize(("most", "status"), [("1", 0), ("2", 1)])
def test_required_examples_in_blocks(tmp_path: Path, most: str, status: int) -> None:
    grammar = 'line = "ord-" 1*DIGIT\n'
    path = saved(tmp_path / "orders.md", f"```abnf\n{grammar}```\n```line\nord-1\n```\n```bad\nord\n```\n")
    options = ["--examples", "line=line", "--non-examples", "bad=line", "--require", most]
    assert run("test", path, *options).exit_code == status


def test_mistake_in_a_block(document: str, seen: Seen) -> None:
    result = run("test", document, "--examples", "order=order")
    assert (result.exit_code, result.stderr) == (1, "2 examples, 1 failed\n")
    seen(result.stdout.replace(document, "orders.md"))
    [failed] = json.loads(run("test", document, "--examples", "order=order", "--format", "json").stdout)[1:]
    assert (failed["text"], failed["offset"], failed["column"]) == ("ord-1x", 5, 8)


def test_document_without_abnf(tmp_path: Path) -> None:
    path = saved(tmp_path / "examples.md", "```uri\nhttp://a/\n```\n")
    assert run("test", path, "--examples", "uri=rfc3986:URI").exit_code == 0
    assert run("test", path, "--examples", "uri=URI").exit_code == 2


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--examples", "ordr=order"], "example-blocks-missing"),
        (["--examples", "order=ordr"], "rule-name-unknown"),
        (["--examples", "order"], "example-type"),
        (["--examples", "=order"], "example-type"),
        (["--examples", "order="], "example-type"),
        (["--lines"], "option-requires"),
        (["--newline", "crlf"], "option-requires"),
    ],
)
def test_wrong_options_for_blocks(document: str, options: list[str], code: str) -> None:
    answers(["test", document, *options], 2, "", code)


def test_unknown_rule_of_another_grammar(document: str) -> None:
    result = run("test", document, "--examples", "order=rfc3339:order")
    assert "'abnforge show --grammar rfc3339'" in result.stderr


def test_blocks_of_plain_text(good: str) -> None:
    answers(["test", good, "--examples", "x=port"], 2, "", "examples-in-text")
